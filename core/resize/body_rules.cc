// SPDX-License-Identifier: Apache-2.0
// Nodes with bodies: what a body does with samples is what its nodes do.
#include <vector>

#include "core/ir/node_attributes.h"
#include "core/ops/scan.h"
#include "core/resize/rules.h"

namespace dragoman {
namespace {

Status TraceFused(Node& node, RowTracer& tracer) {
  Graph* body = GraphAttribute(node, "body");
  for (std::size_t i = 0; i < node.num_operands(); ++i)
    DRAGOMAN_TRY(tracer.SetBodyInput(*body, i, tracer.RowsOf(node.operand(i))));
  DRAGOMAN_TRY(tracer.TraceBody(*body));
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) != nullptr) tracer.SetRows(node.result(i), tracer.RowsOf(body->output(i)));
  }
  return {};
}

Status TraceIf(Node& node, RowTracer& tracer) {
  if (!tracer.RowsOf(node.operand(0)).is_shared())
    return tracer.Refuse(node, "each sample may take another branch");
  const std::vector<Graph*> branches = node.subgraphs();
  for (Graph* branch : branches) DRAGOMAN_TRY(tracer.TraceBody(*branch));
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    Rows rows;
    for (Graph* branch : branches) {
      const Rows& own = tracer.RowsOf(branch->output(i));
      if (own.is_count()) return tracer.Refuse(node, "it computes with the number of samples");
      if (!rows.is_axis()) rows = own;
    }
    for (Graph* branch : branches) {
      if (rows.is_axis()) DRAGOMAN_TRY(tracer.AlignOutput(*branch, i, rows));
    }
    if (node.result(i) != nullptr) tracer.SetRows(node.result(i), rows);
  }
  return {};
}

// State `i` of a loop, operand `operand` of it, input `input` and output `output` of its body.
struct CarriedState {
  std::size_t i = 0;
  std::size_t operand = 0;
  std::size_t input = 0;
  std::size_t output = 0;
};

Status EnterIteration(Node& node, Graph& body, const CarriedState& state, RowTracer& tracer) {
  Rows rows = tracer.RowsOf(node.operand(state.operand));
  if (rows.is_count()) return tracer.Refuse(node, "it computes with the number of samples");
  const std::optional<Rows> needed = tracer.CarriedRows(node, state.i);
  if (needed && rows.is_shared()) {
    rows = *needed;
    DRAGOMAN_TRY(tracer.Align(node, state.operand, rows));
  }
  return tracer.SetBodyInput(body, state.input, rows);
}

Status LeaveIteration(Node& node, Graph& body, const CarriedState& state, RowTracer& tracer) {
  const Rows before = tracer.RowsOf(body.input(state.input));
  const Rows after = tracer.RowsOf(body.output(state.output));
  if (before.is_shared() && after.is_axis()) {
    tracer.NeedCarried(node, state.i, after);
    return tracer.Refuse(node, "an iteration makes the state '" + body.input(state.input)->name() +
                                   "' depend on the sample");
  }
  if (before.is_axis()) DRAGOMAN_TRY(tracer.AlignOutput(body, state.output, before));
  if (node.result(state.i) != nullptr) tracer.SetRows(node.result(state.i), before);
  return {};
}

// What the iterations give, stacked along `axis` of the result.
void Stack(Node& node, std::size_t i, Rows rows, int axis, RowTracer& tracer) {
  if (node.result(i) == nullptr) return;
  if (rows.is_axis()) rows = rows.Moved(rows.axis + (axis <= rows.axis ? 1 : 0));
  tracer.SetRows(node.result(i), rows);
}

Status TraceLoop(Node& node, RowTracer& tracer) {
  Graph* body = GraphAttribute(node, "body");
  const std::size_t states = node.num_operands() - 2;
  const Rows limit = tracer.RowsOf(node.operand(0));
  if (!limit.is_shared() || !tracer.RowsOf(node.operand(1)).is_shared())
    return tracer.Refuse(node, "how often it runs depends on the samples");
  const auto state = [](std::size_t i) { return CarriedState{i, i + 2, i + 2, i + 1}; };
  for (std::size_t i = 0; i < states; ++i)
    DRAGOMAN_TRY(EnterIteration(node, *body, state(i), tracer));
  DRAGOMAN_TRY(tracer.TraceBody(*body));
  if (!tracer.RowsOf(body->output(0)).is_shared())
    return tracer.Refuse(node, "how often it runs depends on the samples");
  for (std::size_t i = 0; i < states; ++i)
    DRAGOMAN_TRY(LeaveIteration(node, *body, state(i), tracer));
  for (std::size_t i = states; i < node.num_results(); ++i)
    Stack(node, i, tracer.RowsOf(body->output(i + 1)), 0, tracer);
  return {};
}

Status TraceScan(Node& node, RowTracer& tracer) {
  Graph* body = GraphAttribute(node, "body");
  DRAGOMAN_ASSIGN(const ScanLayout layout, ReadScan(node, *body));
  const auto state = [](std::size_t i) { return CarriedState{i, i, i, i}; };
  for (std::size_t i = 0; i < layout.states; ++i)
    DRAGOMAN_TRY(EnterIteration(node, *body, state(i), tracer));
  for (std::size_t i = 0; i < layout.inputs; ++i) {
    const Value* scanned = node.operand(layout.states + i);
    Rows rows = tracer.RowsOf(scanned);
    if (rows.is_axis()) {
      const auto rank = static_cast<std::int64_t>(tracer.OldShape(scanned)->size());
      const std::int64_t along = layout.input_axes[i] + (layout.input_axes[i] < 0 ? rank : 0);
      if (along == rows.axis) return tracer.Refuse(node, "it goes from sample to sample");
      rows = rows.Moved(rows.axis - (along < rows.axis ? 1 : 0));
    }
    DRAGOMAN_TRY(tracer.SetBodyInput(*body, layout.states + i, rows));
  }
  DRAGOMAN_TRY(tracer.TraceBody(*body));
  for (std::size_t i = 0; i < layout.states; ++i)
    DRAGOMAN_TRY(LeaveIteration(node, *body, state(i), tracer));
  for (std::size_t i = 0; i < layout.outputs; ++i) {
    const Value* result = node.result(layout.states + i);
    if (result == nullptr) continue;
    const auto rank = static_cast<std::int64_t>(tracer.OldShape(result)->size());
    const std::int64_t along = layout.output_axes[i] + (layout.output_axes[i] < 0 ? rank : 0);
    Stack(node, layout.states + i, tracer.RowsOf(body->output(layout.states + i)),
          static_cast<int>(along), tracer);
  }
  return {};
}

}  // namespace

// By name: all that have bodies.
std::span<const RowRule> BodyRowRules() {
  static constexpr RowRule kRules[] = {
      {"If", TraceIf},
      {"Loop", TraceLoop},
      {"Scan", TraceScan},
      {"dragoman.Fused", TraceFused},
  };
  return kRules;
}

}  // namespace dragoman
