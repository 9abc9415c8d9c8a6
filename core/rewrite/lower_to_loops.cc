// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/lower_to_loops.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "core/ops/scan.h"
#include "core/rewrite/joined_parts.h"
#include "core/rewrite/loop_builder.h"
#include "core/rewrite/sequence_node.h"
#include "core/rewrite/unroll.h"

namespace dragoman {
namespace {

// count - 1 - index
Value* FromEnd(StepNodes& nodes, Value* count, Value* index) {
  return nodes.Op("Sub", {nodes.Op("Sub", {count, nodes.Scalar(1, count)}), index});
}

Value* Reversed(StepNodes& nodes, Value* x, std::int64_t axis) {
  return nodes.Op("Slice",
                  {x, nodes.Ints({-1}), nodes.Ints({std::numeric_limits<std::int64_t>::min()}),
                   nodes.Ints({axis}), nodes.Ints({-1})});
}

// One Scan.
class ScanLowering {
 public:
  ScanLowering(Node& scan, PassContext& context)
      : scan_(scan),
        context_(context),
        before_(scan, context),
        body_(*scan.attribute("body")->graph()) {}

  Status Run() {
    DRAGOMAN_ASSIGN(layout_, ReadScan(scan_, body_));
    for (std::size_t i = 0; i < scan_.num_operands(); ++i) {
      if (scan_.operand(i)->type().shape() == nullptr)
        return Unsupported("a rank is not known; hint: --shape").At(scan_.Describe());
    }
    Value* const first = scan_.operand(layout_.states);
    Value* const count = CountOf(before_, first, FromFront(layout_.input_axes[0], *first));
    std::vector<Value*> initial;
    for (std::size_t i = 0; i < layout_.states; ++i) initial.push_back(scan_.operand(i));
    LoopBuilder loop(scan_, context_, count, initial);
    DRAGOMAN_TRY(CopyBody(loop, count));
    std::vector<Value*> states, collected;
    for (std::size_t i = 0; i < body_.num_outputs(); ++i)
      (i < layout_.states ? states : collected).push_back(map_.at(body_.output(i)));
    DRAGOMAN_ASSIGN(std::vector<Value*> results, loop.Finish(states, collected));
    for (std::size_t i = 0; i < layout_.outputs; ++i) {
      Value*& result = results[layout_.states + i];
      if (result->type().shape() == nullptr)
        return Unsupported("a rank is not known; hint: --shape").At(scan_.Describe());
      if (layout_.output_reversed[i]) result = Reversed(before_, result, 0);
      result = MoveFirstTo(before_, result, FromFront(layout_.output_axes[i], *result));
    }
    DRAGOMAN_TRY(before_.status());
    context_.Replace(scan_, results);
    return {};
  }

 private:
  Status CopyBody(LoopBuilder& loop, Value* count) {
    StepNodes& nodes = loop.nodes();
    Value* from_end = nullptr;
    for (std::size_t i = 0; i < scan_.num_operands(); ++i) {
      if (i < layout_.states) {
        map_[body_.input(i)] = loop.state(i);
        continue;
      }
      const std::size_t at = i - layout_.states;
      if (layout_.input_reversed[at] && from_end == nullptr)
        from_end = FromEnd(nodes, count, loop.index());
      Value* const index = layout_.input_reversed[at] ? from_end : loop.index();
      map_[body_.input(i)] =
          nodes.Op("Gather", {scan_.operand(i), index}, {{"axis", layout_.input_axes[at]}});
    }
    for (const auto& constant : body_.constants()) {
      map_[constant.get()] =
          context_.AddConstant(loop.body(), *constant->tensor(), constant->name(), {});
    }
    for (const Node& node : body_.nodes()) {
      Node* copy = CloneNode(node, loop.body(), loop.body().last_node(), map_);
      DRAGOMAN_TRY(context_.inference.InferNode(*copy));
    }
    // What an iteration gives without computing it.
    for (const Use& output : body_.outputs()) map_.try_emplace(output.value(), output.value());
    return {};
  }

  Node& scan_;
  PassContext& context_;
  StepNodes before_;
  const Graph& body_;
  ScanLayout layout_;
  ValueMap map_;
};

// One LSTM, GRU or RNN.
class SequenceLowering {
 public:
  SequenceLowering(SequenceNode& sequence, PassContext& context)
      : sequence_(sequence), context_(context), before_(sequence.node, context) {}

  Status Run() {
    count_ = CountOf(before_, sequence_.node.operand(0), sequence_.time_axis());
    for (int d = 0; d < sequence_.form.directions; ++d) DRAGOMAN_TRY(RunDirection(d));
    // (T, D, B, H) or (B, T, D, H); (D, B, H) or (B, D, H).
    std::vector<Value*> results = {nullptr, before_.Concat(last_h_, sequence_.time_axis())};
    if (IsUsed()) results[0] = before_.Concat(sequences_, sequence_.batch_first ? 2 : 1);
    if (!last_c_.empty()) results.push_back(before_.Concat(last_c_, sequence_.time_axis()));
    DRAGOMAN_TRY(before_.status());
    context_.Replace(sequence_.node, results);
    return {};
  }

