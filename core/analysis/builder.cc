// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/builder.h"

#include <utility>

#include "core/ir/set_attributes.h"
#include "core/support/size_budget.h"

namespace dragoman {
namespace {

// What a node draws on the budget: a few bytes of a file stand for many nodes where functions call
// each other and where loops are unrolled.
constexpr std::uint64_t kBytesOfNode = 512;

}  // namespace

std::string GraphBuilder::UniqueName(std::string_view name, std::string_view fallback) {
  std::string base(name.empty() ? fallback : name);
  if (names_->insert(base).second) return base;
  const auto numbered = [&](std::int64_t i) { return base + "_" + std::to_string(i); };
  const auto taken = [&](std::int64_t i) { return names_->contains(numbered(i)); };
  std::int64_t low = 1;
  std::int64_t high = 2;
  for (; taken(high); high *= 2) low = high;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (taken(middle) ? low : high) = middle;
  }
  return *names_->insert(numbered(high)).first;
}

Value* GraphBuilder::Constant(Tensor tensor, std::string_view name) {
  Value* value = graph_->AddConstant(UniqueName(name, "c"), std::move(tensor));
  value->set_origin(origin_);
  return value;
}

Result<Node*> GraphBuilder::Append(std::string_view type, std::span<Value* const> operands,
                                   std::vector<NamedAttribute> attributes,
                                   std::span<const std::string> results,
                                   std::string_view node_name) {
  const OpDef* def = FindOp(type);
  if (def == nullptr) return Internal("the common dialect has no operator " + std::string(type));
  DRAGOMAN_TRY(TakeExpanded(0, kBytesOfNode));
  Node* node = graph_->Append(def->name, operands, std::string(node_name));
  while (node->num_operands() > 0 && node->operands().back().value() == nullptr)
    node->RemoveTrailingOperand();
  SetAttributes(*node, std::move(attributes));
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].empty() && i > 0) {
      node->AddOmittedResult();
    } else {
      node->AddResult(UniqueName(results[i], def->name->type));
    }
  }
  node->set_origin(origin_);
  if (Status status = inference_->InferNode(*node); !status.ok()) {
    graph_->Erase(node);
    return std::move(status).error();
  }
  return node;
}

Result<Value*> GraphBuilder::Add(std::string_view type, std::vector<Value*> operands,
                                 std::vector<NamedAttribute> attributes, std::string_view result) {
  const std::string results[] = {std::string(result)};
  DRAGOMAN_ASSIGN(Node * node, Append(type, operands, std::move(attributes), results));
  return node->result();
}

}  // namespace dragoman
