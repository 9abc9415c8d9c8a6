// SPDX-License-Identifier: Apache-2.0
// Slices that together are a value, as exporters cut gates, heads and projections apart.
#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/analysis/affine.h"
#include "core/rewrite/joined_parts.h"
#include "core/rewrite/passes.h"

namespace dragoman {
namespace {

constexpr std::size_t kMostParts = 8;  // more are steps of a sequence
constexpr int kMostReaders = 64;       // of a value: as many are looked at for a Split

using Splits = std::unordered_set<const Node*>;

// What a Slice along one axis takes, in steps of 1.
struct Part {
  Node* slice = nullptr;
  int axis = 0;
  std::int64_t begin = 0, end = 0;
};

// nullopt: `node` is no such Slice, or one with bounds that are not constant.
std::optional<Part> ReadPart(Node& node) {
  if (!node.Is("Slice") || node.operand(4) != nullptr) return std::nullopt;
  std::int64_t numbers[3];  // begin, end, axis
  for (std::size_t i = 0; i < 3; ++i) {
    const Tensor* tensor = ConstantOf(node.operand(1 + i));
    if (tensor == nullptr || tensor->size() != 1) return std::nullopt;
    numbers[i] = tensor->ToInts().front();
  }
  const int axis = FromFront(numbers[2], *node.operand(0));
  const auto size = SizeAlong(*node.operand(0), axis);
  if (!size || numbers[0] < 0 || numbers[1] <= numbers[0] || numbers[1] > *size)
    return std::nullopt;
  return Part{&node, axis, numbers[0], numbers[1]};
}

// The Slices of `whole` in its graph along `axis`, by where they begin; not all, if they are more
// than kMostParts.
std::vector<Part> PartsOf(const Value& whole, const Graph& graph, int axis) {
  std::vector<Part> parts;
  for (const Use* use = whole.first_use(); use != nullptr; use = use->next()) {
    if (use->user() == nullptr || use->index() != 0 || use->user()->graph() != &graph) continue;
    const auto part = ReadPart(*use->user());
    if (part && part->axis == axis) parts.push_back(*part);
    if (parts.size() > kMostParts) break;
  }
  std::ranges::sort(parts, {}, &Part::begin);
  return parts;
}

// Whether they meet each other from 0 to the end of `whole`.
bool AreWhole(const std::vector<Part>& parts, const Value& whole) {
  std::int64_t end = 0;
  for (const Part& part : parts) {
    if (part.begin != end) return false;
    end = part.end;
  }
  return SizeAlong(whole, parts.front().axis) == end;
}

// The parts of `whole`, of which the Slice `node` is the first in order, as a Split in its place;
// nullptr: there are no such.
Result<Node*> SplitAt(Node& node, PassContext& context) {
  const auto first = ReadPart(node);
  if (!first) return static_cast<Node*>(nullptr);
  Value* whole = node.operand(0);
  const std::vector<Part> parts = PartsOf(*whole, *node.graph(), first->axis);
  if (parts.size() < 2 || parts.size() > kMostParts || !AreWhole(parts, *whole))
    return static_cast<Node*>(nullptr);
  std::vector<std::int64_t> sizes;
  for (const Part& part : parts) sizes.push_back(part.end - part.begin);
  Value* operand = context.AddConstant(*node.graph(), Tensor::Ints(sizes), "parts", node.origin());
  DRAGOMAN_ASSIGN(Node * split,
                  context.InsertNode(node, "Split", {{whole, operand}},
                                     {{"axis", std::int64_t{first->axis}}}, parts.size()));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Value* result = split->result(i);
    DRAGOMAN_TRY(context.InsertCopies(*parts[i].slice, {&result, 1}));
    context.Replace(*parts[i].slice, {&result, 1});
  }
  return split;
}

// One of the results of a Split.
struct SplitPart {
  Node* split = nullptr;
  std::size_t index = 0;
};

// The part of `split` that is just `part`; nullopt: none is.
std::optional<SplitPart> FindPart(Node& split, const Part& part) {
  const std::vector<std::int64_t> bounds = BoundsOfParts(split, part.axis);
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    if (bounds[i] == part.begin && bounds[i + 1] == part.end) return SplitPart{&split, i};
  }
  return std::nullopt;
}

// Of a Split of the same value that there is already, of constant sizes: it may move.
std::optional<SplitPart> FindSplit(const Part& part) {
  const Value& whole = *part.slice->operand(0);
  int readers = 0;
  for (const Use* use = whole.first_use(); use != nullptr && readers < kMostReaders;
       use = use->next(), ++readers) {
    Node* split = use->user();
    const bool fits = split != nullptr && use->index() == 0 && split->Is("Split") &&
                      split->num_results() <= kMostParts && split->graph() == part.slice->graph() &&
                      AxisIn(*split, whole) == part.axis &&
                      (split->operand(1) == nullptr || split->operand(1)->is_constant());
    const auto found = fits ? FindPart(*split, part) : std::nullopt;
    if (found) return found;
  }
  return std::nullopt;
}

// The Slice `node` reads a Split that cuts just this part, which moves ahead of it unless it is one
// of those that `passed`. `next` is the node to go on with.
Result<bool> ReadSplitAt(Node& node, Node*& next, Splits& passed, PassContext& context) {
  const auto part = ReadPart(node);
  const auto found = part ? FindSplit(*part) : std::nullopt;
  if (!found) return false;
  Node* split = found->split;
  if (!passed.contains(split)) {
    std::vector<Value*> operands, moved;
    for (const Use& use : split->operands()) operands.push_back(use.value());
    DRAGOMAN_ASSIGN(Node * ahead, context.InsertNode(node, "Split", operands, split->attributes(),
                                                     split->num_results()));
    for (std::size_t i = 0; i < ahead->num_results(); ++i) moved.push_back(ahead->result(i));
    DRAGOMAN_TRY(context.InsertCopies(*split, moved));
    context.Replace(*split, moved);
    split = ahead;
    passed.insert(split);
  }
  Value* result = split->result(found->index);
  DRAGOMAN_TRY(context.InsertCopies(node, {&result, 1}));
  context.Replace(node, {&result, 1});
  if (split != found->split) next = split->next();
  return true;
}

}  // namespace

// Slice(x, 0, a), Slice(x, a, b), … to the end = Split(x)
Result<bool> SplitSlices(Graph& graph, PassContext& context) {
  bool changed = false;
  Splits passed;
  for (Node *node = graph.first_node(), *next = nullptr; node != nullptr; node = next) {
    next = node->next();
    if (node->Is("Split")) passed.insert(node);
    DRAGOMAN_ASSIGN(const bool reads, ReadSplitAt(*node, next, passed, context));
    changed = changed || reads;
    if (reads) continue;
    DRAGOMAN_ASSIGN(Node * split, SplitAt(*node, context));
    if (split == nullptr) continue;
    context.Explain(*split, "cuts what Slices took");
    passed.insert(split);
    next = split->next();
    changed = true;
  }
  return changed;
}

}  // namespace dragoman
