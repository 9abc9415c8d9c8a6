// SPDX-License-Identifier: Apache-2.0
// ELU, CELU and SELU with numbers that the attributes of the operators, which are float32, cannot
// say.
#ifndef DRAGOMAN_CORE_LOWERING_ELU_H_
#define DRAGOMAN_CORE_LOWERING_ELU_H_

#include "core/lowering/composer.h"

namespace dragoman {

inline constexpr double kSeluAlpha = 1.6732632423543772848170429916717;
inline constexpr double kSeluScale = 1.0507009873554804934193349852946;

// scale · x above 0, scale · alpha · (exp(input_scale · x) - 1) below.
Value* ScaledElu(Composer& c, Value* x, double alpha, double scale = 1, double input_scale = 1);

// Whether an attribute of float32 says `number` as well as an element of `dtype` does.
bool FitsAttribute(double number, DType dtype);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_ELU_H_
