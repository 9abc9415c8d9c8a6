// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/composed.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "core/ir/parse.h"
#include "core/ops/op_def.h"

namespace dragoman {
namespace {

using Names = std::unordered_map<std::string, const Value*>;

// Those of variables that are bound once; nullptr for others. A literal has no name in the text:
// what has one goes first.
Names NamesOf(const Graph& function) {
  Names names;
  const auto add = [&](const Value* value) {
    const auto [at, is_new] = names.emplace(value->name(), value);
    if (!is_new) at->second = nullptr;
  };
  for (const auto& input : function.inputs()) add(input.get());
  for (const Node& node : function.nodes()) {
    for (std::size_t i = 0; i < node.num_results(); ++i) {
      if (node.result(i) != nullptr && !node.result(i)->name().empty()) add(node.result(i));
    }
  }
  for (const auto& constant : function.constants()) names.emplace(constant->name(), constant.get());
  return names;
}

ComposedRemark Resolved(const ComposedText& texts, const Names& names) {
  ComposedRemark remark{{texts.label, texts.attributes, {}, {}}, true, texts.digest};
  const auto find = [&](const std::string& name) -> const Value* {
    const auto found = names.find(name);
    return found != names.end() ? found->second : nullptr;
  };
  for (const std::string& operand : texts.operands) {
    const Value* value = find(operand);
    remark.op.operands.push_back({value, value != nullptr ? "" : operand});
  }
  for (const std::string& result : texts.results) {
    const Value* value = result.empty() ? nullptr : find(result);
    const bool is_made = value != nullptr && value->producer() != nullptr;
    remark.is_resolved = remark.is_resolved && (result.empty() || is_made);
    remark.op.results.push_back(value);
  }
  return remark;
}

// The statement of `graph` in which `user` stands.
const Node* StatementOf(const Node* user, const Graph* graph) {
  while (user != nullptr && user->graph() != graph) user = user->graph()->parent();
  return user;
}

// Marks the nodes that nothing outside of the part reads.
void LeaveOut(const ComposedStatements& part, const DoesMore& does_more, ComposedNodes& found) {
  const std::unordered_set<const Value*> given(part.op.results.begin(), part.op.results.end());
  const auto is_free = [&](const Node& node) {
    bool gives_all = true;
    for (std::size_t i = 0; i < node.num_results(); ++i)
      gives_all = gives_all && given.contains(node.result(i));
    if (gives_all) return true;
    if (does_more(part.op, node)) return false;
    for (std::size_t i = 0; i < node.num_results(); ++i) {
      if (given.contains(node.result(i))) continue;
      for (const Use* use = node.result(i)->first_use(); use != nullptr; use = use->next()) {
        if (!found.left_out.contains(StatementOf(use->user(), node.graph()))) return false;
      }
    }
    return true;
  };
  for (auto node = part.nodes.rbegin(); node != part.nodes.rend(); ++node) {
    if (is_free(**node)) found.left_out.insert(*node);
  }
}

// Whether the text states no other element type or rank than the operator gives.
bool Fits(const Value& made, const Type& stated) {
  if (!stated.is_tensor()) return true;
  const bool same_dtype =
      stated.dtype() == DType::kUnknown || stated.dtype() == made.type().dtype();
  return same_dtype &&
         (!stated.rank() || !made.type().rank() || stated.rank() == made.type().rank());
}

// Of result `i`, which nothing reads: empty if it may be omitted.
std::string NameOfUnread(const ComposedOperator& op, std::size_t i, GraphBuilder& builder) {
  const OpDef* def = FindOp(std::string_view(op.label));
  const Formal* formal = def != nullptr ? def->signature.ResultAt(i) : nullptr;
  const bool may_be_omitted = formal == nullptr || formal->optional || formal->variadic;
  return may_be_omitted ? "" : builder.UniqueName(formal->name);
}

Result<std::vector<Value*>> AppendOperator(const ComposedOperator& op,
                                           const Attribute::Dict& attributes,
                                           const std::vector<Value*>& operands,
                                           GraphBuilder& builder) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < op.results.size(); ++i)
    names.push_back(op.results[i] != nullptr ? op.results[i]->name()
                                             : NameOfUnread(op, i, builder));
  DRAGOMAN_ASSIGN(Node * made, builder.Append(op.label, operands, attributes, names));
  std::vector<Value*> results;
  for (std::size_t i = 0; i < made->num_results(); ++i) results.push_back(made->result(i));
  return results;
}

