// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/elu.h"

#include "core/lowering/math.h"

namespace dragoman {

Value* ScaledElu(Composer& c, Value* x, double alpha, double scale, double input_scale) {
  Value* wide = c.Widen(x);
  Value* negative = c.Mul(Expm1(c, c.Mul(wide, input_scale)), alpha * scale);
  return c.CastLike(c.Where(c.Greater(wide, 0), c.Mul(wide, scale), negative), x);
}

bool FitsAttribute(double number, DType dtype) {
  return dtype != DType::kF64 || static_cast<double>(static_cast<float>(number)) == number;
}

}  // namespace dragoman
