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

Result<Value*> LowerAbs(Call& call) {
  CallComposer c(call);
  return c.Done(c.Abs(c.Tensor(call.Declares("x") ? "x" : "self")));
}

Result<Value*> LowerNeg(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  if (c.dtype(x) == DType::kBool) return call.Unsupported("negation of bool");
  const bool has_sign = Info(c.dtype(x)).is_signed;
  return c.Done(has_sign ? c.Neg(x) : c.Sub(0, x));
}

// ceil, floor, round, trunc, fix: integers are what they are.
Result<Value*> LowerRounding(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  if (!IsFloating(c.dtype(x))) return c.Done(x);
  const std::string_view name = FunctionalName(call.op());
  if (name == "ceil") return c.Done(c.Op("Ceil", {x}));
  if (name == "floor") return c.Done(c.Floor(x));
  return c.Done(Trunc(c, x));
}

Result<Value*> LowerRound(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  const std::int64_t decimals = c.IntOr("decimals", 0);
  if (!IsFloating(c.dtype(x))) return c.Done(x);
  if (decimals == 0) return c.Done(c.Op("Round", {x}));
  const double scale = std::pow(10.0, std::abs(decimals));
  Value* wide = c.Widen(x);
  Value* scaled = decimals > 0 ? c.Mul(wide, scale) : c.Div(wide, scale);
  Value* rounded = c.Op("Round", {scaled});
  Value* result = decimals > 0 ? c.Div(rounded, scale) : c.Mul(rounded, scale);
  return c.Done(c.CastLike(result, x));
}

Result<Value*> LowerFrac(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  return c.Done(c.Sub(x, Trunc(c, x)));
}

Result<Value*> LowerSign(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  if (IsComplex(c.dtype(x))) {
    Value* size = c.Abs(x);
    Value* divisor = c.Where(c.Equal(size, 0), 1, size);
    return c.Done(c.Div(x, c.CastLike(divisor, x)));
  }
  if (c.dtype(x) == DType::kBool) return c.Done(x);
  return c.Done(Sign(c, x));
}

Result<Value*> LowerSignBit(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  if (c.dtype(x) == DType::kBool) return c.Done(c.And(x, c.Not(x)));
  return c.Done(SignBit(c, x));
}

Result<Value*> LowerSquare(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  if (c.dtype(x) == DType::kBool) x = c.Cast(x, DType::kI64);
  return c.Done(c.Mul(x, x));
}

// Operators without a meaning at inference, and copies.
Result<Value*> LowerIdentity(Call& call) {
  CallComposer c(call);
  return c.Done(c.Tensor("self"));
}

Result<Value*> LowerIsNaN(Call& call) {
  CallComposer c(call);
  return c.Done(IsNaN(c, c.Tensor("self")));
}

// isinf, isposinf, isneginf
Result<Value*> LowerIsInf(Call& call) {
  CallComposer c(call);
  const std::string_view name = FunctionalName(call.op());
  Value* x = c.Tensor("self");
  if (IsComplex(c.dtype(x))) x = c.Abs(x);
  return c.Done(IsInf(c, x, name != "isposinf", name != "isneginf"));
}

Result<Value*> LowerIsFinite(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  if (IsComplex(c.dtype(x))) x = c.Abs(x);
  if (!IsFloating(c.dtype(x))) return c.Done(c.Equal(x, x));
  return c.Done(c.Not(c.Or(IsNaN(c, x), IsInf(c, x, true, true))));
}

Result<Value*> LowerLogicalNot(Call& call) {
  CallComposer c(call);
  return c.Done(c.Not(IsTrue(c, c.Tensor("self"))));
}

Result<Value*> LowerBitwiseNot(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  return c.Done(c.dtype(x) == DType::kBool ? c.Not(x) : c.Op("BitwiseNot", {x}));
}

Result<Value*> LowerNanToNum(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  const auto finite = [&](Value* part) {
    const double largest = LargestNumber(c.dtype(part));
    Value* number = c.Where(IsNaN(c, part), c.FloatOr("nan", 0), part);
    number = c.Where(IsInf(c, part, false, true), c.FloatOr("posinf", largest), number);
    return c.Where(IsInf(c, part, true, false), c.FloatOr("neginf", -largest), number);
  };
  if (IsComplex(c.dtype(x))) return c.Done(FromPairs(c, finite(PairsOf(c, x))));
  return c.Done(IsFloating(c.dtype(x)) ? finite(x) : x);
}

Result<Value*> LowerLogit(Call& call) {
  CallComposer c(call);
  Value* p = c.Floating("self");
  if (const double given = c.FloatOr("eps", -1); given >= 0) {
    Value* eps = c.Number(given, p);
    Value* most = c.Sub(1, eps);
    p = c.Where(c.Less(p, eps), eps, c.Where(c.Greater(p, most), most, p));
  }
  return c.Done(c.Log(c.Div(p, c.Sub(1, p))));
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
