// SPDX-License-Identifier: Apache-2.0
// What a program asks to choose its branches, and what stands in for results of those not taken.
#include "importers/tensorflow/ops/op_rows.h"

#include <algorithm>
#include <optional>
#include <string>

#include "core/lowering/math.h"
#include "importers/tensorflow/graph/attr_value.h"

namespace dragoman::tf {
namespace {

// The number of the kind of device that a program runs on: it is a CPU.
Value* LowerDeviceIndex(Call& c) {
  const Attribute* attribute = c.attribute("device_names");
  const std::optional<Attribute::Strings> names =
      attribute != nullptr ? AsStrings(*attribute) : std::nullopt;
  if (!names) return c.Fail(InvalidInput("attribute device_names is missing"));
  const auto place = std::find(names->begin(), names->end(), "CPU") - names->begin();
  return c.Cast(c.Int(place), DType::kI32);
}

// A tensor with axes is true if it has elements.
Value* LowerToBool(Call& c) {
  Value* x = c.Tensor(0);
  const int rank = c.Rank(x);
  if (c.failed()) return nullptr;
  if (rank > 0) return c.Greater(c.NumElements(x), 0);
  if (c.dtype(x) != DType::kString) return IsTrue(c, x);
  return c.Greater(c.Op("dragoman.TextLength", {x}), 0);
}

// What nobody reads, of sizes that the attribute states as far as it does.
Value* LowerFakeParam(Call& c) {
  const std::optional<Shape> shape = c.ShapeAttribute("shape");
  Ints sizes;
  for (const Dim& size : shape.value_or(Shape())) sizes.push_back(size.known() ? size.value() : 1);
  const DType type = c.TypeAttribute("dtype");
  if (!c.failed() && type == DType::kString) return c.Fail("a text that stands in for a result");
  return c.Full(c.Ints(std::move(sizes)), 0, type);
}

}  // namespace

std::span<const OpRow> ChoicesRows() {
  static constexpr OpRow kRows[] = {
      {"DeviceIndex", LowerDeviceIndex},
      {"FakeParam", LowerFakeParam},
      {"ToBool", LowerToBool},
  };
  return kRows;
}

}  // namespace dragoman::tf
