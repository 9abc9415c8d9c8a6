// SPDX-License-Identifier: Apache-2.0
#include "importers/relay/ops/rounding.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

#include "core/lowering/math.h"

namespace dragoman::relay {
namespace {

FixedPoint FixedPointOf(double quotient) {
  FixedPoint fixed;
  int exponent = 0;
  const double fraction = std::frexp(quotient, &exponent);
  fixed.shift = exponent;
  fixed.multiplier = std::llround(fraction * 2147483648.0);
  if (fixed.multiplier == std::int64_t{1} << 31) {
    fixed.multiplier /= 2;
    ++fixed.shift;
  }
  return fixed;
}

}  // namespace

Value* Aligned(Call& c, Value* vector, std::int64_t axis, const Value* like) {
  const std::optional<std::int64_t> size = c.MaybeRank(vector) == 1 ? c.KnownSize(vector, 0) : 1;
  if (size == 1) return c.Reshape(vector, Ints());
  return AlongAxis(c, vector, c.AxisOf(axis, like), c.Rank(like));
}

Value* Rescaled(Call& c, Value* x, const std::vector<double>& quotients, std::int64_t axis,
                bool away) {
  if (std::ranges::all_of(quotients, [](double q) { return q == 1; })) return x;
  std::vector<FixedPoint> factors;
  for (const double quotient : quotients) {
    if (quotient < 0 || quotient >= 1e9)
      return c.Fail("a quotient of scales of " + std::to_string(quotient) + " is not supported");
    factors.push_back(FixedPointOf(quotient));
  }
  return ScaledByBits(c, x, factors, axis, away);
}

Value* ScaledByBits(Call& c, Value* x, const std::vector<FixedPoint>& fixed, std::int64_t axis,
                    bool away) {
  Ints factors, divisors;
  for (const auto [multiplier, shift] : fixed) {
    if (shift > 30 || shift < -30 || std::abs(multiplier) > std::int64_t{1} << 31)
      return c.Fail("a factor of 2^" + std::to_string(shift) + " is not supported");
    factors.push_back(multiplier << std::max<std::int64_t>(shift, 0));
    divisors.push_back(std::int64_t{1} << (31 + std::max<std::int64_t>(-shift, 0)));
  }
  Value* divisor = Aligned(c, c.Ints(std::move(divisors)), axis, x);
  Value* half = c.Div(divisor, 2);
  Value* product = c.Mul(c.Cast(x, DType::kI64), Aligned(c, c.Ints(std::move(factors)), axis, x));
  if (away) half = c.Where(c.Less(product, 0), c.Sub(half, 1), half);
  return c.Cast(FloorQuotient(c, c.Add(product, half), divisor), DType::kI32);
}

Value* Saturated(Call& c, Value* x, DType dtype) {
  if (c.failed() || c.dtype(x) == dtype) return x;
  const int bits = Info(dtype).bits;
  const std::int64_t low = Info(dtype).is_signed ? -(std::int64_t{1} << (bits - 1)) : 0;
  const std::int64_t high = low + (std::int64_t{1} << bits) - 1;
  const auto number = [&](std::int64_t n) { return c.Number(static_cast<double>(n), x); };
  return c.Cast(c.Max(c.Min(x, number(high)), number(low)), dtype);
}

}  // namespace dragoman::relay
