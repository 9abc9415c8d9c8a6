// The bits of integers, and of complex numbers as pairs.
#include <string>
#include <vector>

#include "core/lowering/complex.h"
#include "importers/tensorflow/graph/stored_type.h"
#include "importers/tensorflow/ops/math_lowerings.h"
#include "importers/tensorflow/ops/quantized_form.h"

namespace dragoman::tf {
namespace {

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

Value* AllBits(Call& c, Value* x) { return c.Cast(c.Cast(x, UnsignedOf(c.dtype(x))), DType::kU64); }

Value* Shift(Call& c, Value* x, int bits, std::string_view direction) {
  return c.Op("BitShift", {x, c.Number(bits, DType::kU64)},
              {{"direction", std::string(direction)}});
}

// Each integer as several smaller ones along a new last axis, the lowest bits first.
Value* SplitBits(Call& c, Value* x, DType to) {
  const int bits = Info(to).bits;
  const int count = Info(c.dtype(x)).bits / bits;
  const int rank = c.Rank(x);
  Value* wide = AllBits(c, x);
  std::vector<Value*> parts;
  for (int i = 0; i < count && !c.failed(); ++i) {
    Value* part = c.Cast(Shift(c, wide, i * bits, "RIGHT"), UnsignedOf(to));
    parts.push_back(c.Unsqueeze(c.Cast(part, to), {rank}));
  }
  return c.Concat(std::move(parts), rank);
}

// The integers along the last axis as one larger one.
Value* JoinBits(Call& c, Value* x, DType to) {
  const int bits = Info(c.dtype(x)).bits;
  const std::int64_t count = Info(to).bits / bits;
  const int rank = c.Rank(x);
  if (c.failed()) return nullptr;
  if (rank < 1 || c.KnownSize(x, rank - 1).value_or(count) != count)
    return c.Fail(
        InvalidInput("the last axis does not have " + std::to_string(count) + " elements"));
  Value* all = nullptr;
  for (std::int64_t i = 0; i < count && !c.failed(); ++i) {
    Value* part =
        Shift(c, AllBits(c, c.Select(x, rank - 1, i)), static_cast<int>(i) * bits, "LEFT");
    all = all == nullptr ? part : c.Op("BitwiseOr", {all, part});
  }
  return c.Cast(all, to);
}

}  // namespace

Value* LowerBitcast(Call& c) {
  Value* x = c.Tensor(0);
  const DType to = StoredTypeAttribute(c, "type");
  if (c.failed()) return nullptr;
  const DType from = c.dtype(x);
  if (from == to) return x;
  if (IsComplex(from) && to == RealPart(from)) return PairsOf(c, x);
  if (IsComplex(to) && from == RealPart(to)) return FromPairs(c, x);
  if (!IsInteger(from) || !IsInteger(to))
    return c.Fail("the bits of " + std::string(Name(from)) + " as " + std::string(Name(to)));
  if (Info(from).bits == Info(to).bits) return c.Cast(x, to);
  return Info(from).bits > Info(to).bits ? SplitBits(c, x, to) : JoinBits(c, x, to);
}

Value* LowerPopulationCount(Call& c) {
  Value* x = c.Tensor(0);
  if (c.failed()) return nullptr;
  if (!IsInteger(c.dtype(x))) return c.Fail("bits of " + std::string(Name(c.dtype(x))));
  Value* wide = AllBits(c, x);
  Value* count = nullptr;
  for (int i = 0; i < Info(c.dtype(x)).bits && !c.failed(); ++i) {
    Value* bit = c.Op("BitwiseAnd", {Shift(c, wide, i, "RIGHT"), c.Number(1, DType::kU64)});
    bit = c.Cast(bit, DType::kI64);
    count = count == nullptr ? bit : c.Add(count, bit);
  }
  return c.Cast(count, DType::kU8);
}

}  // namespace dragoman::tf
