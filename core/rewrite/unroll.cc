#include "core/rewrite/unroll.h"

#include <string>
#include <utility>
#include <vector>

#include "core/ops/op_def.h"
#include "core/rewrite/pass_context.h"
#include "core/rewrite/unrolled_cell.h"

namespace dragoman {
namespace {

bool IsSequence(const Node& node) { return node.Is("LSTM") || node.Is("GRU") || node.Is("RNN"); }

// All steps of one node.
class Unrolling {
 public:
  Unrolling(Node& node, PassContext& context)
      : node_(node), nodes_(node, context), context_(context) {}

  Status Run() {
    DRAGOMAN_TRY(ReadSizes());
    DRAGOMAN_ASSIGN(form_, ReadRecurrentForm(node_));
    for (int d = 0; d < form_.directions; ++d) RunDirection(d);
    // (T, D, B, H) or (B, T, D, H); (D, B, H) or (B, D, H).
    std::vector<Value*> results = {nodes_.Concat(sequences_, batch_first_ ? 2 : 1),
                                   nodes_.Concat(last_h_, time_axis())};
    if (form_.kind == RecurrentForm::Kind::kLstm) {
      results.push_back(nodes_.Concat(last_c_, time_axis()));
    }
    DRAGOMAN_TRY(nodes_.status());
    context_.Explain(node_, "unrolled to " + std::to_string(steps_) + " steps");
    context_.Replace(node_, results);
    return {};
  }

 private:
  std::int64_t time_axis() const { return batch_first_ ? 1 : 0; }
  std::int64_t batch_axis() const { return batch_first_ ? 0 : 1; }

  Status ReadSizes() {
    const Shape* x = node_.operand(0)->type().shape();
    const Shape* r = node_.operand(2)->type().shape();
    batch_first_ = IntAttribute(node_, "layout", 0) == 1;
    if (x == nullptr || x->size() != 3 || r == nullptr || r->size() != 3) {
      return Unsupported("cannot be unrolled: its sizes are not known; hint: --shape")
          .At(node_.Describe());
    }
    const Dim& steps = (*x)[static_cast<std::size_t>(time_axis())];
    if (!steps.known() || !(*r)[2].known()) {
      return Unsupported("cannot be unrolled: the number of steps is " + steps.ToString() +
                         ", the hidden size " + (*r)[2].ToString() + "; hint: --dim or --shape")
          .At(node_.Describe());
    }
    steps_ = steps.value();
    hidden_ = (*r)[2].value();
    if (steps_ >= 1 && steps_ <= kMaxUnrolledSteps && hidden_ >= 1) return {};
    return Unsupported("cannot be unrolled: it has " + std::to_string(steps_) +
                       " steps, expected 1 to " + std::to_string(kMaxUnrolledSteps))
        .At(node_.Describe());
  }

  UnrolledWeights WeightsOf(int d) {
    UnrolledWeights weights;
    weights.w = nodes_.Gather(node_.operand(1), d, 0);
    weights.r = nodes_.Gather(node_.operand(2), d, 0);
    if (node_.operand(3) != nullptr) {
      Value* const both = nodes_.Gather(node_.operand(3), d, 0);
      const std::int64_t rows = form_.gates() * hidden_;
      weights.wb = nodes_.Slice(both, 0, 0, rows);
      weights.rb = nodes_.Slice(both, 0, rows, 2 * rows);
    }
    if (node_.operand(7) != nullptr) weights.p = nodes_.Gather(node_.operand(7), d, 0);
    return weights;
  }

  // (B, H), 0 if there is no such operand.
  Value* Initial(std::size_t operand, int d) {
    if (node_.operand(operand) != nullptr) {
      return nodes_.Gather(node_.operand(operand), d, time_axis());
    }
    Value* const batch = nodes_.SizeOf(node_.operand(0), batch_axis());
    Value* const sizes = nodes_.Concat({batch, nodes_.Ints({hidden_})}, 0);
    return nodes_.Zeros(sizes);
  }

  void RunDirection(int d) {
    const UnrolledWeights weights = WeightsOf(d);
    Value* const inputs = nodes_.Op("dragoman.Linear", {node_.operand(0), weights.w, weights.wb});
    UnrolledState state = {Initial(5, d), nullptr};
    if (form_.kind == RecurrentForm::Kind::kLstm) state.c = Initial(6, d);
    std::vector<Value*> given(static_cast<std::size_t>(steps_));
    for (std::int64_t i = 0; i < steps_ && nodes_.status().ok(); ++i) {
      const std::int64_t t = form_.Reversed(d) ? steps_ - 1 - i : i;
      Value* const x = nodes_.Gather(inputs, t, time_axis());
      const UnrolledState next = AppendUnrolledCell(nodes_, form_, d, hidden_, weights, x, state);
      state = Masked(t, state, next, given[static_cast<std::size_t>(t)]);
    }
    for (Value*& h : given) h = nodes_.Unsqueeze(h, time_axis());
    sequences_.push_back(nodes_.Unsqueeze(nodes_.Concat(given, time_axis()), batch_first_ ? 2 : 1));
    last_h_.push_back(nodes_.Unsqueeze(state.h, time_axis()));
    if (state.c != nullptr) last_c_.push_back(nodes_.Unsqueeze(state.c, time_axis()));
  }

  // The state after step t, and what the step gives out.
  UnrolledState Masked(std::int64_t t, const UnrolledState& before, const UnrolledState& after,
                       Value*& given) {
    Value* const lengths = node_.operand(4);
    given = after.h;
    if (lengths == nullptr) return after;
    Value* const counts = nodes_.Unsqueeze(
        nodes_.Op("Less", {nodes_.Scalar(static_cast<double>(t), lengths), lengths}), 1);
    given = nodes_.Op("Where", {counts, after.h, nodes_.Scalar(0, after.h)});
    UnrolledState state = {nodes_.Op("Where", {counts, after.h, before.h}), nullptr};
    if (after.c != nullptr) state.c = nodes_.Op("Where", {counts, after.c, before.c});
    return state;
  }

  Node& node_;
  StepNodes nodes_;
  PassContext& context_;
  RecurrentForm form_;
  bool batch_first_ = false;
  std::int64_t steps_ = 0;
  std::int64_t hidden_ = 0;
  std::vector<Value*> sequences_, last_h_, last_c_;  // one a direction
};

}  // namespace

Status UnrollSequences(Model& model, const std::function<void(std::string_view)>& explain) {
  std::vector<Finding> findings;
  for (Entry& entry : model.entries) {
    DRAGOMAN_ASSIGN(PassContext context, PassContext::Make(*entry.graph, explain));
    context.rule = "unroll";
    std::vector<Node*> sequences;
    ForEachGraph(*entry.graph, [&](Graph& graph) {
      for (Node& node : graph.nodes()) {
        if (IsSequence(node)) sequences.push_back(&node);
      }
    });
    for (Node* node : sequences) {
      Status status = Unrolling(*node, context).Run();
      if (status.ok()) continue;
      for (Finding& finding : status.error().findings()) findings.push_back(std::move(finding));
    }
  }
  if (findings.empty()) return {};
  return Error(std::move(findings));
}

}  // namespace dragoman
