// SPDX-License-Identifier: Apache-2.0
#include "exporters/onnx/guard_empty_sequences.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/ops/declared_attributes.h"
#include "core/rewrite/pass_context.h"
#include "core/rewrite/recurrence/masked_states.h"
#include "core/rewrite/sequence_node.h"

namespace dragoman {
namespace {

constexpr std::size_t kLengths = 4;
constexpr std::size_t kInitialH = 5;  // that of the cell state follows

bool StandsForOneOfTheSource(const Node& node) {
  return node.origin() != nullptr && node.origin()->leaf() != nullptr;
}

// ONNX's operators, with steps in front, as all that we make of others are.
bool NeedsGuard(const Node& node) {
  if (!node.Is("LSTM") && !node.Is("GRU") && !node.Is("RNN")) return false;
  if (StandsForOneOfTheSource(node) || IntAttribute(node, "layout") != 0) return false;
  return MayBeEmpty(*node.operand(0), node.operand(kLengths));
}

class SequenceGuard {
 public:
  SequenceGuard(Node& node, PassContext& context)
      : node_(node), context_(context), layout_(context, node) {}

  Status Guard() {
    std::vector<Value*> operands;
    for (const Use& use : node_.operands()) operands.push_back(use.value());
    operands.resize(std::max(operands.size(), kInitialH + 2), nullptr);
    if (node_.Is("GRU") && operands[kLengths] == nullptr) {
      DRAGOMAN_ASSIGN(operands[kLengths], AllSteps(operands[0]));
    }
    std::vector<NamedAttribute> attributes(node_.attributes().begin(), node_.attributes().end());
    DRAGOMAN_ASSIGN(Node * sequence,
                    context_.InsertNode(node_, node_.op().type, operands, std::move(attributes),
                                        node_.num_results()));
    DRAGOMAN_ASSIGN(Value * is_empty,
                    EmitIsEmpty(operands[0], operands[kLengths], layout_, node_, context_));
    std::vector<Value*> results = {sequence->result(0)};
    for (std::size_t i = 1; i < node_.num_results(); ++i) {
      results.push_back(sequence->result(i));
      if (node_.result(i) == nullptr || !node_.result(i)->used()) continue;
      Value* initial = operands[kInitialH + i - 1];
      if (initial == nullptr) initial = Zero(*sequence->result(i));
      DRAGOMAN_ASSIGN(results[i],
                      context_.Insert(node_, "Where", {{is_empty, initial, results[i]}}));
    }
    context_.Replace(node_, results);
    return {};
  }

 private:
  // i32[batch], each the number of steps of `x`.
  Result<Value*> AllSteps(Value* x) {
    DRAGOMAN_ASSIGN(Value * steps, layout_.Size(x, 0));
    DRAGOMAN_ASSIGN(steps, context_.Insert(node_, "Cast", {{steps}},
                                           {{"to", static_cast<std::int64_t>(DType::kI32)}}));
    DRAGOMAN_ASSIGN(Value * batch,
                    context_.Insert(node_, "Shape", {{x}},
                                    {{"end", std::int64_t{2}}, {"start", std::int64_t{1}}}));
    return context_.Insert(node_, "Expand", {{steps, batch}});
  }

  Value* Zero(const Value& like) {
    const DType dtype = like.type().dtype();
    return context_.AddConstant(*node_.graph(), *Tensor::Full(dtype, {}, 0), "zero", {});
  }

  Node& node_;
  PassContext& context_;
  LayoutBuilder layout_;
};

}  // namespace

Status GuardEmptySequences(Graph& entry) {
  std::vector<Node*> sequences;
  for (Node* node : SequenceNode::All(entry)) {
    if (NeedsGuard(*node)) sequences.push_back(node);
  }
  if (sequences.empty()) return {};
  DRAGOMAN_ASSIGN(PassContext context, PassContext::Make(entry, {}));
  for (Node* node : sequences) DRAGOMAN_TRY(SequenceGuard(*node, context).Guard());
  return {};
}

}  // namespace dragoman
