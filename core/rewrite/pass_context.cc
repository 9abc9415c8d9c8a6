// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/pass_context.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "core/ir/for_each_value.h"
#include "core/ir/producer.h"
#include "core/ir/type_algebra.h"
#include "core/ops/op_def.h"
#include "core/rewrite/match/rule_patterns.h"

namespace dragoman {
namespace {

// Names that are tried anew each time: those of values that went are free again.
constexpr std::size_t kMaxCounted = 64;
// A value with more readers is taken to be read by some that stay.
constexpr int kMaxReaders = 64;
// Unread nodes whose Origins one replacement gathers. In a chain of equal steps that a pass takes
// apart, every step would gather all those before it.
constexpr std::size_t kMaxGathered = 64;

void CollectNames(const Graph& entry, std::unordered_map<std::string, std::size_t>& names) {
  ForEachGraph(entry, [&](const Graph& graph) {
    ForEachValue(graph, [&](const Value& value) { ++names[value.name()]; });
  });
}

bool IsOutput(const Value& value) {
  for (const Use* use = value.first_use(); use != nullptr; use = use->next()) {
    if (use->user() == nullptr) return true;
  }
  return false;
}

// Nodes and constants that nothing reads any more since a node that read them was erased: what it
// was computed from, as far as nothing else is; the nearest ones, where there are many.
class UnusedSources {
 public:
  explicit UnusedSources(std::span<const Value* const> operands) {
    for (const Value* value : operands) Visit(value);
    for (std::size_t i = 0; i < gathered_.size(); ++i) {
      for (const Use& operand : gathered_[i]->operands()) Visit(operand.value());
    }
  }

  const std::vector<OriginPtr>& origins() const { return origins_; }

 private:
  void Visit(const Value* value) {
    if (value == nullptr) return;
    if (value->is_constant() && !value->used()) origins_.push_back(value->origin());
    const Node* node = value->producer();
    if (node == nullptr || gathered_.size() == kMaxGathered) return;
    if (seen_.contains(node) || !IsUnused(*node)) return;
    seen_.insert(node);
    origins_.push_back(node->origin());
    gathered_.push_back(node);
  }

  bool IsUnused(const Node& node) const {
    if (FindOp(node) == nullptr || HasEffect(node)) return false;
    int readers = 0;
    for (std::size_t i = 0; i < node.num_results(); ++i) {
      if (node.result(i) == nullptr) continue;
      for (const Use* use = node.result(i)->first_use(); use != nullptr; use = use->next()) {
        const Node* user = use->user();
        if (user == nullptr || ++readers > kMaxReaders) return false;
        if (!seen_.contains(user) && (AnyResultUsed(*user) || HasEffect(*user))) return false;
      }
    }
    return true;
  }

  std::unordered_set<const Node*> seen_;  // looked up, never iterated
  std::vector<const Node*> gathered_;     // the nearest first
  std::vector<OriginPtr> origins_;
};

}  // namespace

PassContext PassContext::MakeUninferred(Graph& entry,
                                        std::function<void(std::string_view)> explain) {
  PassContext context;
  context.explain = std::move(explain);
  context.names.reserve(entry.num_nodes() + entry.constants().size());
  CollectNames(entry, context.names);
  return context;
}

Result<PassContext> PassContext::Make(Graph& entry, std::function<void(std::string_view)> explain) {
  PassContext context = MakeUninferred(entry, std::move(explain));
  DRAGOMAN_TRY(context.inference.InferGraph(entry));
  return context;
}

void PassContext::Explain(const Node& node, std::string_view what) const {
  if (explain) explain(std::string(rule) + ": " + node.Describe() + ": " + std::string(what));
}

std::string PassContext::UniqueName(std::string_view wanted) {
  std::string base(wanted.empty() ? "v" : wanted);
  if (names.try_emplace(base, 1).second) return base;
  const auto counted = numbers.find(base);
  std::size_t number = counted != numbers.end() ? counted->second : 2;
  std::string name = base + "_" + std::to_string(number);
  while (!names.try_emplace(name, 1).second) name = base + "_" + std::to_string(++number);
  if (number > kMaxCounted) numbers[base] = number + 1;
  wanted_names[name] = base;
  return name;
}

void PassContext::ForgetName(const std::string& name) {
  const auto found = names.find(name);
  if (found != names.end() && --found->second == 0) names.erase(found);
}

Value* PassContext::AddConstant(Graph& graph, Tensor tensor, std::string_view name,
                                OriginPtr origin) {
  Value* constant = graph.AddConstant(UniqueName(name), std::move(tensor));
  constant->set_origin(std::move(origin));
  return constant;
}

Result<Node*> PassContext::InsertNode(Node& position, std::string_view label,
                                      std::span<Value* const> operands,
                                      std::vector<NamedAttribute> attributes,
                                      std::size_t num_results) {
  const OpDef* def = FindOp(label);
  if (def == nullptr) return Internal("the common dialect has no operator " + std::string(label));
  Node* node = position.graph()->Insert(&position, def->name, operands, position.name());
  while (node->num_operands() > 0 && node->operands().back().value() == nullptr) {
    node->RemoveTrailingOperand();
  }
  for (NamedAttribute& attribute : attributes) node->AddAttribute(std::move(attribute));
  node->set_origin(position.origin());
  const std::string base =
      position.result() != nullptr ? position.result()->name() : def->name->type;
  for (std::size_t i = 0; i < num_results; ++i) node->AddResult(UniqueName(base));
  DRAGOMAN_TRY(inference.InferNode(*node));
  return node;
}

Result<Value*> PassContext::Insert(Node& position, std::string_view label,
                                   std::span<Value* const> operands,
                                   std::vector<NamedAttribute> attributes) {
  DRAGOMAN_ASSIGN(Node * node, InsertNode(position, label, operands, std::move(attributes), 1));
  return node->result();
}

bool PassContext::CanReplace(const Value& old, const Value& by) {
  if (&old == &by) return false;
  if (!IsOutput(old)) return true;
  const Graph* graph = old.graph();
  if (by.graph() != graph) return false;
  if (graph->parent() != nullptr) return true;
  return by.kind() == Value::Kind::kResult && !IsOutput(by);
}

void PassContext::Replace(Node& node, std::span<Value* const> by) {
  std::vector<const Value*> operands;
  for (const Use& operand : node.operands()) operands.push_back(operand.value());
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    Value* old = node.result(i);
    if (old == nullptr || i >= by.size() || by[i] == nullptr) continue;
    const bool names_output = IsOutput(*old) && old->graph()->parent() == nullptr;
    by[i]->set_type(Refine(by[i]->type(), old->type()));
    AddOrigin(*by[i], node.origin());
    old->ReplaceAllUsesWith(by[i]);
    if (!names_output) continue;
    std::string freed = by[i]->name();
    by[i]->set_name(old->name());
    old->set_name(std::move(freed));
  }
  Erase(node);
  const OriginPtr origin = Origin::Merge(UnusedSources(operands).origins());
  for (Value* value : by) {
    if (value != nullptr && origin != nullptr) AddOrigin(*value, origin);
  }
}