 private:
  // Whether anything reads the states of all steps.
  bool IsUsed() const {
    const Value* result = sequence_.node.result(0);
    return result != nullptr && result->used();
  }

  Status RunDirection(int d) {
    const UnrolledWeights weights = sequence_.WeightsOf(before_, d);
    Value* const inputs = sequence_.Inputs(before_, weights);
    const UnrolledState initial = sequence_.InitialState(before_, d);
    std::vector<Value*> states = {initial.h};
    if (initial.c != nullptr) states.push_back(initial.c);
    DRAGOMAN_TRY(before_.status());

    LoopBuilder loop(sequence_.node, context_, count_, states);
    StepNodes& nodes = loop.nodes();
    const bool reversed = sequence_.form.Reversed(d);
    Value* t = reversed ? FromEnd(nodes, count_, loop.index()) : loop.index();
    Value* const x = nodes.Op("Gather", {inputs, t}, {{"axis", sequence_.time_axis()}});
    const UnrolledState before = {loop.state(0), initial.c != nullptr ? loop.state(1) : nullptr};
    const UnrolledState after =
        AppendUnrolledCell(nodes, sequence_.form, d, sequence_.hidden, weights, x, before);
    if (const Value* lengths = sequence_.lengths()) {
      t = nodes.Cast(t, lengths->type().dtype());
    }
    Value* given = nullptr;
    const UnrolledState next = sequence_.Masked(nodes, t, before, after, given);
    states = {next.h};
    if (next.c != nullptr) states.push_back(next.c);
    std::vector<Value*> collected;
    if (IsUsed()) collected.push_back(given);
    DRAGOMAN_ASSIGN(std::vector<Value*> results, loop.Finish(states, collected));
    if (IsUsed()) AddSequence(results.back(), reversed);
    last_h_.push_back(before_.Unsqueeze(results[0], sequence_.time_axis()));
    if (next.c != nullptr) last_c_.push_back(before_.Unsqueeze(results[1], sequence_.time_axis()));
    return {};
  }

  // (T, B, H), in the order in which a direction goes.
  void AddSequence(Value* sequence, bool reversed) {
    if (reversed) sequence = Reversed(before_, sequence, 0);
    sequence = MoveFirstTo(before_, sequence, sequence_.time_axis());
    sequences_.push_back(before_.Unsqueeze(sequence, sequence_.batch_first ? 2 : 1));
  }

  SequenceNode& sequence_;
  PassContext& context_;
  StepNodes before_;
  Value* count_ = nullptr;                           // of steps
  std::vector<Value*> sequences_, last_h_, last_c_;  // one per direction
};

std::vector<Node*> AllScans(Graph& entry) {
  std::vector<Node*> scans;
  ForEachGraph(entry, [&](Graph& graph) {
    for (Node& node : graph.nodes()) {
      if (node.Is("Scan")) scans.insert(scans.begin(), &node);
    }
  });
  return scans;
}

bool HasKnownRanks(const Node& node) {
  const auto is_known = [](const Value* value) {
    return value == nullptr || value->type().shape() != nullptr;
  };
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (!is_known(node.result(i))) return false;
  }
  return std::ranges::all_of(node.operands(),
                             [&](const Use& use) { return is_known(use.value()); });
}

}  // namespace

Result<bool> LowerScans(Graph& graph, PassContext& context) {
  std::vector<Node*> scans;
  for (Node& node : graph.nodes()) {
    if (node.Is("Scan") && HasKnownRanks(node)) scans.push_back(&node);
  }
  for (Node* scan : scans) DRAGOMAN_TRY(ScanLowering(*scan, context).Run());
  return !scans.empty();
}

Status LowerSequence(Node& node, PassContext& context) {
  DRAGOMAN_ASSIGN(SequenceNode sequence, SequenceNode::Read(node));
  if (sequence.steps == Dim(1)) return UnrollSequence(node, context);
  return SequenceLowering(sequence, context).Run();
}

Status LowerToLoops(Graph& entry) {
  std::vector<Finding> findings;
  const auto note = [&findings](Status status) {
    if (status.ok()) return;
    for (Finding& finding : status.error().findings()) findings.push_back(std::move(finding));
  };
  DRAGOMAN_ASSIGN(PassContext context, PassContext::Make(entry, {}));
  for (Node* scan : AllScans(entry)) note(ScanLowering(*scan, context).Run());
  for (Node* node : SequenceNode::All(entry)) note(LowerSequence(*node, context));
  if (findings.empty()) return {};
  return Error(std::move(findings));
}

}  // namespace dragoman
