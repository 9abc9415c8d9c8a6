// SPDX-License-Identifier: Apache-2.0
// Functions of one tensor that keep its element type, or test it.
#include "importers/torch/ops/op_rows.h"

#include <cmath>
#include <limits>

#include "core/lowering/complex.h"
#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"

namespace dragoman::torch {
namespace {

double LargestNumber(DType dtype) {
  if (dtype == DType::kF64) return std::numeric_limits<double>::max();
  if (dtype == DType::kF16) return 65504;
  return dtype == DType::kBF16 ? 3.3895313892515355e38 : std::numeric_limits<float>::max();
}

Value* LowerAbs(CallComposer& c) { return c.Abs(c.Tensor(c.call().Declares("x") ? "x" : "self")); }

Value* LowerNeg(CallComposer& c) {
  Value* x = c.Tensor("self");
  if (c.dtype(x) == DType::kBool) return c.Refuse("negation of bool");
  const bool has_sign = Info(c.dtype(x)).is_signed;
  return has_sign ? c.Neg(x) : c.Sub(0, x);
}

// ceil, floor, round, trunc, fix: integers are what they are.
Value* LowerRounding(CallComposer& c) {
  Value* x = c.Tensor("self");
  if (!IsFloating(c.dtype(x))) return x;
  const std::string_view name = FunctionalName(c.call().op());
  if (name == "ceil") return c.Op("Ceil", {x});
  if (name == "floor") return c.Floor(x);
  return Trunc(c, x);
}

Value* LowerRound(CallComposer& c) {
  Value* x = c.Tensor("self");
  const std::int64_t decimals = c.IntOr("decimals", 0);
  if (!IsFloating(c.dtype(x))) return x;
  if (decimals == 0) return c.Op("Round", {x});
  const double scale = std::pow(10.0, std::abs(decimals));
  Value* wide = c.Widen(x);
  Value* scaled = decimals > 0 ? c.Mul(wide, scale) : c.Div(wide, scale);
  Value* rounded = c.Op("Round", {scaled});
  Value* result = decimals > 0 ? c.Div(rounded, scale) : c.Mul(rounded, scale);
  return c.CastLike(result, x);
}

Value* LowerFrac(CallComposer& c) {
  Value* x = c.Tensor("self");
  return c.Sub(x, Trunc(c, x));
}

Value* LowerSign(CallComposer& c) {
  Value* x = c.Tensor("self");
  if (IsComplex(c.dtype(x))) {
    Value* size = c.Abs(x);
    Value* divisor = c.Where(c.Equal(size, 0), 1, size);
    return c.Div(x, c.CastLike(divisor, x));
  }
  if (c.dtype(x) == DType::kBool) return x;
  return Sign(c, x);
}

Value* LowerSignBit(CallComposer& c) {
  Value* x = c.Tensor("self");
  if (c.dtype(x) == DType::kBool) return c.And(x, c.Not(x));
  return SignBit(c, x);
}

Value* LowerSquare(CallComposer& c) {
  Value* x = c.Tensor("self");
  if (c.dtype(x) == DType::kBool) x = c.Cast(x, DType::kI64);
  return c.Mul(x, x);
}

// Operators without a meaning at inference, and copies.
Value* LowerIdentity(CallComposer& c) { return c.Tensor("self"); }

Value* LowerIsNaN(CallComposer& c) { return IsNaN(c, c.Tensor("self")); }

// isinf, isposinf, isneginf
Value* LowerIsInf(CallComposer& c) {
  const std::string_view name = FunctionalName(c.call().op());
  Value* x = c.Tensor("self");
  if (IsComplex(c.dtype(x))) x = c.Abs(x);
  return IsInf(c, x, name != "isposinf", name != "isneginf");
}

Value* LowerIsFinite(CallComposer& c) {
  Value* x = c.Tensor("self");
  if (IsComplex(c.dtype(x))) x = c.Abs(x);
  if (!IsFloating(c.dtype(x))) return c.Equal(x, x);
  return c.Not(c.Or(IsNaN(c, x), IsInf(c, x, true, true)));
}

Value* LowerLogicalNot(CallComposer& c) { return c.Not(IsTrue(c, c.Tensor("self"))); }

Value* LowerBitwiseNot(CallComposer& c) {
  Value* x = c.Tensor("self");
  return c.dtype(x) == DType::kBool ? c.Not(x) : c.Op("BitwiseNot", {x});
}

Value* LowerNanToNum(CallComposer& c) {
  Value* x = c.Tensor("self");
  const auto finite = [&](Value* part) {
    const double largest = LargestNumber(c.dtype(part));
    Value* number = c.Where(IsNaN(c, part), c.FloatOr("nan", 0), part);
    number = c.Where(IsInf(c, part, false, true), c.FloatOr("posinf", largest), number);
    return c.Where(IsInf(c, part, true, false), c.FloatOr("neginf", -largest), number);
  };
  if (IsComplex(c.dtype(x))) return FromPairs(c, finite(PairsOf(c, x)));
  return IsFloating(c.dtype(x)) ? finite(x) : x;
}

Value* LowerLogit(CallComposer& c) {
  Value* p = c.Floating("self");
  if (const double given = c.FloatOr("eps", -1); given >= 0) {
    Value* eps = c.Number(given, p);
    Value* most = c.Sub(1, eps);
    p = c.Where(c.Less(p, eps), eps, c.Where(c.Greater(p, most), most, p));
  }
  return c.Log(c.Div(p, c.Sub(1, p)));
}

}  // namespace

std::span<const OpRow> PointwiseRows() {
  static constexpr OpRow kRows[] = {
      {"aten.abs", LowerAbs, {.complex = true}},
      {"aten.absolute", LowerAbs, {.complex = true}},
      {"aten.bitwise_not", LowerBitwiseNot},
      {"aten.ceil", LowerRounding},
      {"aten.clone", LowerIdentity, {.complex = true}},
      {"aten.fix", LowerRounding},
      {"aten.floor", LowerRounding},
      {"aten.frac", LowerFrac},
      {"aten.isfinite", LowerIsFinite, {.complex = true}},
      {"aten.isinf", LowerIsInf, {.complex = true}},
      {"aten.isnan", LowerIsNaN, {.complex = true}},
      {"aten.isneginf", LowerIsInf},
      {"aten.isposinf", LowerIsInf},
      {"aten.logical_not", LowerLogicalNot, {.complex = true}},
      {"aten.logit", LowerLogit},
      {"aten.nan_to_num", LowerNanToNum, {.complex = true}},
      {"aten.neg", LowerNeg, {.complex = true}},
      {"aten.negative", LowerNeg, {.complex = true}},
      {"aten.round", LowerRound},
      {"aten.sgn", LowerSign, {.complex = true}},
      {"aten.sign", LowerSign},
      {"aten.signbit", LowerSignBit},
      {"aten.special_logit", LowerLogit},
      {"aten.special_round", LowerRound},
      {"aten.square", LowerSquare, {.complex = true}},
      {"aten.trunc", LowerRounding},
      {"prim.abs", LowerAbs},
  };
  return kRows;
}

}  // namespace dragoman::torch
