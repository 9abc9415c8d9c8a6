// SPDX-License-Identifier: Apache-2.0
// The bits of elements.
#include "importers/tensorflow/ops/op_rows.h"

#include <string>
#include <vector>

#include "core/lowering/bits.h"
#include "importers/tensorflow/graph/stored_type.h"
#include "importers/tensorflow/ops/quantized_form.h"

namespace dragoman::tf {
namespace {

Value* AllBits(Call& c, Value* x) { return c.Cast(c.Cast(x, UnsignedOf(c.dtype(x))), DType::kU64); }

Value* Shift(Call& c, Value* x, int bits, std::string_view direction) {
  return c.Op("BitShift", {x, c.Number(bits, DType::kU64)},
              {{"direction", std::string(direction)}});
}

Value* LowerBitcast(Call& c) {
  Value* x = c.Tensor(0);
  const DType to = StoredTypeAttribute(c, "type");
  return BitsAs(c, x, to);
}

// Target: the direction. Of signed integers, copies of the sign come in from the left.
Value* LowerShift(Call& c) {
  Value* x = c.Tensor(0);
  Value* by = c.Tensor(1);
  if (c.failed()) return nullptr;
  const DType type = c.dtype(x);
  if (!IsInteger(type)) return c.Fail("bits of " + std::string(Name(type)));
  by = c.Min(by, Info(type).bits - 1);
  const std::vector<NamedAttribute> how = {{"direction", std::string(c.target())}};
  const DType bits = UnsignedOf(type);
  if (type == bits) return c.Op("BitShift", {x, by}, how);
  const auto shift = [&](Value* value) {
    return c.Cast(c.Op("BitShift", {c.Cast(value, bits), c.Cast(c.Max(by, 0), bits)}, how), type);
  };
  if (c.target() == "LEFT") return shift(x);
  Value* negative = c.Less(x, 0);
  Value* shifted = shift(c.Where(negative, c.Op("BitwiseNot", {x}), x));
  return c.Where(negative, c.Op("BitwiseNot", {shifted}), shifted);
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

}  // namespace

std::span<const OpRow> BitsRows() {
  static constexpr OpRow kRows[] = {
      {"Bitcast", LowerBitcast},
      {"LeftShift", LowerShift, "LEFT"},
      {"PopulationCount", LowerPopulationCount},
      {"RightShift", LowerShift, "RIGHT"},
  };
  return kRows;
}

}  // namespace dragoman::tf