// Sizes have names of another model in a text: types follow from the operands.
void MakeOwn(Node& node, GraphBuilder& builder) {
  const auto own = [&](Value* value) {
    if (value == nullptr) return;
    value->set_name(builder.UniqueName(value->name()));
    value->set_type(Type());
  };
  const auto own_results = [&](Node& each) {
    each.set_origin(builder.origin());
    for (std::size_t i = 0; i < each.num_results(); ++i) own(each.result(i));
  };
  own_results(node);
  for (const NamedAttribute& attribute : node.attributes()) {
    if (attribute.value.graph() == nullptr) continue;
    ForEachGraph(*attribute.value.graph(), [&](Graph& graph) {
      for (const auto& input : graph.inputs()) own(input.get());
      for (Node& inner : graph.nodes()) own_results(inner);
    });
  }
}

bool IsCommon(const Graph& body) {
  bool is_common = true;
  ForEachGraph(body, [&](const Graph& graph) {
    for (const Node& node : graph.nodes()) is_common = is_common && FindOp(node) != nullptr;
  });
  return is_common;
}

Result<std::vector<Value*>> AppendBody(const Attribute::Dict& attributes,
                                       const std::vector<Value*>& operands, GraphBuilder& builder) {
  const Attribute* attribute = Find(attributes, "body");
  const Graph* body = attribute != nullptr ? attribute->graph() : nullptr;
  if (body == nullptr || body->num_inputs() != operands.size() || !IsCommon(*body))
    return InvalidInput("operators without a graph of as many inputs");
  ValueMap map;
  for (std::size_t i = 0; i < operands.size(); ++i) map[body->input(i)] = operands[i];
  for (const auto& constant : body->constants()) {
    if (constant->tensor() == nullptr) return InvalidInput("a constant that is not a tensor");
    map[constant.get()] = builder.Constant(*constant->tensor(), constant->name());
  }
  for (const Node& node : body->nodes()) {
    Node* const made = CloneNode(node, builder.graph(), nullptr, map);
    MakeOwn(*made, builder);
    DRAGOMAN_TRY(builder.Infer(*made));
  }
  std::vector<Value*> results;
  for (const Use& output : body->outputs()) {
    const auto found = map.find(output.value());
    if (found == map.end()) return InvalidInput("a graph that gives what it does not hold");
    results.push_back(found->second);
  }
  return results;
}

Result<std::vector<Value*>> AppendBetween(const std::vector<Value*>& operands,
                                          const ComposedOperator& op, GraphBuilder& builder) {
  DRAGOMAN_ASSIGN(const Attribute parsed, ParseAttribute(op.attributes));
  const auto* attributes = parsed.As<Attribute::Dict>();
  if (attributes == nullptr) return InvalidInput("attributes that are not a dictionary");
  std::vector<Value*> results;
  if (op.label == kComposedGraph) {
    DRAGOMAN_ASSIGN(results, AppendBody(*attributes, operands, builder));
  } else {
    DRAGOMAN_ASSIGN(results, AppendOperator(op, *attributes, operands, builder));
  }
  if (results.size() < op.results.size()) return InvalidInput("a result is missing");
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    if (op.results[i] == nullptr) continue;
    if (!Fits(*results[i], op.results[i]->type())) return InvalidInput("a result of another type");
    StateKnownSizes(*results[i], op.results[i]->type());
  }
  return results;
}

}  // namespace

