// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/script/fold_known.h"

#include <optional>
#include <string_view>
#include <utility>

#include "importers/torch/script/block_results.h"
#include "importers/torch/script/graph_queries.h"

namespace dragoman::torch {
namespace {

std::optional<Attribute> FoldInts(std::string_view op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (op == "add" && !__builtin_add_overflow(a, b, &result)) return Attribute(result);
  if (op == "sub" && !__builtin_sub_overflow(a, b, &result)) return Attribute(result);
  if (op == "mul" && !__builtin_mul_overflow(a, b, &result)) return Attribute(result);
  if (op == "eq") return Attribute(a == b);
  if (op == "ne") return Attribute(a != b);
  if (op == "lt") return Attribute(a < b);
  if (op == "le") return Attribute(a <= b);
  if (op == "gt") return Attribute(a > b);
  if (op == "ge") return Attribute(a >= b);
  return std::nullopt;
}

bool IsKnownNone(const Value* value) { return IsKnown(value) && KnownValue(value) == nullptr; }

std::optional<Attribute> FoldTuple(const Node& node) {
  Attribute::List items;
  for (const Use& use : node.operands()) {
    if (!IsKnown(use.value())) return std::nullopt;
    const Attribute* item = KnownValue(use.value());
    if (item != nullptr && item->tensor() != nullptr) return std::nullopt;
    items.push_back(item == nullptr ? Attribute() : *item);
  }
  return Attribute(std::move(items));
}

std::optional<Attribute> Fold(const Node& node) {
  if (IsPrim(node, "TupleConstruct")) return FoldTuple(node);
  if (node.op().dialect != "aten") return std::nullopt;
  const std::string& op = node.op().type;
  if (op == "device" && node.num_operands() == 1) {
    if (auto name = KnownAs<std::string>(node.operand(0))) return Attribute(*std::move(name));
  }
  if ((op == "__is__" || op == "__isnot__") && IsKnownNone(node.operand(0)) &&
      IsKnownNone(node.operand(1))) {
    return Attribute(op == "__is__");
  }
  if (op == "__not__") {
    if (const auto flag = KnownAs<bool>(node.operand(0))) return Attribute(!*flag);
  }
  if (op == "neg" && node.op().overload == "int") {
    if (const auto number = KnownInt(node.operand(0))) return FoldInts("sub", 0, *number);
  }
  const auto a = KnownInt(node.operand(0));
  const auto b = KnownInt(node.operand(1));
  if (node.op().overload != "int" || !a || !b) return std::nullopt;
  return FoldInts(op, *a, *b);
}

void Replace(Node& node, Attribute value) {
  Graph& graph = *node.graph();
  Node* constant = graph.Insert(&node, InternOp("prim", "Constant"), {}, "");
  constant->SetAttribute("value", std::move(value));
  constant->set_origin(node.origin());
  Value* result = constant->AddResult(node.result()->name(), node.result()->type());
  node.result()->ReplaceAllUsesWith(result);
  graph.Erase(&node);
}

void SkipLoop(Node& loop) {
  for (std::size_t i = 0; i < loop.num_results(); ++i) {
    loop.result(i)->ReplaceAllUsesWith(loop.operand(i + 2));
  }
  loop.graph()->Erase(&loop);
}

// Blocks nest at most kMaxGraphNesting deep.
void FoldBlock(Graph& block) {
  for (Node* node = block.first_node(); node != nullptr;) {
    Node* before = node->prev();
    const auto known = KnownAs<bool>(node->operand(IsPrim(*node, "Loop") ? 1 : 0));
    if (IsPrim(*node, "If") && known) {
      InlineBranch(*node, *node->subgraphs()[*known ? 0 : 1]);
      node = before == nullptr ? block.first_node() : before->next();
      continue;
    }
    Node* next = node->next();
    if (IsPrim(*node, "Loop") && (known == false || KnownInt(node->operand(0)) == 0)) {
      SkipLoop(*node);
    } else {
      for (Graph* body : node->subgraphs()) FoldBlock(*body);
      if (auto value = Fold(*node)) Replace(*node, *std::move(value));
    }
    node = next;
  }
}

}  // namespace

void FoldKnown(Graph& graph) { FoldBlock(graph); }

}  // namespace dragoman::torch
