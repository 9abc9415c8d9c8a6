// SPDX-License-Identifier: Apache-2.0
// Axes that are joined for a Transpose which leaves them beside each other.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "core/ir/producer.h"
#include "core/ops/op_def.h"
#include "core/rewrite/patterns/identity_patterns.h"

namespace dragoman {
namespace {

using Axes = std::vector<std::int64_t>;
using Groups = std::vector<Shape>;

// The sizes of `to` that each axis of `from` becomes; axes of size 1 belong to the one ahead of
// them. nullopt: `to` joins axes, or sizes are not known well enough.
std::optional<Groups> GroupsOf(const Shape& from, const Shape& to) {
  Groups groups;
  std::size_t next = 0;
  for (const Dim& size : from) {
    Shape group;
    Dim product = 1;
    while (Equal(product, size) != Truth::kYes) {
      if (next == to.size() || to[next] == Dim(0)) return std::nullopt;
      group.push_back(to[next]);
      product = product * to[next++];
    }
    while (next < to.size() && to[next] == Dim(1)) group.push_back(to[next++]);
    groups.push_back(std::move(group));
  }
  return next == to.size() ? std::optional(std::move(groups)) : std::nullopt;
}

// The sizes for a Reshape; nullopt: several are not known, or one is 0, which would keep a size.
std::optional<Axes> SizesForReshape(const Shape& shape) {
  Axes sizes;
  for (const Dim& size : shape) sizes.push_back(size.known() ? size.value() : -1);
  const bool fits = std::ranges::count(sizes, -1) <= 1 && std::ranges::count(sizes, 0) == 0;
  return fits ? std::optional(std::move(sizes)) : std::nullopt;
}

// The first axis of each group, where all of them stand in a row.
Axes StartsOf(const Groups& groups) {
  Axes starts;
  std::int64_t start = 0;
  for (const Shape& group : groups) {
    starts.push_back(start);
    start += std::ssize(group);
  }
  return starts;
}

// Whether `x` has these sizes, whatever symbols stand for.
bool HasShape(const Value& x, const Shape& shape) {
  const Shape* own = x.type().shape();
  return own != nullptr && std::ranges::equal(*own, shape, [](const Dim& a, const Dim& b) {
           return Equal(a, b) == Truth::kYes;
         });
}

// Reshape(Transpose(Reshape(x, a), p), b) = Transpose(Reshape(x, a'), p'), where b only takes apart
// axes that a may have joined
Result<bool> SplitBeforeTranspose(Node& node, PassContext& context) {
  const Node* transpose = node.Is("Reshape") ? ProducerOf(node.operand(0), "Transpose") : nullptr;
  const Attribute::Ints* perm = transpose != nullptr ? IntsAttribute(*transpose, "perm") : nullptr;
  const Node* inner = perm != nullptr ? ProducerOf(transpose->operand(0), "Reshape") : nullptr;
  if (inner == nullptr || !transpose->result()->HasOneUse()) return false;
  const Shape* from = transpose->result()->type().shape();
  const Shape* to = node.result()->type().shape();
  if (from == nullptr || to == nullptr || from->size() != perm->size()) return false;
  const auto groups = GroupsOf(*from, *to);
  if (!groups) return false;
  Groups ordered(perm->size());
  for (std::size_t i = 0; i < perm->size(); ++i)
    ordered[static_cast<std::size_t>((*perm)[i])] = (*groups)[i];
  Shape split;
  for (const Shape& group : ordered) split.insert(split.end(), group.begin(), group.end());
  Value* x = inner->operand(0);
  const auto sizes = SizesForReshape(split);
  const bool is_split = HasShape(*x, split);
  if (!sizes && !is_split) return false;
  const Axes starts = StartsOf(ordered);
  Axes order;
  for (const std::int64_t axis : *perm) {
    const auto place = static_cast<std::size_t>(axis);
    Axes own(ordered[place].size());
    std::iota(own.begin(), own.end(), starts[place]);
    order.insert(order.end(), own.begin(), own.end());
  }
  if (!is_split) {
    Value* wanted =
        context.AddConstant(*node.graph(), Tensor::Ints(*sizes), "sizes", node.origin());
    DRAGOMAN_ASSIGN(x, context.Insert(node, "Reshape", {{x, wanted}}));
  }
  DRAGOMAN_ASSIGN(Value * y,
                  context.Insert(node, "Transpose", {{x}}, {{"perm", std::move(order)}}));
  return context.ReplaceIfAllowed(node, y);
}

}  // namespace

std::span<const Pattern> AxisPatterns() {
  static constexpr Pattern kPatterns[] = {{"split-before-transpose", SplitBeforeTranspose}};
  return kPatterns;
}

}  // namespace dragoman
