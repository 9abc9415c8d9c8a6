// SPDX-License-Identifier: Apache-2.0
// Functions of Python's module math and divmod, of numbers that are known or not, and the texts of
// integers in other bases.
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/lowering/special_functions.h"
#include "core/support/find_by_key.h"
#include "core/support/floor_division.h"
#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"
#include "importers/torch/ops/script_lowerings.h"

namespace dragoman::torch {
namespace {

using Kind = Number::Kind;

Result<Number> NumberAt(const Call& call, std::size_t i) {
  const auto* number = i < call.arguments().size() ? call.arguments()[i].As<Number>() : nullptr;
  if (number == nullptr) return call.Unsupported("of something other than numbers");
  if (number->kind == Kind::kComplex) return call.Unsupported("of complex numbers");
  return *number;
}

// Quotient and remainder as Python rounds them, downwards; of doubles the quotient is not made
// whole.
Results KnownDivMod(const Number& a, const Number& b, bool ints) {
  if (ints) {
    return {Number::Int(FloorQuotient(a.AsInt(), b.AsInt())),
            Number::Int(FloorRemainder(a.AsInt(), b.AsInt()))};
  }
  double rest = std::fmod(a.AsDouble(), b.AsDouble());
  if (rest != 0 && (rest < 0) != (b.AsDouble() < 0)) rest += b.AsDouble();
  return {Number::Float((a.AsDouble() - rest) / b.AsDouble()), Number::Float(rest)};
}

Result<Results> LowerDivMod(Call& call) {
  DRAGOMAN_ASSIGN(const Number a, NumberAt(call, 0));
  DRAGOMAN_ASSIGN(const Number b, NumberAt(call, 1));
  const bool ints = a.kind <= Kind::kInt && b.kind <= Kind::kInt;
  if (b.known() && b.AsDouble() == 0) return call.Unsupported("always divides by zero");
  if (a.known() && b.known()) return KnownDivMod(a, b, ints);
  Composer c(call.builder());
  const DType dtype = ints ? DType::kI64 : DType::kF64;
  Value* x = c.Take(call.NumberValue(a, dtype));
  Value* y = c.Take(call.NumberValue(b, dtype));
  Value* rest = Remainder(c, x, y);
  DRAGOMAN_ASSIGN(Value * quotient,
                  c.Done(ints ? FloorQuotient(c, x, y) : c.Div(c.Sub(x, rest), y)));
  const Kind kind = ints ? Kind::kInt : Kind::kFloat;
  return Results{call.NewNumber(kind, quotient), call.NewNumber(kind, rest)};
}

Result<Results> LowerModf(Call& call) {
  DRAGOMAN_ASSIGN(const Number a, NumberAt(call, 0));
  if (a.known()) {
    double whole = 0;
    const double rest = std::modf(a.AsDouble(), &whole);
    return Results{Number::Float(rest), Number::Float(whole)};
  }
  Composer c(call.builder());
  Value* x = c.Take(call.NumberValue(a, DType::kF64));
  Value* whole = Trunc(c, x);
  DRAGOMAN_ASSIGN(Value * rest, c.Done(c.Sub(x, whole)));
  return Results{call.NewNumber(Kind::kFloat, rest), call.NewNumber(Kind::kFloat, whole)};
}

Result<Results> LowerFactorial(Call& call) {
  DRAGOMAN_ASSIGN(const Number a, NumberAt(call, 0));
  constexpr std::int64_t kMost = 20;
  if (!a.known() || a.AsInt() < 0 || a.AsInt() > kMost)
    return call.Unsupported("of a number that is not known, negative, or beyond 20");
  std::int64_t product = 1;
  for (std::int64_t i = 2; i <= a.AsInt(); ++i) product *= i;
  return Results{Number::Int(product)};
}

// degrees, radians, fabs
Result<Results> LowerScaling(Call& call) {
  DRAGOMAN_ASSIGN(const Number a, NumberAt(call, 0));
  const std::string& type = call.op().type;
  const double factor = type == "degrees" ? 180 / std::numbers::pi : std::numbers::pi / 180;
  const bool scales = type != "fabs";
  if (a.known())
    return Results{Number::Float(scales ? a.AsDouble() * factor : std::fabs(a.AsDouble()))};
  Composer c(call.builder());
  Value* x = c.Take(call.NumberValue(a, DType::kF64));
  DRAGOMAN_ASSIGN(x, c.Done(scales ? c.Mul(x, factor) : c.Abs(x)));
  return Results{call.NewNumber(Kind::kFloat, x)};
}

Result<Results> LowerRunTimeCharacter(Call& call, const Number& code) {
  Composer c(call.builder());
  Value* value = c.Take(call.NumberValue(code, DType::kI64));
  c.Assert(c.And(c.GreaterOrEqual(value, 0), c.LessOrEqual(value, 127)),
           "chr of a number beyond ASCII");
  DRAGOMAN_ASSIGN(Value * text,
                  c.Done(c.Op("dragoman.CodePointText", {c.Cast(value, DType::kI32)})));
  return Results{String{text}};
}

// hex, oct, bin, chr
Result<Results> LowerIntText(Call& call) {
  DRAGOMAN_ASSIGN(const Number a, NumberAt(call, 0));
  const std::string& type = call.op().type;
  if (!a.known() && type == "chr") return LowerRunTimeCharacter(call, a);
  if (!a.known()) return call.Unsupported("of a number known only at run time");
  if (type == "chr") {
    if (a.AsInt() < 0 || a.AsInt() > 127) return call.Unsupported("beyond ASCII");
    return Results{String{std::string(1, static_cast<char>(a.AsInt()))}};
  }
  const std::uint64_t size = a.AsInt() < 0 ? 0 - static_cast<std::uint64_t>(a.AsInt())
                                           : static_cast<std::uint64_t>(a.AsInt());
  const std::string sign = a.AsInt() < 0 ? "-" : "";
  if (type == "hex") return Results{String{sign + fmt::format("0x{:x}", size)}};
  if (type == "oct") return Results{String{sign + fmt::format("0o{:o}", size)}};
  return Results{String{sign + fmt::format("0b{:b}", size)}};
}

// With q the whole number next to x / y, the even one of two: x - q·y is what is left of x by 2y,
// less y once or twice. The comparisons are those of rest with y / 2, without rounding.
Value* NearRemainder(Composer& c, Value* x, Value* y) {
  Value* size = c.Abs(y);
  Value* rest = c.Op("Mod", {c.Abs(x), c.Add(size, size)}, {{"fmod", std::int64_t{1}}});
  const auto less_divisor = [&](Value* where) { return c.Where(where, c.Sub(rest, size), rest); };
  Value* above_half = c.Greater(rest, c.Sub(size, rest));
  rest = less_divisor(above_half);
  rest = less_divisor(c.And(above_half, c.GreaterOrEqual(rest, c.Sub(size, rest))));
  return NegateWhere(c, SignBit(c, x), rest);
}

Result<Results> LowerMathRemainder(Call& call) {
  DRAGOMAN_ASSIGN(const Number a, NumberAt(call, 0));
  DRAGOMAN_ASSIGN(const Number b, NumberAt(call, 1));
  if (a.known() && b.known())
    return Results{Number::Float(std::remainder(a.AsDouble(), b.AsDouble()))};
  Composer c(call.builder());
  Value* x = c.Take(call.NumberValue(a, DType::kF64));
  Value* y = c.Take(call.NumberValue(b, DType::kF64));
  DRAGOMAN_ASSIGN(x, c.Done(NearRemainder(c, x, y)));
  return Results{call.NewNumber(Kind::kFloat, x)};
}

constexpr ScriptRow kRows[] = {
    {"aten.bin", LowerIntText},     {"aten.chr", LowerIntText},
    {"aten.degrees", LowerScaling}, {"aten.divmod", LowerDivMod},
    {"aten.fabs", LowerScaling},    {"aten.factorial", LowerFactorial},
    {"aten.hex", LowerIntText},     {"aten.mathremainder", LowerMathRemainder},
    {"aten.modf", LowerModf},       {"aten.oct", LowerIntText},
    {"aten.radians", LowerScaling},
};
static_assert(IsSortedBy(kRows, &ScriptRow::name));

// NaN at poles but 0, as the logarithm is infinite there, of either sign.
Value* Gamma(Composer& c, Value* x) {
  Value* size = c.Exp(LogGamma(c, x));
  Value* even = c.Equal(c.Op("Mod", {c.Floor(x), c.Number(2, x)}, {{"fmod", std::int64_t{1}}}), 0);
  Value* negative = c.Less(x, 0);
  Value* value = c.Where(c.And(negative, c.Not(even)), c.Neg(size), size);
  return c.Where(c.And(negative, c.Equal(c.Floor(x), x)), NAN, value);
}

Value* FloatFunction(Composer& c, const std::string& type, Value* x) {
  if (type == "expm1") return Expm1(c, x);
  if (type == "log1p") return Log1p(c, x);
  if (type == "erfc") return c.Sub(1, c.Op("Erf", {x}));
  if (type == "gamma") return Gamma(c, x);
  if (type == "lgamma") return LogGamma(c, x);
  if (type == "log10") return c.Mul(c.Log(x), 1 / std::numbers::ln10);
  return c.Fail("of a number known only at run time");
}

Value* Test(Composer& c, const std::string& type, Value* x) {
  if (type == "isnan") return IsNaN(c, x);
  Value* infinite = IsInf(c, x, true, true);
  return type == "isinf" ? infinite : c.Not(c.Or(infinite, IsNaN(c, x)));
}

Value* Pair(Composer& c, const std::string& type, Value* x, Value* y) {
  if (type == "atan2") return Atan2(c, x, y);
  if (type == "fmod") return c.Op("Mod", {x, y}, {{"fmod", std::int64_t{1}}});
  if (type == "copysign") return NegateWhere(c, SignBit(c, y), c.Abs(x));
  return c.Fail("of numbers known only at run time");
}

}  // namespace

Result<Results> LowerMathOfRunTime(Call& call) {
  Composer c(call.builder());
  const std::string& type = call.op().type;
  DRAGOMAN_ASSIGN(const Number a, NumberAt(call, 0));
  Value* x = c.Take(call.NumberValue(a, DType::kF64));
  if (type.starts_with("is")) {
    DRAGOMAN_ASSIGN(Value * test, c.Done(Test(c, type, x)));
    return Results{call.NewNumber(Kind::kBool, test)};
  }
  Value* value = nullptr;
  if (call.arguments().size() > 1) {
    DRAGOMAN_ASSIGN(const Number b, NumberAt(call, 1));
    value = Pair(c, type, x, c.Take(call.NumberValue(b, DType::kF64)));
  } else {
    value = FloatFunction(c, type, x);
  }
  DRAGOMAN_ASSIGN(value, c.Done(value));
  return Results{call.NewNumber(Kind::kFloat, value)};
}

std::span<const ScriptRow> MathRows() { return kRows; }

}  // namespace dragoman::torch
