// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/plan/merge_products.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "codegen/onednn/plan/find_fusions.h"
#include "codegen/onednn/plan/strided_view.h"
#include "codegen/onednn/plan/value_queries.h"
#include "core/rewrite/pass_context.h"

namespace dragoman::onednn {
namespace {

bool IsConstantF32(const Value* value) { return IsConstant(value) && IsF32(value); }

// A product by a constant matrix, whose bias, if any, has an element for each output.
bool IsProduct(const Node& node) {
  const bool is_linear = node.IsDragoman("Linear");
  if ((!is_linear && !node.Is("MatMul")) || !HasSizes(node.operand(0), DType::kF32) ||
      !IsConstantF32(node.operand(1)) || !HasSizes(node.result(), DType::kF32)) {
    return false;
  }
  if (ConstantOf(node.operand(1))->sizes().size() != 2 ||
      !node.result()->type().shape()->back().known()) {
    return false;
  }
  const Value* bias = is_linear ? node.operand(2) : nullptr;
  return bias == nullptr ||
         (IsConstantF32(bias) &&
          ConstantOf(bias)->size() == node.result()->type().shape()->back().value());
}

std::int64_t Outputs(const Node& product) {
  return product.result()->type().shape()->back().value();
}

// Whether it is one row, of which parts lie as if they were apart.
bool IsOneRow(const Node& product) {
  const std::optional<rt::Shape> sizes = SizesOf(product.result());
  return sizes && rt::NumElements(*sizes) == Outputs(product);
}

bool IsReadInPlace(const Value& value, const Fusions& fusions) {
  for (const Use* use = value.first_use(); use != nullptr; use = use->next()) {
    const Node* user = use->user();
    if (user == nullptr || !fusions.TakesOver(user)) return false;
  }
  return value.used();
}

using Group = std::vector<Node*>;

// The products of each operand that are worth merging, in the order of the graph.
std::vector<Group> FindGroups(Graph& graph) {
  Fusions fusions;
  FindFusions(graph, fusions);
  std::vector<Group> groups;
  std::map<std::pair<const Value*, bool>, std::size_t> group_of;
  for (Node& node : graph.nodes()) {
    if (!IsProduct(node)) continue;
    if (!IsOneRow(node) && !IsReadInPlace(*node.result(), fusions)) continue;
    const std::pair key(node.operand(0), node.IsDragoman("Linear"));
    const auto [at, is_new] = group_of.try_emplace(key, groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].push_back(&node);
  }
  std::erase_if(groups, [&](const Group& group) {
    return group.size() < 2 || std::ranges::none_of(group, [&](const Node* node) {
             return IsReadInPlace(*node->result(), fusions);
           });
  });
  return groups;
}

Tensor MakeF32(std::vector<std::int64_t> sizes, std::string bytes) {
  return *Tensor::Make(DType::kF32, std::move(sizes), dragoman::Buffer::Own(std::move(bytes)));
}

// The weights side by side: of Linear (out, in), of MatMul (in, out).
Tensor MergeWeights(const Group& group) {
  const bool is_linear = group.front()->IsDragoman("Linear");
  std::vector<std::int64_t> sizes = ConstantOf(group.front()->operand(1))->sizes();
  const std::size_t inputs = static_cast<std::size_t>(sizes[is_linear ? 1 : 0]);
  std::int64_t outputs = 0;
  for (const Node* node : group) outputs += Outputs(*node);
  std::string bytes;
  bytes.reserve(inputs * static_cast<std::size_t>(outputs) * sizeof(float));
  for (std::size_t row = 0; row < (is_linear ? 1 : inputs); ++row) {
    for (const Node* node : group) {
      const std::span<const std::byte> own = ConstantOf(node->operand(1))->bytes();
      const std::size_t size = is_linear ? own.size() : own.size() / inputs;
      bytes.append(reinterpret_cast<const char*>(own.data()) + row * size, size);
    }
  }
  sizes[is_linear ? 0 : 1] = outputs;
  return MakeF32(std::move(sizes), std::move(bytes));
}

// Zeros for those that have none.
Tensor MergeBiases(const Group& group) {
  std::string bytes;
  for (const Node* node : group) {
    const Tensor* bias = ConstantOf(node->operand(2));
    const std::size_t size = static_cast<std::size_t>(Outputs(*node)) * sizeof(float);
    if (bias != nullptr) {
      bytes.append(reinterpret_cast<const char*>(bias->bytes().data()), size);
    } else {
      bytes.append(size, '\0');
    }
  }
  const auto count = static_cast<std::int64_t>(bytes.size() / sizeof(float));
  return MakeF32({count}, std::move(bytes));
}

Status Merge(const Group& group, PassContext& context) {
  Node& first = *group.front();
  Graph& graph = *first.graph();
  const auto add = [&](Tensor tensor, const Value& like) {
    return context.AddConstant(graph, std::move(tensor), like.name() + "_merged", like.origin());
  };
  std::vector<Value*> operands = {first.operand(0), add(MergeWeights(group), *first.operand(1))};
  const auto biased = std::ranges::find_if(group, [](const Node* node) {
    return node->IsDragoman("Linear") && node->operand(2) != nullptr;
  });
  if (biased != group.end()) operands.push_back(add(MergeBiases(group), *(*biased)->operand(2)));
  const std::string label = first.IsDragoman("Linear") ? "dragoman.Linear" : "MatMul";
  DRAGOMAN_ASSIGN(Value * merged, context.Insert(first, label, operands));
  std::vector<std::int64_t> sizes;
  for (const Node* node : group) sizes.push_back(Outputs(*node));
  Value* const split_operands[] = {
      merged, context.AddConstant(graph, Tensor::Ints(sizes), "sizes", first.origin())};
  const std::int64_t axis = *merged->type().rank() - 1;
  DRAGOMAN_ASSIGN(Node * split, context.InsertNode(first, "Split", split_operands,
                                                   {{"axis", Attribute(axis)}}, group.size()));
  for (std::size_t i = 0; i < group.size(); ++i) {
    Value* const by[] = {split->result(i)};
    if (PassContext::CanReplace(*group[i]->result(), *by[0])) context.Replace(*group[i], by);
  }
  return {};
}

}  // namespace

Status MergeProducts(Model& model) {
  for (Entry& entry : model.entries) {
    DRAGOMAN_ASSIGN(PassContext context, PassContext::Make(*entry.graph, nullptr));
    std::vector<Graph*> graphs;
    ForEachGraph(*entry.graph, [&](Graph& graph) { graphs.push_back(&graph); });
    for (Graph* graph : graphs) {
      for (const Group& group : FindGroups(*graph)) DRAGOMAN_TRY(Merge(group, context));
    }
  }
  return {};
}

}  // namespace dragoman::onednn
