// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/math.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "core/lowering/division.h"

namespace dragoman {

Value* Expm1(Composer& c, Value* x) { return c.Mul(c.Tanh(c.Mul(x, 0.5)), c.Add(c.Exp(x), 1)); }

Value* Log1p(Composer& c, Value* x) {
  Value* sum = c.Add(x, 1);
  Value* corrected = c.Mul(c.Log(sum), c.Div(x, c.Sub(sum, 1)));
  Value* infinite = c.Where(c.Equal(sum, INFINITY), sum, corrected);
  return c.Where(c.Equal(sum, 1), x, infinite);
}

namespace {

// Whether the remainder `rest` of C, which is not 0, lies on the other side of 0 than the divisor.
Value* MovesToDivisor(Composer& c, Value* rest, Value* divisor) {
  Value* other_side = c.Op("Xor", {c.Less(rest, 0), c.Less(divisor, 0)});
  return c.And(c.NotEqual(rest, 0), other_side);
}

}  // namespace

Value* Trunc(Composer& c, Value* x) { return c.Where(c.Less(x, 0), c.Op("Ceil", {x}), c.Floor(x)); }

Value* SignBit(Composer& c, Value* x) {
  if (!IsFloating(c.dtype(x))) return c.Less(x, 0);
  Value* pole = c.Where(c.Equal(x, 0), c.Op("Reciprocal", {x}), x);
  return c.Less(pole, 0);
}

Value* NegateWhere(Composer& c, Value* negative, Value* x) {
  return c.Where(negative, c.Neg(x), x);
}

Value* Atan2(Composer& c, Value* y, Value* x) {
  // Between infinities the angle is that between ones.
  Value* infinite = c.And(IsInf(c, y, true, true), IsInf(c, x, true, true));
  y = c.Where(infinite, c.Op("Sign", {y}), y);
  x = c.Where(infinite, c.Op("Sign", {x}), x);
  Value* steep = c.Greater(c.Abs(y), c.Abs(x));
  Value* flat = c.Op("Atan", {c.Div(y, x)});
  Value* half_turn =
      NegateWhere(c, SignBit(c, y), c.Expand(c.Number(std::numbers::pi, y), c.Shape(y)));
  Value* from_axis = c.Where(SignBit(c, x), c.Add(flat, half_turn), flat);
  Value* quarter = c.Div(half_turn, 2);
  Value* from_pole = c.Sub(quarter, c.Op("Atan", {c.Div(x, y)}));
  Value* regular = c.Where(steep, from_pole, from_axis);
  Value* at_origin = c.Where(SignBit(c, x), half_turn, y);
  Value* origin = c.And(c.Equal(y, 0), c.Equal(x, 0));
  return c.Where(origin, at_origin, regular);
}

Value* Hypot(Composer& c, Value* x, Value* y) {
  Value* a = c.Abs(x);
  Value* b = c.Abs(y);
  Value* larger = c.Max(a, b);
  Value* ratio = c.Div(c.Min(a, b), c.Where(c.Equal(larger, 0), 1, larger));
  Value* length = c.Mul(larger, c.Sqrt(c.Add(c.Mul(ratio, ratio), 1)));
  Value* infinite = c.Or(IsInf(c, a, true, true), IsInf(c, b, true, true));
  return c.Where(infinite, INFINITY, length);
}

Value* Remainder(Composer& c, Value* a, Value* b) {
  if (IsInteger(c.dtype(a))) return c.Op("Mod", {a, b});
  Value* rest = c.Op("Mod", {a, b}, {{"fmod", std::int64_t{1}}});
  return c.Where(MovesToDivisor(c, rest, b), c.Add(rest, b), rest);
}

// As torch and Python: what is left over is taken off first, so that the quotient is a whole number
// but for one rounding. The remainder is that of C, since a - Remainder(a, b) may be infinite.
Value* FloorQuotient(Composer& c, Value* a, Value* b) {
  if (IsInteger(c.dtype(a))) return FloorQuotientOfIntegers(c, a, b);
  Value* quotient = c.Div(a, b);
  Value* rest = c.Op("Mod", {a, b}, {{"fmod", std::int64_t{1}}});
  Value* exact = c.Div(c.Sub(a, rest), b);
  exact = c.Where(MovesToDivisor(c, rest, b), c.Sub(exact, 1), exact);
  Value* floor = c.Floor(exact);
  Value* whole = c.Where(c.Greater(c.Sub(exact, floor), 0.5), c.Add(floor, 1), floor);
  Value* with_zero = c.Where(c.Equal(exact, 0), c.Mul(quotient, 0), whole);
  return c.Where(c.Equal(b, 0), quotient, with_zero);
}

Value* TruncQuotient(Composer& c, Value* a, Value* b) {
  Value* quotient = c.Div(a, b);
  return IsInteger(c.dtype(a)) ? quotient : Trunc(c, quotient);
}

Value* IsTrue(Composer& c, Value* x) { return c.dtype(x) == DType::kBool ? x : c.NotEqual(x, 0); }

Value* IsNaN(Composer& c, Value* x) {
  const bool may_be = IsFloating(c.dtype(x)) || IsComplex(c.dtype(x));
  return may_be ? c.Op("IsNaN", {x}) : c.NotEqual(x, x);
}

Value* IsInf(Composer& c, Value* x, bool negative, bool positive) {
  if (!IsFloating(c.dtype(x))) return c.NotEqual(x, x);
  return c.Op(
      "IsInf", {x},
      {{"detect_negative", std::int64_t{negative}}, {"detect_positive", std::int64_t{positive}}});
}

Value* Maximum(Composer& c, Value* a, Value* b) {
  return c.dtype(a) == DType::kBool ? c.Or(a, b) : c.Max(a, b);
}

Value* Minimum(Composer& c, Value* a, Value* b) {
  return c.dtype(a) == DType::kBool ? c.And(a, b) : c.Min(a, b);
}

bool HasSizesOf(const Value* value, const Value* like) {
  const Shape* sizes = value->type().shape();
  const Shape* wanted = like->type().shape();
  if (sizes == nullptr || wanted == nullptr) return false;
  return std::equal(
      sizes->begin(), sizes->end(), wanted->begin(), wanted->end(),
      [](const Dim& a, const Dim& b) { return dragoman::Equal(a, b) == Truth::kYes; });
}

Value* WithSizesOf(Composer& c, Value* value, Value* like) {
  if (c.failed() || !c.MaybeRank(like) || HasSizesOf(value, like)) return value;
  return c.Reshape(value, c.Shape(like));
}

Value* AlongAxis(Composer& c, Value* vector, int axis, int rank) {
  if (axis >= rank) return c.Fail(fmt::format("axis {} of a tensor of rank {}", axis, rank));
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(rank), 1);
  sizes[static_cast<std::size_t>(axis)] = -1;
  return c.Reshape(vector, std::move(sizes));
}

// Small integers are multiplied as int32, which wraps to the same bits.
Value* MatMul(Composer& c, Value* a, Value* b) {
  const DType type = c.dtype(a);
  const bool small = IsInteger(type) && Info(type).bits < 32;
  const DType computed = small ? DType::kI32 : type;
  return c.Cast(c.Op("MatMul", {c.Cast(a, computed), c.Cast(b, computed)}), type);
}

}  // namespace dragoman
