// SPDX-License-Identifier: Apache-2.0
#ifndef DRAGOMAN_CORE_IR_WIDE_FLOAT_H_
#define DRAGOMAN_CORE_IR_WIDE_FLOAT_H_

#include "core/ir/dtype.h"

namespace dragoman {

// The element type in which formulas on numbers of `dtype` are computed: float32, in which squares
// and sums of halves fit, unless it is float64.
constexpr DType WideFloat(DType dtype) { return dtype == DType::kF64 ? DType::kF64 : DType::kF32; }

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_WIDE_FLOAT_H_
