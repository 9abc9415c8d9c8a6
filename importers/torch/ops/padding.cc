// SPDX-License-Identifier: Apache-2.0
// Padding by constants, reflection, edges, or around the other end.
#include "importers/torch/ops/op_rows.h"

#include <algorithm>
#include <string>
#include <utility>

#include "importers/torch/ops/composer.h"

namespace dragoman::torch {
namespace {

// torch lists (begin, end) of the last axis first; common Pad all beginnings, then all ends.
struct PadSizes {
  std::vector<Number> begins;
  std::vector<Number> ends;
};

PadSizes TakePads(CallComposer& c, std::string_view name, int rank) {
  const std::vector<Number> given = c.Take(c.call().Scalars(name));
  const auto axes = static_cast<std::size_t>(rank);
  PadSizes pads{std::vector<Number>(axes, Number::Int(0)),
                std::vector<Number>(axes, Number::Int(0))};
  if (given.size() % 2 != 0 || given.size() / 2 > axes) {
    c.Fail(
        InvalidInput("the list of paddings does not fit a tensor of rank " + std::to_string(rank)));
    return pads;
  }
  for (std::size_t i = 0; i < given.size() / 2; ++i) {
    pads.begins[axes - 1 - i] = given[2 * i];
    pads.ends[axes - 1 - i] = given[2 * i + 1];
  }
  return pads;
}

bool IsNegative(const Number& number) { return number.known() && number.AsInt() < 0; }

// Cuts off what negative paddings take away, and makes them 0.
Value* Crop(CallComposer& c, Value* x, PadSizes& pads) {
  for (std::size_t axis = 0; axis < pads.begins.size(); ++axis) {
    const std::int64_t begin = IsNegative(pads.begins[axis]) ? -pads.begins[axis].AsInt() : 0;
    const std::int64_t end = IsNegative(pads.ends[axis]) ? pads.ends[axis].AsInt() : 0;
    if (begin == 0 && end == 0) continue;
    x = c.Slice(x, static_cast<int>(axis), begin, end == 0 ? kEnd : end);
    if (begin != 0) pads.begins[axis] = Number::Int(0);
    if (end != 0) pads.ends[axis] = Number::Int(0);
  }
  return x;
}

Value* Pad(CallComposer& c, std::string_view pads_name, std::string_view mode,
           std::string_view value_name) {
  Value* x = c.Tensor("self");
  const int rank = c.Rank(x);
  if (c.failed()) return nullptr;
  PadSizes pads = TakePads(c, pads_name, rank);
  if (c.failed()) return nullptr;
  // What is repeated may lie in a part that is cut off.
  const bool crops_last = mode == "edge" || mode == "reflect";
  PadSizes cuts = pads;
  if (crops_last) {
    for (std::vector<Number>* side : {&pads.begins, &pads.ends})
      std::ranges::replace_if(*side, IsNegative, Number::Int(0));
  } else {
    x = Crop(c, x, pads);
  }
  std::vector<Number> list = std::move(pads.begins);
  list.insert(list.end(), pads.ends.begin(), pads.ends.end());
  std::vector<Value*> operands = {x, c.Take(c.call().NumberList(list))};
  if (mode == "constant") {
    const bool given = !value_name.empty() && c.Has(value_name);
    operands.push_back(given ? c.As(value_name, c.dtype(x)) : c.Number(0, x));
  }
  Value* padded = c.Op("Pad", std::move(operands), {{"mode", std::string(mode)}});
  return crops_last ? Crop(c, padded, cuts) : padded;
}

Value* LowerPad(CallComposer& c) {
  const std::string mode = c.Text("mode");
  if (mode == "constant" || mode == "reflect") return Pad(c, "pad", mode, "value");
  if (mode == "replicate") return Pad(c, "pad", "edge", "");
  if (mode == "circular") return Pad(c, "pad", "wrap", "");
  return c.Refuse("mode = '" + mode + "'");
}

Value* LowerConstantPad(CallComposer& c) { return Pad(c, "pad", "constant", "value"); }

Value* LowerReflectionPad(CallComposer& c) { return Pad(c, "padding", "reflect", ""); }

Value* LowerReplicationPad(CallComposer& c) { return Pad(c, "padding", "edge", ""); }

Value* LowerCircularPad(CallComposer& c) { return Pad(c, "pad", "wrap", ""); }

}  // namespace

std::span<const OpRow> PaddingRows() {
  static constexpr OpRow kRows[] = {
      {"aten._pad_circular", LowerCircularPad},
      {"aten.constant_pad_nd", LowerConstantPad, {.complex = true, .grid = kOperandGrid}},
      {"aten.pad", LowerPad, {.complex = true, .grid = kOperandGrid}},
      {"aten.reflection_pad1d", LowerReflectionPad},
      {"aten.reflection_pad2d", LowerReflectionPad},
      {"aten.reflection_pad3d", LowerReflectionPad},
      {"aten.replication_pad1d", LowerReplicationPad},
      {"aten.replication_pad2d", LowerReplicationPad},
      {"aten.replication_pad3d", LowerReplicationPad},
  };
  return kRows;
}

}  // namespace dragoman::torch
