// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/rounding.h"

#include "core/lowering/math.h"

namespace dragoman {

Value* RoundHalvesAway(Composer& c, Value* x) {
  // Not the floor of a sum, which is rounded: up to 1 below 1/2, and for large numbers.
  Value* size = c.Abs(x);
  Value* whole = c.Floor(size);
  Value* up = c.GreaterOrEqual(c.Sub(size, whole), 0.5);
  Value* rounded = c.Where(up, c.Add(whole, 1), whole);
  return NegateWhere(c, SignBit(c, x), rounded);
}

}  // namespace dragoman
