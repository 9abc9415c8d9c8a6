// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/restore_groups.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/ir/node_group.h"
#include "importers/onnx/node_metadata.h"
#include "proto/onnx/extra.h"

namespace dragoman {
namespace {

using Records = std::map<std::string, std::string>;
using Places = std::vector<std::size_t>;

// Calls f(key, value) for the metadata of `node` that are about groups.
void ForEachEntry(const Node& node, const std::function<void(std::string, std::string)>& f) {
  for (auto& [key, value] : NodeMetadata(node)) {
    if (key.starts_with(onnx_extra::kGroupKey)) f(std::move(key), std::move(value));
  }
}

// "2/5" without its last number; "" if it has one only.
std::string OuterPath(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::size_t DepthOf(const std::string& path) {
  return static_cast<std::size_t>(std::ranges::count(path, '/'));
}

// "0 2 1", each number below `size` and once; nullopt: it is something else.
std::optional<Places> ReadPlaces(const Records& records, const std::string& key, std::size_t size) {
  const auto record = records.find(key);
  if (record == records.end()) return std::nullopt;
  const std::string& text = record->second;
  Places places;
  std::set<std::size_t> seen;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    std::size_t place = 0;
    const auto [rest, error] = std::from_chars(at, end, place);
    const bool fits = error == std::errc() && place < size && seen.insert(place).second;
    if (!fits || (rest != end && *rest != ' ')) return std::nullopt;
    places.push_back(place);
    at = rest == end ? end : rest + 1;
  }
  return places;
}

std::vector<Value*> At(const Places& places, const std::vector<Value*>& values) {
  std::vector<Value*> chosen;
  for (const std::size_t place : places) chosen.push_back(values[place]);
  return chosen;
}

bool Holds(const std::vector<Value*>& values, const Value* value) {
  return std::ranges::find(values, value) != values.end();
}

// Whether every node of `graph` reads what is computed before it.
bool IsInOrder(const Graph& graph) {
  std::unordered_set<const Value*> computed;
  for (Node& node : graph.nodes()) {
    Node* const one[] = {&node};
    for (const Value* value : ReadValues(one)) {
      const bool here = value->producer() != nullptr && value->graph() == &graph;
      if (here && !computed.contains(value)) return false;
    }
    for (const Value* result : ResultsOf(one)) computed.insert(result);
  }
  return true;
}

// One group of a graph, its nodes next to each other and in order.
class Group {
 public:
  Group(std::vector<Node*> nodes, const Records& records, const std::string& number)
      : nodes_(std::move(nodes)), set_(nodes_.begin(), nodes_.end()), read_(ReadValues(nodes_)) {
    const std::vector<Value*> given = ResultsOf(nodes_);
    ChooseOperands(
        ReadPlaces(records, std::string(onnx_extra::kGroupOperandsKey) + number, read_.size()));
    ChooseResults(given, ReadPlaces(records, std::string(onnx_extra::kGroupResultsKey) + number,
                                    given.size()));
  }

  // The call, in the place of the nodes.
  Node* Outline(Function& function, std::unordered_set<const Value*>& moved) {
    Graph& body = *function.graph;
    ValueMap map;
    for (Value* operand : operands_) map[operand] = body.AddInput(operand->name(), operand->type());
    for (Value* value : read_) {
      if (map.contains(value)) continue;
      map[value] = body.AddConstant(value->name(), *value->tensor());
      moved.insert(value);
    }
    for (const Node* node : nodes_) CloneNode(*node, body, nullptr, map);
    for (Value* result : results_) body.AddOutput(map.at(result));
    Graph& graph = *nodes_.front()->graph();
    Node* call = graph.Insert(nodes_.front(), function.op, operands_, nodes_.back()->name());
    for (Value* result : results_)
      result->ReplaceAllUsesWith(call->AddResult(result->name(), result->type()));
    for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) graph.Erase(*node);
    return call;
  }

 private:
  static bool CanBeInBody(const Value& value) {
    return value.is_constant() && value.tensor() != nullptr;
  }

  void ChooseOperands(const std::optional<Places>& places) {
    if (places) operands_ = At(*places, read_);
    const bool complete = places && std::ranges::all_of(read_, [&](const Value* value) {
                            return CanBeInBody(*value) || Holds(operands_, value);
                          });
    if (complete) return;
    operands_.clear();
    for (Value* value : read_) {
      const bool small = CanBeInBody(*value) &&
                         (value->tensor()->size() == 1 || IsInteger(value->tensor()->dtype()));
      if (!small) operands_.push_back(value);
    }
  }

