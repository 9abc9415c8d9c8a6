// SPDX-License-Identifier: Apache-2.0
// Functions of two tensors or numbers with numeric results.
#include "importers/torch/ops/lowerings.h"
#include "importers/torch/ops/op_rows.h"

#include <cmath>
#include <complex>
#include <optional>
#include <string>
#include <string_view>

#include "core/ir/dtype_kinds.h"
#include "core/lowering/complex.h"
#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"
#include "importers/torch/ops/promotion.h"

namespace dragoman::torch {
namespace {

struct Operands {
  Value* self;
  Value* other;
};

Operands TakeOperands(CallComposer& c, bool to_float = false) {
  const std::vector<Value*> values = c.Promoted({"self", "other"}, to_float);
  return {values[0], values[1]};
}

// The sum or difference of `a` and argument `alpha` times `b`, rounded once; alpha is of their
// type.
Value* WithAlpha(CallComposer& c, bool subtracts, Value* a, Value* b) {
  const auto sum = [&](Value* x, Value* y) { return subtracts ? c.Sub(x, y) : c.Add(x, y); };
  const Number alpha = c.Has("alpha") ? c.Take(c.call().Scalar("alpha")) : Number::Int(1);
  if (c.failed() || (alpha.known() && alpha.AsComplex() == 1.0)) return sum(a, b);
  Value* factor = c.Take(c.call().NumberValue(alpha, c.dtype(b)));
  Value* scaled = c.Mul(c.Widen(b), c.Widen(factor));
  return c.CastLike(sum(c.Widen(a), scaled), a);
}

Value* Difference(CallComposer& c, Value* a, Value* b) {
  if (c.dtype(a) == DType::kBool) return c.Fail("subtraction of bool tensors");
  return WithAlpha(c, true, a, b);
}

std::string RoundingMode(CallComposer& c) {
  return c.Has("rounding_mode") ? c.Text("rounding_mode") : "true";
}

// Whether argument `name`, a number or a 0-d tensor, is another one as `rounded`, a half.
bool IsRounded(CallComposer& c, std::string_view name, Value* rounded) {
  if (c.failed() || !IsHalf(c.dtype(rounded)) || c.MaybeRank(rounded) != 0) return false;
  const bool is_number = c.Take(c.call().Argument(name)).As<Number>() != nullptr;
  if (!is_number && c.dtype(c.Tensor(name)) == c.dtype(rounded)) return false;
  const auto known = [&](Value* value) -> std::optional<std::complex<double>> {
    if (c.failed()) return std::nullopt;
    const Abstract number = c.call().NewNumber(Number::Kind::kFloat, value);
    const auto* found = number.As<Number>();
    if (found == nullptr || !found->known()) return std::nullopt;
    return found->AsComplex();
  };
  const auto half = known(rounded);
  return !half || half != known(c.As(name, DType::kF32));
}

using Binary = Value* (*)(Composer&, Value*, Value*);

Value* Product(Composer& c, Value* a, Value* b) { return c.Mul(a, b); }
Value* Ratio(Composer& c, Value* a, Value* b) { return c.Div(a, b); }

// Halves are multiplied with a number or a 0-d tensor on the right, and divided by it, in float32:
// it is not rounded to a half, and the result once it is whole. On the left it is rounded.
Value* WithFactor(CallComposer& c, const Operands& x, Binary compute) {
  if (!IsRounded(c, "other", x.other)) return compute(c, x.self, x.other);
  return c.CastLike(compute(c, c.Widen(x.self), c.As("other", DType::kF32)), x.self);
}

// log(base^a + base^b), without overflow.
Value* LogAddExp(Composer& c, const Operands& x, double log_base) {
  Value* larger = c.Max(x.self, x.other);
  Value* distance = c.Abs(c.Sub(x.self, x.other));
  Value* rest = Log1p(c, c.Exp(c.Mul(distance, -log_base)));
  Value* sum = c.Add(larger, c.Div(rest, log_base));
  return c.Where(c.Equal(x.self, x.other), c.Add(larger, std::log(2.0) / log_base), sum);
}

// The same of complex numbers, from the one with the larger real part on, whose angle counts on.
Value* LogAddExpOfComplex(Composer& c, const Operands& x) {
  Value* a = PartsOf(c, x.self).re;
  Value* b = PartsOf(c, x.other).re;
  Value* is_less = c.Less(a, b);
  Value* larger = c.Where(is_less, x.other, x.self);
  Value* smaller = c.Where(is_less, x.self, x.other);
  Value* sum = c.Add(Log1p(c, c.Exp(c.Sub(smaller, larger))), larger);
  // Infinities would give NaN; what is not finite on its own is the larger one as it is.
  return c.Where(c.And(c.Equal(a, b), IsInf(c, a, true, true)), larger, sum);
}

}  // namespace

Result<Value*> LowerAdd(Call& call) {
  CallComposer c(call);
  const Operands x = TakeOperands(c);
  const bool bools = c.dtype(x.self) == DType::kBool;
  return c.Done(bools ? c.Or(x.self, x.other) : WithAlpha(c, false, x.self, x.other));
}

namespace {

Value* LowerSub(CallComposer& c) {
  const Operands x = TakeOperands(c);
  return Difference(c, x.self, x.other);
}

Value* LowerRSub(CallComposer& c) {
  const Operands x = TakeOperands(c);
  return Difference(c, x.other, x.self);
}

Value* LowerMul(CallComposer& c) {
  const Operands x = TakeOperands(c);
  if (c.dtype(x.self) == DType::kBool) return c.And(x.self, x.other);
  return WithFactor(c, x, Product);
}

Value* LowerDiv(CallComposer& c) {
  const std::string mode = RoundingMode(c);
  const Operands x = TakeOperands(c, mode == "true");
  if (mode == "floor") return WithFactor(c, x, FloorQuotient);
  if (mode == "trunc") return WithFactor(c, x, TruncQuotient);
  if (mode == "true") return WithFactor(c, x, Ratio);
  return c.Fail(c.call().Invalid("rounding_mode '" + mode + "' is unknown"));
}

Value* LowerFloorDivide(CallComposer& c) { return WithFactor(c, TakeOperands(c), FloorQuotient); }

Value* LowerRemainder(CallComposer& c) {
  const Operands x = TakeOperands(c);
  return Remainder(c, x.self, x.other);
}

Value* LowerFmod(CallComposer& c) {
  const Operands x = TakeOperands(c);
  return c.Op("Mod", {x.self, x.other}, {{"fmod", std::int64_t{1}}});
}

// The power of `base`, as torch has those to a number: squares of all types; the root also of
// negative infinity and zero; 1 of whatever to 0.
Value* PowerOf(CallComposer& c, Value* base, Value* exponent) {
  const Abstract given = c.Take(c.call().Argument("exponent"));
  const auto* number = given.As<Number>();
  if (number == nullptr || !number->known() || c.call().Declares("base"))
    return c.Pow(base, exponent);
  const std::complex<double> power = number->AsComplex();
  if (power == 2.0) return c.Mul(base, base);
  if (power == 0.5 && IsFloating(c.dtype(base))) return c.Sqrt(base);
  if (power == 0.0 && IsComplex(c.dtype(base)))
    return c.CastLike(c.Full(c.Shape(base), 1, RealPart(c.dtype(base))), base);
  return c.Pow(base, exponent);
}

Value* LowerPow(CallComposer& c) {
  const std::vector<Value*> x = c.Promoted({"self", "exponent"});
  if (c.dtype(x[0]) == DType::kBool) return c.Refuse("powers of bool");
  return PowerOf(c, x[0], x[1]);
}

Value* LowerFloatPower(CallComposer& c) {
  const std::vector<Value*> x = c.Promoted({"self", "exponent"});
  const bool complex = IsComplex(c.dtype(x[0])) || IsComplex(c.dtype(x[1]));
  const DType type = complex ? DType::kC128 : DType::kF64;
  return PowerOf(c, c.Cast(x[0], type), c.Cast(x[1], type));
}

Value* LowerMaximum(CallComposer& c) {
  const Operands x = TakeOperands(c);
  return Maximum(c, x.self, x.other);
}

Value* LowerMinimum(CallComposer& c) {
  const Operands x = TakeOperands(c);
  return Minimum(c, x.self, x.other);
}

// fmax, fmin: a NaN gives way to the other operand.
Value* LowerFloatExtremum(CallComposer& c) {
  const Operands x = TakeOperands(c);
  const bool largest = FunctionalName(c.call().op()) == "fmax";
  Value* chosen = largest ? Maximum(c, x.self, x.other) : Minimum(c, x.self, x.other);
  if (!IsFloating(c.dtype(x.self))) return chosen;
  Value* rest = c.Where(IsNaN(c, x.other), x.self, chosen);
  return c.Where(IsNaN(c, x.self), x.other, rest);
}

Value* LowerAtan2(CallComposer& c) {
  const Operands x = TakeOperands(c, true);
  return c.CastLike(Atan2(c, c.Widen(x.self), c.Widen(x.other)), x.self);
}

Value* LowerHypot(CallComposer& c) {
  const Operands x = TakeOperands(c);
  return c.CastLike(Hypot(c, c.Widen(x.self), c.Widen(x.other)), x.self);
}

Value* LowerCopySign(CallComposer& c) {
  const Operands x = TakeOperands(c, true);
  return NegateWhere(c, SignBit(c, x.other), c.Abs(x.self));
}

// x · 2^exponent, rounded once, where x is floating and the exponent an integer. Twice half of the
// exponent, since a power of two may be beyond the type where the product is not.
Value* Scaled(CallComposer& c, Value* x, Value* exponent) {
  Value* whole = c.Max(c.Min(c.Cast(exponent, DType::kF64), 2046), -2046);
  Value* half = c.Floor(c.Mul(whole, 0.5));
  Value* wide = c.Mul(c.Cast(x, DType::kF64), c.Pow(2.0, half));
  return c.CastLike(c.Mul(wide, c.Pow(2.0, c.Sub(whole, half))), x);
}

Value* LowerLdexp(CallComposer& c) {
  Value* x = c.Tensor("self");
  Value* given = c.Tensor("other");
  if (c.failed()) return nullptr;
  if (IsFloating(c.dtype(x)) && IsInteger(c.dtype(given))) return Scaled(c, x, given);
  Value* exponent = c.Floating("other");
  Value* power = c.CastLike(c.Pow(2.0, c.Widen(exponent)), exponent);
  const PromotionOperand factors[] = {{c.dtype(x), PromotionClassOf(c.MaybeRank(x))},
                                      {c.dtype(power), PromotionClassOf(c.MaybeRank(power))}};
  const DType type = ResultType(factors);
  const DType wide = IsHalf(type) ? DType::kF32 : type;
  return c.Cast(c.Mul(c.Cast(x, wide), c.Cast(power, wide)), type);
}

Value* LowerLogAddExp(CallComposer& c) {
  const Operands x = TakeOperands(c, true);
  if (IsComplex(c.dtype(x.self))) return LogAddExpOfComplex(c, x);
  const Operands wide = {c.Widen(x.self), c.Widen(x.other)};
  const bool base_two = FunctionalName(c.call().op()) == "logaddexp2";
  return c.CastLike(LogAddExp(c, wide, base_two ? std::log(2.0) : 1.0), x.self);
}

// xlogy, special_xlogy, special_xlog1py
Value* LowerXLogY(CallComposer& c) {
  const Operands x = TakeOperands(c, true);
  Value* a = c.Widen(x.self);
  Value* b = c.Widen(x.other);
  const bool plus_one = FunctionalName(c.call().op()) == "special_xlog1py";
  if (!plus_one) return c.CastLike(XLogY(c, a, b), x.self);
  Value* zero = c.And(c.Equal(a, 0), c.Not(IsNaN(c, b)));
  return c.CastLike(c.Where(zero, 0, c.Mul(a, Log1p(c, b))), x.self);
}

Value* LowerHeaviside(CallComposer& c) {
  Value* x = c.Tensor("self");
  if (c.dtype(x) == DType::kBool) return c.Or(x, c.Tensor("values"));
  Value* step = c.Cast(c.Greater(x, 0), c.dtype(x));
  return c.Where(c.Equal(x, 0), c.Tensor("values"), step);
}

}  // namespace

std::span<const OpRow> ArithmeticRows() {
  static constexpr OpRow kRows[] = {
      {"aten.__rsub__", LowerRSub},
      {"aten.add", LowerAdd, {.complex = true}},
      {"aten.arctan2", LowerAtan2},
      {"aten.atan2", LowerAtan2},
      {"aten.copysign", LowerCopySign},
      {"aten.div", LowerDiv, {.complex = true}},
      {"aten.divide", LowerDiv, {.complex = true}},
      {"aten.float_power", LowerFloatPower, {.complex = true}},
      {"aten.floor_divide", LowerFloorDivide},
      {"aten.fmax", LowerFloatExtremum},
      {"aten.fmin", LowerFloatExtremum},
      {"aten.fmod", LowerFmod},
      {"aten.heaviside", LowerHeaviside},
      {"aten.hypot", LowerHypot},
      {"aten.ldexp", LowerLdexp, {.complex = true}},
      {"aten.logaddexp", LowerLogAddExp, {.complex = true}},
      {"aten.logaddexp2", LowerLogAddExp},
      {"aten.maximum", LowerMaximum},
      {"aten.minimum", LowerMinimum},
      {"aten.mul", LowerMul, {.complex = true}},
      {"aten.multiply", LowerMul, {.complex = true}},
      {"aten.pow", LowerPow, {.complex = true}},
      {"aten.remainder", LowerRemainder},
      {"aten.rsub", LowerRSub, {.complex = true}},
      {"aten.special_xlog1py", LowerXLogY},
      {"aten.special_xlogy", LowerXLogY},
      {"aten.sub", LowerSub, {.complex = true}},
      {"aten.subtract", LowerSub, {.complex = true}},
      {"aten.true_divide", LowerDiv, {.complex = true}},
      {"aten.xlogy", LowerXLogY},
  };
  return kRows;
}

}  // namespace dragoman::torch
