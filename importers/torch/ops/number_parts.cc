// SPDX-License-Identifier: Apache-2.0
// What integers have in common, and the parts of floating numbers.
#include "importers/torch/ops/op_rows.h"

#include <cmath>

#include "importers/torch/ops/math.h"
#include "importers/torch/ops/promotion.h"

namespace dragoman::torch {
namespace {

// Euclid's algorithm, in as many steps as the longest run takes, which Fibonacci numbers do.
Value* GreatestDivisor(Composer& c, Value* a, Value* b) {
  const int steps = Info(c.dtype(a)).bits * 3 / 2;
  a = c.Abs(a);
  b = c.Abs(b);
  for (int i = 0; i < steps; ++i) {
    Value* done = c.Equal(b, 0);
    Value* rest = c.Op("Mod", {a, c.Where(done, 1, b)});
    a = c.Where(done, a, b);
    b = c.Where(done, 0, rest);
  }
  return a;
}

// floor(log2 |x|) for x of float64 that is finite and not 0.
Value* Exponent(Composer& c, Value* x) {
  Value* size = c.Abs(x);
  Value* e = c.Floor(c.Div(c.Log(size), std::log(2.0)));
  e = c.Where(c.Greater(c.Pow(2.0, e), size), c.Sub(e, 1), e);
  return c.Where(c.LessOrEqual(c.Pow(2.0, c.Add(e, 1)), size), c.Add(e, 1), e);
}

// gcd, lcm
Result<Value*> LowerGcd(Call& call) {
  CallComposer c(call);
  const std::vector<Value*> x = c.Promoted({"self", "other"});
  if (!IsInteger(c.dtype(x[0]))) return call.Invalid("expected integers");
  Value* sizes = c.Op("Shape", {c.Add(x[0], x[1])});
  Value* a = c.Expand(x[0], sizes);
  Value* b = c.Expand(x[1], sizes);
  Value* divisor = GreatestDivisor(c, a, b);
  if (FunctionalName(call.op()) == "gcd") return c.Done(divisor);
  Value* zero = c.Equal(divisor, 0);
  return c.Done(c.Abs(c.Mul(c.Div(a, c.Where(zero, 1, divisor)), b)));
}

// The next number of float32 or bfloat16 in a direction: exact in float64, which is wider.
Result<Value*> LowerNextAfter(Call& call) {
  CallComposer c(call);
  const std::vector<Value*> given = c.Promoted({"self", "other"});
  const DType dtype = c.dtype(given[0]);
  if (dtype != DType::kF32 && dtype != DType::kBF16)
    return call.Unsupported("element type " + std::string(Name(dtype)));
  const int bits = dtype == DType::kF32 ? 23 : 7;
  Value* x = c.Cast(given[0], DType::kF64);
  Value* to = c.Cast(given[1], DType::kF64);
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
  const double largest = std::ldexp(2 - std::ldexp(1.0, -bits), 127);
  Value* from_infinity = c.Mul(c.Op("Sign", {x}), largest);
  moved = c.Where(IsInf(c, x, true, true), from_infinity, moved);
  Value* result = c.Where(c.Equal(x, to), to, moved);
  result = c.Where(c.Or(IsNaN(c, x), IsNaN(c, to)), NAN, result);
  return c.Done(c.Cast(result, dtype));
}

// A mantissa of [1/2, 1), and the exponent of two that goes with it.
Result<Results> LowerFrexp(Call& call) {
  CallComposer c(call);
  Value* given = c.Tensor("self");
  if (!IsFloating(c.dtype(given))) return call.Invalid("expected floating numbers");
  Value* x = c.Cast(given, DType::kF64);
  Value* odd = c.Or(c.Equal(x, 0), c.Or(IsNaN(c, x), IsInf(c, x, true, true)));
  Value* e = c.Where(odd, 0, c.Add(Exponent(c, c.Where(odd, 1, x)), 1));
  Value* mantissa = c.Mul(x, c.Pow(2.0, c.Neg(e)));
  return c.Done({c.CastLike(mantissa, given), c.Cast(e, DType::kI32)});
}

}  // namespace

std::span<const OpRow> NumberPartsRows() {
  static constexpr OpRow kRows[] = {
      {"aten.frexp", LowerFrexp},
      {"aten.gcd", LowerGcd},
      {"aten.lcm", LowerGcd},
      {"aten.nextafter", LowerNextAfter},
  };
  return kRows;
}

}  // namespace dragoman::torch
