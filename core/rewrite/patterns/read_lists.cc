// SPDX-License-Identifier: Apache-2.0
// What is read of a sequence whose elements are at hand: the steps of a tensor that was split, or
// values that were put into it one by one.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>

#include "core/analysis/affine.h"
#include "core/ops/declared_attributes.h"
#include "core/rewrite/joined_parts.h"
#include "core/rewrite/list_elements.h"
#include "core/rewrite/patterns/identity_patterns.h"
#include "core/rewrite/recurrence/layout.h"

namespace dragoman {
namespace {

// A sequence of all that lies along `axis` of `tensor`, each element of size 1 there, or without
// that axis.
struct SplitTensor {
  Value* tensor = nullptr;
  std::int64_t axis = 0;
  bool keeps_axis = false;
};

std::optional<SplitTensor> ReadSplit(const Value& sequence, const PassContext& context) {
  const Node* node = sequence.producer();
  if (node == nullptr || !node->Is("SplitToSequence")) return std::nullopt;
  Value* tensor = node->operand(0);
  if (!tensor->type().rank()) return std::nullopt;
  SplitTensor split{tensor, AxisIn(*node, *tensor), IntAttribute(*node, "keepdims") != 0};
  if (const Value* sizes = node->operand(1)) {
    const auto known = IntsOf(context, sizes);
    const auto is_one = [](std::int64_t size) { return size == 1; };
    if (!known || !std::ranges::all_of(*known, is_one)) return std::nullopt;
    split.keeps_axis = true;
  }
  return split;
}

// Where part `at` of what `split` makes of a tensor lies along the axis; nullopt: it is not known.
std::optional<std::pair<std::int64_t, std::int64_t>> BoundsOfPart(const Node& split,
                                                                  std::int64_t at,
                                                                  const PassContext& context) {
  const auto sizes = IntsOf(context, split.operand(1));
  const Value& tensor = *split.operand(0);
  const auto whole = SizeAlong(tensor, AxisIn(split, tensor));
  if (!sizes || !whole) return std::nullopt;
  const bool equal = split.operand(1)->type().rank() == 0;
  if (equal && sizes->front() <= 0) return std::nullopt;
  const std::int64_t count = equal ? (*whole + sizes->front() - 1) / sizes->front()
                                   : static_cast<std::int64_t>(sizes->size());
  if (at < 0) at += count;
  if (at < 0 || at >= count) return std::nullopt;
  if (equal) return std::pair(at * sizes->front(), std::min((at + 1) * sizes->front(), *whole));
  const auto part = sizes->begin() + at;
  const std::int64_t begin = std::accumulate(sizes->begin(), part, std::int64_t{0});
  return std::pair(begin, begin + *part);
}

// SequenceAt(SplitToSequence(x, sizes), 1) = Slice(x)
Result<bool> ReadPartOfSplit(Node& node, PassContext& context) {
  if (!node.Is("SequenceAt")) return false;
  const Node* split = node.operand(0)->producer();
  const auto at = IntOf(context, node.operand(1));
  if (split == nullptr || !split->Is("SplitToSequence") || split->operand(1) == nullptr || !at) {
    return false;
  }
  const auto bounds = BoundsOfPart(*split, *at, context);
  if (!bounds) return false;
  Value* tensor = split->operand(0);
  DRAGOMAN_ASSIGN(Value * part, InsertSlice(tensor, bounds->first, bounds->second,
                                            AxisIn(*split, *tensor), node, context));
  return context.ReplaceIfAllowed(node, part);
}

// SequenceAt(SplitToSequence(x), i) = Gather(x, i)
Result<bool> ReadElementOfSplit(Node& node, PassContext& context) {
  if (!node.Is("SequenceAt") || node.operand(1)->type().rank() != 0) return false;
  const auto split = ReadSplit(*node.operand(0), context);
  if (!split) return false;
  DRAGOMAN_ASSIGN(
      Value * element,
      context.Insert(node, "Gather", {{split->tensor, node.operand(1)}}, {{"axis", split->axis}}));
  if (split->keeps_axis) {
    LayoutBuilder layout(context, node);
    DRAGOMAN_ASSIGN(element, layout.Unsqueeze(element, {split->axis}));
  }
  return context.ReplaceIfAllowed(node, element);
}

// SequenceLength(SplitToSequence(x)) = Gather(Shape(x), axis)
Result<bool> ReadLengthOfSplit(Node& node, PassContext& context) {
  if (!node.Is("SequenceLength")) return false;
  const auto split = ReadSplit(*node.operand(0), context);
  if (!split) return false;
  DRAGOMAN_ASSIGN(Value * sizes, context.Insert(node, "Shape", {{split->tensor}}));
  LayoutBuilder layout(context, node);
  DRAGOMAN_ASSIGN(Value * length, layout.Gather(sizes, 0, Tensor::Int(split->axis)));
  return context.ReplaceIfAllowed(node, length);
}

// ConcatFromSequence(SplitToSequence(x)) = x, with its axes in another order
Result<bool> JoinSplit(Node& node, PassContext& context) {
  if (!node.Is("ConcatFromSequence")) return false;
  const auto split = ReadSplit(*node.operand(0), context);
  const Shape* shape = node.result()->type().shape();
  if (!split || shape == nullptr) return false;
  const int axis = AxisIn(node, *node.result());
  LayoutBuilder layout(context, node);
  DRAGOMAN_ASSIGN(Value * whole, layout.StepsFirst(split->tensor, static_cast<int>(split->axis)));
  if (split->keeps_axis) {
    DRAGOMAN_ASSIGN(whole, layout.Unsqueeze(whole, {split->axis + 1}));
  }
  DRAGOMAN_ASSIGN(whole, layout.Stacked(whole, axis, *shape));
  return whole != nullptr && context.ReplaceIfAllowed(node, whole);
}

// ConcatFromSequence(SequenceInsert(SequenceConstruct(a, b), c)) = Concat(a, b, c)
Result<bool> JoinElements(Node& node, PassContext& context) {
  if (!node.Is("ConcatFromSequence")) return false;
  auto elements = ElementsOf(*node.operand(0), context);
  if (!elements || elements->empty()) return false;
  const std::int64_t axis = IntAttribute(node, "axis");
  LayoutBuilder layout(context, node);
  for (Value*& element : *elements) {
    if (IntAttribute(node, "new_axis") == 0) break;
    DRAGOMAN_ASSIGN(element, layout.Unsqueeze(element, {axis}));
  }
  DRAGOMAN_ASSIGN(Value * whole, context.Insert(node, "Concat", *elements, {{"axis", axis}}));
  return context.ReplaceIfAllowed(node, whole);
}

// SequenceAt(SequenceConstruct(a, b), 1) = b; SequenceAt(SequenceInsert(list, c), -1) = c
Result<bool> ReadElement(Node& node, PassContext& context) {
  if (!node.Is("SequenceAt")) return false;
  const auto at = IntOf(context, node.operand(1));
  Value* element = at ? ElementAt(*node.operand(0), *at, context) : nullptr;
  return element != nullptr ? ReplaceByCopy(node, context, element) : false;
}

}  // namespace

std::span<const Pattern> ListPatterns() {
  static constexpr Pattern kPatterns[] = {
      {"read-element-of-split", ReadElementOfSplit},
      {"read-part-of-split", ReadPartOfSplit},
      {"read-length-of-split", ReadLengthOfSplit},
      {"join-split", JoinSplit},
      {"join-elements", JoinElements},
      {"read-element", ReadElement},
  };
  return kPatterns;
}

}  // namespace dragoman
