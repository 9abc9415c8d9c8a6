// SPDX-License-Identifier: Apache-2.0
// What is read of a Concat and is one of its operands, as where the states of several layers pass
// from step to step in one tensor; and of what a Scan lists, where that is a state.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/analysis/affine.h"
#include "core/ops/declared_attributes.h"
#include "core/rewrite/joined_parts.h"
#include "core/rewrite/patterns/identity_patterns.h"
#include "core/rewrite/recurrence/loop_view.h"

namespace dragoman {
namespace {

// The operand that is elements begin .. end; nullptr: there is none.
Value* PartAt(const JoinedParts& joined, std::int64_t begin, std::int64_t end) {
  for (std::size_t i = 0; i < joined.size(); ++i) {
    if (joined.begins[i] == begin && joined.begins[i + 1] == end) return joined.concat->operand(i);
  }
  return nullptr;
}

// Slice(Concat(a, b, …)) = b, if that is what it cuts out
Result<bool> ReadSlice(Node& node, PassContext& context) {
  if (!node.Is("Slice")) return false;
  const auto joined = ReadJoined(*node.operand(0));
  const auto begin = IntOf(context, node.operand(1));
  const auto axis = node.operand(3) != nullptr ? IntOf(context, node.operand(3)) : 0;
  const auto step = node.operand(4) != nullptr ? IntOf(context, node.operand(4)) : 1;
  if (!joined || !begin || !axis || step != 1) return false;
  const int rank = node.operand(0)->type().rank().value_or(0);
  const auto size = SizeAlong(*node.result(), joined->axis);
  if ((*axis < 0 ? *axis + rank : *axis) != joined->axis || !size) return false;
  const std::int64_t from = *begin < 0 ? *begin + joined->begins.back() : *begin;
  Value* part = PartAt(*joined, from, from + *size);
  return part != nullptr && context.ReplaceIfAllowed(node, part);
}

// Gather(Concat(a, b, …), i) = Squeeze(b), if b has size 1
Result<bool> ReadGather(Node& node, PassContext& context) {
  if (!node.Is("Gather") || node.operand(1)->type().rank() != 0) return false;
  const auto joined = ReadJoined(*node.operand(0));
  const auto index = IntOf(context, node.operand(1));
  if (!joined || !index || AxisIn(node, *node.operand(0)) != joined->axis) return false;
  const std::int64_t from = *index < 0 ? *index + joined->begins.back() : *index;
  Value* part = PartAt(*joined, from, from + 1);
  if (part == nullptr) return false;
  Value* axes = context.AddConstant(
      *node.graph(), Tensor::Ints(std::vector{std::int64_t{joined->axis}}), "axes", node.origin());
  DRAGOMAN_ASSIGN(part, context.Insert(node, "Squeeze", {{part, axes}}));
  return context.ReplaceIfAllowed(node, part);
}

// Split(Concat(a, b, …)) = a, b, …, if it cuts where they meet
Result<bool> ReadSplit(Node& node, PassContext& context) {
  if (!node.Is("Split")) return false;
  const auto joined = ReadJoined(*node.operand(0));
  if (!joined || AxisIn(node, *node.operand(0)) != joined->axis) return false;
  const std::vector<std::int64_t> bounds = BoundsOfParts(node, joined->axis);
  if (bounds.size() != node.num_results() + 1) return false;
  std::vector<Value*> parts;
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    parts.push_back(PartAt(*joined, bounds[i], bounds[i + 1]));
    if (parts.back() == nullptr || !PassContext::CanReplace(*node.result(i), *parts.back()))
      return false;
  }
  DRAGOMAN_TRY(context.InsertCopies(node, parts));
  context.Replace(node, parts);
  return true;
}

// The Split whose parts, in order and of `axis`, are all that `concat` puts together, if nothing
// else reads these; nullptr: there is none.
Node* SplitOfParts(const Node& concat, int axis) {
  Node* split = concat.operand(0)->producer();
  const std::size_t first = concat.operand(0)->index();
  const bool fits = split != nullptr && split->Is("Split") && split->graph() == concat.graph() &&
                    AxisIn(*split, *split->operand(0)) == axis;
  if (!fits || concat.num_operands() < 2) return nullptr;
  for (std::size_t i = 0; i < concat.num_operands(); ++i) {
    const Value* part = concat.operand(i);
    if (part->producer() != split || part->index() != first + i || !part->HasOneUse())
      return nullptr;
  }
  return split;
}

// a, b, c = Split(x), Concat(b, c) = a, bc = Split(x)
Result<bool> MergeParts(Node& node, PassContext& context) {
  if (!node.Is("Concat") || !node.result()->type().rank()) return false;
  const int axis = AxisIn(node, *node.result());
  Node* split = SplitOfParts(node, axis);
  if (split == nullptr || node.num_operands() == split->num_results()) return false;
  const std::size_t first = node.operand(0)->index(), merged = node.num_operands();
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < split->num_results(); ++i) {
    const Value* part = split->result(i);
    const auto size = part != nullptr ? SizeAlong(*part, axis) : std::nullopt;
    if (!size) return false;
    const bool goes_on = i > first && i < first + merged;
    goes_on ? sizes.back() += *size : sizes.emplace_back(*size);
  }
  Value* stated = context.AddConstant(*node.graph(), Tensor::Ints(sizes), "sizes", split->origin());
  DRAGOMAN_ASSIGN(Node * parts, context.InsertNode(*split, "Split", {{split->operand(0), stated}},
                                                   {{"axis", std::int64_t{axis}}}, sizes.size()));
  if (!context.ReplaceIfAllowed(node, parts->result(first))) return false;
  std::vector<Value*> by;
  for (std::size_t i = 0; i < split->num_results(); ++i) {
    const bool is_merged = i >= first && i < first + merged;
    by.push_back(is_merged ? nullptr : parts->result(i < first ? i : i + 1 - merged));
  }
  DRAGOMAN_TRY(context.InsertCopies(*split, by));
  context.Replace(*split, by);
  return true;
}