  void ChooseResults(const std::vector<Value*>& given, const std::optional<Places>& places) {
    std::vector<Value*> needed;
    for (Value* value : given) {
      if (IsReadOutside(*value)) needed.push_back(value);
    }
    if (places) results_ = At(*places, given);
    const bool complete = places && std::ranges::all_of(needed, [&](const Value* value) {
                            return Holds(results_, value);
                          });
    if (!complete) results_ = std::move(needed);
  }

  bool IsReadOutside(const Value& value) const {
    for (const Use* use = value.first_use(); use != nullptr; use = use->next()) {
      const Graph* graph = use->graph();
      const Node* node = use->user();
      for (; graph != value.graph() && graph != nullptr; graph = graph->parent_graph())
        node = graph->parent();
      if (node == nullptr || !set_.contains(node)) return true;
    }
    return false;
  }

  std::vector<Node*> nodes_;
  std::unordered_set<const Node*> set_;
  std::vector<Value*> read_;  // what they do not compute
  std::vector<Value*> operands_;
  std::vector<Value*> results_;
};

class Restorer {
 public:
  explicit Restorer(Model& model) : model_(model) {
    for (const Function& function : model.functions) taken_.insert(function.op);
  }

  void Run(Graph& graph) {
    Records records;
    // Inner groups first.
    std::map<std::pair<std::size_t, std::string>, std::vector<Node*>, std::greater<>> groups;
    for (Node& node : graph.nodes()) {
      ForEachEntry(node, [&](std::string key, std::string value) {
        if (key != onnx_extra::kGroupKey) {
          records.emplace(std::move(key), std::move(value));
        } else if (DepthOf(value) < kMaxGraphNesting) {
          groups[{DepthOf(value), value}].push_back(&node);
        }
      });
    }
    if (groups.empty() || !IsInOrder(graph)) return;
    while (!groups.empty()) {
      const auto first = groups.extract(groups.begin());
      const std::string& path = first.key().second;
      Node* call = Restore(first.mapped(), records, path);
      const std::string outer = OuterPath(path);
      if (call != nullptr && !outer.empty()) groups[{DepthOf(outer), outer}].push_back(call);
    }
  }

  // Constants that groups alone have read.
  void EraseMoved() {
    ForEachGraph(model_, [&](Graph& graph) {
      graph.EraseConstantsIf(
          [&](const Value& value) { return !value.used() && moved_.contains(&value); });
    });
  }

 private:
  // nullptr: the nodes do not follow each other.
  Node* Restore(std::vector<Node*> nodes, const Records& records, const std::string& path) {
    // Calls of inner groups are the last of the list: the first of all is that after no other.
    const std::unordered_set<const Node*> set(nodes.begin(), nodes.end());
    Node* first = nullptr;
    for (Node* node : nodes) {
      if (node->prev() != nullptr && set.contains(node->prev())) continue;
      if (first != nullptr) return nullptr;
      first = node;
    }
    if (first == nullptr || set.size() != nodes.size()) return nullptr;
    for (Node*& node : nodes) {
      node = first;
      first = first->next();
    }
    Function function;
    do {
      function.op = InternOp("onnx", "Fused_" + std::to_string(++count_), "dragoman");
    } while (!taken_.insert(function.op).second);
    function.graph = std::make_unique<Graph>();
    function.opsets = model_.opsets;
    Group group(std::move(nodes), records, path.substr(path.rfind('/') + 1));
    Node* call = group.Outline(function, moved_);
    model_.functions.push_back(std::move(function));
    return call;
  }

  Model& model_;
  std::unordered_set<const Value*> moved_;  // constants
  std::unordered_set<const OpName*> taken_;
  std::size_t count_ = 0;
};

}  // namespace

bool RecordsGroups(const Model& source) {
  bool records = false;
  ForEachGraph(source, [&](const Graph& graph) {
    for (const Node& node : graph.nodes())
      ForEachEntry(node, [&](const std::string&, const std::string&) { records = true; });
  });
  return records;
}

void RestoreGroups(Model& source) {
  Restorer restorer(source);
  // Functions are added, so that those that there are come to an end.
  std::vector<Graph*> graphs;
  ForEachGraph(source, [&](Graph& graph) { graphs.push_back(&graph); });
  for (auto graph = graphs.rbegin(); graph != graphs.rend(); ++graph) restorer.Run(**graph);
  restorer.EraseMoved();
}

}  // namespace dragoman
