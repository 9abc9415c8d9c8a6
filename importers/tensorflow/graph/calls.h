// SPDX-License-Identifier: Apache-2.0
// Who calls the functions of a model, what runs for its entries, and which variable a handle is.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_CALLS_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_CALLS_H_

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/model.h"

namespace dragoman::tf {

// "PartitionedCall" and its kin. A BatchFunction calls with several batches at once, which changes
// no result.
bool IsPartitionedCall(std::string_view type);

class Calls {
 public:
  explicit Calls(const Model& model);

  // The functions that `node` calls: by its operator, or as one of its attributes says.
  std::vector<const Function*> CalledBy(const Node& node) const;
  // The variable whose handle `value` is, through the calls that hand it on; nullptr: none, or what
  // calls hand on are different ones.
  const Node* VariableOf(const Value* value) const;
  // The same of a table.
  const Node* TableOf(const Value* value) const;
  // What computes `value`, through the calls that hand it on and nodes that pass it on; nullptr:
  // calls hand different values on.
  const Value* OriginOf(const Value* value) const;
  // All nodes that the entries of the model run.
  std::unordered_set<const Node*> ReachedFromEntries() const;

 private:
  // What `value` is, where calls hand it on: all values that it can be.
  std::vector<const Value*> OriginsOf(const Value* value) const;
  // The node that makes the one resource that `value` is.
  const Node* ResourceOf(const Value* value, bool (*is_resource)(const Node&)) const;

  // Inputs of a function are the operands of its call from here on: the first one of a choice is
  // the condition.
  struct Site {
    const Node* node = nullptr;
    std::size_t first = 0;
  };

  const Model& model_;
  std::unordered_map<const OpName*, const Function*> functions_;
  std::unordered_map<const Graph*, std::vector<Site>> sites_;
};

// A variable that entries of the model use.
struct VariableUse {
  std::string name;
  Type type;  // of its contents, or as its node declares it
  bool initialised = false;
  std::vector<std::string> changed_by;  // operators that do, each once, sorted
};
// In the order of their nodes.
std::vector<VariableUse> VariableUses(const Model& model);

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_CALLS_H_
