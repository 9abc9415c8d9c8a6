// SPDX-License-Identifier: Apache-2.0
// Entries of a source model: calls of the main graph that feed and fetch tensors of it.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_ENTRIES_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_ENTRIES_H_

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ir/model.h"

namespace dragoman::tf_reader {

// One end of an entry.
struct Port {
  std::string name;
  std::string tensor;  // of the main graph, "node:0"
  Type type;
  Extra extra;
};

Entry MakeEntry(std::string name, std::vector<Port> inputs, std::vector<Port> outputs);

// The nodes of the main graph by name.
class Nodes {
 public:
  explicit Nodes(const Graph& graph) {
    for (const Node& node : graph.nodes()) nodes_.emplace(node.name(), &node);
  }
  const Node* Find(const std::string& name) const {
    const auto found = nodes_.find(name);
    return found == nodes_.end() ? nullptr : found->second;
  }

 private:
  std::unordered_map<std::string, const Node*> nodes_;
};

// What the file and the registry say of result `index`.
Type StatedType(const Node& node, std::size_t index);
// Whether tensors of `type` can be inputs and outputs, as far as it says.
bool HoldsElements(const Type& type);

// Whether `node` is a placeholder that nothing reads and that TensorFlow left behind when it made
// variables constant (convert_variables_to_constants_v2). It is not an input of an entry.
bool IsLeftOver(const Node& node);

}  // namespace dragoman::tf_reader

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_ENTRIES_H_
