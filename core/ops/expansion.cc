// SPDX-License-Identifier: Apache-2.0
#include "core/ops/expansion.h"

#include <cstddef>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/ir/type_algebra.h"
#include "core/ir/wide_float.h"
#include "core/ops/expansion_formula.h"
#include "core/ops/op_def.h"

namespace dragoman {

void TakePlace(Value* value, const Node& node, std::size_t i) {
  Value* old = node.result(i);
  if (old == nullptr) return;
  old->ReplaceAllUsesWith(value);
  std::string name = old->name();
  old->set_name(value->name());
  value->set_name(std::move(name));
}

Status ReplaceByExpansion(Node& node) {
  DRAGOMAN_ASSIGN(const std::vector<Value*> results, FindOp(node)->expand(node));
  for (std::size_t i = 0; i < node.num_results() && i < results.size(); ++i) {
    const Value* old = node.result(i);
    if (old == nullptr || results[i] == nullptr) continue;
    results[i]->set_type(Refine(results[i]->type(), old->type()));
    TakePlace(results[i], node, i);
  }
  node.graph()->Erase(&node);
  return {};
}

Result<std::vector<Value*>> ExpandInWide(Node& node) {
  ExpansionFormula formula(node);
  const DType given = formula.type().dtype();
  const DType wide = IsInteger(given) ? DType::kF64 : WideFloat(given);
  if (wide == given || !(IsInteger(given) || IsFloating(given)))
    return Unsupported("no wider element type").At(node.Describe());
  std::vector<Value*> operands = {formula.Cast(formula.x(), formula.type().WithDType(wide))};
  for (std::size_t i = 1; i < node.num_operands(); ++i) operands.push_back(node.operand(i));
  const Type type = node.result()->type();
  Value* y = formula.Add(node.op().type, operands, type.WithDType(wide));
  y->producer()->attributes() = node.attributes();
  return std::vector{formula.Cast(y, type)};
}

void ExpandOperators(Graph& graph, bool (*has)(const Node& node)) {
  std::unordered_set<const Node*> kept;
  std::vector<Node*> lacking;
  do {
    lacking.clear();
    ForEachGraph(graph, [&](Graph& part) {
      for (Node& node : part.nodes()) {
        const OpDef* def = FindOp(node);
        const bool expands = def != nullptr && def->expand && !has(node);
        if (expands && !kept.contains(&node)) lacking.push_back(&node);
      }
    });
    for (Node* node : lacking) {
      if (!ReplaceByExpansion(*node).ok()) kept.insert(node);
    }
  } while (!lacking.empty());
}

}  // namespace dragoman
