// SPDX-License-Identifier: Apache-2.0
// Arithmetic of Python numbers. What is known is computed here; the rest becomes 0-d nodes of
// int64, float64 and bool.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "core/lowering/division.h"
#include "core/lowering/number_value.h"
#include "core/support/find_by_key.h"
#include "core/support/floor_division.h"
#include "importers/torch/ops/script_lowerings.h"

namespace dragoman::torch {
namespace {

using Kind = Number::Kind;

Result<Number> Operand(Call& call, std::size_t i) {
  const auto* number = i < call.arguments().size() ? call.arguments()[i].As<Number>() : nullptr;
  if (number == nullptr) return call.Invalid("operand " + std::to_string(i) + " is not a number");
  return *number;
}

// The kind of number that the source says comes out; `otherwise` where it says `number`.
Kind ResultKind(const Call& call, Kind otherwise) {
  const Value* result = call.node().result();
  if (result == nullptr || result->type().kind() != Type::Kind::kOpaque) return otherwise;
  const std::string& name = result->type().opaque_name();
  if (name == "bool") return Kind::kBool;
  if (name == "int") return Kind::kInt;
  if (name == "float") return Kind::kFloat;
  if (name == "complex") return Kind::kComplex;
  return otherwise;
}

// As x86-64 converts: what int64 cannot hold is its least number.
std::int64_t ToInt(double value) {
  const bool fits = value >= -0x1p63 && value < 0x1p63;
  return fits ? static_cast<std::int64_t>(value) : std::numeric_limits<std::int64_t>::min();
}

Number Known(Kind kind, double value) {
  return kind == Kind::kFloat ? Number::Float(value) : Number{kind, ToInt(value)};
}

Results One(Number number) { return {number}; }

DType DTypeOf(Kind kind) { return Number{kind, std::int64_t{0}}.dtype(); }

bool AreInts(const Number& a, const Number& b) {
  return a.kind <= Kind::kInt && b.kind <= Kind::kInt;
}

// An operator of two numbers: on int64, on doubles, and as a node.
struct Binary {
  std::string_view name;
  std::int64_t (*ints)(std::int64_t, std::int64_t);
  double (*floats)(double, double);
  const char* node;
};

std::int64_t Wrap(std::uint64_t value) { return static_cast<std::int64_t>(value); }

std::int64_t Negated(std::int64_t a) { return Wrap(0 - static_cast<std::uint64_t>(a)); }

// As torch, which differs from Python at infinities.
double RemainderOfFloats(double a, double b) { return std::fmod(b + std::fmod(a, b), b); }

constexpr std::array<Binary, 3> kArithmetic = {{
    {"add",
     [](std::int64_t a, std::int64_t b) {
       return Wrap(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
     },
     [](double a, double b) { return a + b; }, "Add"},
    {"mul",
     [](std::int64_t a, std::int64_t b) {
       return Wrap(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
     },
     [](double a, double b) { return a * b; }, "Mul"},
    {"sub",
     [](std::int64_t a, std::int64_t b) {
       return Wrap(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
     },
     [](double a, double b) { return a - b; }, "Sub"},
}};

Result<Results> BinaryNode(Call& call, const char* node, const Number& a, const Number& b,
                           Kind kind, Kind computed) {
  DRAGOMAN_ASSIGN(Value * x, call.NumberValue(a, DTypeOf(computed)));
  DRAGOMAN_ASSIGN(Value * y, call.NumberValue(b, DTypeOf(computed)));
  DRAGOMAN_ASSIGN(Value * made, call.Add(node, {x, y}));
  DRAGOMAN_ASSIGN(made, call.Cast(made, DTypeOf(kind)));
  return One(NumberFrom(call.builder(), kind, made));
}

Result<Results> ComplexArithmetic(Call& call, const Number& a, const Number& b) {
  if (!a.known() || !b.known()) return call.Unsupported("complex numbers of run time");
  const std::complex<double> x = a.AsComplex();
  const std::complex<double> y = b.AsComplex();
  const std::string& type = call.op().type;
  if (type == "add") return One(Number::Complex(x + y));
  if (type == "sub") return One(Number::Complex(x - y));
  if (type == "mul") return One(Number::Complex(x * y));
  if (type == "div") return One(Number::Complex(x / y));
  return call.Unsupported("this operator on complex numbers");
}

Result<Results> LowerNumberArithmetic(Call& call) {
  DRAGOMAN_ASSIGN(Number a, Operand(call, 0));
  DRAGOMAN_ASSIGN(Number b, Operand(call, 1));
  const Kind widest = std::max({a.kind, b.kind, Kind::kInt});
  const Kind kind = ResultKind(call, widest);
  if (kind == Kind::kComplex) return ComplexArithmetic(call, a, b);
  const auto* row = std::find_if(kArithmetic.begin(), kArithmetic.end(),
                                 [&](const Binary& r) { return r.name == call.op().type; });
  if (!a.known() || !b.known()) return BinaryNode(call, row->node, a, b, kind, widest);
  if (widest == Kind::kFloat) return One(Known(kind, row->floats(a.AsDouble(), b.AsDouble())));
  return One({kind, row->ints(a.AsInt(), b.AsInt())});
}

// As torch, and other than Python, divisions of and by floats give infinity or NaN where b is 0.
Result<Results> LowerNumberDiv(Call& call) {
  DRAGOMAN_ASSIGN(Number a, Operand(call, 0));
  DRAGOMAN_ASSIGN(Number b, Operand(call, 1));
  if (std::max(a.kind, b.kind) == Kind::kComplex) return ComplexArithmetic(call, a, b);
  if (a.known() && b.known()) return One(Number::Float(a.AsDouble() / b.AsDouble()));
  return BinaryNode(call, "Div", a, b, Kind::kFloat, Kind::kFloat);
}

Result<Results> LowerNumberFloorDiv(Call& call) {
  DRAGOMAN_ASSIGN(Number a, Operand(call, 0));
  DRAGOMAN_ASSIGN(Number b, Operand(call, 1));
  const bool ints = AreInts(a, b);
  if (ints && b.known() && b.AsInt() == 0) return call.Unsupported("always divides by zero");
  if (a.known() && b.known()) {
    if (ints) return One(Number::Int(FloorQuotient(a.AsInt(), b.AsInt())));
    return One(Number::Float(std::floor(a.AsDouble() / b.AsDouble())));
  }
  const Kind kind = ints ? Kind::kInt : Kind::kFloat;
  Composer c(call.builder());
  Value* x = c.Take(call.NumberValue(a, DTypeOf(kind)));
  Value* y = c.Take(call.NumberValue(b, DTypeOf(kind)));
  DRAGOMAN_ASSIGN(Value * quotient,
                  c.Done(ints ? FloorQuotientOfIntegers(c, x, y) : c.Floor(c.Div(x, y))));
  return One(NumberFrom(call.builder(), kind, quotient));
}

Result<Results> LowerNumberRemainder(Call& call) {
  DRAGOMAN_ASSIGN(Number a, Operand(call, 0));
  DRAGOMAN_ASSIGN(Number b, Operand(call, 1));
  const bool ints = AreInts(a, b);
  if (ints && b.known() && b.AsInt() == 0) return call.Unsupported("always divides by zero");
  if (a.known() && b.known()) {
    if (ints) return One(Number::Int(FloorRemainder(a.AsInt(), b.AsInt())));
    return One(Number::Float(RemainderOfFloats(a.AsDouble(), b.AsDouble())));
  }
  if (ints) return BinaryNode(call, "Mod", a, b, Kind::kInt, Kind::kInt);
  Composer c(call.builder());
  Value* x = c.Take(call.NumberValue(a, DType::kF64));
  Value* y = c.Take(call.NumberValue(b, DType::kF64));
  const auto rest = [&](Value* of) { return c.Op("Mod", {of, y}, {{"fmod", std::int64_t{1}}}); };
  DRAGOMAN_ASSIGN(x, c.Done(rest(c.Add(y, rest(x)))));
  return One(NumberFrom(call.builder(), Kind::kFloat, x));
}

Result<Results> LowerNumberPow(Call& call) {
  DRAGOMAN_ASSIGN(Number a, Operand(call, 0));
  DRAGOMAN_ASSIGN(Number b, Operand(call, 1));
  const Kind kind = ResultKind(call, std::max({a.kind, b.kind, Kind::kInt}));
  if (a.known() && b.known()) {
    if (kind == Kind::kComplex) return One(Number::Complex(std::pow(a.AsComplex(), b.AsComplex())));
    return One(Known(kind, std::pow(a.AsDouble(), b.AsDouble())));
  }
  return BinaryNode(call, "Pow", a, b, kind, Kind::kFloat);
}

struct Comparison {
  std::string_view name;
  bool (*holds)(double, double);
  const char* node;
  bool negated;
};

constexpr Comparison kGreater = {"gt", [](double a, double b) { return a > b; }, "Greater", false};
constexpr Comparison kLess = {"lt", [](double a, double b) { return a < b; }, "Less", false};

constexpr std::array<Comparison, 6> kComparisons = {{
    {"eq", [](double a, double b) { return a == b; }, "Equal", false},
    {"ge", [](double a, double b) { return a >= b; }, "GreaterOrEqual", false},
    kGreater,
    {"le", [](double a, double b) { return a <= b; }, "LessOrEqual", false},
    kLess,
    {"ne", [](double a, double b) { return a != b; }, "Equal", true},
}};

bool Compare(const Comparison& row, const Number& a, const Number& b) {
  if (a.kind == Kind::kComplex || b.kind == Kind::kComplex)
    return (a.AsComplex() == b.AsComplex()) != row.negated;
  if (a.kind != Kind::kFloat && b.kind != Kind::kFloat) {
    // Exact where doubles are not.
    const std::int64_t x = a.AsInt();
    const std::int64_t y = b.AsInt();
    return row.holds(x < y ? -1 : (x > y ? 1 : 0), 0);
  }
  return row.holds(a.AsDouble(), b.AsDouble());
}

Result<Results> LowerNumberComparison(Call& call) {
  DRAGOMAN_ASSIGN(Number a, Operand(call, 0));
  DRAGOMAN_ASSIGN(Number b, Operand(call, 1));
  const auto* row = std::find_if(kComparisons.begin(), kComparisons.end(),
                                 [&](const auto& r) { return r.name == call.op().type; });
  if (a.known() && b.known()) return One(Number::Bool(Compare(*row, a, b)));
  const Kind widest = std::max({a.kind, b.kind, Kind::kInt});
  DRAGOMAN_ASSIGN(Value * x, call.NumberValue(a, DTypeOf(widest)));
  DRAGOMAN_ASSIGN(Value * y, call.NumberValue(b, DTypeOf(widest)));
  DRAGOMAN_ASSIGN(Value * holds, call.Add(row->node, {x, y}));
  if (row->negated) {
    DRAGOMAN_ASSIGN(holds, call.Add("Not", {holds}));
  }
  return One(NumberFrom(call.builder(), Kind::kBool, holds));
}

// &, | and ^ of bools or ints.
Result<Results> LowerNumberBits(Call& call) {
  DRAGOMAN_ASSIGN(Number a, Operand(call, 0));
  DRAGOMAN_ASSIGN(Number b, Operand(call, 1));
  const char which = call.op().type[2];  // __and__, __or__, __xor__
  const bool bools = a.kind == Kind::kBool && b.kind == Kind::kBool;
  const Kind kind = bools ? Kind::kBool : Kind::kInt;
  if (bools && which != 'x') {
    // One known side may decide.
    for (const auto& [known, other] : {std::pair(a, b), std::pair(b, a)}) {
      if (!known.known()) continue;
      const bool decides = (known.AsInt() != 0) == (which == 'o');
      return One(decides ? known : other);
    }
  }
  if (a.known() && b.known()) {
    const std::int64_t x = a.AsInt();
    const std::int64_t y = b.AsInt();
    return One({kind, which == 'a' ? x & y : (which == 'o' ? x | y : x ^ y)});
  }
  const char* node =
      which == 'a' ? (bools ? "And" : "BitwiseAnd")
                   : (which == 'o' ? (bools ? "Or" : "BitwiseOr") : (bools ? "Xor" : "BitwiseXor"));
  return BinaryNode(call, node, a, b, kind, kind);
}

// What is shifted to the right keeps its sign: a negative number is shifted as its complement. As
// on x86-64, the lowest six bits say how far.
Result<Results> ShiftOfRunTime(Call& call, const Number& a, const Number& b, bool left) {
  Composer c(call.builder());
  Value* x = c.Take(call.NumberValue(a, DType::kI64));
  Value* by = c.Op("BitwiseAnd", {c.Take(call.NumberValue(b, DType::kI64)), c.Int(63)});
  Value* negative = c.Less(x, 0);
  if (!left) x = c.Where(negative, c.Op("BitwiseNot", {x}), x);
  x = c.Op("BitShift", {c.Cast(x, DType::kU64), c.Cast(by, DType::kU64)},
           {{"direction", std::string(left ? "LEFT" : "RIGHT")}});
  x = c.Cast(x, DType::kI64);
  if (!left) x = c.Where(negative, c.Op("BitwiseNot", {x}), x);
  DRAGOMAN_ASSIGN(x, c.Done(x));
  return One(NumberFrom(call.builder(), Kind::kInt, x));
}

Result<Results> LowerNumberShift(Call& call) {
  DRAGOMAN_ASSIGN(Number a, Operand(call, 0));
  DRAGOMAN_ASSIGN(Number b, Operand(call, 1));
  if (b.known() && (b.AsInt() < 0 || b.AsInt() > 63))
    return call.Unsupported("a shift by less than 0 or more than 63 bits");
  const bool left = call.op().type == "__lshift__";
  if (!a.known() || !b.known()) return ShiftOfRunTime(call, a, b, left);
  return One(Number::Int(left ? Wrap(static_cast<std::uint64_t>(a.AsInt()) << b.AsInt())
                              : a.AsInt() >> b.AsInt()));
}

Result<Results> LowerNot(Call& call) {
  DRAGOMAN_ASSIGN(Number a, Operand(call, 0));
  if (a.known()) return One(Number::Bool(a.AsDouble() == 0));
  DRAGOMAN_ASSIGN(Value * value, call.Add("Not", {a.symbolic()}));
  return One({Kind::kBool, value});
}

Result<Results> LowerNumberNeg(Call& call) {
  DRAGOMAN_ASSIGN(Number a, Operand(call, 0));
  if (a.kind == Kind::kComplex) {
    if (!a.known()) return call.Unsupported("complex numbers of run time");
    return One(Number::Complex(-a.AsComplex()));
  }
  const Kind kind = std::max(a.kind, Kind::kInt);
  if (a.known() && kind == Kind::kInt) return One(Number::Int(Negated(a.AsInt())));
  if (a.known()) return One(Number::Float(-a.AsDouble()));
  DRAGOMAN_ASSIGN(Value * value,
                  call.NumberValue(a, kind == Kind::kInt ? DType::kI64 : DType::kF64));
  DRAGOMAN_ASSIGN(value, call.Add("Neg", {value}));
  return One(NumberFrom(call.builder(), kind, value));
}

struct Function {
  std::string_view name;
  double (*function)(double);
  const char* node;  // nullptr: LowerMathOfRunTime
};

double RoundHalfToEven(double value) { return std::nearbyint(value); }

constexpr Function kFunctions[] = {
    {"abs", [](double x) { return std::fabs(x); }, "Abs"},
    {"acos", [](double x) { return std::acos(x); }, "Acos"},
    {"acosh", [](double x) { return std::acosh(x); }, "Acosh"},
    {"asin", [](double x) { return std::asin(x); }, "Asin"},
    {"asinh", [](double x) { return std::asinh(x); }, "Asinh"},
    {"atan", [](double x) { return std::atan(x); }, "Atan"},
    {"atanh", [](double x) { return std::atanh(x); }, "Atanh"},
    {"ceil", [](double x) { return std::ceil(x); }, "Ceil"},
    {"cos", [](double x) { return std::cos(x); }, "Cos"},
    {"cosh", [](double x) { return std::cosh(x); }, "Cosh"},
    {"erf", [](double x) { return std::erf(x); }, "Erf"},
    {"erfc", [](double x) { return std::erfc(x); }, nullptr},
    {"exp", [](double x) { return std::exp(x); }, "Exp"},
    {"expm1", [](double x) { return std::expm1(x); }, nullptr},
    {"floor", [](double x) { return std::floor(x); }, "Floor"},
    {"gamma", [](double x) { return std::tgamma(x); }, nullptr},
    {"lgamma", [](double x) { return std::lgamma(x); }, nullptr},
    {"log", [](double x) { return std::log(x); }, "Log"},
    {"log10", [](double x) { return std::log10(x); }, nullptr},
    {"log1p", [](double x) { return std::log1p(x); }, nullptr},
    {"round", RoundHalfToEven, "Round"},
    {"sin", [](double x) { return std::sin(x); }, "Sin"},
    {"sinh", [](double x) { return std::sinh(x); }, "Sinh"},
    {"sqrt", [](double x) { return std::sqrt(x); }, "Sqrt"},
    {"tan", [](double x) { return std::tan(x); }, "Tan"},
    {"tanh", [](double x) { return std::tanh(x); }, "Tanh"},
};

Result<Results> LowerNumberFunction(Call& call) {
  DRAGOMAN_ASSIGN(Number a, Operand(call, 0));
  const auto* row = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                 [&](const auto& r) { return r.name == call.op().type; });
  const bool keeps = row->name == "abs" && a.kind <= Kind::kInt;
  const bool whole = keeps || row->name == "ceil" || row->name == "floor";
  const Kind kind = ResultKind(call, whole ? Kind::kInt : Kind::kFloat);
  if (a.known()) {
    if (keeps) return One(Number::Int(a.AsInt() < 0 ? Negated(a.AsInt()) : a.AsInt()));
    return One(Known(kind, row->function(a.AsDouble())));
  }
  if (row->node == nullptr) return LowerMathOfRunTime(call);
  DRAGOMAN_ASSIGN(Value * value, call.NumberValue(a, keeps ? DType::kI64 : DType::kF64));
  DRAGOMAN_ASSIGN(value, call.Add(row->node, {value}));
  DRAGOMAN_ASSIGN(value, call.Cast(value, DTypeOf(kind)));
  return One(NumberFrom(call.builder(), kind, value));
}

// The second operand unless the first is less, or greater: torch's choice among zeros and NaN.
Result<Results> LowerNumberExtremum(Call& call) {
  DRAGOMAN_ASSIGN(Number a, Operand(call, 0));
  DRAGOMAN_ASSIGN(Number b, Operand(call, 1));
  const bool max = call.op().type == "max";
  const Kind widest = std::max({a.kind, b.kind, Kind::kInt});
  const Kind kind = ResultKind(call, widest);
  if (a.known() && b.known()) {
    const Number& chosen = Compare(max ? kGreater : kLess, a, b) ? a : b;
    return One(kind == Kind::kFloat ? Number::Float(chosen.AsDouble()) : chosen);
  }
  if (widest == Kind::kInt) return BinaryNode(call, max ? "Max" : "Min", a, b, kind, widest);
  Composer c(call.builder());
  Value* x = c.Take(call.NumberValue(a, DTypeOf(widest)));
  Value* y = c.Take(call.NumberValue(b, DTypeOf(widest)));
  DRAGOMAN_ASSIGN(x, c.Done(c.Where(max ? c.Greater(x, y) : c.Less(x, y), x, y)));
  return One(NumberFrom(call.builder(), widest, x));
}

// int(), float(), bool(), complex().
Result<Results> LowerNumberConversion(Call& call) {
  DRAGOMAN_ASSIGN(Number a, Operand(call, 0));
  const std::string& type = call.op().type;
  if (type == "Complex") {
    if (!a.known()) return call.Unsupported("of a number known only at run time");
    if (call.arguments().size() < 2) return One(Number::Complex(a.AsComplex()));
    DRAGOMAN_ASSIGN(Number b, Operand(call, 1));
    if (!b.known()) return call.Unsupported("of a number known only at run time");
    return One(Number::Complex({a.AsDouble(), b.AsDouble()}));
  }
  const Kind kind = type.starts_with("Int")     ? Kind::kInt
                    : type.starts_with("Float") ? Kind::kFloat
                    : type.starts_with("Bool")  ? Kind::kBool
                                                : a.kind;
  if (kind == a.kind) return One(a);
  if (a.known()) {
    if (kind == Kind::kBool) return One(Number::Bool(a.AsComplex() != 0.0));
    return One(Known(kind, kind == Kind::kInt ? std::trunc(a.AsDouble()) : a.AsDouble()));
  }
  DRAGOMAN_ASSIGN(Value * value, call.NumberValue(a, DTypeOf(kind)));
  return One(NumberFrom(call.builder(), kind, value));
}

Result<Results> LowerNumberTest(Call& call) {
  DRAGOMAN_ASSIGN(Number a, Operand(call, 0));
  if (!a.known()) return LowerMathOfRunTime(call);
  const double value = a.AsDouble();
  if (call.op().type == "isnan") return One(Number::Bool(std::isnan(value)));
  if (call.op().type == "isinf") return One(Number::Bool(std::isinf(value)));
  return One(Number::Bool(std::isfinite(value)));
}

Result<Results> LowerNumberPair(Call& call) {
  DRAGOMAN_ASSIGN(Number a, Operand(call, 0));
  DRAGOMAN_ASSIGN(Number b, Operand(call, 1));
  if (!a.known() || !b.known()) return LowerMathOfRunTime(call);
  const std::string& type = call.op().type;
  if (type == "gcd") return One(Number::Int(std::gcd(a.AsInt(), b.AsInt())));
  if (type == "atan2") return One(Number::Float(std::atan2(a.AsDouble(), b.AsDouble())));
  if (type == "fmod") return One(Number::Float(std::fmod(a.AsDouble(), b.AsDouble())));
  return One(Number::Float(std::copysign(a.AsDouble(), b.AsDouble())));
}

// len(range(lo, hi, step))
Result<Results> LowerRangeLength(Call& call) {
  DRAGOMAN_ASSIGN(Number lo, Operand(call, 0));
  DRAGOMAN_ASSIGN(Number hi, Operand(call, 1));
  DRAGOMAN_ASSIGN(Number step, Operand(call, 2));
  if (!step.known() || step.AsInt() == 0 || Negated(step.AsInt()) == step.AsInt())
    return call.Unsupported("a step that is 0, has no opposite, or is known only at run time");
  const std::int64_t s = step.AsInt();
  const std::int64_t stride = std::abs(s);
  if (lo.known() && hi.known()) {
    const std::int64_t first = s > 0 ? lo.AsInt() : hi.AsInt();
    const std::int64_t last = s > 0 ? hi.AsInt() : lo.AsInt();
    if (first >= last) return One(Number::Int(0));
    const std::uint64_t span = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
    return One(Number::Int(Wrap((span - 1) / static_cast<std::uint64_t>(stride) + 1)));
  }
  DRAGOMAN_ASSIGN(Value * low, call.NumberValue(lo, DType::kI64));
  DRAGOMAN_ASSIGN(Value * high, call.NumberValue(hi, DType::kI64));
  DRAGOMAN_ASSIGN(Value * span,
                  s > 0 ? call.Add("Sub", {high, low}) : call.Add("Sub", {low, high}));
  DRAGOMAN_ASSIGN(span, call.Add("Max", {span, call.builder().Int(0)}));
  if (stride > 1) {
    DRAGOMAN_ASSIGN(span, call.Add("Add", {span, call.builder().Int(stride - 1)}));
    DRAGOMAN_ASSIGN(span, call.Add("Div", {span, call.builder().Int(stride)}));
  }
  return One(NumberFrom(call.builder(), Kind::kInt, span));
}

// lo + index * step
Result<Results> LowerDeriveIndex(Call& call) {
  DRAGOMAN_ASSIGN(Number index, Operand(call, 0));
  DRAGOMAN_ASSIGN(Number start, Operand(call, 1));
  DRAGOMAN_ASSIGN(Number step, Operand(call, 2));
  if (index.known() && start.known() && step.known())
    return One(Number::Int(Wrap(static_cast<std::uint64_t>(start.AsInt()) +
                                static_cast<std::uint64_t>(index.AsInt()) *
                                    static_cast<std::uint64_t>(step.AsInt()))));
  DRAGOMAN_ASSIGN(Value * i, call.NumberValue(index, DType::kI64));
  DRAGOMAN_ASSIGN(Value * first, call.NumberValue(start, DType::kI64));
  DRAGOMAN_ASSIGN(Value * stride, call.NumberValue(step, DType::kI64));
  DRAGOMAN_ASSIGN(Value * offset, call.Add("Mul", {i, stride}));
  DRAGOMAN_ASSIGN(Value * value, call.Add("Add", {first, offset}));
  return One(NumberFrom(call.builder(), Kind::kInt, value));
}

constexpr ScriptRow kRows[] = {
    {"aten.Bool", LowerNumberConversion},   {"aten.Complex", LowerNumberConversion},
    {"aten.Float", LowerNumberConversion},  {"aten.FloatImplicit", LowerNumberConversion},
    {"aten.Int", LowerNumberConversion},    {"aten.IntImplicit", LowerNumberConversion},
    {"aten.Scalar", LowerNumberConversion}, {"aten.ScalarImplicit", LowerNumberConversion},
    {"aten.__and__", LowerNumberBits},      {"aten.__derive_index", LowerDeriveIndex},
    {"aten.__lshift__", LowerNumberShift},  {"aten.__not__", LowerNot},
    {"aten.__or__", LowerNumberBits},       {"aten.__range_length", LowerRangeLength},
    {"aten.__rshift__", LowerNumberShift},  {"aten.__xor__", LowerNumberBits},
    {"aten.abs", LowerNumberFunction},      {"aten.acos", LowerNumberFunction},
    {"aten.acosh", LowerNumberFunction},    {"aten.add", LowerNumberArithmetic},
    {"aten.asin", LowerNumberFunction},     {"aten.asinh", LowerNumberFunction},
    {"aten.atan", LowerNumberFunction},     {"aten.atan2", LowerNumberPair},
    {"aten.atanh", LowerNumberFunction},    {"aten.ceil", LowerNumberFunction},
    {"aten.copysign", LowerNumberPair},     {"aten.cos", LowerNumberFunction},
    {"aten.cosh", LowerNumberFunction},     {"aten.div", LowerNumberDiv},
    {"aten.eq", LowerNumberComparison},     {"aten.erf", LowerNumberFunction},
    {"aten.erfc", LowerNumberFunction},     {"aten.exp", LowerNumberFunction},
    {"aten.expm1", LowerNumberFunction},    {"aten.floor", LowerNumberFunction},
    {"aten.floordiv", LowerNumberFloorDiv}, {"aten.fmod", LowerNumberPair},
    {"aten.gamma", LowerNumberFunction},    {"aten.gcd", LowerNumberPair},
    {"aten.ge", LowerNumberComparison},     {"aten.gt", LowerNumberComparison},
    {"aten.isfinite", LowerNumberTest},     {"aten.isinf", LowerNumberTest},
    {"aten.isnan", LowerNumberTest},        {"aten.le", LowerNumberComparison},
    {"aten.lgamma", LowerNumberFunction},   {"aten.log", LowerNumberFunction},
    {"aten.log10", LowerNumberFunction},    {"aten.log1p", LowerNumberFunction},
    {"aten.lt", LowerNumberComparison},     {"aten.mul", LowerNumberArithmetic},
    {"aten.ne", LowerNumberComparison},     {"aten.neg", LowerNumberNeg},
    {"aten.pow", LowerNumberPow},           {"aten.remainder", LowerNumberRemainder},
    {"aten.round", LowerNumberFunction},    {"aten.sin", LowerNumberFunction},
    {"aten.sinh", LowerNumberFunction},     {"aten.sqrt", LowerNumberFunction},
    {"aten.sub", LowerNumberArithmetic},    {"aten.tan", LowerNumberFunction},
    {"aten.tanh", LowerNumberFunction},     {"prim.abs", LowerNumberFunction},
    {"prim.max", LowerNumberExtremum},      {"prim.min", LowerNumberExtremum},
};
static_assert(IsSortedBy(kRows, &ScriptRow::name));

}  // namespace

std::span<const ScriptRow> NumberRows() { return kRows; }

}  // namespace dragoman::torch
