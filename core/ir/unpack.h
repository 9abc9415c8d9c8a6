// SPDX-License-Identifier: Apache-2.0
// Elements of less than a byte: several lie in one byte of a Tensor, each in a byte of its own
// where kernels compute.
#ifndef DRAGOMAN_CORE_IR_UNPACK_H_
#define DRAGOMAN_CORE_IR_UNPACK_H_

#include <cstddef>
#include <span>

#include "core/ir/tensor.h"

namespace dragoman {

// 1 for types of a byte and more.
int ElementsPerByte(DType dtype);

// The elements of a tensor of such a type, one per byte, integers sign-extended, into as many bytes
// as it has elements.
void Unpack(const Tensor& tensor, std::span<std::byte> elements);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_UNPACK_H_
