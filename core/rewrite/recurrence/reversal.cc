// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/reversal.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "core/analysis/affine.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/elements.h"
#include "core/rewrite/zeros.h"

namespace dragoman {
namespace {

constexpr int kMaxReversalHops = 8;

std::int64_t FromFront(std::int64_t axis, int rank) { return axis < 0 ? axis + rank : axis; }

// Whether `value` is Range(first, limit, step).
bool IsRange(const Value& value, const Dim& first, const Dim& limit, std::int64_t step,
             const PassContext& context) {
  const Node* node = value.producer();
  if (node == nullptr || !node->Is("Range")) return false;
  const Dim wanted[] = {first, limit, Dim(step)};
  for (std::size_t i = 0; i < std::size(wanted); ++i) {
    const Knowledge known = context.inference.Know(node->operand(i));
    if (!known.elements || known.elements->size() != 1 ||
        Equal(known.elements->front(), wanted[i]) != Truth::kYes) {
      return false;
    }
  }
  return true;
}

std::optional<std::int64_t> ReversedAxis(const Node& node, const PassContext& context);

// Whether the elements are size - 1, …, 1, 0, of a size known only at run time.
bool CountsDown(const Value& value, const Dim& size, const PassContext& context) {
  if (IsRange(value, size - Dim(1), Dim(-1), -1, context)) return true;
  const Node* node = value.producer();
  return node != nullptr && node->Is("Slice") && ReversedAxis(*node, context) == 0 &&
         IsRange(*node->operand(0), Dim(0), size, 1, context);
}

// The axis along which all of operand 0 is reversed; nullopt for any other node.
std::optional<std::int64_t> ReversedAxis(const Node& node, const PassContext& context) {
  const int rank = node.num_operands() > 0 && node.operand(0) != nullptr
                       ? node.operand(0)->type().rank().value_or(0)
                       : 0;
  if (rank == 0) return std::nullopt;
  if (node.Is("Slice")) {
    const auto start = IntOf(context, node.operand(1)), end = IntOf(context, node.operand(2));
    const auto axis = IntOf(context, node.operand(3)), step = IntOf(context, node.operand(4));
    if (!start || !end || !axis || step != -1) return std::nullopt;
    const std::int64_t at = FromFront(*axis, rank);
    const auto size = SizeAlong(*node.operand(0), static_cast<int>(at));
    const bool from_last = *start == -1 || *start > INT32_MAX || (size && *start >= *size - 1);
    const bool to_first = *end < -INT32_MAX || (size && *end <= -*size - 1);
    return from_last && to_first ? std::optional(at) : std::nullopt;
  }
  if (!node.Is("Gather")) return std::nullopt;
  const std::int64_t axis = FromFront(IntAttribute(node, "axis"), rank);
  if (CountsDown(*node.operand(1),
                 (*node.operand(0)->type().shape())[static_cast<std::size_t>(axis)], context)) {
    return axis;
  }
  const auto size = SizeAlong(*node.operand(0), static_cast<int>(axis));
  const auto indices = IntsOf(context, node.operand(1));
  if (!indices || node.operand(1)->type().rank() != 1 || size.value_or(0) < 2 ||
      static_cast<std::int64_t>(indices->size()) != size) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < indices->size(); ++i) {
    if (FromFront((*indices)[i], static_cast<int>(*size)) !=
        *size - 1 - static_cast<std::int64_t>(i)) {
      return std::nullopt;
    }
  }
  return axis;
}

// Lengths of sequences of `steps` elements, as far as it does not matter of what type and shape
// they are, and that they are bounded.
const Value* PeelLengths(const Value* lengths, const Dim& steps, const PassContext& context) {
  const auto is = [&](const Value* bound, const Dim& number) {
    const Knowledge known = bound != nullptr ? context.inference.Know(bound) : Knowledge();
    return Equal(OnlyElement(known), number) == Truth::kYes;
  };
  for (int hop = 0; hop < kMaxReversalHops && lengths->producer() != nullptr; ++hop) {
    const Node& node = *lengths->producer();
    const bool bounds =
        (node.Is("Clip") && is(node.operand(1), Dim(0)) && is(node.operand(2), steps)) ||
        (node.Is("Min") && node.num_operands() == 2 && is(node.operand(1), steps));
    // By name: one number for each row stays so.
    const bool moves = node.Is("Cast") || node.Is("Identity") || node.Is("Reshape") ||
                       node.Is("Squeeze") || node.Is("Unsqueeze");
    if (!bounds && !moves) break;
    if (!IsInteger(node.operand(0)->type().dtype())) break;
    lengths = node.operand(0);
  }
  return lengths;
}

// Where axis `axis` of the result of a node that moves axes, or treats all that lies along them
// alike, was in its operand 0.
std::optional<std::int64_t> AxisBefore(const Node& node, std::int64_t axis,
                                       const PassContext& context) {
  if (node.Is("Identity")) return axis;
  const int rank = node.result()->type().rank().value_or(0);
  if (node.IsDragoman("Linear")) return axis < rank - 1 ? std::optional(axis) : std::nullopt;
  if (node.Is("Transpose")) {
    const Attribute::Ints* perm = IntsAttribute(node, "perm");
    if (perm == nullptr) return rank - 1 - axis;
    return (*perm)[static_cast<std::size_t>(axis)];
  }
  const bool squeezes = node.Is("Squeeze");
  if (!squeezes && !node.Is("Unsqueeze")) return std::nullopt;
  const auto axes = node.operand(1) != nullptr ? IntsOf(context, node.operand(1)) : std::nullopt;
  if (!axes) return std::nullopt;
  std::vector<std::int64_t> sorted;
  const int wide = squeezes ? node.operand(0)->type().rank().value_or(0) : rank;
  for (std::int64_t a : *axes) sorted.push_back(FromFront(a, wide));
  std::ranges::sort(sorted);
  if (squeezes) {
    for (std::int64_t a : sorted) axis += a <= axis ? 1 : 0;
    return axis;
  }
  if (std::ranges::count(sorted, axis) > 0) return std::nullopt;
  return axis - std::ranges::count_if(sorted, [&](std::int64_t a) { return a < axis; });
}

}  // namespace

