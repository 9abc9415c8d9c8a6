// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/inference.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/ir/entry_graph.h"
#include "core/ops/elements.h"
#include "core/support/text.h"

namespace dragoman {
namespace {

// Whether an input of the entry around `node` has a size of that name.
bool NamesInputSize(const Node& node, const std::string& symbol) {
  return std::ranges::any_of(EntryGraphOf(node).inputs(), [&](const std::unique_ptr<Value>& input) {
    const Shape* shape = input->type().shape();
    return shape != nullptr && std::ranges::any_of(*shape, [&](const Dim& size) {
             return std::ranges::count(size.Symbols(), symbol) > 0;
           });
  });
}

}  // namespace

Knowledge Inference::Know(const Value* value) const {
  Knowledge knowledge;
  if (value == nullptr) return knowledge;
  knowledge.type = value->type();
  if (value->is_constant()) knowledge.tensor = value->tensor();
  if (auto found = elements_.find(value); found != elements_.end()) {
    knowledge.elements = found->second;
  } else if (const Tensor* t = knowledge.tensor;
             t != nullptr && t->size() <= kMaxElements &&
             (IsInteger(t->dtype()) || t->dtype() == DType::kBool)) {
    knowledge.elements = IntegerElements(*t);
  }
  return knowledge;
}

std::optional<std::vector<std::int64_t>> Inference::KnownInts(const Value* value) const {
  const Knowledge knowledge = Know(value);
  if (!knowledge.elements) {
    const Tensor* t = knowledge.tensor;
    if (t == nullptr || !IsInteger(t->dtype())) return std::nullopt;
    return t->ToInts();
  }
  std::vector<std::int64_t> ints;
  for (const Dim& element : *knowledge.elements) {
    if (!element.known()) return std::nullopt;
    ints.push_back(element.value());
  }
  return ints;
}

void Inference::Learn(const Value* value, Elements elements) {
  elements_[value] = std::move(elements);
}

void Inference::Forget(const Node& node) {
  for (std::size_t i = 0; i < node.num_results(); ++i) Forget(node.result(i));
  for (const Graph* body : node.subgraphs()) Forget(*body);
}

void Inference::Forget(const Graph& graph) {
  for (const auto& input : graph.inputs()) Forget(input.get());
  for (const auto& constant : graph.constants()) Forget(constant.get());
  for (const Node& node : graph.nodes()) Forget(node);
}

Dim Inference::FreshSymbol(std::string_view hint) {
  const std::string base = Identifier(hint);
  for (int i = 1;; ++i) {
    const std::string name = i == 1 ? base : base + "_" + std::to_string(i);
    if (NamesInputSize(*node_, name)) continue;
    auto [owner, is_new] = symbols_.try_emplace(name, node_);
    if (owner->second != node_ || !node_symbols_.insert(name).second) continue;
    return Dim::Symbol(name);
  }
}

Status Inference::InferNode(Node& node) {
  const OpDef* def = FindOp(node);
  if (def == nullptr || !def->infer) return {};
  std::vector<Knowledge> operands;
  operands.reserve(node.num_operands());
  for (const Use& use : node.operands()) operands.push_back(Know(use.value()));

  const Node* outer = std::exchange(node_, &node);
  std::set<std::string> outer_symbols = std::exchange(node_symbols_, {});
  auto infer_body = [this](Graph& body, std::span<const Knowledge> inputs) {
    return InferBody(body, inputs);
  };
  auto fresh = [this, &node](std::string_view hint) {
    node_ = &node;
    return FreshSymbol(hint);
  };
  Result<InferContext> context =
      InferContext::Make(node, *def, std::move(operands), infer_body, fresh);
  Status status = context.ok() ? def->infer(*context) : Status(context.error());
  node_ = outer;
  node_symbols_ = std::move(outer_symbols);
  if (!status.ok()) return std::move(status).error().At(node.Describe());

  for (std::size_t i = 0; i < node.num_results(); ++i) {
    Value* result = node.result(i);
    if (result == nullptr) continue;
    Knowledge& learnt = context->results()[i];
    result->set_type(Refine(learnt.type, result->type()));
    if (learnt.elements) {
      elements_[result] = std::move(*learnt.elements);
    } else {
      elements_.erase(result);
    }
  }
  return {};
}

Status Inference::InferGraph(Graph& graph) {
  for (Node& node : graph.nodes()) DRAGOMAN_TRY(InferNode(node));
  return {};
}

Result<std::vector<Knowledge>> Inference::InferBody(Graph& body,
                                                    std::span<const Knowledge> inputs) {
  if (inputs.size() > body.num_inputs()) {
    return InvalidInput("body '" + body.name() + "' has " + std::to_string(body.num_inputs()) +
                        " inputs, expected " + std::to_string(inputs.size()));
  }
  nodes_in_bodies_ += body.num_nodes() + 1;
  if (nodes_in_bodies_ > kMaxNodesInBodies)
    return Unsupported("body '" + body.name() + "' nests in too many loops");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Value* input = body.input(i);
    input->set_type(inputs[i].type);
    elements_.erase(input);
    if (inputs[i].elements) Learn(input, *inputs[i].elements);
  }
  // An earlier pass may have known more about the inputs than holds now.
  for (Node& node : body.nodes()) {
    for (std::size_t i = 0; i < node.num_results(); ++i) {
      if (FindOp(node) != nullptr && node.result(i) != nullptr) node.result(i)->set_type({});
    }
  }
  DRAGOMAN_TRY(InferGraph(body));
  std::vector<Knowledge> outputs;
  for (const Use& use : body.outputs()) outputs.push_back(Know(use.value()));
  return outputs;
}

Status InferModel(Model& model) {
  for (Entry& entry : model.entries) {
    Inference inference;
    DRAGOMAN_TRY(inference.InferGraph(*entry.graph));
  }
  return {};
}

}  // namespace dragoman
