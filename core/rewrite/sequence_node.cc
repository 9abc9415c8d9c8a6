// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/sequence_node.h"
#include "core/ops/declared_attributes.h"

#include <algorithm>

namespace dragoman {
namespace {

constexpr std::size_t kProjection = 8;

}  // namespace

Result<SequenceNode> SequenceNode::Read(Node& node) {
  const Shape* x = node.operand(0)->type().shape();
  const Shape* r = node.operand(2)->type().shape();
  if (x == nullptr || x->size() != 3 || r == nullptr || r->size() != 3) {
    return Unsupported("cannot be taken apart: its sizes are not known; hint: --shape")
        .At(node.Describe());
  }
  SequenceNode sequence{node, {}, IntAttribute(node, "layout") == 1, {}};
  sequence.steps = (*x)[static_cast<std::size_t>(sequence.time_axis())];
  DRAGOMAN_ASSIGN(sequence.form, ReadRecurrentForm(node));
  const Dim& output = (*r)[2];
  const bool is_projected = node.operand(kProjection) != nullptr;
  const Dim& size = is_projected ? (*r)[1] : output;
  if (!output.known() || !size.known() || output.value() < 1 || size.value() < 1) {
    return Unsupported("cannot be taken apart: the hidden size is " + size.ToString() +
                       "; hint: --dim or --shape")
        .At(node.Describe());
  }
  sequence.output = output.value();
  sequence.hidden = is_projected ? size.value() / sequence.form.gates() : output.value();
  return sequence;
}

// By name: the only place that lists them.
bool IsRecurrent(const Node& node) {
  return node.Is("LSTM") || node.IsDragoman("LSTM") || node.Is("GRU") || node.Is("RNN");
}

std::vector<Node*> SequenceNode::All(Graph& entry) {
  std::vector<Node*> sequences;
  ForEachGraph(entry, [&](Graph& graph) {
    for (Node& node : graph.nodes()) {
      if (IsRecurrent(node)) sequences.push_back(&node);
    }
  });
  std::ranges::reverse(sequences);
  return sequences;
}

UnrolledWeights SequenceNode::WeightsOf(StepNodes& nodes, int d) const {
  UnrolledWeights weights;
  weights.w = nodes.Gather(node.operand(1), d, 0);
  weights.r = nodes.Gather(node.operand(2), d, 0);
  if (node.operand(3) != nullptr) {
    Value* const both = nodes.Gather(node.operand(3), d, 0);
    const std::int64_t rows = form.gates() * hidden;
    weights.wb = nodes.Slice(both, 0, 0, rows);
    weights.rb = nodes.Slice(both, 0, rows, 2 * rows);
  }
  if (node.operand(7) != nullptr) weights.p = nodes.Gather(node.operand(7), d, 0);
  if (node.operand(kProjection) != nullptr) {
    weights.projection = nodes.Gather(node.operand(kProjection), d, 0);
  }
  return weights;
}

namespace {

// Whether the first size of `state` is known to be that of the inputs' batch, as it must be.
bool HasBatchOf(const Value& inputs, const Value* state, std::int64_t axis) {
  const Shape* sizes = inputs.type().shape();
  const Shape* own = state != nullptr ? state->type().shape() : nullptr;
  return sizes == nullptr || own == nullptr || own->empty() ||
         Equal((*sizes)[static_cast<std::size_t>(axis)], own->front()) == Truth::kYes;
}

}  // namespace

Value* SequenceNode::Initial(StepNodes& nodes, std::size_t operand, int d,
                             std::int64_t size) const {
  const auto sizes = [&] {
    return nodes.Concat({nodes.SizeOf(node.operand(0), batch_axis()), nodes.Ints({size})}, 0);
  };
  Value* const given = node.operand(operand);
  if (given == nullptr) return nodes.Zeros(sizes());
  Value* const state = nodes.Gather(given, d, time_axis());
  return HasBatchOf(*node.operand(0), state, batch_axis()) ? state
                                                           : nodes.Op("Reshape", {state, sizes()});
}

UnrolledState SequenceNode::InitialState(StepNodes& nodes, int d) const {
  UnrolledState state = {Initial(nodes, 5, d, output), nullptr};
  if (form.kind == RecurrentForm::Kind::kLstm) state.c = Initial(nodes, 6, d, hidden);
  return state;
}

Value* SequenceNode::Inputs(StepNodes& nodes, const UnrolledWeights& weights) const {
  return nodes.Op("dragoman.Linear", {node.operand(0), weights.w, weights.wb});
}

UnrolledState SequenceNode::Masked(StepNodes& nodes, Value* t, const UnrolledState& before,
                                   const UnrolledState& after, Value*& given) const {
  given = after.h;
  if (lengths() == nullptr) return after;
  Value* const counts = nodes.Unsqueeze(nodes.Op("Less", {t, node.operand(4)}), 1);
  given = nodes.Op("Where", {counts, after.h, nodes.Scalar(0, after.h)});
  UnrolledState state = {nodes.Op("Where", {counts, after.h, before.h}), nullptr};
  if (after.c != nullptr) state.c = nodes.Op("Where", {counts, after.c, before.c});
  return state;
}

}  // namespace dragoman