bool AreWhole(const Value* lengths, const Dim& steps, const PassContext& context) {
  const Node* fill = lengths->producer();
  if (fill != nullptr && fill->Is("ConstantOfShape")) {
    const Attribute* number = fill->attribute("value");
    return number != nullptr && steps.known() &&
           HasOnly(*number->tensor(), static_cast<double>(steps.value()));
  }
  const Value* repeated = RepeatedIn(lengths);
  const Knowledge known = context.inference.Know(repeated != nullptr ? repeated : lengths);
  return known.elements && std::ranges::all_of(*known.elements, [&](const Dim& length) {
           return Equal(length, steps) == Truth::kYes;
         });
}

std::optional<Reversal> ReadReversal(const Node& node, const PassContext& context) {
  const Shape* shape = node.Is("ReverseSequence") ? node.operand(0)->type().shape() : nullptr;
  if (shape != nullptr) {
    const std::int64_t axis = IntAttribute(node, "time_axis");
    if (AreWhole(node.operand(1), (*shape)[static_cast<std::size_t>(axis)], context)) {
      return Reversal{axis};
    }
    return Reversal{axis, IntAttribute(node, "batch_axis"), node.operand(1)};
  }
  const auto axis = ReversedAxis(node, context);
  return axis ? std::optional(Reversal{*axis}) : std::nullopt;
}

bool SameReversal(const Reversal& a, const Reversal& b, const Dim& steps,
                  const PassContext& context) {
  if (a.axis != b.axis || a.batch != b.batch) return false;
  if (a.lengths == nullptr || b.lengths == nullptr) return a.lengths == b.lengths;
  if (PeelLengths(a.lengths, steps, context) == PeelLengths(b.lengths, steps, context)) return true;
  const auto ints = IntsOf(context, a.lengths);
  return ints && ints == IntsOf(context, b.lengths);
}

std::optional<Reversal> ReversalBefore(const Node& node, const Reversal& reversal,
                                       const PassContext& context) {
  const auto axis = AxisBefore(node, reversal.axis, context);
  if (!axis || reversal.lengths == nullptr) {
    return axis ? std::optional(Reversal{*axis}) : std::nullopt;
  }
  const auto batch = AxisBefore(node, reversal.batch, context);
  return batch ? std::optional(Reversal{*axis, *batch, reversal.lengths}) : std::nullopt;
}

}  // namespace dragoman