Status PassContext::InsertCopies(Node& node, std::span<Value*> by) {
  std::unordered_set<const Value*> given;  // looked up, never iterated
  for (std::size_t i = 0; i < node.num_results() && i < by.size(); ++i) {
    if (by[i] == nullptr) continue;
    const bool first = given.insert(by[i]).second;
    const Value* old = node.result(i);
    if (old == nullptr || (first && CanReplace(*old, *by[i]))) continue;
    DRAGOMAN_ASSIGN(by[i], Insert(node, "Identity", {{by[i]}}));
  }
  return {};
}

bool PassContext::ReplaceIfAllowed(Node& node, Value* by) {
  if (node.result() == nullptr || by == nullptr || !CanReplace(*node.result(), *by)) {
    Explain(node, "stays, since it gives an output its name");
    return false;
  }
  Explain(node, "replaced by %" + by->name());
  Replace(node, std::span<Value* const>(&by, 1));
  return true;
}

void PassContext::Erase(Node& node) {
  inference.Forget(node);
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) != nullptr) ForgetName(node.result(i)->name());
  }
  node.graph()->Erase(&node);
}

void AddOrigin(Value& value, const OriginPtr& origin) {
  if (value.producer() != nullptr) {
    value.producer()->set_origin(Origin::Merge(value.producer()->origin(), origin));
  } else if (value.is_constant()) {
    value.set_origin(Origin::Merge(value.origin(), origin));
  }
}

Result<bool> ApplyPatterns(Graph& graph, PassContext& context, std::span<const Pattern> patterns) {
  bool changed = false;
  for (Node& node : graph.nodes()) {
    for (const Pattern& pattern : patterns) {
      if (context.left_out.contains(pattern.name)) continue;
      context.rule = pattern.name;
      DRAGOMAN_ASSIGN(const bool applied, pattern.apply != nullptr
                                              ? pattern.apply(node, context)
                                              : ApplyRules(pattern.rules, node, context));
      if (!applied) continue;
      changed = true;
      break;
    }
  }
  return changed;
}

const Tensor* ConstantOf(const Value* value) {
  return value != nullptr && value->is_constant() ? value->tensor() : nullptr;
}

std::optional<std::vector<std::int64_t>> IntsOf(const PassContext& context, const Value* value) {
  return value == nullptr ? std::nullopt : context.inference.KnownInts(value);
}

std::optional<std::int64_t> IntOf(const PassContext& context, const Value* value) {
  const std::optional<std::vector<std::int64_t>> ints = IntsOf(context, value);
  return ints && ints->size() == 1 ? std::optional(ints->front()) : std::nullopt;
}

bool SameShape(const Value& a, const Value& b) {
  const Shape* left = a.type().shape();
  const Shape* right = b.type().shape();
  if (left == nullptr || right == nullptr || left->size() != right->size()) return false;
  return std::equal(left->begin(), left->end(), right->begin(),
                    [](const Dim& x, const Dim& y) { return Equal(x, y) == Truth::kYes; });
}

}  // namespace dragoman
