// SPDX-License-Identifier: Apache-2.0
// What expansions of operators (op_def.h) share.
#ifndef DRAGOMAN_CORE_OPS_EXPANSION_H_
#define DRAGOMAN_CORE_OPS_EXPANSION_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman {

// Inserts operator `type` of ai.onnx in front of `before`, with its origin; gives its result.
inline Value* InsertOp(Node& before, std::string_view type, const std::vector<Value*>& operands,
                       Type result, std::string name) {
  Node* node = before.graph()->Insert(&before, InternOp("onnx", type), operands);
  node->set_origin(before.origin());
  return node->AddResult(std::move(name), std::move(result));
}

// `value`, made in front of `node`, takes the place and the name of its result `i`, which may be
// absent.
void TakePlace(Value* value, const Node& node, std::size_t i = 0);

// The expansion of `node`, whose operator must have one, stands for it; its results keep their
// names.
Status ReplaceByExpansion(Node& node);

// The operator itself on a wider element type: of halves float32, of integers float64. Errors: it
// has a wide one.
Result<std::vector<Value*>> ExpandInWide(Node& node);

// In the graph and its bodies, nodes that `has` denies become what their operators are made of, and
// so do the nodes of these; what cannot stays.
void ExpandOperators(Graph& graph, bool (*has)(const Node& node));

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_EXPANSION_H_
