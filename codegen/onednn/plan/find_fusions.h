// SPDX-License-Identifier: Apache-2.0
// What several nodes of a graph spell out and one step computes, which reads its operands where
// they lie.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_PLAN_FIND_FUSIONS_H_
#define DRAGOMAN_CODEGEN_ONEDNN_PLAN_FIND_FUSIONS_H_

#include <map>
#include <set>

#include "codegen/onednn/plan/find_attention.h"
#include "codegen/onednn/plan/find_block_product.h"
#include "codegen/onednn/plan/find_rotary.h"
#include "core/ir/graph.h"

namespace dragoman::onednn {

struct Fusions {
  // By the node whose result each computes.
  std::map<const Node*, Attention> attentions;
  std::map<const Node*, Rotary> rotaries;
  std::map<const Node*, BlockProduct> products;
  std::set<const Value*> read;     // in whose memory the operands of all these lie
  std::set<const Node*> absorbed;  // nodes that nothing else needs

  bool IsRoot(const Node* node) const {
    return attentions.contains(node) || rotaries.contains(node) || products.contains(node);
  }

  // Whether a fusion computes `node`, so that it does not read its operands itself.
  bool TakesOver(const Node* node) const { return IsRoot(node) || absorbed.contains(node); }
};

// Adds those of `graph`, without its bodies.
void FindFusions(const Graph& graph, Fusions& found);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_PLAN_FIND_FUSIONS_H_
