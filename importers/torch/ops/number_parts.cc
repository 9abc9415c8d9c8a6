// SPDX-License-Identifier: Apache-2.0
// What integers have in common, and the parts of floating numbers.
#include "importers/torch/ops/op_rows.h"

#include "core/lowering/number_parts.h"
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

// gcd, lcm
Value* LowerGcd(CallComposer& c) {
  const std::vector<Value*> x = c.Promoted({"self", "other"});
  if (!IsInteger(c.dtype(x[0]))) return c.Fail(c.call().Invalid("expected integers"));
  Value* sizes = c.Op("Shape", {c.Add(x[0], x[1])});
  Value* a = c.Expand(x[0], sizes);
  Value* b = c.Expand(x[1], sizes);
  Value* divisor = GreatestDivisor(c, a, b);
  if (FunctionalName(c.call().op()) == "gcd") return divisor;
  // Of small integers as C++ computes it, in int.
  const DType wide = PackedBytes(c.dtype(a), 1) < 4 ? DType::kI32 : c.dtype(a);
  Value* zero = c.Equal(divisor, 0);
  Value* multiple = c.Mul(c.Cast(c.Div(a, c.Where(zero, 1, divisor)), wide), c.Cast(b, wide));
  return c.CastLike(c.Abs(multiple), a);
}

Value* LowerNextAfter(CallComposer& c) {
  const std::vector<Value*> given = c.Promoted({"self", "other"});
  const DType dtype = c.dtype(given[0]);
  if (dtype != DType::kF64 && dtype != DType::kF32 && dtype != DType::kBF16)
    return c.Refuse("element type " + std::string(Name(dtype)));
  return NextAfter(c, given[0], given[1]);
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
