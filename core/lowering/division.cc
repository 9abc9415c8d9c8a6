// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/division.h"

#include <algorithm>

namespace dragoman {

bool IsNeverNegative(Composer& c, const Value* value) {
  if (c.failed() || value == nullptr) return false;
  if (!Info(c.dtype(value)).is_signed) return true;
  const auto elements = c.builder().inference().Know(value).elements;
  return elements && std::ranges::all_of(*elements, [](const Dim& element) {
           return !element.unknown() && RangeOf(element).lower >= 0;
         });
}

// Div rounds towards zero: one too much where the signs differ and something is left over.
Value* FloorQuotientOfIntegers(Composer& c, Value* a, Value* b) {
  Value* quotient = c.Div(a, b);
  const bool divisor_has_sign = !IsNeverNegative(c, b);
  if (!divisor_has_sign && IsNeverNegative(c, a)) return quotient;
  Value* rest = c.Op("Mod", {a, b}, {{"fmod", std::int64_t{1}}});
  Value* negative = c.Less(rest, 0);
  if (divisor_has_sign)
    negative = c.And(c.NotEqual(rest, 0), c.Op("Xor", {negative, c.Less(b, 0)}));
  return c.Sub(quotient, c.CastLike(negative, quotient));
}

}  // namespace dragoman
