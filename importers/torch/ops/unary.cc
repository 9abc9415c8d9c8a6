// SPDX-License-Identifier: Apache-2.0
// Functions of one tensor whose results are floating: integers and bool become float32 first.
#include "importers/torch/ops/lowerings.h"
#include "importers/torch/ops/op_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"

namespace dragoman::torch {
namespace {

using Compose = Value* (*)(Composer& c, Value* x);

Value* Exp2(Composer& c, Value* x) { return c.Pow(2.0, x); }
Value* Log2(Composer& c, Value* x) { return c.Div(c.Log(x), std::numbers::ln2); }
Value* Log10(Composer& c, Value* x) { return c.Div(c.Log(x), std::numbers::ln10); }
Value* Rsqrt(Composer& c, Value* x) { return c.Op("Reciprocal", {c.Sqrt(x)}); }
Value* DegreesToRadians(Composer& c, Value* x) { return c.Mul(x, std::numbers::pi / 180); }
Value* RadiansToDegrees(Composer& c, Value* x) { return c.Mul(x, 180 / std::numbers::pi); }

Value* Sinc(Composer& c, Value* x) {
  Value* angle = c.Mul(x, std::numbers::pi);
  return c.Where(c.Equal(x, 0), 1, c.Div(c.Op("Sin", {angle}), angle));
}

Value* Entropy(Composer& c, Value* x) {
  Value* negative = c.Where(c.Less(x, 0), -INFINITY, c.Neg(c.Mul(x, c.Log(x))));
  return c.Where(c.Equal(x, 0), 0, negative);
}

Value* Erfc(Composer& c, Value* x) { return c.Op("dragoman.Erfc", {x}); }

Value* NormalDistribution(Composer& c, Value* x) {
  return c.Mul(Erfc(c, c.Mul(x, -std::numbers::sqrt2 / 2)), 0.5);
}

// A common operator, or a composition of some.
struct UnaryFunction {
  std::string_view name;
  std::string_view common;
  Compose compose = nullptr;
};

constexpr auto kUnaryFunctions = std::to_array<UnaryFunction>({
    {"acos", "Acos"},
    {"acosh", "Acosh"},
    {"arccos", "Acos"},
    {"arccosh", "Acosh"},
    {"arcsin", "Asin"},
    {"arcsinh", "Asinh"},
    {"arctan", "Atan"},
    {"arctanh", "Atanh"},
    {"asin", "Asin"},
    {"asinh", "Asinh"},
    {"atan", "Atan"},
    {"atanh", "Atanh"},
    {"cos", "Cos"},
    {"cosh", "Cosh"},
    {"deg2rad", "", DegreesToRadians},
    {"erf", "Erf"},
    {"erfc", "", Erfc},
    {"exp", "Exp"},
    {"exp2", "", Exp2},
    {"expm1", "", Expm1},
    {"log", "Log"},
    {"log10", "", Log10},
    {"log1p", "", Log1p},
    {"log2", "", Log2},
    {"log_sigmoid", "", LogSigmoid},
    {"mish", "Mish"},
    {"rad2deg", "", RadiansToDegrees},
    {"reciprocal", "Reciprocal"},
    {"rsqrt", "", Rsqrt},
    {"sigmoid", "Sigmoid"},
    {"sin", "Sin"},
    {"sinc", "", Sinc},
    {"sinh", "Sinh"},
    {"special_entr", "", Entropy},
    {"special_erf", "Erf"},
    {"special_erfc", "", Erfc},
    {"special_exp2", "", Exp2},
    {"special_expit", "Sigmoid"},
    {"special_expm1", "", Expm1},
    {"special_log1p", "", Log1p},
    {"special_ndtr", "", NormalDistribution},
    {"special_sinc", "", Sinc},
    {"sqrt", "Sqrt"},
    {"tan", "Tan"},
    {"tanh", "Tanh"},
});

}  // namespace

Value* LowerFloatFunction(CallComposer& c) {
  Value* x = c.Floating("self");
  const std::string_view name = FunctionalName(c.call().op());
  const auto* function = std::find_if(kUnaryFunctions.begin(), kUnaryFunctions.end(),
                                      [&](const UnaryFunction& f) { return f.name == name; });
  if (function == kUnaryFunctions.end()) return c.Refuse("no such function");
  if (function->compose == nullptr) return c.Op(function->common, {x});
  return c.CastLike(function->compose(c, c.Widen(x)), x);
}

std::span<const OpRow> UnaryRows() {
  static constexpr OpRow kRows[] = {
      {"aten.acos", LowerFloatFunction, {.complex = true}},
      {"aten.acosh", LowerFloatFunction, {.complex = true}},
      {"aten.arccos", LowerFloatFunction, {.complex = true}},
      {"aten.arccosh", LowerFloatFunction, {.complex = true}},
      {"aten.arcsin", LowerFloatFunction, {.complex = true}},
      {"aten.arcsinh", LowerFloatFunction, {.complex = true}},
      {"aten.arctan", LowerFloatFunction, {.complex = true}},
      {"aten.arctanh", LowerFloatFunction, {.complex = true}},
      {"aten.asin", LowerFloatFunction, {.complex = true}},
      {"aten.asinh", LowerFloatFunction, {.complex = true}},
      {"aten.atan", LowerFloatFunction, {.complex = true}},
      {"aten.atanh", LowerFloatFunction, {.complex = true}},
      {"aten.cos", LowerFloatFunction, {.complex = true}},
      {"aten.cosh", LowerFloatFunction, {.complex = true}},
      {"aten.deg2rad", LowerFloatFunction},
      {"aten.erf", LowerFloatFunction},
      {"aten.erfc", LowerFloatFunction},
      {"aten.exp", LowerFloatFunction, {.complex = true}},
      {"aten.exp2", LowerFloatFunction, {.complex = true}},
      {"aten.expm1", LowerFloatFunction, {.complex = true}},
      {"aten.log", LowerFloatFunction, {.complex = true}},
      {"aten.log10", LowerFloatFunction, {.complex = true}},
      {"aten.log1p", LowerFloatFunction, {.complex = true}},
      {"aten.log2", LowerFloatFunction, {.complex = true}},
      {"aten.log_sigmoid", LowerFloatFunction},
      {"aten.mish", LowerFloatFunction},
      {"aten.rad2deg", LowerFloatFunction},
      {"aten.reciprocal", LowerFloatFunction, {.complex = true}},
      {"aten.rsqrt", LowerFloatFunction, {.complex = true}},
      {"aten.sigmoid", LowerFloatFunction, {.complex = true, .grid = kUnitGrid}},
      {"aten.sin", LowerFloatFunction, {.complex = true}},
      {"aten.sinc", LowerFloatFunction, {.complex = true}},
      {"aten.sinh", LowerFloatFunction, {.complex = true}},
      {"aten.special_entr", LowerFloatFunction},
      {"aten.special_erf", LowerFloatFunction},
      {"aten.special_erfc", LowerFloatFunction},
      {"aten.special_exp2", LowerFloatFunction},
      {"aten.special_expit", LowerFloatFunction},
      {"aten.special_expm1", LowerFloatFunction},
      {"aten.special_log1p", LowerFloatFunction},
      {"aten.special_ndtr", LowerFloatFunction},
      {"aten.special_sinc", LowerFloatFunction},
      {"aten.sqrt", LowerFloatFunction, {.complex = true}},
      {"aten.tan", LowerFloatFunction, {.complex = true}},
      {"aten.tanh", LowerFloatFunction, {.complex = true, .grid = kSymmetricGrid}},
  };
  return kRows;
}

}  // namespace dragoman::torch
