// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/graph/variables.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "core/ir/find_as.h"
#include "core/support/bytes.h"
#include "core/support/text.h"
#include "importers/tensorflow/graph/attr_value.h"
#include "importers/tensorflow/graph/calls.h"
#include "importers/tensorflow/graph/graph_names.h"
#include "proto/message_dict.h"
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

// The tensor of the checkpoint that `value` is, or is a part of; nullopt: it is something else.
std::optional<RestoredPart> Restored(const Value* value) {
  value = Source(value);
  const Node* node = value == nullptr ? nullptr : value->producer();
  if (node == nullptr) return std::nullopt;
  const std::string& type = node->op().type;
  if (type != "RestoreV2" && type != "RestoreSlice" && type != "Restore") return std::nullopt;
  const std::optional<std::string> key = StringAt(node->operand(1), value->index());
  if (!key) return std::nullopt;
  return RestoredPart{*key, StringAt(node->operand(2), value->index()).value_or("")};
}

// What nodes beside the entries assign to each variable, by the variable's name: whole tensors of a
// checkpoint, or parts.
std::map<std::string, RestoredPart> AllRestored(const Model& model) {
  const tf::Calls calls(model);
  std::map<std::string, RestoredPart> found;
  for (const Function& function : model.functions) {
    for (const Node& node : function.graph->nodes()) {
      if (!IsAssignment(node)) continue;
      std::optional<RestoredPart> part = Restored(node.operand(1));
      const Node* variable = part ? calls.VariableOf(node.operand(0)) : nullptr;
      if (variable != nullptr)
        found.insert_or_assign(tf::VariableName(*variable), *std::move(part));
    }
  }
  return found;
}

// Start and length of an axis of `size`: "0,5", or "-" for all of it.
std::optional<std::pair<std::int64_t, std::int64_t>> ParseRange(std::string_view text,
                                                                std::int64_t size) {
  if (text == "-") return std::pair(std::int64_t{0}, size);
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const auto start = ParseInt64(text.substr(0, comma));
  const auto length = ParseInt64(text.substr(comma + 1));
  if (!start || !length || *start < 0 || *length < 0 || *start > size || *length > size - *start)
    return std::nullopt;
  return std::pair(*start, *length);
}

