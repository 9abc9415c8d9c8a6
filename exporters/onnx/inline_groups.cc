// SPDX-License-Identifier: Apache-2.0
#include "exporters/onnx/inline_groups.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/ir/node_group.h"
#include "core/ops/expansion.h"
#include "proto/onnx/extra.h"

namespace dragoman {
namespace {

using Metadata = std::vector<std::pair<std::string, std::string>>;

void AddMetadata(Node& node, const Metadata& added) {
  Attribute::List list;
  for (const auto& [key, value] : added) {
    Attribute::Dict pair;
    pair.emplace_back("key", Attribute(key));
    pair.emplace_back("value", Attribute(value));
    list.emplace_back(std::move(pair));
  }
  node.extra().emplace_back(std::string(onnx_extra::kNodeMetadata), Attribute(std::move(list)));
}

// The places of `wanted` among `all`, in the order of `wanted`.
std::string PlacesOf(const std::vector<Value*>& wanted, const std::vector<Value*>& all) {
  std::string text;
  for (const Value* value : wanted) {
    const auto place = std::ranges::find(all, value);
    if (place == all.end()) continue;  // nothing reads it
    text += (text.empty() ? "" : " ") + std::to_string(place - all.begin());
  }
  return text;
}

// Nodes give all outputs of `body`, each another one.
void CopyOutputs(Graph& body) {
  std::set<const Value*> given;
  for (std::size_t i = 0; i < body.num_outputs(); ++i) {
    Value* output = body.output(i);
    if (output->producer() != nullptr && given.insert(output).second) continue;
    Value* const operands[] = {output};
    Node* copy = body.Append(InternOp("onnx", "Identity"), operands);
    body.SetOutput(i, copy->AddResult("", output->type()));
  }
}

class Inliner {
 public:
  Status Run(Graph& graph) {
    for (Node* node = graph.first_node(); node != nullptr;) {
      if (!node->IsDragoman("Fused")) {
        if (const auto own = metadata_.find(node); own != metadata_.end())
          AddMetadata(*node, own->second);
        node = node->next();
        continue;
      }
      Node* const before = node->prev();
      DRAGOMAN_TRY(Inline(*node));
      node = before != nullptr ? before->next() : graph.first_node();
    }
    return {};
  }

 private:
  Status Inline(Node& node) {
    Graph& body = *node.attribute("body")->graph();
    CopyOutputs(body);
    while (node.num_operands() < body.num_inputs()) node.AddOperand(nullptr);
    // What the group itself is marked with goes to its nodes, all of it to the first.
    Metadata first;
    if (auto own = metadata_.extract(&node); !own.empty()) first = std::move(own.mapped());
    MarkGroup(body, first);
    const std::size_t count = body.num_nodes();
    const Node* const before = node.prev();
    Graph& graph = *node.graph();
    DRAGOMAN_TRY(ReplaceByExpansion(node));
    const Node* member = before != nullptr ? before->next() : graph.first_node();
    for (std::size_t i = 0; i < count; ++i, member = member->next())
      metadata_[member] = i == 0 ? first : Metadata{first.front()};
    return {};
  }

  // Adds to the metadata of the first node of `body`: the groups that it is in come first.
  void MarkGroup(const Graph& body, Metadata& first) {
    std::vector<Node*> nodes;
    std::vector<Value*> inputs;
    std::vector<Value*> outputs;
    for (Node& node : body.nodes()) nodes.push_back(&node);
    for (const auto& input : body.inputs()) inputs.push_back(input.get());
    for (const Use& output : body.outputs()) outputs.push_back(output.value());
    const std::string number = std::to_string(++count_);
    if (first.empty()) {
      first.emplace_back(onnx_extra::kGroupKey, number);
    } else {
      first.front().second += "/" + number;
    }
    first.emplace_back(std::string(onnx_extra::kGroupOperandsKey) + number,
                       PlacesOf(inputs, ReadValues(nodes)));
    first.emplace_back(std::string(onnx_extra::kGroupResultsKey) + number,
                       PlacesOf(outputs, ResultsOf(nodes)));
  }

  std::unordered_map<const Node*, Metadata> metadata_;
  std::size_t count_ = 0;
};

}  // namespace

Status InlineGroups(Model& model) {
  Inliner inliner;
  Status status;
  ForEachGraph(model, [&](Graph& graph) {
    if (status.ok()) status = inliner.Run(graph);
  });
  return status;
}

}  // namespace dragoman
