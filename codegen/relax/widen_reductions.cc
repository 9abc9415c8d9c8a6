// SPDX-License-Identifier: Apache-2.0
#include "codegen/relax/widen_reductions.h"

#include <algorithm>
#include <vector>

#include "core/ir/node_attributes.h"
#include "core/rewrite/pass_context.h"

namespace dragoman::relax {
// By name: what TVM computes in integers, although its result may be a fraction.
bool LeavesIntegers(const Node& node) {
  return (node.Is("ReduceLogSumExp") || node.Is("ReduceMean")) && node.operand(0) != nullptr &&
         IsInteger(node.operand(0)->type().dtype());
}

namespace {

// By name: what takes powers, which need not fit a half.
bool LeavesHalves(const Node& node) {
  if ((!node.Is("LpPool") && !node.Is("GlobalLpPool")) || node.operand(0) == nullptr) return false;
  const DType dtype = node.operand(0)->type().dtype();
  return dtype == DType::kF16 || dtype == DType::kBF16;
}

bool IsEmpty(const Value& value) {
  const Shape* shape = value.type().shape();
  return shape != nullptr && std::ranges::count(*shape, Dim(0)) > 0;
}

std::vector<NamedAttribute> To(DType dtype) {
  return {{"to", Attribute(static_cast<std::int64_t>(dtype))}};
}

Status Widen(Node& node, PassContext& context) {
  const DType dtype = node.operand(0)->type().dtype();
  const DType computed = IsInteger(dtype) ? DType::kF64 : DType::kF32;
  DRAGOMAN_ASSIGN(Value * wide, context.Insert(node, "Cast", {{node.operand(0)}}, To(computed)));
  std::vector<Value*> operands = {wide};
  for (std::size_t i = 1; i < node.num_operands(); ++i) operands.push_back(node.operand(i));
  DRAGOMAN_ASSIGN(Value * reduced,
                  context.Insert(node, node.op().type, operands, node.attributes()));
  DRAGOMAN_ASSIGN(Value * result, context.Insert(node, "Cast", {{reduced}}, To(dtype)));
  context.Replace(node, {{result}});
  return {};
}

}  // namespace

Status WidenReductions(Graph& entry) {
  std::vector<Node*> nodes;
  ForEachGraph(entry, [&](Graph& graph) {
    for (Node& node : graph.nodes()) {
      if (LeavesHalves(node) || (LeavesIntegers(node) && !IsEmpty(*node.operand(0))))
        nodes.push_back(&node);
    }
  });
  if (nodes.empty()) return {};
  DRAGOMAN_ASSIGN(PassContext context, PassContext::Make(entry, {}));
  for (Node* node : nodes) DRAGOMAN_TRY(Widen(*node, context));
  return {};
}

}  // namespace dragoman::relax