// Gather(Scan(…)[k], -1) = the last value of the state that result k lists
Result<bool> ReadLastOfScan(Node& node, PassContext& context) {
  if (!node.Is("Gather") || node.operand(1)->type().rank() != 0) return false;
  Value* listed = node.operand(0);
  Node* scan = listed->producer();
  const auto index = IntOf(context, node.operand(1));
  if (scan == nullptr || !scan->Is("Scan") || !index || !listed->type().rank()) return false;
  const Graph& body = *scan->subgraphs().front();
  const auto num_slices = static_cast<std::size_t>(IntAttribute(*scan, "num_scan_inputs"));
  const std::size_t num_states = scan->num_operands() - num_slices;
  const std::size_t k = listed->index();
  if (k < num_states) return false;
  const int axis = FromFront(EntryOf(*scan, "scan_output_axes", k - num_states), *listed);
  const bool backwards = EntryOf(*scan, "scan_output_directions", k - num_states) != 0;
  const auto size = SizeAlong(*listed, axis);
  const bool is_last = backwards ? *index == 0 : *index == -1 || (size && *index == *size - 1);
  if (!is_last || AxisIn(node, *listed) != axis) return false;
  for (std::size_t i = 0; i < num_states; ++i) {
    if (body.output(i) != body.output(k) || scan->result(i) == nullptr) continue;
    return context.ReplaceIfAllowed(node, scan->result(i));
  }
  return false;
}

}  // namespace

std::span<const Pattern> PartPatterns() {
  static constexpr Pattern kPatterns[] = {
      {"read-slice-of-concat", ReadSlice},   {"read-gather-of-concat", ReadGather},
      {"read-split-of-concat", ReadSplit},   {"merge-parts", MergeParts},
      {"read-last-of-scan", ReadLastOfScan},
  };
  return kPatterns;
}

}  // namespace dragoman
