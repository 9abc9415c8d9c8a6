// SPDX-License-Identifier: Apache-2.0
// Special functions (core/lowering/special_functions.h), in float64.
#include "core/lowering/special_functions.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numbers>
#include <optional>

#include "core/lowering/math.h"
#include "importers/tensorflow/ops/math_lowerings.h"

namespace dragoman::tf {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <Value* (*function)(Composer&, Value*, int), int n>
Value* OfOrder(Composer& c, Value* x) {
  return function(c, x, n);
}

// TensorFlow's has no value at 0.
Value* DigammaBesideZero(Composer& c, Value* x) {
  return c.Where(c.Equal(x, 0), kNaN, Digamma(c, x));
}

struct Function {
  std::string_view name;  // of the operator
  Value* (*of)(Composer& c, Value* x);
};
constexpr auto kFunctions = std::to_array<Function>({
    {"BesselI0", OfOrder<ModifiedI, 0>},
    {"BesselI0e", OfOrder<ScaledI, 0>},
    {"BesselI1", OfOrder<ModifiedI, 1>},
    {"BesselI1e", OfOrder<ScaledI, 1>},
    {"BesselJ0", OfOrder<BesselJ, 0>},
    {"BesselJ1", OfOrder<BesselJ, 1>},
    {"BesselK0", OfOrder<ModifiedK, 0>},
    {"BesselK0e", OfOrder<ScaledK, 0>},
    {"BesselK1", OfOrder<ModifiedK, 1>},
    {"BesselK1e", OfOrder<ScaledK, 1>},
    {"BesselY0", OfOrder<BesselY, 0>},
    {"BesselY1", OfOrder<BesselY, 1>},
    {"Digamma", DigammaBesideZero},
    {"Erfinv", ErfInverse},
    {"Lgamma", LogGamma},
    {"Ndtri", NormalQuantile},
});

// Two operands, as float64 of the sizes of both.
struct Pair {
  Value* first = nullptr;
  Value* second = nullptr;
};

Pair TakePair(Call& c) {
  Value* a = c.Tensor(0);
  Value* b = c.Tensor(1);
  Value* sizes = c.Op("Shape", {c.Add(a, b)});
  return {c.Expand(c.Cast(a, DType::kF64), sizes), c.Expand(c.Cast(b, DType::kF64), sizes)};
}

}  // namespace

// Target: the operator.
Value* LowerSpecialFunction(Call& c) {
  Value* x = c.Tensor(0);
  const auto* function = std::find_if(kFunctions.begin(), kFunctions.end(),
                                      [&](const Function& f) { return f.name == c.target(); });
  if (function == kFunctions.end()) return c.Fail(Internal("no such function"));
  return c.CastLike(function->of(c, c.Cast(x, DType::kF64)), x);
}

Value* LowerZeta(Call& c) {
  const Pair pair = TakePair(c);
  return c.CastLike(Zeta(c, pair.first, pair.second), c.Tensor(0));
}

Value* LowerPolygamma(Call& c) {
  const std::optional<double> order = c.KnownFloat(0);
  Value* x = c.Tensor(1);
  if (c.failed()) return nullptr;
  constexpr double kMost = 64;
  const bool whole = order && *order >= 0 && *order <= kMost && *order == std::int64_t(*order);
  if (!whole) return c.Fail("an order that is not one known whole number up to 64");
  return c.CastLike(Polygamma(c, static_cast<std::int64_t>(*order), c.Cast(x, DType::kF64)), x);
}

// Target: the "lower" or the "upper" part of the gamma function.
Value* LowerIncompleteGamma(Call& c) {
  const Pair pair = TakePair(c);
  Value* share = IncompleteGamma(c, pair.first, pair.second, c.target() == "upper");
  share = c.Where(c.LessOrEqual(pair.first, 0), kNaN, share);
  return c.CastLike(share, c.Tensor(0));
}

}  // namespace dragoman::tf
