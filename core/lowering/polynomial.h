// SPDX-License-Identifier: Apache-2.0
// Polynomials, of which rational approximations consist.
#ifndef DRAGOMAN_CORE_LOWERING_POLYNOMIAL_H_
#define DRAGOMAN_CORE_LOWERING_POLYNOMIAL_H_

#include <cstddef>
#include <span>

#include "core/lowering/composer.h"

namespace dragoman {

// The polynomial in x with these coefficients, two at least, the highest power first.
inline Value* Horner(Composer& c, Value* x, std::span<const double> coefficients) {
  Value* sum = c.Mul(x, coefficients[0]);
  for (std::size_t i = 1; i + 1 < coefficients.size(); ++i)
    sum = c.Mul(c.Add(sum, coefficients[i]), x);
  return c.Add(sum, coefficients.back());
}

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_POLYNOMIAL_H_
