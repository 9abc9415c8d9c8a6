// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/graph/calls.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "importers/tensorflow/graph/attr_value.h"
#include "importers/tensorflow/graph/graph_names.h"

namespace dragoman::tf {
namespace {

bool ChoosesByFirst(const Node& node) {
  const std::string& op = node.op().type;
  return op == "If" || op == "StatelessIf" || op == "Case" || op == "StatelessCase";
}

bool IsPassedOn(const Node& node) {
  constexpr std::array<std::string_view, 3> kOps = {"Identity", "Enter", "Switch"};
  return std::find(kOps.begin(), kOps.end(), PlainType(node)) != kOps.end();
}

// Operators that write to the variable that their first operand is.
bool Writes(std::string_view op) {
  return op.starts_with("Assign") || op.starts_with("ResourceScatter") ||
         op.starts_with("ResourceApply") || op.starts_with("Apply") || op == "ScatterUpdate" ||
         op == "ScatterAdd" || op == "ScatterSub" || op == "ScatterNdUpdate" ||
         op == "ResourceStridedSliceAssign" || op == "StridedSliceAssign";
}

Type DeclaredType(const Node& variable) {
  const Attribute* dtype = variable.attribute("dtype");
  const Attribute* shape = variable.attribute("shape");
  Type type = dtype == nullptr || dtype->As<Type>() == nullptr ? Type() : *dtype->As<Type>();
  const Type* sizes = shape == nullptr ? nullptr : shape->As<Type>();
  if (!type.is_tensor() || sizes == nullptr || sizes->shape() == nullptr) return type;
  return type.WithShape(*sizes->shape());
}

}  // namespace

Calls::Calls(const Model& model) : model_(model) {
  for (const Function& function : model.functions) functions_.emplace(function.op, &function);
  for (const Function& function : model.functions) {
    for (const Node& node : function.graph->nodes()) {
      for (const Function* called : CalledBy(node)) {
        sites_[called->graph.get()].push_back({&node, ChoosesByFirst(node) ? std::size_t{1} : 0});
      }
    }
  }
}

bool IsPartitionedCall(std::string_view type) {
  return type == "PartitionedCall" || type == "StatefulPartitionedCall" || type == "BatchFunction";
}

std::vector<const Function*> Calls::CalledBy(const Node& node) const {
  std::vector<const Function*> called;
  const auto add = [&](const OpName* op) {
    const auto found = functions_.find(op);
    if (found != functions_.end()) called.push_back(found->second);
  };
  add(&node.op());
  for (const NamedAttribute& attribute : node.attributes()) {
    if (const std::optional<FuncRef> function = AsFunc(attribute.value)) {
      add(InternOp(kDialect, function->name));
    } else if (const auto functions = AsFuncs(attribute.value)) {
      for (const FuncRef& branch : *functions) add(InternOp(kDialect, branch.name));
    }
  }
  return called;
}

std::vector<const Value*> Calls::OriginsOf(const Value* value) const {
  std::vector<const Value*> origins;
  std::vector<const Value*> pending = {value};
  std::unordered_set<const Value*> seen;
  while (!pending.empty()) {
    const Value* at = pending.back();
    pending.pop_back();
    if (at != nullptr && !seen.insert(at).second) continue;
    if (at != nullptr && at->kind() == Value::Kind::kInput) {
      const auto sites = sites_.find(at->graph());
      if (sites == sites_.end()) {
        origins.push_back(at);
        continue;
      }
      for (const Site& site : sites->second) {
        const std::size_t operand = at->index() + site.first;
        pending.push_back(operand < site.node->num_operands() ? site.node->operand(operand)
                                                              : nullptr);
      }
      continue;
    }
    const Node* node = at == nullptr ? nullptr : at->producer();
    if (node != nullptr && IsPassedOn(*node) && node->num_operands() > 0) {
      pending.push_back(node->operand(0));
    } else {
      origins.push_back(at);
    }
  }
  return origins;
}

const Node* Calls::ResourceOf(const Value* value, bool (*is_resource)(const Node&)) const {
  const Node* found = nullptr;
  for (const Value* origin : OriginsOf(value)) {
    const Node* node = origin == nullptr ? nullptr : origin->producer();
    if (node == nullptr || !is_resource(*node)) return nullptr;
    if (found != nullptr && VariableName(*found) != VariableName(*node)) return nullptr;
    found = node;
  }
  return found;
}

const Node* Calls::VariableOf(const Value* value) const { return ResourceOf(value, IsVariable); }

const Node* Calls::TableOf(const Value* value) const { return ResourceOf(value, IsTable); }

const Value* Calls::OriginOf(const Value* value) const {
  const std::vector<const Value*> origins = OriginsOf(value);
  return origins.size() == 1 ? origins.front() : nullptr;
}

std::unordered_set<const Node*> Calls::ReachedFromEntries() const {
  std::unordered_set<const Node*> reached;
  std::vector<const Node*> pending;
  const Function* main = MainGraph(model_);
  if (main == nullptr) return reached;
  std::set<std::string> fetched;
  for (const Entry& entry : model_.entries) {
    for (const Node& call : entry.graph->nodes()) {
      const Attribute* fetches = call.attribute("fetches");
      const auto names = fetches == nullptr ? std::nullopt : AsStrings(*fetches);
      for (const std::string& name : names.value_or(Attribute::Strings()))
        fetched.insert(ParseTensorName(name).node);
    }
  }
  for (const Node& node : main->graph->nodes()) {
    if (fetched.contains(node.name())) pending.push_back(&node);
  }
  std::unordered_set<const Function*> called;
  const auto add = [&](const Value* value) {
    if (value != nullptr && value->producer() != nullptr) pending.push_back(value->producer());
  };
  while (!pending.empty()) {
    const Node* node = pending.back();
    pending.pop_back();
    if (!reached.insert(node).second) continue;
    for (const Use& operand : node->operands()) add(operand.value());
    for (const Function* function : CalledBy(*node)) {
      if (!called.insert(function).second) continue;
      for (const Use& output : function->graph->outputs()) add(output.value());
    }
  }
  return reached;
}

std::vector<VariableUse> VariableUses(const Model& model) {
  const Calls calls(model);
  const std::unordered_set<const Node*> reached = calls.ReachedFromEntries();
  std::map<std::string, std::set<std::string>> changes;
  for (const Node* node : reached) {
    if (!Writes(node->op().type)) continue;
    if (const Node* variable = calls.VariableOf(node->operand(0))) {
      changes[VariableName(*variable)].insert(node->op().type);
    }
  }
  std::map<std::string_view, const State*> states;
  for (const State& state : model.states) states.emplace(state.name, &state);
  std::vector<VariableUse> uses;
  std::set<std::string> names;
  for (const Function& function : model.functions) {
    for (const Node& node : function.graph->nodes()) {
      if (!IsVariable(node) || !reached.contains(&node)) continue;
      VariableUse use{VariableName(node), DeclaredType(node), false, {}};
      if (!names.insert(use.name).second) continue;
      const auto state = states.find(use.name);
      use.initialised = state != states.end();
      if (use.initialised) use.type = state->second->type;
      use.changed_by.assign(changes[use.name].begin(), changes[use.name].end());
      uses.push_back(std::move(use));
    }
  }
  return uses;
}

}  // namespace dragoman::tf
