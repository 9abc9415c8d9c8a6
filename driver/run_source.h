// SPDX-License-Identifier: Apache-2.0
// Runs what an importer cannot: parts of a model that are known when it is read.
#ifndef DRAGOMAN_DRIVER_RUN_SOURCE_H_
#define DRAGOMAN_DRIVER_RUN_SOURCE_H_

#include <vector>

#include "core/ir/model.h"
#include "core/ir/tensor.h"
#include "core/support/result.h"

namespace dragoman {

// Of the default entry of a TorchScript source Model that takes no inputs. At most kMostKnownNodes
// nodes run, whose results take kMostKnownBytes in all. Errors: more than that; what cannot be
// lowered; random numbers.
inline constexpr std::int64_t kMostKnownNodes = 100'000;
inline constexpr std::int64_t kMostKnownBytes = std::int64_t{1} << 28;
Result<std::vector<Tensor>> RunTorchSource(const Model& source);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_RUN_SOURCE_H_
