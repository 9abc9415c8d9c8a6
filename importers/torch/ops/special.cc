// SPDX-License-Identifier: Apache-2.0
// Special functions (core/lowering/special_functions.h), all in float64.
#include "importers/torch/ops/op_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/lowering/special_functions.h"
#include "importers/torch/ops/math.h"
#include "importers/torch/ops/promotion.h"

namespace dragoman::torch {
namespace {

Value* SphericalJ0(Composer& c, Value* x) {
  return c.Where(IsInf(c, x, true, true), 0, c.Where(c.Equal(x, 0), 1, c.Div(c.Op("Sin", {x}), x)));
}

template <Value* (*function)(Composer&, Value*, int), int n>
Value* OfOrder(Composer& c, Value* x) {
  return function(c, x, n);
}

struct SpecialFunction {
  std::string_view name;
  Value* (*of)(Composer& c, Value* x);
};
constexpr auto kSpecialFunctions = std::to_array<SpecialFunction>({
    {"digamma", Digamma},
    {"erfinv", ErfInverse},
    {"i0", OfOrder<ModifiedI, 0>},
    {"lgamma", LogGamma},
    {"special_airy_ai", Airy},
    {"special_bessel_j0", OfOrder<BesselJ, 0>},
    {"special_bessel_j1", OfOrder<BesselJ, 1>},
    {"special_bessel_y0", OfOrder<BesselY, 0>},
    {"special_bessel_y1", OfOrder<BesselY, 1>},
    {"special_digamma", Digamma},
    {"special_erfcx", ScaledErfc},
    {"special_erfinv", ErfInverse},
    {"special_gammaln", LogGamma},
    {"special_i0", OfOrder<ModifiedI, 0>},
    {"special_i0e", OfOrder<ScaledI, 0>},
    {"special_i1", OfOrder<ModifiedI, 1>},
    {"special_i1e", OfOrder<ScaledI, 1>},
    {"special_log_ndtr", LogNormal},
    {"special_modified_bessel_i0", OfOrder<ModifiedI, 0>},
    {"special_modified_bessel_i1", OfOrder<ModifiedI, 1>},
    {"special_modified_bessel_k0", OfOrder<ModifiedK, 0>},
    {"special_modified_bessel_k1", OfOrder<ModifiedK, 1>},
    {"special_ndtri", NormalQuantile},
    {"special_psi", Digamma},
    {"special_scaled_modified_bessel_k0", OfOrder<ScaledK, 0>},
    {"special_scaled_modified_bessel_k1", OfOrder<ScaledK, 1>},
    {"special_spherical_bessel_j0", SphericalJ0},
});

Value* LowerSpecialFunction(CallComposer& c) {
  Value* x = c.Floating(c.call().Declares("self") ? "self" : "x");
  const std::string_view name = FunctionalName(c.call().op());
  const auto* function = std::find_if(kSpecialFunctions.begin(), kSpecialFunctions.end(),
                                      [&](const SpecialFunction& f) { return f.name == name; });
  if (function == kSpecialFunctions.end()) return c.Refuse("no such function");
  return c.CastLike(function->of(c, c.Cast(x, DType::kF64)), x);
}

// Σ lgamma(x + (1 - i) / 2) for i = 1 … p, and a constant.
Value* LowerMultigamma(CallComposer& c) {
  Value* given = c.Floating("self");
  const std::int64_t p = c.Int("p");
  constexpr std::int64_t kMost = 64;
  if (c.failed() || p < 1 || p > kMost) return c.Refuse("p out of range");
  Value* x = c.Cast(given, DType::kF64);
  const double order = static_cast<double>(p);
  Value* sum = c.Add(LogGamma(c, x), order * (order - 1) / 4 * std::log(std::numbers::pi));
  for (int i = 1; i < p; ++i) sum = c.Add(sum, LogGamma(c, c.Sub(x, i * 0.5)));
  return c.CastLike(sum, given);
}

Value* LowerPolygamma(CallComposer& c) {
  Value* given = c.Floating("self");
  const std::int64_t n = c.Int("n");
  if (c.failed()) return nullptr;
  if (n < 0) return c.Fail(c.call().Invalid("n must not be negative"));
  Value* x = c.Cast(given, DType::kF64);
  return c.CastLike(Polygamma(c, n, x), given);
}

Value* LowerZeta(CallComposer& c) {
  const std::vector<Value*> x = c.Promoted({"self", "other"}, true);
  Value* zeta = Zeta(c, c.Cast(x[0], DType::kF64), c.Cast(x[1], DType::kF64));
  return c.CastLike(zeta, x[0]);
}

// igamma, igammac, special_gammainc, special_gammaincc
Value* LowerIncompleteGamma(CallComposer& c) {
  const std::vector<Value*> given = c.Promoted({"self", "other"}, true);
  const std::string_view name = FunctionalName(c.call().op());
  const bool upper = name == "igammac" || name == "special_gammaincc";
  Value* sizes = c.Op("Shape", {c.Add(given[0], given[1])});
  Value* a = c.Expand(c.Cast(given[0], DType::kF64), sizes);
  Value* x = c.Expand(c.Cast(given[1], DType::kF64), sizes);
  return c.CastLike(IncompleteGamma(c, a, x, upper), given[0]);
}

// i0(β √(1 - place²)) / i0(β), place from -1 to 1.
Value* LowerKaiserWindow(CallComposer& c) {
  Value* length = c.Take(c.call().IntValue("window_length"));
  const double beta = c.FloatOr("beta", 12);
  Value* count = c.Cast(length, DType::kF64);
  if (!c.BoolOr("periodic", true)) count = c.Max(c.Sub(count, 1), 1);
  Value* place = c.Sub(c.Mul(c.Div(c.Cast(c.Iota(length), DType::kF64), count), 2), 1);
  Value* height = c.Sqrt(c.Max(c.Sub(1, c.Mul(place, place)), 0));
  Value* window =
      c.Div(ModifiedI(c, c.Mul(height, beta), 0), ModifiedI(c, c.Number(beta, DType::kF64), 0));
  Value* single = c.Where(c.LessOrEqual(c.Cast(length, DType::kF64), 1), 1, window);
  return c.Cast(single, c.DTypeOr("dtype", kDefaultFloat));
}

}  // namespace

std::span<const OpRow> SpecialRows() {
  static constexpr OpRow kRows[] = {
      {"aten.digamma", LowerSpecialFunction},
      {"aten.erfinv", LowerSpecialFunction},
      {"aten.i0", LowerSpecialFunction},
      {"aten.igamma", LowerIncompleteGamma},
      {"aten.igammac", LowerIncompleteGamma},
      {"aten.kaiser_window", LowerKaiserWindow},
      {"aten.lgamma", LowerSpecialFunction},
      {"aten.mvlgamma", LowerMultigamma},
      {"aten.polygamma", LowerPolygamma},
      {"aten.special_airy_ai", LowerSpecialFunction},
      {"aten.special_bessel_j0", LowerSpecialFunction},
      {"aten.special_bessel_j1", LowerSpecialFunction},
      {"aten.special_bessel_y0", LowerSpecialFunction},
      {"aten.special_bessel_y1", LowerSpecialFunction},
      {"aten.special_digamma", LowerSpecialFunction},
      {"aten.special_erfcx", LowerSpecialFunction},
      {"aten.special_erfinv", LowerSpecialFunction},
      {"aten.special_gammainc", LowerIncompleteGamma},
      {"aten.special_gammaincc", LowerIncompleteGamma},
      {"aten.special_gammaln", LowerSpecialFunction},
      {"aten.special_i0", LowerSpecialFunction},
      {"aten.special_i0e", LowerSpecialFunction},
      {"aten.special_i1", LowerSpecialFunction},
      {"aten.special_i1e", LowerSpecialFunction},
      {"aten.special_log_ndtr", LowerSpecialFunction},
      {"aten.special_modified_bessel_i0", LowerSpecialFunction},
      {"aten.special_modified_bessel_i1", LowerSpecialFunction},
      {"aten.special_modified_bessel_k0", LowerSpecialFunction},
      {"aten.special_modified_bessel_k1", LowerSpecialFunction},
      {"aten.special_multigammaln", LowerMultigamma},
      {"aten.special_ndtri", LowerSpecialFunction},
      {"aten.special_polygamma", LowerPolygamma},
      {"aten.special_psi", LowerSpecialFunction},
      {"aten.special_scaled_modified_bessel_k0", LowerSpecialFunction},
      {"aten.special_scaled_modified_bessel_k1", LowerSpecialFunction},
      {"aten.special_spherical_bessel_j0", LowerSpecialFunction},
      {"aten.special_zeta", LowerZeta},
  };
  return kRows;
}

}  // namespace dragoman::torch
