// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/inline_body.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace dragoman {

bool HasTensorsAlone(const Graph& body) {
  return std::all_of(body.constants().begin(), body.constants().end(),
                     [](const auto& constant) { return constant->tensor() != nullptr; });
}

Status InlineBody(Node& node, const Graph& body, ValueMap inputs, PassContext& context) {
  ValueMap map = std::move(inputs);
  for (const auto& constant : body.constants()) {
    map[constant.get()] = context.AddConstant(*node.graph(), *constant->tensor(), constant->name(),
                                              constant->origin());
  }
  for (const Node& inner : body.nodes()) {
    Node* copy = CloneNode(inner, *node.graph(), &node, map);
    for (std::size_t i = 0; i < copy->num_results(); ++i) {
      if (Value* result = copy->result(i)) result->set_name(context.UniqueName(result->name()));
    }
    DRAGOMAN_TRY(context.inference.InferNode(*copy));
  }
  std::vector<Value*> outputs;
  for (const Use& use : body.outputs()) {
    const auto copied = map.find(use.value());
    outputs.push_back(copied != map.end() ? copied->second : use.value());
  }
  DRAGOMAN_TRY(context.InsertCopies(node, outputs));
  context.Replace(node, outputs);
  return {};
}

}  // namespace dragoman