std::vector<std::string_view> SplitAt(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// The table of objects in the checkpoint.
std::optional<tf_pb::TrackableObjectGraph> ObjectsOf(const std::vector<CheckpointEntry>& entries) {
  for (const CheckpointEntry& entry : entries) {
    const Tensor* table = entry.value.tensor();
    if (entry.key != kObjectGraph || table == nullptr) continue;
    if (table->dtype() != DType::kString || table->strings().size() != 1) continue;
    tf_pb::TrackableObjectGraph graph;
    if (graph.ParseFromString(table->strings().front())) return graph;
  }
  return std::nullopt;
}

// The keys of variables by the names that the table of objects has; of names that several objects
// have, none.
std::map<std::string, std::string> NamedKeys(const tf_pb::TrackableObjectGraph& objects) {
  std::map<std::string, std::string> keys;
  std::set<std::string> shared;
  for (const auto& object : objects.nodes()) {
    for (const auto& attribute : object.attributes()) {
      const std::string& name = attribute.full_name();
      if (name.empty()) continue;
      const auto [known, added] = keys.emplace(name, attribute.checkpoint_key());
      if (!added && known->second != attribute.checkpoint_key()) shared.insert(name);
    }
  }
  for (const std::string& name : shared) keys.erase(name);
  return keys;
}

// The keys of variables by what a SavedModel says of its functions: the last arguments of a call
// are the objects that the function captures, by their numbers in the table.
std::map<std::string, std::string> CapturedKeys(const Model& model,
                                                const tf_pb::TrackableObjectGraph& objects) {
  std::map<std::string, std::string> keys;
  const auto* fields = FindAs<Attribute::Dict>(model.extra, tf_extra::kMetaGraph);
  const auto* saved = FindAs<Attribute::Dict>(fields, "object_graph_def");
  tf_pb::SavedObjectGraph graph;
  if (saved == nullptr || !DictToMessage(*saved, &graph).ok()) return keys;
  const tf::Calls calls(model);
  for (const Node& node : tf::MainGraph(model)->graph->nodes()) {
    const Attribute* called = node.attribute("f");
    const std::optional<tf::FuncRef> callee = called ? tf::AsFunc(*called) : std::nullopt;
    const auto function = graph.concrete_functions().find(callee ? callee->name : "");
    if (function == graph.concrete_functions().end()) continue;
    const auto& captured = function->second.bound_inputs();
    const std::size_t count = tf::NumDataOperands(node);
    if (static_cast<std::size_t>(captured.size()) > count) continue;
    for (int i = 0; i < captured.size(); ++i) {
      const int number = captured[i];
      if (number < 0 || number >= objects.nodes_size()) continue;
      const auto& attributes = objects.nodes(number).attributes();
      const std::size_t place = count - static_cast<std::size_t>(captured.size() - i);
      const Node* variable = calls.VariableOf(node.operand(place));
      if (variable != nullptr && attributes.size() == 1)
        keys.emplace(tf::VariableName(*variable), attributes[0].checkpoint_key());
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
  std::map<std::string, std::string> keys;
  for (const auto& [name, part] : AllRestored(model)) {
    if (part.slice.empty()) keys.emplace(name, part.key);
  }
  return keys;
}

std::map<std::string, RestoredPart> RestoredParts(const Model& model) {
  std::map<std::string, RestoredPart> parts = AllRestored(model);
  std::erase_if(parts, [](const auto& entry) { return entry.second.slice.empty(); });
  return parts;
}

std::optional<Tensor> PartOf(const Tensor& whole, std::string_view slice) {
  const std::vector<std::string_view> words = SplitAt(slice, ' ');
  const std::vector<std::string_view> ranges = SplitAt(words.back(), ':');
  const auto rank = static_cast<std::size_t>(whole.rank());
  if (words.size() != rank + 1 || ranges.size() != rank || whole.dtype() == DType::kString)
    return std::nullopt;
  std::vector<std::int64_t> sizes(whole.sizes().begin(), whole.sizes().end());
  std::size_t cut = rank;
  std::int64_t start = 0;
  std::vector<std::int64_t> part = sizes;
  for (std::size_t i = 0; i < rank; ++i) {
    const auto range = ParseRange(ranges[i], sizes[i]);
    if (ParseInt64(words[i]) != sizes[i] || !range) return std::nullopt;
    if (range->second == sizes[i]) continue;
    if (cut != rank) return std::nullopt;
    cut = i;
    start = range->first;
    part[i] = range->second;
  }
  if (cut == rank || whole.size() == 0) return whole;
  // Rows of the axis, one after the other for each element of those before it.
  std::int64_t outer = 1;
  for (std::size_t i = 0; i < cut; ++i) outer *= sizes[i];
  const std::span<const std::byte> bytes = whole.bytes();
  const std::size_t row = bytes.size() / static_cast<std::size_t>(outer * sizes[cut]);
  std::string chosen;
  for (std::int64_t i = 0; i < outer; ++i) {
    const auto first = static_cast<std::size_t>(i * sizes[cut] + start) * row;
    chosen += AsText(bytes.subspan(first, static_cast<std::size_t>(part[cut]) * row));
  }
  Result<Tensor> made = Tensor::Make(whole.dtype(), part, Buffer::Own(std::move(chosen)));
  return made.ok() ? std::optional(*std::move(made)) : std::nullopt;
}

void AddStates(std::vector<CheckpointEntry> entries, Model* model) {
  const std::map<std::string, std::string> restored = RestoredKeys(*model);
  const auto objects = ObjectsOf(entries).value_or(tf_pb::TrackableObjectGraph());
  const std::map<std::string, std::string> captured = CapturedKeys(*model, objects);
  const std::map<std::string, std::string> named = NamedKeys(objects);
  std::map<std::string_view, const CheckpointEntry*> by_key;
  for (const CheckpointEntry& entry : entries) by_key.emplace(entry.key, &entry);
  std::set<std::string> names;
  std::set<std::string_view> taken;
  Attribute::Dict keys;
  for (const Node* variable : Variables(*model)) {
    const std::string name = tf::VariableName(*variable);
    if (names.contains(name)) continue;
    std::string key = name;
    for (const auto* keys : {&restored, &captured, &named}) {
      const auto known = keys->find(name);
      if (known == keys->end()) continue;
      key = known->second;
      break;
    }
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
