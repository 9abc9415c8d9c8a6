// SPDX-License-Identifier: Apache-2.0
#include "codegen/tvm/extremes.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/ir/dtype.h"
#include "core/ir/node_attributes.h"
#include "core/ops/value_facts.h"

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
bool IsTurned(const Node& node) {
  return FloatAttribute(node, "alpha", 1) < 0 || FloatAttribute(node, "gamma", 1) < 0;
}

constexpr int kMaxSteps = 32;

bool MayBe(const Value& value, int steps) {
  if (!IsFloating(value.type().dtype())) return false;
  const Node* node = value.producer();
  if (node == nullptr || steps == 0) return true;
  const ValueFacts& facts = ValueFactsOf(*node);
  if ((facts.has_least && !IsTurned(*node)) || facts.is_between()) return false;
  if (node->Is("Concat")) {
    return std::ranges::any_of(node->operands(), [&](const Use& use) {
      return use.value() != nullptr && MayBe(*use.value(), steps / 2);
    });
  }
  return !IsOneOf(*node, kMoving) || MayBe(*node->operand(0), steps - 1);
}

}  // namespace

bool MayBeMinusInfinity(const Value& value) { return MayBe(value, kMaxSteps); }

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
