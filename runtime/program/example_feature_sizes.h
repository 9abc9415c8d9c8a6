// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of ExampleFeature's results, from its operands.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_EXAMPLE_FEATURE_SIZES_H_
#define DRAGOMAN_RUNTIME_PROGRAM_EXAMPLE_FEATURE_SIZES_H_

#include <cstdint>
#include <string>

#include "runtime/kernels/example_feature.h"
#include "runtime/params/example_feature.h"

namespace dragoman::rt {

template <class T>
Status ExampleFeatureSizes(TensorView<const std::string> records, TensorView<const std::string> key,
                           TensorView<const T> /*filler*/, Shape* values, Shape* counts) {
  std::int64_t most = 0;
  DRAGOMAN_RT_TRY(ExampleFeatureMost<T>(records, key, &most));
  *counts = records.shape;
  return ExampleFeatureShape(records.shape, most, values);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_EXAMPLE_FEATURE_SIZES_H_
