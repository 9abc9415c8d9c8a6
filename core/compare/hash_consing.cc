// SPDX-License-Identifier: Apache-2.0
#include "core/compare/hash_consing.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/ir/domain.h"

namespace dragoman::compare {
namespace {

const Graph& RootOf(const Graph& graph) {
  const Graph* at = &graph;
  while (at->parent_graph() != nullptr) at = at->parent_graph();
  return *at;
}

}  // namespace

std::uint32_t ClassTable::Intern(std::string key) {
  const auto next = static_cast<std::uint32_t>(numbers_.size() + 1);
  return numbers_.try_emplace(std::move(key), next).first->second;
}

NodeClasses::NodeClasses(const Model& model, const CompareOptions& options, ClassTable& classes,
                         ConstantTable& constants, TraitTable& traits)
    : model_(model),
      options_(options),
      classes_(classes),
      constants_(constants),
      traits_(traits),
      symbols_(options.ignore_shapes) {}

Status NodeClasses::Build() {
  DRAGOMAN_ASSIGN(const std::vector<std::size_t> order, FunctionOrder());
  for (std::size_t i : order) {
    const Function& function = model_.functions[i];
    DRAGOMAN_TRY(Visit(*function.graph));
    functions_[function.op] = FunctionClass(function);
  }
  for (const Entry& entry : model_.entries) DRAGOMAN_TRY(Visit(*entry.graph));
  return {};
}

// Called functions before their callers.
Result<std::vector<std::size_t>> NodeClasses::FunctionOrder() const {
  std::unordered_map<const OpName*, std::size_t> index;
  for (std::size_t i = 0; i < model_.functions.size(); ++i) index[model_.functions[i].op] = i;
  std::vector<std::vector<std::size_t>> callers(model_.functions.size());
  std::vector<std::size_t> open(model_.functions.size(), 0);
  for (std::size_t i = 0; i < model_.functions.size(); ++i) {
    ForEachGraph(std::as_const(*model_.functions[i].graph), [&](const Graph& graph) {
      for (const Node& node : graph.nodes()) {
        const auto callee = index.find(&node.op());
        if (callee == index.end()) continue;
        callers[callee->second].push_back(i);
        ++open[i];
      }
    });
  }
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (open[i] == 0) order.push_back(i);
  }
  for (std::size_t at = 0; at < order.size(); ++at) {
    for (std::size_t caller : callers[order[at]]) {
      if (--open[caller] == 0) order.push_back(caller);
    }
  }
  if (order.size() == open.size()) return order;
  return Unsupported("functions call themselves; compare without commute and modulo_sharing");
}

Status NodeClasses::Visit(const Graph& root) {
  (void)InputKey(root);  // numbers the symbols of the inputs first
  ordered_.emplace(&root, OrderedNodes(root, traits_));
  for (const Node* node : Ordered(root)) DRAGOMAN_TRY(VisitFrom(node));
  for (const Use& output : root.outputs()) {
    if (output.value() == nullptr) continue;
    DRAGOMAN_TRY(VisitFrom(output.value()->producer()));
  }
  if (options_.level == Level::kCommon) return {};
  std::vector<const Graph*> graphs;
  ForEachGraph(root, [&](const Graph& graph) { graphs.push_back(&graph); });
  for (const Graph* graph : graphs) {
    for (const Node& node : graph->nodes()) DRAGOMAN_TRY(VisitFrom(&node));
  }
  return {};
}

Status NodeClasses::VisitFrom(const Node* start) {
  if (start == nullptr) return {};
  std::vector<std::pair<const Node*, bool>> stack = {{start, false}};
  while (!stack.empty()) {
    const auto [node, expanded] = stack.back();
    stack.pop_back();
    if (expanded) {
      Close(*node);
      continue;
    }
    const auto [state, added] = states_.try_emplace(node, State::kOpen);
    if (!added && state->second == State::kDone) continue;
    if (!added) {
      return Unsupported(node->Describe() +
                         " is on a cycle; compare without commute and modulo_sharing");
    }
    stack.emplace_back(node, true);
    PushDependencies(*node, stack);
  }
  return {};
}

void NodeClasses::PushDependencies(const Node& node,
                                   std::vector<std::pair<const Node*, bool>>& stack) const {
  const std::size_t first = stack.size();
  const auto ordered = [this](const Graph& graph) { return Ordered(graph); };
  ForEachNeeded(node, ordered, [&](const Node* needed) {
    if (needed == nullptr) return;
    const auto state = states_.find(needed);
    if (state == states_.end() || state->second == State::kOpen) stack.emplace_back(needed, false);
  });
  std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
}

void NodeClasses::Close(const Node& node) {
  const OpTraits& traits = traits_.Of(node);
  std::string key = "N" + LocalKey(node) + ResultKey(node);
  for (std::uint64_t code : OperandCodes(node)) AppendInt(key, code);
  for (const Graph* graph : node.subgraphs()) AppendInt(key, GraphClass(*graph));
  std::uint32_t number = classes_.Intern(std::move(key));
  if (traits.random || traits.ordered) {
    std::string counted = "R";
    AppendInt(counted, number);
    AppendInt(counted, repetitions_[number]++);
    number = classes_.Intern(std::move(counted));
  }
  nodes_[&node] = number;
  states_[&node] = State::kDone;
}

