// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/shift.h"

#include <optional>
#include <string>
#include <vector>

#include "core/lowering/bits.h"
#include "core/lowering/math.h"

namespace dragoman {

Value* ShiftBits(Composer& c, Value* x, Value* by, bool left) {
  if (c.failed()) return nullptr;
  const DType dtype = c.dtype(x);
  if (dtype == UnsignedOf(dtype)) {  // those that ai.onnx shifts
    return c.Op("BitShift", {x, c.Cast(by, dtype)}, {{"direction", left ? "LEFT" : "RIGHT"}});
  }
  by = c.Cast(by, DType::kI64);
  if (c.failed()) return nullptr;
  if (dtype == DType::kI64) {
    const std::optional<std::vector<std::int64_t>> known = c.builder().KnownInts(by);
    for (std::int64_t bits : known.value_or(std::vector<std::int64_t>())) {
      if (bits < 0 || bits > 62) return c.Fail("a shift by " + std::to_string(bits) + " bits");
    }
    if (!known) return c.Fail("a shift of int64 by a number of bits known only at run time");
  }
  Value* wide = c.Cast(x, DType::kI64);
  Value* factor = c.Pow(c.Int(2), by);
  return c.Cast(left ? c.Mul(wide, factor) : FloorQuotient(c, wide, factor), dtype);
}

}  // namespace dragoman
