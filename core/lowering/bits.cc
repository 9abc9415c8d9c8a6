// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/bits.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/lowering/complex.h"

namespace dragoman {
namespace {

Value* Shift(Composer& c, Value* x, int bits, std::string_view direction) {
  return c.Op("BitShift", {x, c.Number(bits, DType::kU64)},
              {{"direction", std::string(direction)}});
}

// Each integer without sign as several smaller ones along a new last axis, the lowest bits first.
Value* SplitBits(Composer& c, Value* x, DType to) {
  const int bits = Info(to).bits;
  const int count = Info(c.dtype(x)).bits / bits;
  const int rank = c.Rank(x);
  Value* wide = c.Cast(x, DType::kU64);
  std::vector<Value*> parts;
  for (int i = 0; i < count && !c.failed(); ++i)
    parts.push_back(c.Unsqueeze(c.Cast(Shift(c, wide, i * bits, "RIGHT"), to), {rank}));
  return c.Concat(std::move(parts), rank);
}

// The integers without sign along the last axis as one larger one.
Value* JoinBits(Composer& c, Value* x, DType to) {
  const int bits = Info(c.dtype(x)).bits;
  const std::int64_t count = Info(to).bits / bits;
  const int rank = c.Rank(x);
  if (c.failed()) return nullptr;
  if (rank < 1 || c.KnownSize(x, rank - 1).value_or(count) != count)
    return c.Fail(
        InvalidInput("the last axis does not have " + std::to_string(count) + " elements"));
  Value* all = nullptr;
  for (std::int64_t i = 0; i < count && !c.failed(); ++i) {
    Value* wide = c.Cast(c.Select(x, rank - 1, i), DType::kU64);
    Value* part = Shift(c, wide, static_cast<int>(i) * bits, "LEFT");
    all = all == nullptr ? part : c.Op("BitwiseOr", {all, part});
  }
  return c.Cast(all, to);
}

// Of elements of one size.
Value* SameSizeAs(Composer& c, Value* x, DType to) {
  const DType from = c.dtype(x);
  if (from == to) return x;
  if (IsInteger(from) && IsInteger(to)) return c.Cast(x, to);
  return c.Op("BitCast", {x}, {{"to", static_cast<std::int64_t>(to)}});
}

}  // namespace

DType UnsignedOf(DType type) {
  switch (Info(type).bits) {
    case 8:
      return DType::kU8;
    case 16:
      return DType::kU16;
    case 32:
      return DType::kU32;
    default:
      return DType::kU64;
  }
}

Value* BitsAs(Composer& c, Value* x, DType to) {
  const DType from = c.dtype(x);
  if (c.failed() || from == to) return x;
  if (IsComplex(from) && to == RealPart(from)) return PairsOf(c, x);
  if (IsComplex(to) && from == RealPart(to)) return FromPairs(c, x);
  const auto has_bits = [](DType dtype) {
    return (IsInteger(dtype) || IsFloating(dtype)) && Info(dtype).bits >= 8;
  };
  if (!has_bits(from) || !has_bits(to))
    return c.Fail("the bits of " + std::string(Name(from)) + " as " + std::string(Name(to)));
  if (Info(from).bits == Info(to).bits) return SameSizeAs(c, x, to);
  x = SameSizeAs(c, x, UnsignedOf(from));
  Value* bits = Info(from).bits > Info(to).bits ? SplitBits(c, x, UnsignedOf(to))
                                                : JoinBits(c, x, UnsignedOf(to));
  return c.failed() ? nullptr : SameSizeAs(c, bits, to);
}

}  // namespace dragoman
