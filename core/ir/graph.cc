// SPDX-License-Identifier: Apache-2.0
#include "core/ir/graph.h"

#include <algorithm>
#include <cassert>
#include <mutex>
#include <set>
#include <tuple>
#include <utility>

#include "core/ir/domain.h"
#include "core/support/text.h"

namespace dragoman {

namespace {

std::string Component(const std::string& name) { return IsIdentifier(name) ? name : Quote(name); }

// Identifiers joined by points.
bool IsPlainDomain(std::string_view domain) {
  for (std::size_t point = domain.find('.'); point != domain.npos; point = domain.find('.')) {
    if (!IsIdentifier(domain.substr(0, point))) return false;
    domain.remove_prefix(point + 1);
  }
  return IsIdentifier(domain);
}

}  // namespace

std::string OpName::ToString() const {
  std::string text = Component(dialect);
  if (!domain.empty()) text += ":" + (IsPlainDomain(domain) ? domain : Quote(domain));
  text += "." + Component(type);
  if (!overload.empty()) text += (domain.empty() ? "." : ":") + Component(overload);
  return text;
}

namespace {

struct OpNameLess {
  using is_transparent = void;
  using Key = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>;
  static Key KeyOf(const OpName& op) { return {op.dialect, op.domain, op.type, op.overload}; }
  static const Key& KeyOf(const Key& key) { return key; }
  template <class A, class B>
  bool operator()(const A& a, const B& b) const {
    return KeyOf(a) < KeyOf(b);
  }
};

}  // namespace

const OpName* InternOp(std::string_view dialect, std::string_view type, std::string_view domain,
                       std::string_view overload) {
  static std::mutex mutex;
  static auto* names = new std::set<OpName, OpNameLess>;
  std::lock_guard lock(mutex);
  auto found = names->find(OpNameLess::Key(dialect, domain, type, overload));
  if (found == names->end()) {
    found = names
                ->insert(OpName{std::string(dialect), std::string(domain), std::string(type),
                                std::string(overload)})
                .first;
  }
  return &*found;
}

Use::Use(Use&& other) noexcept { *this = std::move(other); }

Use& Use::operator=(Use&& other) noexcept {
  if (this == &other) return *this;
  Set(nullptr);
  value_ = std::exchange(other.value_, nullptr);
  user_ = other.user_;
  graph_ = other.graph_;
  index_ = other.index_;
  next_ = std::exchange(other.next_, nullptr);
  prev_ = std::exchange(other.prev_, nullptr);
  if (prev_ != nullptr) *prev_ = this;
  if (next_ != nullptr) next_->prev_ = &next_;
  return *this;
}

Graph* Use::graph() const { return user_ != nullptr ? user_->graph() : graph_; }

void Use::Set(Value* value) {
  if (value_ != nullptr) {
    *prev_ = next_;
    if (next_ != nullptr) next_->prev_ = prev_;
  }
  value_ = value;
  next_ = nullptr;
  prev_ = nullptr;
  if (value == nullptr) return;
  next_ = value->first_use_;
  if (next_ != nullptr) next_->prev_ = &next_;
  prev_ = &value->first_use_;
  value->first_use_ = this;
}

Graph* Value::graph() const { return producer_ != nullptr ? producer_->graph() : graph_; }

void Value::ReplaceAllUsesWith(Value* other) {
  assert(other != this);
  while (first_use_ != nullptr) first_use_->Set(other);
}

const OriginPtr& Value::origin() const {
  return producer_ != nullptr && !origin_ ? producer_->origin() : origin_;
}

Extra& Value::extra() {
  if (!extra_) extra_ = std::make_unique<Extra>();
  return *extra_;
}

bool Node::Is(std::string_view type) const {
  return op_->type == type && op_->dialect == "onnx" && IsDefaultDomain(op_->domain);
}

bool Node::IsDragoman(std::string_view type) const {
  return op_->type == type && op_->dialect == "dragoman";
}

void Node::AddOperand(Value* value) {
  Use use;
  use.user_ = this;
  use.index_ = static_cast<std::uint32_t>(operands_.size());
  operands_.push_back(std::move(use));
  operands_.back().Set(value);
}

Value* Node::AddResult(std::string name, Type type) {
  auto value = std::make_unique<Value>();
  value->name_ = std::move(name);
  value->type_ = std::move(type);
  value->producer_ = this;
  value->index_ = static_cast<std::uint32_t>(results_.size());
  results_.push_back(std::move(value));
  return results_.back().get();
}

namespace {

void ForEachBody(const Attribute& attribute, const std::function<void(Graph&)>& visit) {
  if (Graph* graph = attribute.graph()) visit(*graph);
  if (const auto* graphs = attribute.As<Attribute::Graphs>()) {
    for (const Attribute::GraphPtr& graph : *graphs) visit(*graph);
  }
}

}  // namespace

void Node::SetAttribute(std::string_view name, Attribute value) {
  ForEachBody(value, [this](Graph& graph) { graph.parent_ = this; });
  for (NamedAttribute& attribute : attributes_) {
    if (attribute.name != name) continue;
    attribute.value = std::move(value);
    return;
  }
  attributes_.emplace_back(std::string(name), std::move(value));
}

void Node::AddAttribute(NamedAttribute attribute) {
  ForEachBody(attribute.value, [this](Graph& graph) { graph.parent_ = this; });
  attributes_.push_back(std::move(attribute));
}

void Node::RemoveAttribute(std::string_view name) {
  std::erase_if(attributes_, [name](const NamedAttribute& a) { return a.name == name; });
}

std::vector<Graph*> Node::subgraphs() const {
  std::vector<Graph*> graphs;
  for (const NamedAttribute& attribute : attributes_) {
    ForEachBody(attribute.value, [&](Graph& graph) { graphs.push_back(&graph); });
  }
  return graphs;
}

Extra& Node::extra() {
  if (!extra_) extra_ = std::make_unique<Extra>();
  return *extra_;
}

std::string Node::Describe() const {
  std::string label = name_;
  for (std::size_t i = 0; i < results_.size() && label.empty(); ++i)
    if (results_[i]) label = results_[i]->name();
  // One without results is known by what it was made of.
  const SourceOp* source = origin_ != nullptr ? origin_->leaf() : nullptr;
  if (label.empty() && source != nullptr) label = source->name;
  return "node '" + label + "' (" + op_->ToString() + ")";
}

// Uses go before the values that they read: first everything lets go, then nodes and values die.
Graph::~Graph() {
  ForEachGraph(*this, [](Graph& graph) {
    for (Use& use : graph.outputs_) use.Set(nullptr);
    for (Node& node : graph.nodes()) {
      for (Use& use : node.operands_) use.Set(nullptr);
    }
  });
  for (Node* node = first_; node != nullptr;) {
    Node* next = node->next_;
    delete node;
    node = next;
  }
}

Value* Graph::AddInput(std::string name, Type type) {
  auto value = std::make_unique<Value>();
  value->name_ = std::move(name);
  value->type_ = std::move(type);
  value->graph_ = this;
  value->kind_ = Value::Kind::kInput;
  value->index_ = static_cast<std::uint32_t>(inputs_.size());
  inputs_.push_back(std::move(value));
  return inputs_.back().get();
}

void Graph::RemoveInput(std::size_t i) {
  assert(!inputs_[i]->used());
  inputs_.erase(inputs_.begin() + static_cast<std::ptrdiff_t>(i));
  for (; i < inputs_.size(); ++i) inputs_[i]->index_ = static_cast<std::uint32_t>(i);
}

Value* Graph::AddConstant(std::string name, Tensor tensor) {
  auto value = std::make_unique<Value>();
  value->name_ = std::move(name);
  value->type_ = tensor.type();
  value->graph_ = this;
  value->kind_ = Value::Kind::kConstant;
  value->index_ = static_cast<std::uint32_t>(constants_.size());
  value->set_data(std::move(tensor));
  constants_.push_back(std::move(value));
  return constants_.back().get();
}

void Graph::EraseConstantsIf(const std::function<bool(const Value&)>& dead) {
  std::erase_if(constants_, [&](const std::unique_ptr<Value>& value) {
    if (!dead(*value)) return false;
    assert(!value->used());
    return true;
  });
  for (std::size_t i = 0; i < constants_.size(); ++i) {
    constants_[i]->index_ = static_cast<std::uint32_t>(i);
  }
}

void Graph::AddOutput(Value* value) {
  Use use;
  use.graph_ = this;
  use.index_ = static_cast<std::uint32_t>(outputs_.size());
  outputs_.push_back(std::move(use));
  outputs_.back().Set(value);
}

void Graph::RemoveOutput(std::size_t i) {
  outputs_.erase(outputs_.begin() + static_cast<std::ptrdiff_t>(i));
  for (; i < outputs_.size(); ++i) outputs_[i].index_ = static_cast<std::uint32_t>(i);
}

Node* Graph::Insert(Node* position, const OpName* op, std::span<Value* const> operands,
                    std::string name) {
  auto* node = new Node;
  node->op_ = op;
  node->name_ = std::move(name);
  node->operands_.reserve(operands.size());
  for (Value* value : operands) node->AddOperand(value);
  Link(node, position);
  return node;
}

void Graph::MoveBefore(Node* node, Node* position) {
  if (node == position) return;
  node->graph_->Unlink(node);
  Link(node, position);
}

void Graph::Erase(Node* node) {
  Unlink(node);
  for (Graph* graph : node->subgraphs()) graph->parent_ = nullptr;
  delete node;
}

void Graph::Link(Node* node, Node* position) {
  node->graph_ = this;
  node->next_ = position;
  node->prev_ = position != nullptr ? position->prev_ : last_;
  (node->prev_ != nullptr ? node->prev_->next_ : first_) = node;
  (position != nullptr ? position->prev_ : last_) = node;
  ++num_nodes_;
}

void Graph::Unlink(Node* node) {
  (node->prev_ != nullptr ? node->prev_->next_ : first_) = node->next_;
  (node->next_ != nullptr ? node->next_->prev_ : last_) = node->prev_;
  --num_nodes_;
}

void Graph::Redirect(const ValueMap& map) {
  auto redirect = [&map](Use& use) {
    auto found = map.find(use.value());
    if (found != map.end()) use.Set(found->second);
  };
  for (Node& node : nodes()) {
    for (Use& use : node.operands_) redirect(use);
  }
  for (Use& use : outputs_) redirect(use);
}

Extra& Graph::extra() {
  if (!extra_) extra_ = std::make_unique<Extra>();
  return *extra_;
}

namespace {

Value* Mapped(const ValueMap& map, Value* value) {
  auto found = map.find(value);
  return found == map.end() ? value : found->second;
}

Attribute::GraphPtr CloneSubgraph(const Graph& graph, ValueMap& map) {
  auto copy = std::make_shared<Graph>();
  CloneInto(graph, *copy, map);
  return copy;
}

Attribute CloneAttribute(const Attribute& attribute, ValueMap& map) {
  if (const Graph* graph = attribute.graph()) return CloneSubgraph(*graph, map);
  if (const auto* graphs = attribute.As<Attribute::Graphs>()) {
    Attribute::Graphs copies;
    for (const Attribute::GraphPtr& graph : *graphs) copies.push_back(CloneSubgraph(*graph, map));
    return copies;
  }
  return attribute;
}

// Origin and extra.
void CopyNotes(const Value& from, Value& to) {
  to.set_origin(from.origin());
  if (from.extra_if_any() != nullptr) to.extra() = *from.extra_if_any();
}

}  // namespace

Node* CloneNode(const Node& node, Graph& target, Node* position, ValueMap& map) {
  std::vector<Value*> operands;
  operands.reserve(node.num_operands());
  for (const Use& use : node.operands()) operands.push_back(Mapped(map, use.value()));
  Node* copy = target.Insert(position, &node.op(), operands, node.name());
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const Value* result = node.result(i);
    if (result == nullptr) {
      copy->AddOmittedResult();
      continue;
    }
    Value* made = copy->AddResult(result->name(), result->type());
    if (result->extra_if_any() != nullptr) made->extra() = *result->extra_if_any();
    map[result] = made;
  }
  for (const NamedAttribute& attribute : node.attributes()) {
    NamedAttribute made(attribute.name, CloneAttribute(attribute.value, map));
    made.extra = attribute.extra;
    copy->AddAttribute(std::move(made));
  }
  copy->set_origin(node.origin());
  if (node.extra_if_any() != nullptr) copy->extra() = *node.extra_if_any();
  return copy;
}

