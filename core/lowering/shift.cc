// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/shift.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/lowering/bits.h"
#include "core/lowering/math.h"

namespace dragoman {

namespace {

// Of int64 by bits that run time knows: by those of uint64. What is negative is shifted with all
// its bits inverted, so that ones come in.
Value* ShiftLong(Composer& c, Value* x, Value* by, bool left) {
  const auto shifted = [&](Value* bits, std::string_view direction) {
    Value* moved =
        c.Op("BitShift", {bits, c.Cast(by, DType::kU64)}, {{"direction", std::string(direction)}});
    return c.Cast(moved, DType::kI64);
  };
  if (left) return c.Mul(x, shifted(c.Number(1, DType::kU64), "LEFT"));
  Value* negative = c.Less(x, 0);
  const auto inverted = [&](Value* bits) {
    return c.Where(negative, c.Op("BitwiseNot", {bits}), bits);
  };
  return inverted(shifted(c.Cast(inverted(x), DType::kU64), "RIGHT"));
}

}  // namespace

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
    if (!known) return ShiftLong(c, x, by, left);
    for (const std::int64_t bits : *known) {
      if (bits < 0 || bits > 62) return c.Fail("a shift by " + std::to_string(bits) + " bits");
    }
  }
  Value* wide = c.Cast(x, DType::kI64);
  Value* factor = c.Pow(c.Int(2), by);
  return c.Cast(left ? c.Mul(wide, factor) : FloorQuotient(c, wide, factor), dtype);
}

}  // namespace dragoman
