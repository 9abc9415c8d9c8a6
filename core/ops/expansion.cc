// SPDX-License-Identifier: Apache-2.0
#include "core/ops/expansion.h"

#include "core/ir/type_algebra.h"
#include "core/ops/op_def.h"

namespace dragoman {

Status ReplaceByExpansion(Node& node) {
  DRAGOMAN_ASSIGN(const std::vector<Value*> results, FindOp(node)->expand(node));
  for (std::size_t i = 0; i < node.num_results() && i < results.size(); ++i) {
    Value* old = node.result(i);
    if (old == nullptr || results[i] == nullptr) continue;
    results[i]->set_type(Refine(results[i]->type(), old->type()));
    old->ReplaceAllUsesWith(results[i]);
    std::string name = old->name();
    old->set_name(results[i]->name());
    results[i]->set_name(std::move(name));
  }
  node.graph()->Erase(&node);
  return {};
}

}  // namespace dragoman
