// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys' kernel, "Cubic convolution interpolation for digital image processing" (1981).
#ifndef DRAGOMAN_RUNTIME_PARAMS_CUBIC_WEIGHT_H_
#define DRAGOMAN_RUNTIME_PARAMS_CUBIC_WEIGHT_H_

#include <cmath>

namespace dragoman::rt {

// The weight at distance x, 0 from 2 on; `a` is the slope at 1, mostly -0.5 or -0.75.
inline double CubicWeight(double x, double a) {
  x = std::fabs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_CUBIC_WEIGHT_H_
