// SPDX-License-Identifier: Apache-2.0
// Special functions (core/lowering/special_functions.h), in float64.
#include "importers/tensorflow/ops/op_rows.h"

#include "core/lowering/special_functions.h"

#include <limits>
#include <numbers>
#include <optional>

#include "core/lowering/math.h"
#include "core/lowering/number_parts.h"

namespace dragoman::tf {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <Value* (*function)(Composer&, Value*, int), int n>
Value* OfOrder(Composer& c, Value* x) {
  return function(c, x, n);
}

// TensorFlow's have their limit at 0 below it, too.
template <Value* (*function)(Composer&, Value*, int), int n>
Value* OfPositive(Composer& c, Value* x) {
  return function(c, c.Max(x, 0), n);
}

// TensorFlow's has no value at 0.
Value* DigammaBesideZero(Composer& c, Value* x) {
  return c.Where(c.Equal(x, 0), kNaN, Digamma(c, x));
}

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

Value* LowerSpecialFunction(Call& c, Value* (*function)(Composer& c, Value* x)) {
  Value* x = c.Tensor(0);
  return c.CastLike(function(c, c.Cast(x, DType::kF64)), x);
}

// All three of one element type.
Value* LowerIncompleteBeta(Call& c) {
  Value* operands[] = {c.Tensor(0), c.Tensor(1), c.Tensor(2)};
  Value* sizes = c.Op("Shape", {c.Add(c.Add(operands[0], operands[1]), operands[2])});
  for (Value*& operand : operands) operand = c.Expand(c.Cast(operand, DType::kF64), sizes);
  return c.CastLike(IncompleteBeta(c, operands[0], operands[1], operands[2]), c.Tensor(0));
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

// The lower or the upper part of the gamma function.
Value* LowerIncompleteGamma(Call& c, bool upper) {
  const Pair pair = TakePair(c);
  Value* share = IncompleteGamma(c, pair.first, pair.second, upper);
  share = c.Where(c.LessOrEqual(pair.first, 0), kNaN, share);
  return c.CastLike(share, c.Tensor(0));
}

Value* LowerNextAfter(Call& c) { return NextAfter(c, c.Tensor(0), c.Tensor(1)); }

}  // namespace

std::span<const OpRow> SpecialRows() {
  static constexpr OpRow kRows[] = {
      {"BesselI0", With<LowerSpecialFunction, OfOrder<ModifiedI, 0>>},
      {"BesselI0e", With<LowerSpecialFunction, OfOrder<ScaledI, 0>>},
      {"BesselI1", With<LowerSpecialFunction, OfOrder<ModifiedI, 1>>},
      {"BesselI1e", With<LowerSpecialFunction, OfOrder<ScaledI, 1>>},
      {"BesselJ0", With<LowerSpecialFunction, OfOrder<BesselJ, 0>>},
      {"BesselJ1", With<LowerSpecialFunction, OfOrder<BesselJ, 1>>},
      {"BesselK0", With<LowerSpecialFunction, OfPositive<ModifiedK, 0>>},
      {"BesselK0e", With<LowerSpecialFunction, OfPositive<ScaledK, 0>>},
      {"BesselK1", With<LowerSpecialFunction, OfPositive<ModifiedK, 1>>},
      {"BesselK1e", With<LowerSpecialFunction, OfPositive<ScaledK, 1>>},
      {"BesselY0", With<LowerSpecialFunction, OfPositive<BesselY, 0>>},
      {"BesselY1", With<LowerSpecialFunction, OfPositive<BesselY, 1>>},
      {"Betainc", LowerIncompleteBeta},
      {"Dawsn", With<LowerSpecialFunction, Dawson>},
      {"Digamma", With<LowerSpecialFunction, DigammaBesideZero>},
      {"Erfinv", With<LowerSpecialFunction, ErfInverse>},
      {"Expint", With<LowerSpecialFunction, ExponentialIntegral>},
      {"Igamma", With<LowerIncompleteGamma, false>},
      {"Igammac", With<LowerIncompleteGamma, true>},
      {"Lgamma", With<LowerSpecialFunction, LogGamma>},
      {"Ndtri", With<LowerSpecialFunction, NormalQuantile>},
      {"NextAfter", LowerNextAfter},
      {"Polygamma", LowerPolygamma},
      {"Spence", With<LowerSpecialFunction, Spence>},
      {"Zeta", LowerZeta},
  };
  return kRows;
}

}  // namespace dragoman::tf
