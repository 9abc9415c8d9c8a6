// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of ExampleFeature's results.
#ifndef DRAGOMAN_RUNTIME_PARAMS_EXAMPLE_FEATURE_H_
#define DRAGOMAN_RUNTIME_PARAMS_EXAMPLE_FEATURE_H_

#include <cstdint>

#include "runtime/params/checked.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// Those of the values; `most` is ExampleFeatureMost's. The counts have those of the records.
constexpr Status ExampleFeatureShape(const Shape& records, std::int64_t most, Shape* values) {
  if (records.size() == kMaxRank) return Status::Error("records with too many axes");
  *values = records;
  values->push_back(most);
  return CheckSizes(*values);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_EXAMPLE_FEATURE_H_
