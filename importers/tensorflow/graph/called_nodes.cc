// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/graph/called_nodes.h"

#include <deque>
#include <utility>
#include <vector>

#include "importers/tensorflow/graph/graph_names.h"

namespace dragoman::tf {
namespace {

// Whether one of `tensors` lies within what the call of this name calls.
bool IsOpened(const std::set<std::string>& tensors, const std::string& call) {
  const auto first = tensors.lower_bound(call + "/");
  return first != tensors.end() && first->starts_with(call + "/");
}

class Finder {
 public:
  Finder(const Calls& calls, std::span<const std::string> fed, std::span<const std::string> wanted)
      : calls_(calls), fed_(fed.begin(), fed.end()), opening_(fed_) {
    opening_.insert(wanted.begin(), wanted.end());
  }

  // Result `index` of the last node of `path`; the others call what has it.
  void Add(const std::vector<const Node*>& path, std::size_t index) {
    const Call* call = nullptr;
    for (const Node* node : path) {
      if (node == path.back()) break;
      call = Open(*node, *FunctionOfCall(calls_, *node), call);
    }
    if (!path.empty() && index < path.back()->num_results())
      pending_.push_back({path.back()->result(index), call});
  }
  std::set<std::string> Find() {
    while (!pending_.empty()) {
      const Place place = pending_.back();
      pending_.pop_back();
      if (place.value != nullptr && seen_.insert({place.value, place.call}).second) Visit(place);
    }
    return needed_;
  }

 private:
  // A call that is looked into.
  struct Call {
    const Node* node = nullptr;
    const Call* outer = nullptr;
    const Graph* body = nullptr;
    std::string path;
  };
  struct Place {
    const Value* value = nullptr;
    const Call* call = nullptr;  // whose function has it; nullptr: the main graph
  };

  static std::string PathOf(const Node& node, const Call* call) {
    return call == nullptr ? node.name() : call->path + "/" + node.name();
  }

  const Call* Open(const Node& node, const Function& function, const Call* outer) {
    opened_.push_back({&node, outer, function.graph.get(), PathOf(node, outer)});
    AddOperands(node, NumDataOperands(node), outer);
    return &opened_.back();
  }

  void Visit(const Place& place) {
    const Node* node = place.value->producer();
    const Call* call = place.call;
    if (node == nullptr) {
      if (call != nullptr && place.value->index() < call->node->num_operands())
        pending_.push_back({call->node->operand(place.value->index()), call->outer});
      return;
    }
    const std::string path = PathOf(*node, call);
    const std::string tensor = FullTensorName(path, place.value->index());
    needed_.insert(tensor);
    if (fed_.contains(tensor)) return;
    const Function* function = nullptr;
    if (IsOpened(opening_, path)) function = FunctionOfCall(calls_, *node);
    if (function == nullptr) return AddOperands(*node, 0, call);
    AddResult(*Open(*node, *function, call), place.value->index());
  }

  void AddOperands(const Node& node, std::size_t first, const Call* call) {
    for (std::size_t i = first; i < node.num_operands(); ++i)
      pending_.push_back({node.operand(i), call});
  }

  // Result `index`, and what runs for its effects.
  void AddResult(const Call& call, std::size_t index) {
    const std::size_t results = NumDataOutputs(*call.body);
    for (std::size_t i = 0; i < call.body->num_outputs(); ++i) {
      if (i == index || i >= results) pending_.push_back({call.body->output(i), &call});
    }
  }

  const Calls& calls_;
  std::set<std::string> fed_;
  std::set<std::string> opening_;  // what is fed or wanted
  std::set<std::string> needed_;
  std::deque<Call> opened_;
  std::vector<Place> pending_;
  std::set<std::pair<const Value*, const Call*>> seen_;
};

}  // namespace

const Function* FunctionOfCall(const Calls& calls, const Node& node) {
  const std::vector<const Function*> called = calls.CalledBy(node);
  if (called.size() != 1) return nullptr;
  const bool is_call = called.front()->op == &node.op() || IsPartitionedCall(node.op().type);
  return is_call ? called.front() : nullptr;
}

std::vector<const Node*> FindNode(const Calls& calls, const Graph& graph, std::string_view name) {
  for (const Node& node : graph.nodes()) {
    if (node.name() == name) return {&node};
  }
  for (const Node& node : graph.nodes()) {
    const std::string& call = node.name();
    if (name.size() <= call.size() || name[call.size()] != '/' || !name.starts_with(call)) continue;
    const Function* function = FunctionOfCall(calls, node);
    if (function == nullptr) continue;
    std::vector<const Node*> path = FindNode(calls, *function->graph, name.substr(call.size() + 1));
    if (path.empty()) continue;
    path.insert(path.begin(), &node);
    return path;
  }
  return {};
}

std::set<std::string> NeededTensors(const Calls& calls, const Graph& main,
                                    std::span<const std::string> fed,
                                    std::span<const std::string> wanted) {
  Finder finder(calls, fed, wanted);
  for (const std::string& text : wanted) {
    const TensorName tensor = ParseTensorName(text);
    finder.Add(FindNode(calls, main, tensor.node), tensor.index);
  }
  return finder.Find();
}

}  // namespace dragoman::tf