std::uint32_t NodeClasses::GraphClass(const Graph& graph) const {
  std::string key = "G" + InputKey(graph);
  AppendInt(key, Ordered(graph).size());
  for (const Node* node : Ordered(graph)) AppendInt(key, Of(*node));
  for (const Use& output : graph.outputs()) AppendInt(key, CodeOf(output.value()));
  return classes_.Intern(std::move(key));
}

std::uint32_t NodeClasses::FunctionClass(const Function& function) const {
  std::string key;
  AppendText(key, "function");
  AppendInt(key, GraphClass(*function.graph));
  const std::set<std::string> names(function.attributes.begin(), function.attributes.end());
  AppendInt(key, names.size());
  for (const std::string& name : names) AppendText(key, name);
  std::map<std::string, std::string> defaults;
  for (const NamedAttribute& known : function.defaults)
    defaults.emplace(known.name, AttributeKey(known.value));
  std::map<std::string_view, std::int64_t> versions;
  for (const OpsetImport& opset : function.opsets) {
    if (options_.level == Level::kSource)
      versions.emplace(CanonicalDomain(opset.domain), opset.version);
  }
  AppendInt(key, defaults.size());
  for (const auto& [name, value] : defaults) {
    AppendText(key, name);
    AppendText(key, value);
  }
  for (const auto& [domain, version] : versions) {
    AppendText(key, domain);
    AppendInt(key, static_cast<std::uint64_t>(version));
  }
  return classes_.Intern(std::move(key));
}

std::uint64_t NodeClasses::DepthOf(const Graph& graph) const {
  std::uint64_t depth = 0;
  for (const Graph* at = graph.parent_graph(); at != nullptr; at = at->parent_graph()) ++depth;
  return depth;
}

std::uint64_t NodeClasses::CodeOf(const Value* value) const {
  if (value == nullptr) return 0;
  const std::uint64_t index = static_cast<std::uint64_t>(value->index()) << 32;
  switch (value->kind()) {
    case Value::Kind::kConstant:
      return std::uint64_t{1} << 62 | constants_.ClassOf(value->data());
    case Value::Kind::kInput:
      return std::uint64_t{2} << 62 | index | DepthOf(*value->graph());
    case Value::Kind::kResult:
      return std::uint64_t{3} << 62 | index | Of(*value->producer());
  }
  return 0;
}

std::vector<std::uint64_t> NodeClasses::OperandCodes(const Node& node) const {
  std::vector<std::uint64_t> codes(CountedOperands(node, options_.level));
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = CodeOf(node.operand(i));
  const bool swaps = options_.commute && codes.size() >= 2 && traits_.Of(node).commutative;
  if (swaps && codes[1] < codes[0]) std::swap(codes[0], codes[1]);
  return codes;
}

std::string NodeClasses::LocalKey(const Node& node) const {
  std::string key;
  const auto function = functions_.find(&node.op());
  if (function != functions_.end()) {
    AppendText(key, "function");
    AppendInt(key, function->second);
  } else {
    AppendOp(key, node.op());
  }
  const auto attributes = CountedAttributes(node, traits_.Of(node));
  AppendInt(key, attributes.size());
  for (const NamedAttribute* attribute : attributes) {
    AppendText(key, attribute->name);
    AppendText(key, AttributeKey(attribute->value));
  }
  AppendInt(key, CountedOperands(node, options_.level));
  AppendInt(key, CountedResults(node, options_.level));
  return key;
}

std::string NodeClasses::AttributeKey(const Attribute& attribute) const {
  AttributeEncoder encoder(constants_);
  encoder.type = [this](const Type& type) { return symbols_.Text(type); };
  std::string key;
  encoder.Append(attribute, key);
  return key;
}

std::string NodeClasses::InputKey(const Graph& graph) const {
  std::string key;
  AppendInt(key, graph.num_inputs());
  for (const auto& input : graph.inputs()) {
    AppendText(key, options_.ignore_shapes && !input->type().known()
                        ? std::string()
                        : symbols_.Text(input->type()));
    AppendInt(key, constants_.ClassOf(input->data()));
  }
  return key;
}

std::string NodeClasses::ResultKey(const Node& node) const {
  std::string key;
  for (std::size_t i = 0; i < CountedResults(node, options_.level); ++i) {
    const Value* result = node.result(i);
    const bool is_read = result != nullptr && result->used();
    key += is_read ? '1' : '0';
    if (is_read && !options_.ignore_shapes) AppendText(key, symbols_.Text(result->type()));
  }
  return key;
}

std::span<const Node* const> NodeClasses::Ordered(const Graph& graph) const {
  return ordered_.at(&RootOf(graph)).Of(graph);
}

}  // namespace dragoman::compare
