// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/number_parts.h"

#include <cmath>
#include <limits>

#include "core/lowering/bits.h"
#include "core/lowering/math.h"

namespace dragoman {
namespace {

// Of float64, whose bits count up from 0 to infinity.
Value* NextDouble(Composer& c, Value* x, Value* to) {
  Value* grows = c.Equal(c.Less(x, to), c.Greater(x, 0));
  Value* bits = BitsAs(c, x, DType::kI64);
  Value* moved = BitsAs(c, c.Add(bits, c.Where(grows, c.Int(1), c.Int(-1))), DType::kF64);
  Value* smallest = c.Number(std::numeric_limits<double>::denorm_min(), DType::kF64);
  return c.Where(c.Equal(x, 0), NegateWhere(c, c.Less(to, x), smallest), moved);
}

// Of a smaller type, as float64, which is exact.
Value* NextSmaller(Composer& c, Value* x, Value* to, int bits) {
  constexpr int kLeastExponent = -126;
  Value* normal = c.Where(c.Or(c.Equal(x, 0), IsInf(c, x, true, true)), 1, x);
  Value* e = c.Max(Exponent(c, normal), kLeastExponent);
  Value* grows = c.Equal(c.Less(x, to), c.Greater(x, 0));
  Value* power = c.And(c.Equal(c.Abs(x), c.Pow(2.0, e)), c.Greater(e, kLeastExponent));
  Value* finer = c.And(power, c.Not(grows));
  Value* step = c.Pow(2.0, c.Sub(c.Where(finer, c.Sub(e, 1), e), bits));
  Value* smallest = c.Number(std::ldexp(1.0, kLeastExponent - bits), DType::kF64);
  step = c.Where(c.Equal(x, 0), smallest, step);
  Value* moved = c.Add(x, NegateWhere(c, c.Less(to, x), step));
  moved = NegateWhere(c, c.And(c.Equal(moved, 0), c.Less(x, 0)), moved);
  const double largest = std::ldexp(2 - std::ldexp(1.0, -bits), 127);
  Value* from_infinity = c.Mul(c.Op("Sign", {x}), largest);
  return c.Where(IsInf(c, x, true, true), from_infinity, moved);
}

}  // namespace

Value* Exponent(Composer& c, Value* x) {
  Value* size = c.Abs(x);
  Value* e = c.Floor(c.Div(c.Log(size), std::log(2.0)));
  e = c.Where(c.Greater(c.Pow(2.0, e), size), c.Sub(e, 1), e);
  return c.Where(c.LessOrEqual(c.Pow(2.0, c.Add(e, 1)), size), c.Add(e, 1), e);
}

Value* NextAfter(Composer& c, Value* x, Value* to) {
  const DType dtype = c.dtype(x);
  x = c.Cast(x, DType::kF64);
  to = c.Cast(to, DType::kF64);
  Value* moved = dtype == DType::kF64 ? NextDouble(c, x, to)
                                      : NextSmaller(c, x, to, dtype == DType::kF32 ? 23 : 7);
  Value* result = c.Where(c.Equal(x, to), to, moved);
  result = c.Where(c.Or(IsNaN(c, x), IsNaN(c, to)), NAN, result);
  return c.Cast(result, dtype);
}

}  // namespace dragoman
