// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/plan/widen_halves.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "codegen/onednn/plan/scalar_ops.h"
#include "codegen/onednn/plan/value_queries.h"
#include "core/ir/dtype_kinds.h"
#include "core/ir/producer.h"
#include "core/ops/op_def.h"
#include "core/rewrite/pass_context.h"
#include "core/rewrite/pipeline.h"

namespace dragoman::onednn {
namespace {

bool IsHalf(const Value* value) {
  return value != nullptr && dragoman::IsHalf(value->type().dtype());
}

// By name: what runtime/fast has in f32 beside elementwise operators, and what becomes such steps.
// Sorted.
constexpr std::string_view kFastInF32[] = {
    "AveragePool",
    "BatchNormalization",
    "Conv",
    "ConvTranspose",
    "Einsum",
    "Gemm",
    "GlobalAveragePool",
    "GlobalMaxPool",
    "GroupNormalization",
    "InstanceNormalization",
    "LayerNormalization",
    "LogSoftmax",
    "MatMul",
    "MaxPool",
    "RMSNormalization",
    "ReduceL2",
    "ReduceMax",
    "ReduceMean",
    "ReduceSum",
    "Resize",
    "Softmax",
    "dragoman.Linear",
};
static_assert(std::ranges::is_sorted(kFastInF32));

bool IsFastInF32(const Node& node, const OpDef& def) {
  return std::ranges::binary_search(kFastInF32, def.Label()) ||
         (IsElementwise(node) && (node.Is("Clip") || FindScalarOp(node.op().type) != nullptr));
}

// What rounds an f32 tensor to 16 bits; nullptr: something else gives the value.
const Node* RoundingOf(const Value* value) {
  const Node* cast = IsHalf(value) ? ProducerOf(value, "Cast") : nullptr;
  return cast != nullptr && IsF32(cast->operand(0)) ? cast : nullptr;
}

// Whether all 16-bit operands but constants are results of f32, and there is one.
bool ReadsRounded(const Node& node) {
  bool any = false;
  for (const Use& use : node.operands()) {
    if (!IsHalf(use.value()) || IsConstant(use.value())) continue;
    if (RoundingOf(use.value()) == nullptr) return false;
    any = true;
  }
  return any;
}

bool ReadsOnlyConstants(const Node& node) {
  return std::ranges::all_of(node.operands(), [](const Use& use) {
    return use.value() == nullptr || IsConstant(use.value());
  });
}

bool ReadsHalves(const Node& node) {
  return std::ranges::any_of(node.operands(), [](const Use& use) { return IsHalf(use.value()); });
}

bool ShouldWiden(const Node& node) {
  const OpDef* def = FindOp(node);
  if (def == nullptr || !ReadsHalves(node) || ReadsOnlyConstants(node)) return false;
  return IsFastInF32(node, *def) || ((OnlyMoves(node) || node.Is("Where")) && ReadsRounded(node));
}

Value* WidenConstant(const Value& constant, Graph& graph, PassContext& context) {
  const Tensor& narrow = *constant.tensor();
  std::vector<float> values(static_cast<std::size_t>(narrow.size()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(narrow.FloatAt(static_cast<std::int64_t>(i)));
  return context.AddConstant(graph, Tensor::Of<float>(narrow.sizes(), values), constant.name(),
                             constant.origin());
}

// The same numbers in f32, for `node`.
Result<Value*> Widened(Value* value, Node& node, PassContext& context) {
  if (!IsHalf(value)) return value;
  if (IsConstant(value)) return WidenConstant(*value, *node.graph(), context);
  return context.Insert(node, "Cast", {{value}}, {{"to", static_cast<std::int64_t>(DType::kF32)}});
}

Result<bool> WidenNode(Node& node, PassContext& context) {
  if (!ShouldWiden(node)) return false;
  std::vector<Value*> operands;
  for (const Use& use : node.operands()) {
    DRAGOMAN_ASSIGN(Value * operand, Widened(use.value(), node, context));
    operands.push_back(operand);
  }
  DRAGOMAN_ASSIGN(Node * wide, context.InsertNode(node, FindOp(node)->Label(), operands,
                                                  node.attributes(), node.num_results()));
  std::vector<Value*> results;
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    Value* result = node.result(i) == nullptr ? nullptr : wide->result(i);
    if (result != nullptr && IsHalf(node.result(i))) {
      const auto to = static_cast<std::int64_t>(node.result(i)->type().dtype());
      DRAGOMAN_ASSIGN(result, context.Insert(node, "Cast", {{result}}, {{"to", to}}));
    }
    results.push_back(result);
  }
  DRAGOMAN_TRY(context.InsertCopies(node, results));
  context.Replace(node, results);
  return true;
}

constexpr Pattern kPatterns[] = {{"widen-halves", WidenNode}};

}  // namespace

Status WidenHalves(Model& model) {
  bool changed = false;
  for (Entry& entry : model.entries) {
    DRAGOMAN_ASSIGN(PassContext context, PassContext::Make(*entry.graph, nullptr));
    std::vector<Graph*> graphs;
    ForEachGraph(*entry.graph, [&](Graph& graph) { graphs.push_back(&graph); });
    for (Graph* graph : graphs) {
      DRAGOMAN_ASSIGN(const bool widened, ApplyPatterns(*graph, context, kPatterns));
      changed = changed || widened;
    }
  }
  return changed ? RunPipeline(model, {.passes = "cse,dce", .explain = {}}) : Status();
}

}  // namespace dragoman::onednn
