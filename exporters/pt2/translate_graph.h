// SPDX-License-Identifier: Apache-2.0
// Nodes of common graphs as calls of ATen's operators.
#ifndef DRAGOMAN_EXPORTERS_PT2_TRANSLATE_GRAPH_H_
#define DRAGOMAN_EXPORTERS_PT2_TRANSLATE_GRAPH_H_

#include <string>
#include <unordered_set>
#include <vector>

#include "core/analysis/inference.h"
#include "core/ir/graph.h"
#include "core/support/result.h"
#include "exporters/pt2/aten_graph.h"
#include "exporters/pt2/aten_op.h"

namespace dragoman::pt2 {

class GraphTranslator {
 public:
  GraphTranslator(ProgramScope& program, const Inference& inference)
      : program_(program), inference_(inference) {}

  // The nodes of `graph`, whose inputs `to` has bound; the terms of its outputs. What cannot be
  // expressed is a finding, and stands for something that can.
  Terms Translate(const Graph& graph, AtenGraph& to);
  // Whether an input can be a tensor of the program.
  bool CheckInput(const Value& input);

  const std::vector<Finding>& findings() const { return findings_; }
  void Refuse(const std::string& place, const std::string& what);

 private:
  void TranslateNode(const Node& node, AtenGraph& to);
  bool HasOperands(const Node& node, AtenGraph& to);
  Emitted Emit(const Node& node, AtenGraph& to);
  void BindResults(const Node& node, const Terms& terms, AtenGraph& to);
  void BindStandIns(const Node& node, AtenGraph& to);

  ProgramScope& program_;
  const Inference& inference_;
  std::vector<Finding> findings_;
  std::unordered_set<const Value*> failed_;  // looked up, never iterated
};

}  // namespace dragoman::pt2

#endif  // DRAGOMAN_EXPORTERS_PT2_TRANSLATE_GRAPH_H_
