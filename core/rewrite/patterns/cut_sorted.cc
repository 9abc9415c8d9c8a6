// SPDX-License-Identifier: Apache-2.0
// The largest elements, taken of all in their order.
#include <optional>
#include <utility>
#include <vector>

#include "core/ops/declared_attributes.h"
#include "core/rewrite/joined_parts.h"
#include "core/rewrite/patterns/identity_patterns.h"

namespace dragoman {
namespace {

// How many of the first elements along `axis` the only reader of `value` takes; nullopt: something
// else reads it.
std::optional<std::int64_t> FirstTaken(const Value& value, int axis, const PassContext& context) {
  const Node* reader = value.HasOneUse() ? value.first_use()->user() : nullptr;
  if (reader == nullptr || !reader->Is("Slice") || reader->graph() != value.graph()) return {};
  const auto starts = IntsOf(context, reader->operand(1));
  const auto ends = IntsOf(context, reader->operand(2));
  const auto axes = IntsOf(context, reader->operand(3));
  const auto steps = IntsOf(context, reader->operand(4));
  const bool is_first =
      starts && *starts == std::vector<std::int64_t>{0} && ends && ends->size() == 1 &&
      ends->front() >= 0 && axes && axes->size() == 1 &&
      (axes->front() == axis || axes->front() + value.type().rank().value_or(0) == axis) &&
      (reader->operand(4) == nullptr || (steps && steps->front() == 1));
  return is_first ? std::optional(ends->front()) : std::nullopt;
}

// Slice(TopK(x, n), 0, k) = TopK(x, k), for k below n: of values, of places, or of both alike
Result<bool> CutSorted(Node& node, PassContext& context) {
  if (!node.Is("TopK") || IntAttribute(node, "sorted") == 0) return false;
  const std::optional<std::int64_t> count = IntOf(context, node.operand(1));
  std::optional<std::int64_t> taken;
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Value* result = node.result(i);
    if (result == nullptr || !result->used()) continue;
    const auto first = FirstTaken(*result, AxisIn(node, *result), context);
    if (!first || (taken && *taken != *first)) return false;
    taken = first;
  }
  if (!taken || !count || *taken >= *count) return false;
  Value* fewer = context.AddConstant(*node.graph(), Tensor::Ints({{*taken}}), "count",
                                     node.operand(1)->origin());
  context.Explain(node, "gives no more than what is read");
  node.set_operand(1, fewer);
  // The Slices take all of these, and go by themselves.
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    Value* result = node.result(i);
    if (result == nullptr || result->type().shape() == nullptr) continue;
    Shape shape = *result->type().shape();
    shape[static_cast<std::size_t>(AxisIn(node, *result))] = Dim(*taken);
    result->set_type(Type::Tensor(result->type().dtype(), std::move(shape)));
  }
  DRAGOMAN_TRY(context.inference.InferNode(node));
  return true;
}

}  // namespace

std::span<const Pattern> SortedPatterns() {
  static constexpr Pattern kPatterns[] = {{"cut-sorted", CutSorted}};
  return kPatterns;
}

}  // namespace dragoman