void CloneInto(const Graph& source, Graph& target, ValueMap& map) {
  target.set_name(source.name());
  for (const auto& input : source.inputs()) {
    Value* copy = target.AddInput(input->name(), input->type());
    if (input->data() != nullptr) copy->set_data(*input->data());
    CopyNotes(*input, *copy);
    map[input.get()] = copy;
  }
  for (const auto& constant : source.constants()) {
    Value* copy = target.AddConstant(constant->name(), Tensor());
    copy->set_type(constant->type());
    copy->clear_data();
    if (constant->data() != nullptr) copy->set_data(*constant->data());
    CopyNotes(*constant, *copy);
    map[constant.get()] = copy;
  }
  for (const Node& node : source.nodes()) CloneNode(node, target, nullptr, map);
  for (const Use& use : source.outputs()) target.AddOutput(use.value());
  // Where order is not topological, a node or a body of it was copied before what it reads.
  ForEachGraph(target, [&map](Graph& graph) { graph.Redirect(map); });
  if (source.extra_if_any() != nullptr) target.extra() = *source.extra_if_any();
}

namespace {

template <class G>
void WalkGraphs(G& graph, const std::function<void(G&)>& visit) {
  std::vector<G*> pending = {&graph};
  while (!pending.empty()) {
    G* at = pending.back();
    pending.pop_back();
    visit(*at);
    const std::size_t first = pending.size();
    for (const Node& node : at->nodes()) {
      for (Graph* subgraph : node.subgraphs()) pending.push_back(subgraph);
    }
    std::reverse(pending.begin() + static_cast<std::ptrdiff_t>(first), pending.end());
  }
}

}  // namespace

void ForEachGraph(Graph& graph, const std::function<void(Graph&)>& visit) {
  WalkGraphs(graph, visit);
}

void ForEachGraph(const Graph& graph, const std::function<void(const Graph&)>& visit) {
  WalkGraphs(graph, visit);
}

}  // namespace dragoman
