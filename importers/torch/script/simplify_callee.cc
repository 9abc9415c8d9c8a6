// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/script/simplify_callee.h"

#include <string_view>

#include "importers/torch/script/erase_dead.h"
#include "importers/torch/script/fold_known.h"
#include "importers/torch/script/graph_queries.h"

namespace dragoman::torch {
namespace {

bool IsOpaque(const Type& type, std::string_view name) {
  return type.kind() == Type::Kind::kOpaque && type.opaque_name() == name;
}

bool IsNone(const Value* value) { return value != nullptr && IsOpaque(value->type(), "NoneType"); }

bool MayBeNone(const Value* value) {
  if (value == nullptr || IsNone(value)) return true;
  const Type& type = value->type();
  if (type.kind() == Type::Kind::kOptional || !type.known() || IsOpaque(type, "Any")) return true;
  return type.kind() == Type::Kind::kOpaque && type.opaque_name().starts_with("Union[");
}

void DecideNoneCheck(Node& node) {
  const bool negated = node.op().type == "__isnot__";
  for (std::size_t i = 0; i < 2; ++i) {
    if (!IsNone(node.operand(i)) || MayBeNone(node.operand(1 - i))) continue;
    Node* constant = node.graph()->Insert(&node, InternOp("prim", "Constant"), {}, "");
    constant->SetAttribute("value", negated);
    constant->set_origin(node.origin());
    node.result()->ReplaceAllUsesWith(
        constant->AddResult(node.result()->name(), node.result()->type()));
    return;
  }
}

}  // namespace

void SimplifyCallee(Graph& graph, SchemaTable& schemas) {
  ForEachGraph(graph, [](Graph& block) {
    for (Node& node : block.nodes()) {
      const OpName& op = node.op();
      const bool none_check = op.type == "__is__" || op.type == "__isnot__";
      if (op.dialect == "aten" && none_check && node.num_operands() == 2) {
        DecideNoneCheck(node);
      } else if (IsPrim(node, "unchecked_cast") &&
                 node.operand(0)->type() == node.result()->type()) {
        node.result()->ReplaceAllUsesWith(node.operand(0));
      }
    }
  });
  FoldKnown(graph);
  EraseDeadNodes(graph, schemas);
}

}  // namespace dragoman::torch
