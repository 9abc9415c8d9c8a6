// SPDX-License-Identifier: Apache-2.0
#include "codegen/tvm/extremes.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "core/ir/dtype.h"
#include "core/ops/op_def.h"

namespace dragoman::tvm {
namespace {

// These give elements of their first operand. By name: by what they compute.
constexpr std::string_view kMoving[] = {
    "Dropout", "Expand", "Flatten", "Gather",  "GlobalMaxPool", "Identity",  "MaxPool",
    "Reshape", "Slice",  "Split",   "Squeeze", "Tile",          "Transpose", "Unsqueeze"};

bool IsOneOf(const Node& node, std::span<const std::string_view> types) {
  return std::ranges::any_of(types, [&](std::string_view type) { return node.Is(type); });
}

// A negative factor gives the side without a bound the other sign.
bool IsTurned(std::span<const NamedAttribute> attributes) {
  return std::ranges::any_of(attributes, [](const NamedAttribute& attribute) {
    const auto* number = attribute.value.As<float>();
    return number != nullptr && *number < 0 &&
           (attribute.name == "alpha" || attribute.name == "gamma");
  });
}

constexpr int kMaxSteps = 32;

// Whether a constant operand bounds the result from below.
bool HasLowBound(const Node& node) {
  const Tensor* low = node.Is("Clip") && node.num_operands() > 1 && node.operand(1) != nullptr
                          ? node.operand(1)->tensor()
                          : nullptr;
  return low != nullptr && low->size() == 1 && low->FloatAt(0) > -HUGE_VAL;
}

bool MayBe(const Value& value, const BoundedValues& bounded, int steps) {
  if (!IsFloating(value.type().dtype()) || bounded.contains(&value)) return false;
  const Node* node = value.producer();
  if (node == nullptr || steps == 0) return true;
  const ValueFacts& facts = FactsOf(FindOp(*node));
  if ((facts.has_least && !IsTurned(node->attributes())) || facts.is_between() ||
      HasLowBound(*node))
    return false;
  if (node->Is("Concat")) {
    return std::ranges::any_of(node->operands(), [&](const Use& use) {
      return use.value() != nullptr && MayBe(*use.value(), bounded, steps / 2);
    });
  }
  return !IsOneOf(*node, kMoving) || MayBe(*node->operand(0), bounded, steps - 1);
}

}  // namespace

BoundedValues BoundedOf(const std::vector<ComposedNode>& changed) {
  BoundedValues bounded;
  for (const ComposedNode& node : changed) {
    const ValueFacts& facts = FactsOf(FindOp(node.label));
    const bool has_least = facts.has_least && !IsTurned(node.attributes);
    if (has_least || facts.is_between()) bounded.insert(node.results.front());
  }
  return bounded;
}

bool MayBeMinusInfinity(const Value& value, const BoundedValues& bounded) {
  return MayBe(value, bounded, kMaxSteps);
}

bool MayBeNan(const Value& value) {
  if (!IsFloating(value.type().dtype())) return false;
  const Tensor* tensor = value.tensor();
  if (tensor == nullptr) return true;
  for (std::int64_t i = 0; i < tensor->size(); ++i) {
    if (std::isnan(tensor->FloatAt(i))) return true;
  }
  return false;
}

}  // namespace dragoman::tvm
