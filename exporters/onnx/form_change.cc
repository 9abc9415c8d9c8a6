// SPDX-License-Identifier: Apache-2.0
#include "exporters/onnx/form_change.h"

#include <algorithm>

#include "core/ir/node_attributes.h"

namespace dragoman {
namespace {

using Ints = Attribute::Ints;

constexpr const char* kNoRank = "its axes count from the end of an unknown rank";

}  // namespace

const Tensor* ConstantAt(const Node& node, std::size_t i) {
  const Value* value = node.operand(i);
  return value != nullptr && value->is_constant() ? value->tensor() : nullptr;
}

void DropOperand(Node& node, std::size_t i) {
  node.set_operand(i, nullptr);
  while (node.num_operands() > 0 && node.operands().back().value() == nullptr) {
    node.RemoveTrailingOperand();
  }
}

std::string OperandToAttribute(Node& node, std::size_t i, std::string_view name) {
  if (node.operand(i) == nullptr) return "";
  const Tensor* tensor = ConstantAt(node, i);
  if (tensor == nullptr) return "its " + std::string(name) + " is computed";
  node.SetAttribute(name, tensor->ToInts());
  DropOperand(node, i);
  return "";
}

std::string DropInt(Node& node, std::string_view name, std::int64_t only) {
  const std::int64_t value = IntAttribute(node, name, only);
  if (value != only) return "it has " + std::string(name) + " = " + std::to_string(value);
  node.RemoveAttribute(name);
  return "";
}

std::string DropOnes(Node& node, std::string_view name) {
  const Ints* values = IntsAttribute(node, name);
  if (values != nullptr &&
      !std::all_of(values->begin(), values->end(), [](std::int64_t value) { return value == 1; })) {
    return "it has " + std::string(name) + " other than 1";
  }
  node.RemoveAttribute(name);
  return "";
}

std::string CountAxisFromFront(Node& node, std::string_view name, std::optional<int> rank) {
  const std::int64_t axis = IntAttribute(node, name, 0);
  if (axis >= 0) return "";
  if (!rank) rank = node.operand(0)->type().rank();
  if (!rank) return kNoRank;
  node.SetAttribute(name, axis + *rank);
  return "";
}

std::string CountAxesFromFront(Node& node, std::string_view name, std::optional<int> rank) {
  const Ints* axes = IntsAttribute(node, name);
  if (axes == nullptr || std::ranges::all_of(*axes, [](auto axis) { return axis >= 0; })) return "";
  if (!rank) return kNoRank;
  Ints plain = *axes;
  for (std::int64_t& axis : plain) axis += axis < 0 ? *rank : 0;
  node.SetAttribute(name, std::move(plain));
  return "";
}

}  // namespace dragoman
