// SPDX-License-Identifier: Apache-2.0
// Turns the common graph of an entry into the body of a function of Relay.
//
// Bodies of If and Loop read values of the graphs around them, as functions of Relay do.
#ifndef DRAGOMAN_CODEGEN_RELAY_TRANSLATOR_H_
#define DRAGOMAN_CODEGEN_RELAY_TRANSLATOR_H_

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "codegen/relay/relay_builder.h"
#include "codegen/tvm/extremes.h"
#include "core/analysis/inference.h"
#include "core/compare/composed_node.h"
#include "core/ir/graph.h"
#include "core/support/result.h"
#include "core/support/text.h"

namespace dragoman::relay::emit {

class Translator {
 public:
  // `entry` has been inferred by `inference`; `target` is empty.
  Translator(const Graph& entry, const Inference& inference, Graph& target);

  // Constants that the text does not hold become inputs of `target` with contents; `changed` are
  // operators that became the nodes.
  // Errors: unsupported, listing every node that Relay cannot express.
  Status Run(const std::vector<ComposedNode>& changed = {});

 private:
  void AddInputs();
  void AddWeights();
  void TranslateNodes(const Graph& graph);
  Status TranslateNode(const Node& node);
  Status TranslateOperator(const Node& node);
  bool IsComposed(const Node& node, const Node* before,
                  const std::unordered_set<const Value*>& asked);
  void AddRemarks(const std::vector<ComposedNode>& changed);
  // What stands for a value; constants are made where they are read.
  Value* Of(const Value* value);
  void Set(const Value* value, Value* made);
  void Refuse(const std::string& place, const std::string& what);

  // control_flow.cc
  Status TranslateIf(const Node& node);
  Status TranslateLoop(const Node& node);
  struct LoopForm;
  Status AddCarried(const Node& node, LoopForm& loop);
  Status AddCollected(const Node& node, LoopForm& loop);
  std::unique_ptr<Graph> LoopIteration(const LoopForm& loop, const std::string& name);
  Status TranslateFused(const Node& node);
  // Runs `graph` in a body of its own, whose one result is a tuple or a single value.
  std::unique_ptr<Graph> Body(const Graph& graph);
  Value* Joined(const Values& values);
  void SetResults(const Node& node, Value* joined);
  // A condition or a count: one element, as rank 0.
  Value* ScalarOf(const Value& value);

  const Graph& entry_;
  const Inference& inference_;
  Graph& target_;
  RelayBuilder builder_;
  NameScope names_;                                  // of functions
  std::unordered_map<const Value*, Value*> values_;  // looked up, never iterated
  std::vector<ComposedNode> composed_;
  tvm::BoundedValues bounded_;
  std::vector<Finding> findings_;
};

// As TVM declares it: unnamed sizes only.
Type RelayType(const Type& type);

}  // namespace dragoman::relay::emit

#endif  // DRAGOMAN_CODEGEN_RELAY_TRANSLATOR_H_