void StateKnownSizes(Value& made, const Type& stated) {
  if (stated.shape() == nullptr) return;
  if (made.type().shape() == nullptr) {
    if (KnownShape(*stated.shape()))
      made.set_type(Type::Tensor(made.type().dtype(), *stated.shape()));
    return;
  }
  Shape shape = *made.type().shape();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!shape[i].known() && (*stated.shape())[i].known()) shape[i] = (*stated.shape())[i];
  }
  made.set_type(Type::Tensor(made.type().dtype(), std::move(shape)));
}

std::vector<ComposedRemark> ResolveRemarks(const Graph& function,
                                           const std::vector<ComposedText>& texts) {
  std::vector<ComposedRemark> remarks;
  if (texts.empty()) return remarks;
  const Names names = NamesOf(function);
  for (const ComposedText& each : texts) remarks.push_back(Resolved(each, names));
  return remarks;
}

std::string DigestOfRemark(const ComposedRemark& remark, const NodeRemark& of_nodes,
                           const SizeRemark& of_sizes) {
  const auto part =
      remark.is_resolved ? FindComposedPart(remark.op, of_nodes, of_sizes) : std::nullopt;
  return part ? part->digest : "";
}

void AddComposed(const Graph& function, std::vector<ComposedRemark> remarks,
                 const NodeRemark& of_nodes, const DoesMore& does_more, ComposedNodes& found,
                 const SizeRemark& of_sizes) {
  if (remarks.empty()) return;
  std::unordered_map<const Node*, std::size_t> places;
  for (const Node& node : function.nodes()) places.emplace(&node, places.size());
  const auto place_of = [&](const Node* node) { return places.at(node); };
  std::vector<std::unique_ptr<ComposedStatements>> holding;
  for (ComposedRemark& each : remarks) {
    if (!each.is_resolved || each.digest.empty()) continue;
    std::optional<ComposedPart> part = FindComposedPart(each.op, of_nodes, of_sizes);
    if (!part || part->digest != each.digest) continue;
    std::ranges::sort(part->nodes, {}, place_of);
    holding.push_back(std::make_unique<ComposedStatements>(
        ComposedStatements{std::move(each.op), std::move(part->nodes)}));
  }
  std::ranges::stable_sort(holding, std::ranges::greater(),
                           [](const auto& statements) { return statements->nodes.size(); });
  const auto is_done = [&](const Value* result) {
    return result != nullptr && found.left_out.contains(result->producer());
  };
  for (std::unique_ptr<ComposedStatements>& statements : holding) {
    if (std::ranges::any_of(statements->op.results, is_done)) continue;
    LeaveOut(*statements, does_more, found);
    const Node* first = nullptr;
    for (const Value* result : statements->op.results) {
      const Node* node = result != nullptr ? result->producer() : nullptr;
      if (node != nullptr && (first == nullptr || place_of(node) < place_of(first))) first = node;
    }
    found.first.emplace(first, statements.get());
    found.all.push_back(std::move(statements));
  }
}

Result<std::vector<Value*>> AppendComposed(
    const ComposedOperator& op, GraphBuilder& builder,
    const std::function<Result<Value*>(const Value*)>& read) {
  std::vector<Value*> operands;
  for (const ComposedOperator::Operand& operand : op.operands) {
    Value* value = nullptr;
    if (operand.value != nullptr) {
      DRAGOMAN_ASSIGN(value, read(operand.value));
    } else if (!operand.constant.empty()) {
      DRAGOMAN_ASSIGN(const Attribute constant, ParseAttribute(operand.constant));
      if (constant.tensor() == nullptr) return InvalidInput("an operand that is not a constant");
      value = builder.Constant(*constant.tensor());
    }
    operands.push_back(value);
  }
  const Node* const last = builder.graph().last_node();
  Result<std::vector<Value*>> results = AppendBetween(operands, op, builder);
  while (!results.ok() && builder.graph().last_node() != last)
    builder.graph().Erase(builder.graph().last_node());
  return results;
}

}  // namespace dragoman
