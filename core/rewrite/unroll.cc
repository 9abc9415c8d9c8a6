// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/unroll.h"

#include <string>
#include <utility>
#include <vector>

#include "core/rewrite/sequence_node.h"

namespace dragoman {
namespace {

// All steps of one node.
class Unrolling {
 public:
  Unrolling(SequenceNode& sequence, PassContext& context)
      : sequence_(sequence), nodes_(sequence.node, context), context_(context) {}

  Status Run() {
    Node& node = sequence_.node;
    const Dim& steps = sequence_.steps;
    if (!steps.known() || steps.value() < 1 || steps.value() > kMaxUnrolledSteps) {
      return Unsupported("cannot be unrolled: it has " + steps.ToString() +
                         " steps, expected 1 to " + std::to_string(kMaxUnrolledSteps) +
                         "; hint: --dim or --shape")
          .At(node.Describe());
    }
    for (int d = 0; d < sequence_.form.directions; ++d) RunDirection(d);
    // (T, D, B, H) or (B, T, D, H); (D, B, H) or (B, D, H).
    std::vector<Value*> results = {nodes_.Concat(sequences_, sequence_.batch_first ? 2 : 1),
                                   nodes_.Concat(last_h_, time_axis())};
    if (!last_c_.empty()) results.push_back(nodes_.Concat(last_c_, time_axis()));
    DRAGOMAN_TRY(nodes_.status());
    context_.Explain(node, "unrolled to " + steps.ToString() + " steps");
    context_.Replace(node, results);
    return {};
  }

 private:
  std::int64_t time_axis() const { return sequence_.time_axis(); }

  void RunDirection(int d) {
    const RecurrentForm& form = sequence_.form;
    const std::int64_t steps = sequence_.steps.value();
    const UnrolledWeights weights = sequence_.WeightsOf(nodes_, d);
    Value* const inputs = sequence_.Inputs(nodes_, weights);
    UnrolledState state = sequence_.InitialState(nodes_, d);
    std::vector<Value*> given(static_cast<std::size_t>(steps));
    for (std::int64_t i = 0; i < steps && nodes_.status().ok(); ++i) {
      const std::int64_t t = form.Reversed(d) ? steps - 1 - i : i;
      Value* const x = nodes_.Gather(inputs, t, time_axis());
      const UnrolledState next =
          AppendUnrolledCell(nodes_, form, d, sequence_.hidden, weights, x, state);
      Value* place = nullptr;
      if (sequence_.lengths() != nullptr)
        place = nodes_.Scalar(static_cast<double>(t), sequence_.lengths());
      state = sequence_.Masked(nodes_, place, state, next, given[static_cast<std::size_t>(t)]);
    }
    for (Value*& h : given) h = nodes_.Unsqueeze(h, time_axis());
    sequences_.push_back(
        nodes_.Unsqueeze(nodes_.Concat(given, time_axis()), sequence_.batch_first ? 2 : 1));
    last_h_.push_back(nodes_.Unsqueeze(state.h, time_axis()));
    if (state.c != nullptr) last_c_.push_back(nodes_.Unsqueeze(state.c, time_axis()));
  }

  SequenceNode& sequence_;
  StepNodes nodes_;
  PassContext& context_;
  std::vector<Value*> sequences_, last_h_, last_c_;  // one per direction
};

}  // namespace

Status UnrollSequence(Node& node, PassContext& context) {
  DRAGOMAN_ASSIGN(SequenceNode sequence, SequenceNode::Read(node));
  return Unrolling(sequence, context).Run();
}

Status UnrollSequences(Model& model, const std::function<void(std::string_view)>& explain) {
  std::vector<Finding> findings;
  for (Entry& entry : model.entries) {
    DRAGOMAN_ASSIGN(PassContext context, PassContext::Make(*entry.graph, explain));
    context.rule = "unroll";
    for (Node* node : SequenceNode::All(*entry.graph)) {
      Status status = UnrollSequence(*node, context);
      if (status.ok()) continue;
      for (Finding& finding : status.error().findings()) findings.push_back(std::move(finding));
    }
  }
  if (findings.empty()) return {};
  return Error(std::move(findings));
}

}  // namespace dragoman
