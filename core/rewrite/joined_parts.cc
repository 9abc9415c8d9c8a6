// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/joined_parts.h"

#include <algorithm>

#include "core/analysis/affine.h"
#include "core/ops/declared_attributes.h"

namespace dragoman {
namespace {

// More operands are steps of a sequence, which is kept.
constexpr std::size_t kMaxParts = 8;

}  // namespace

int FromFront(std::int64_t axis, const Value& value) {
  return static_cast<int>(axis < 0 ? axis + value.type().rank().value_or(0) : axis);
}

int AxisIn(const Node& node, const Value& value) {
  return FromFront(IntAttribute(node, "axis"), value);
}

Result<Value*> InsertSlice(Value* value, std::int64_t begin, std::int64_t end, int axis, Node& node,
                           PassContext& context) {
  const auto constant = [&](std::int64_t number) {
    return context.AddConstant(*node.graph(), Tensor::Ints(std::vector{number}), "bound",
                               node.origin());
  };
  return context.Insert(node, "Slice", {{value, constant(begin), constant(end), constant(axis)}});
}

std::optional<JoinedParts> ReadJoined(const Value& value) {
  const Node* concat = value.producer();
  if (concat == nullptr || !concat->Is("Concat") || concat->num_operands() > kMaxParts) {
    return std::nullopt;
  }
  JoinedParts joined{concat, AxisIn(*concat, value), {0}};
  for (const Use& use : concat->operands()) {
    const auto size = SizeAlong(*use.value(), joined.axis);
    if (!size) return std::nullopt;
    joined.begins.push_back(joined.begins.back() + *size);
  }
  return joined;
}

bool HasLeadingSizesOf(const Value& operand, const Value& product) {
  const Shape* a = operand.type().shape();
  const Shape* b = product.type().shape();
  if (a == nullptr || b == nullptr || a->size() < 2 || a->size() != b->size()) return false;
  return std::equal(a->begin(), a->end() - 2, b->begin(),
                    [](const Dim& x, const Dim& y) { return Equal(x, y) == Truth::kYes; });
}

}  // namespace dragoman
