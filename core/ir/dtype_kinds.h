// SPDX-License-Identifier: Apache-2.0
// Kinds of element types that several formats treat alike, beside those of dtype.h.
#ifndef DRAGOMAN_CORE_IR_DTYPE_KINDS_H_
#define DRAGOMAN_CORE_IR_DTYPE_KINDS_H_

#include "core/ir/dtype.h"

namespace dragoman {

inline bool IsHalf(DType dtype) { return dtype == DType::kF16 || dtype == DType::kBF16; }

// Integers of 8 and 16 bits: those that quantised numbers are stored as.
inline bool IsShortInteger(DType dtype) {
  return dtype == DType::kI8 || dtype == DType::kU8 || dtype == DType::kI16 || dtype == DType::kU16;
}

// Unsigned integers of more than 8 bits, of which PyTorch has no arithmetic.
inline bool IsWideUnsigned(DType dtype) {
  return dtype == DType::kU16 || dtype == DType::kU32 || dtype == DType::kU64;
}

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_DTYPE_KINDS_H_
