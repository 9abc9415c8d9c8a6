// SPDX-License-Identifier: Apache-2.0
// The binary forms of tensors that TVM reads: single arrays, and files of named ones.
#ifndef DRAGOMAN_CODEGEN_RELAY_ND_ARRAY_H_
#define DRAGOMAN_CODEGEN_RELAY_ND_ARRAY_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ir/tensor.h"
#include "core/support/result.h"

namespace dragoman::relay::emit {

// TVM's name of an element type; empty if it has none (strings, complex, 4-bit).
std::string_view RelayDType(DType dtype);

// The array in memory of the CPU, little endian: magic number, device, rank, element type, sizes,
// elements. Its element type must have a name of TVM.
std::string NdArrayBytes(const Tensor& tensor);

// A `.params` file: the names, then the arrays, in the order given.
std::string ParamsBytes(const std::vector<std::pair<std::string, Tensor>>& arrays);

}  // namespace dragoman::relay::emit

#endif  // DRAGOMAN_CODEGEN_RELAY_ND_ARRAY_H_
