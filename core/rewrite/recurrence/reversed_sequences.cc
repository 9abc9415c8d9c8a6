// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/reversed_sequences.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/affine.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"
#include "core/rewrite/recurrence/layout.h"
#include "core/rewrite/recurrence/reversal.h"
#include "core/rewrite/recurrence/sequence_steps.h"
#include "core/rewrite/recurrence/twin_inputs.h"
#include "core/rewrite/sequence_node.h"

namespace dragoman {
namespace {

constexpr int kMaxMoves = 8;
constexpr std::size_t kLengths = 4;

// A reversal that a value is made of, and the nodes after it that keep it, the last one first.
struct FoundReversal {
  Node* node = nullptr;
  std::vector<Node*> moves;
  bool fits = false;  // it is the one that was asked for; else another along the same axis
};

std::optional<FoundReversal> FindReversal(const Value* value, Reversal wanted,
                                          const PassContext& context) {
  FoundReversal found;
  const Graph* graph = value->graph();
  for (int hop = 0; hop <= kMaxMoves && value->graph() == graph; ++hop) {
    found.node = Mutable(*value)->producer();
    if (found.node == nullptr) break;
    const auto reversal = ReadReversal(*found.node, context);
    if (reversal && reversal->axis == wanted.axis) {
      const Dim& steps = (*value->type().shape())[static_cast<std::size_t>(wanted.axis)];
      found.fits = SameReversal(*reversal, wanted, steps, context);
      return found;
    }
    const auto before = ReversalBefore(*found.node, wanted, context);
    if (!before) break;
    wanted = *before;
    found.moves.push_back(found.node);
    value = found.node->operand(0);
  }
  return std::nullopt;
}

// The value as it would be without the reversal, inserted before `position`.
Result<Value*> WithoutReversal(const FoundReversal& found, Node& position, PassContext& context) {
  Value* value = found.node->operand(0);
  for (auto move = found.moves.rbegin(); move != found.moves.rend(); ++move) {
    std::vector<Value*> operands = {value};
    for (std::size_t i = 1; i < (*move)->num_operands(); ++i)
      operands.push_back((*move)->operand(i));
    const auto attributes = (*move)->attributes();
    DRAGOMAN_ASSIGN(value, context.Insert(position, FindOp(**move)->Label(), operands,
                                          {attributes.begin(), attributes.end()}));
    value->producer()->set_origin((*move)->origin());
  }
  return value;
}

std::string Direction(const Node& node) { return TextAttribute(node, "direction"); }

// The hidden states (steps, 1, batch, hidden) of `node`, reversed within `lengths`, i64, or, if
// that is nullptr, whole.
Result<Value*> Reverse(Value* hidden, Value* lengths, Node& node, PassContext& context) {
  LayoutBuilder layout(context, node);
  if (lengths == nullptr) return layout.Reverse(hidden);
  DRAGOMAN_ASSIGN(hidden, layout.Squeeze(hidden, 1));
  DRAGOMAN_ASSIGN(
      hidden, context.Insert(node, "ReverseSequence", {{hidden, lengths}},
                             {{"batch_axis", std::int64_t{1}}, {"time_axis", std::int64_t{0}}}));
  return layout.Unsqueeze(hidden, {1});
}

// The attributes of `node` as it goes the other way.
std::vector<NamedAttribute> Turned(const Node& node) {
  std::vector<NamedAttribute> attributes;
  for (const NamedAttribute& attribute : node.attributes()) {
    if (attribute.name != "direction") attributes.push_back(attribute);
  }
  if (Direction(node) != "reverse") attributes.emplace_back("direction", "reverse");
  return attributes;
}

// Whether `node` puts zeros or the like before or after one step.
bool PadsOneStep(const Node* node, const PassContext& context) {
  return node != nullptr && node->Is("Pad") && TextAttribute(*node, "mode") == "constant" &&
         IntsOf(context, node->operand(3)) == std::vector<std::int64_t>{0} &&
         SizeAlong(*node->operand(0), 0) == 1;
}

// What `pad` puts before its operand goes after it, and the other way round.
Result<Value*> PadOtherEnd(const Node& pad, Node& position, PassContext& context) {
  LayoutBuilder layout(context, position);
  DRAGOMAN_ASSIGN(Value * pads,
                  layout.Gather(pad.operand(1), 0, Tensor::Ints(std::vector<std::int64_t>{1, 0})));
  return context.Insert(position, "Pad", {{pad.operand(0), pads, pad.operand(2), pad.operand(3)}});
}

Result<bool> Turn(Node& node, PassContext& context) {
  const Shape* shape = node.operand(0)->type().shape();
  Value* lengths = node.operand(kLengths);
  if (shape == nullptr || Direction(node) == "bidirectional" || IntAttribute(node, "layout") != 0) {
    return false;
  }
  Reversal wanted;
  if (lengths != nullptr && !AreWhole(lengths, shape->front(), context)) wanted = {0, 1, lengths};
  const Node* wide = wanted.lengths == nullptr ? WideInput(node) : nullptr;
  if (wide != nullptr && !PadsOneStep(wide->operand(1)->producer(), context)) wide = nullptr;
  const Value* reversed = wide != nullptr ? wide->operand(0) : node.operand(0);
  const auto found = FindReversal(reversed, wanted, context);
  if (found && !found->fits) {
    context.Explain(node, "stays, since its input is reversed within other lengths than its own");
  }
  if (!found || !found->fits || !context.sites.Take(node)) return false;
  DRAGOMAN_ASSIGN(Value * x, WithoutReversal(*found, node, context));
  if (wide != nullptr) {
    DRAGOMAN_ASSIGN(Value * padded, PadOtherEnd(*wide->operand(1)->producer(), node, context));
    DRAGOMAN_ASSIGN(x, LayoutBuilder(context, node).Concat({x, padded}, 2));
  }
  std::vector<Value*> operands = {x};
  for (std::size_t i = 1; i < node.num_operands(); ++i) operands.push_back(node.operand(i));
  DRAGOMAN_ASSIGN(Node * turned, context.InsertNode(node, FindOp(node)->Label(), operands,
                                                    Turned(node), node.num_results()));
  context.Explain(node, "goes the other way, since its input is reversed");
  std::vector<Value*> results;
  for (std::size_t i = 0; i < node.num_results(); ++i) results.push_back(turned->result(i));
  if (node.result(0) != nullptr && node.result(0)->used()) {
    Value* within = wanted.lengths != nullptr ? found->node->operand(1) : nullptr;
    DRAGOMAN_ASSIGN(results[0], Reverse(turned->result(0), within, node, context));
  }
  context.Replace(node, results);
  return true;
}

// Sizes of what is reversed are read before that, so that equal ones are computed alike.
bool ReadSizesBefore(Node& shape, const PassContext& context) {
  const Node* reversal = shape.Is("Shape") ? shape.operand(0)->producer() : nullptr;
  if (reversal == nullptr || !ReadReversal(*reversal, context)) return false;
  shape.set_operand(0, reversal->operand(0));
  return true;
}

}  // namespace

Result<bool> TurnReversedSequences(Graph& graph, PassContext& context) {
  bool changed = false;
  std::vector<Node*> nodes;
  for (Node& node : graph.nodes()) {
    if (IsRecurrent(node) || ReadReversal(node, context)) nodes.push_back(&node);
    changed = ReadSizesBefore(node, context) || changed;
  }
  if (std::ranges::none_of(nodes, [](const Node* node) { return IsRecurrent(*node); })) {
    return changed;
  }
  for (Node* node : nodes) {
    if (IsRecurrent(*node)) {
      DRAGOMAN_ASSIGN(const bool turned, Turn(*node, context));
      changed = changed || turned;
      continue;
    }
    const auto reversal = ReadReversal(*node, context);
    if (!reversal) continue;
    const auto found = FindReversal(node->operand(0), *reversal, context);
    if (!found || !found->fits) continue;
    DRAGOMAN_ASSIGN(Value * value, WithoutReversal(*found, *node, context));
    if (!PassContext::CanReplace(*node->result(), *value)) continue;
    context.Replace(*node, {{value}});
    changed = true;
  }
  return changed;
}

}  // namespace dragoman
