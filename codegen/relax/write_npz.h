// SPDX-License-Identifier: Apache-2.0
// NumPy archives of weights.
#ifndef DRAGOMAN_CODEGEN_RELAX_WRITE_NPZ_H_
#define DRAGOMAN_CODEGEN_RELAX_WRITE_NPZ_H_

#include <string>
#include <utility>
#include <vector>

#include "core/ir/tensor.h"
#include "core/support/result.h"

namespace dragoman {

// Stored entries "<name>.npy" in the given order with fixed times: equal tensors give equal bytes.
// Element types that NumPy lacks are raw bits with the type in the key: "w:bfloat16".
Status WriteNpz(const std::string& path, const std::vector<std::pair<std::string, Tensor>>& arrays);

}  // namespace dragoman

#endif  // DRAGOMAN_CODEGEN_RELAX_WRITE_NPZ_H_
