#include "importers/tensorflow/graph/variables.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "importers/tensorflow/graph/calls.h"
#include "importers/tensorflow/graph/graph_names.h"
#include "proto/tensorflow/extra.h"
#include "proto/tensorflow/tensorflow.pb.h"

namespace dragoman::tf_reader {
namespace {

constexpr std::string_view kObjectGraph = "_CHECKPOINTABLE_OBJECT_GRAPH";

bool PassesOn(const Node& node) {
  const std::string& op = node.op().type;
  return op == "Identity" || op == "Cast";
}

bool IsAssignment(const Node& node) {
  return node.op().type == "Assign" || node.op().type == "AssignVariableOp";
}

const Tensor* ConstantOf(const Value* value) {
  const Node* node = value == nullptr ? nullptr : value->producer();
  const Attribute* contents =
      node == nullptr || node->op().type != "Const" ? nullptr : node->attribute("value");
  return contents == nullptr ? nullptr : contents->tensor();
}

std::optional<std::string> StringAt(const Value* value, std::size_t index) {
  const Tensor* tensor = ConstantOf(value);
  if (tensor == nullptr || tensor->dtype() != DType::kString || index >= tensor->strings().size()) {
    return std::nullopt;
  }
  return tensor->strings()[index];
}

// `value` before nodes that pass it on.
const Value* Source(const Value* value) {
  std::set<const Value*> seen;
  while (value != nullptr && value->producer() != nullptr && seen.insert(value).second) {
    if (!PassesOn(*value->producer())) return value;
    value = value->producer()->operand(0);
  }
  return nullptr;
}

// The tensor of the checkpoint that `value` is; nullopt: it is something else, or a part of one.
std::optional<std::string> RestoredKey(const Value* value) {
  value = Source(value);
  const Node* node = value == nullptr ? nullptr : value->producer();
  if (node == nullptr) return std::nullopt;
  if (node->op().type != "RestoreV2" && node->op().type != "RestoreSlice") return std::nullopt;
  const std::optional<std::string> part = StringAt(node->operand(2), value->index());
  if (part && !part->empty()) return std::nullopt;
  return StringAt(node->operand(1), value->index());
}

// The names of variables that the table of objects in the checkpoint has.
std::map<std::string, std::string> NamedKeys(const std::vector<CheckpointEntry>& entries) {
  std::map<std::string, std::string> keys;
  for (const CheckpointEntry& entry : entries) {
    const Tensor* table = entry.value.tensor();
    if (entry.key != kObjectGraph || table == nullptr) continue;
    if (table->dtype() != DType::kString || table->strings().size() != 1) continue;
    tf_pb::TrackableObjectGraph graph;
    if (!graph.ParseFromString(table->strings().front())) continue;
    for (const auto& object : graph.nodes()) {
      for (const auto& attribute : object.attributes()) {
        if (!attribute.full_name().empty()) {
          keys.emplace(attribute.full_name(), attribute.checkpoint_key());
        }
      }
    }
  }
  return keys;
}

std::vector<const Node*> Variables(const Model& model) {
  std::vector<const Node*> variables;
  for (const Function& function : model.functions) {
    for (const Node& node : function.graph->nodes()) {
      if (tf::IsVariable(node)) variables.push_back(&node);
    }
  }
  return variables;
}

}  // namespace

std::map<std::string, std::string> RestoredKeys(const Model& model) {
  const tf::Calls calls(model);
  std::map<std::string, std::string> keys;
  for (const Function& function : model.functions) {
    for (const Node& node : function.graph->nodes()) {
      if (!IsAssignment(node)) continue;
      const std::optional<std::string> key = RestoredKey(node.operand(1));
      const Node* variable = key ? calls.VariableOf(node.operand(0)) : nullptr;
      if (variable != nullptr) keys.insert_or_assign(tf::VariableName(*variable), *key);
    }
  }
  return keys;
}

void AddStates(std::vector<CheckpointEntry> entries, Model* model) {
  const std::map<std::string, std::string> restored = RestoredKeys(*model);
  const std::map<std::string, std::string> named = NamedKeys(entries);
  std::map<std::string_view, const CheckpointEntry*> by_key;
  for (const CheckpointEntry& entry : entries) by_key.emplace(entry.key, &entry);
  std::set<std::string> names;
  std::set<std::string_view> taken;
  Attribute::Dict keys;
  for (const Node* variable : Variables(*model)) {
    const std::string name = tf::VariableName(*variable);
    if (names.contains(name)) continue;
    const auto by_restore = restored.find(name);
    const auto by_name = named.find(name);
    const std::string key = by_restore != restored.end() ? by_restore->second
                            : by_name != named.end()     ? by_name->second
                                                         : name;
    const auto entry = by_key.find(key);
    if (entry == by_key.end()) continue;
    names.insert(name);
    taken.insert(entry->first);
    model->states.push_back({name, entry->second->type, entry->second->value});
    if (name != key) keys.emplace_back(name, key);
  }
  for (CheckpointEntry& entry : entries) {
    if (taken.contains(entry.key)) continue;
    // A variable that no entry belongs to is not initialised by one that happens to be called so.
    std::string name = entry.key;
    while (!names.insert(name).second) name += "_";
    if (name != entry.key) keys.emplace_back(name, entry.key);
    model->states.push_back({name, std::move(entry.type), std::move(entry.value)});
  }
  if (!keys.empty()) model->extra.emplace_back(std::string(tf_extra::kCheckpoint), std::move(keys));
}

void AddInitialStates(Model* model) {
  const tf::Calls calls(*model);
  const std::unordered_set<const Node*> reached = calls.ReachedFromEntries();
  std::map<std::string, std::vector<const Tensor*>> assigned;  // nullptr: no constant
  for (const Function& function : model->functions) {
    for (const Node& node : function.graph->nodes()) {
      if (!IsAssignment(node) || reached.contains(&node)) continue;
      const Node* variable = calls.VariableOf(node.operand(0));
      if (variable == nullptr) continue;
      assigned[tf::VariableName(*variable)].push_back(ConstantOf(Source(node.operand(1))));
    }
  }
  for (const auto& [name, values] : assigned) {
    if (values.size() == 1 && values.front() != nullptr) {
      model->states.push_back({name, values.front()->type(), *values.front()});
    }
  }
}

}  // namespace dragoman::tf_reader
