// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/interpreter/evaluate.h"
#include "core/ops/declared_attributes.h"
#include "core/rewrite/patterns/linear_patterns.h"

namespace dragoman {
namespace {

bool IsSwap(const Node& node) {
  if (!node.Is("Transpose")) return false;
  const Attribute::Ints* perm = IntsAttribute(node, "perm");
  return perm == nullptr || *perm == Attribute::Ints{1, 0};
}

// What `value` is outside of the group whose body takes it; itself, if none does.
const Value* OutsideOfGroup(const Value* value) {
  const bool is_input = value != nullptr && value->kind() == Value::Kind::kInput;
  const Node* group = is_input ? value->graph()->parent() : nullptr;
  const bool is_taken =
      group != nullptr && group->IsDragoman("Fused") && value->index() < group->num_operands();
  return is_taken ? group->operand(value->index()) : value;
}

bool IsFloatMatrix(const Value* value) {
  const Tensor* tensor = ConstantOf(value);
  return tensor != nullptr && tensor->rank() == 2 && IsFloating(tensor->dtype());
}

// The constant (out, in) of which `weight` is the transpose (in, out), made if there is none yet;
// nullptr if `weight` is not a constant matrix.
Result<Value*> TransposedWeight(Value* weight, PassContext& context) {
  Node* producer = weight->producer();
  if (producer != nullptr && IsSwap(*producer) && IsFloatMatrix(producer->operand(0))) {
    return producer->operand(0);
  }
  if (!IsFloatMatrix(weight)) return static_cast<Value*>(nullptr);
  return TransposeConstant(*weight, {1, 0}, context);
}

bool IsVectorOf(const Value& value, const Dim& size) {
  const Shape* shape = value.type().shape();
  return shape != nullptr && shape->size() == 1 && Equal(shape->front(), size) == Truth::kYes;
}

// `bias` as a vector of `size`: itself, or a constant with leading sizes of 1; else nullptr.
Value* AsBias(Value* bias, const Dim& size, int max_rank, Graph& graph, PassContext& context) {
  if (IsVectorOf(*bias, size)) return bias;
  const Tensor* tensor = ConstantOf(bias);
  if (tensor == nullptr || tensor->rank() < 2 || tensor->rank() > max_rank) return nullptr;
  if (!size.known() || tensor->size() != size.value() || tensor->sizes().back() != size.value()) {
    return nullptr;
  }
  return context.AddConstant(graph, tensor->Reshaped({size.value()}), bias->name(), bias->origin());
}

bool ScalesAreOne(const Node& node) {
  return FloatAttribute(node, "alpha") == 1.0f && FloatAttribute(node, "beta") == 1.0f;
}

Result<bool> ReplaceByLinear(Node& node, Value* x, Value* weight, Value* bias,
                             PassContext& context) {
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "dragoman.Linear", {{x, weight, bias}}));
  return context.ReplaceIfAllowed(node, y);
}

// Gemm(x, W, b, alpha = 1, beta = 1) = Linear(x, transpose(W), b)
Result<bool> FuseGemm(Node& node, PassContext& context) {
  DRAGOMAN_ASSIGN(const auto affine, ReadGemm(node, context));
  return affine ? ReplaceByLinear(node, node.operand(0), affine->weight, affine->bias, context)
                : false;
}

// MatMul(x, W) = Linear(x, transpose(W))
Result<bool> FuseMatMul(Node& node, PassContext& context) {
  DRAGOMAN_ASSIGN(const auto affine, ReadMatMul(node, context));
  return affine ? ReplaceByLinear(node, node.operand(0), affine->weight, nullptr, context) : false;
}

}  // namespace

std::span<const Pattern> LinearPatterns() {
  static constexpr Pattern kPatterns[] = {
      {"fuse-gemm", FuseGemm},
      {"fuse-mat-mul", FuseMatMul},
      {"fuse-bias", FuseBias},
  };
  return kPatterns;
}

Result<bool> FuseBias(Node& node, PassContext& context) {
  if (!node.Is("Add")) return false;
  for (std::size_t side = 0; side < 2; ++side) {
    Node* linear = node.operand(side)->producer();
    if (linear == nullptr || !linear->IsDragoman("Linear") || linear->operand(2) != nullptr ||
        linear->graph() != node.graph() || !linear->result()->HasOneUse()) {
      continue;
    }
    const Shape* shape = linear->result()->type().shape();
    if (shape == nullptr) continue;
    Value* bias = AsBias(node.operand(1 - side), shape->back(), static_cast<int>(shape->size()),
                         *node.graph(), context);
    if (bias == nullptr) continue;
    node.set_origin(Origin::Merge(linear->origin(), node.origin()));
    return ReplaceByLinear(node, linear->operand(0), linear->operand(1), bias, context);
  }
  return false;
}

Result<std::optional<AffineOperands>> ReadMatMul(Node& node, PassContext& context) {
  using None = std::optional<AffineOperands>;
  if (!node.Is("MatMul") || !IsFloating(node.result()->type().dtype())) return None();
  if (node.operand(0)->type().rank().value_or(0) < 1) return None();
  DRAGOMAN_ASSIGN(Value * weight, TransposedWeight(node.operand(1), context));
  return weight != nullptr ? std::optional(AffineOperands{weight, nullptr}) : None();
}

Result<std::optional<AffineOperands>> ReadGemm(Node& node, PassContext& context) {
  using None = std::optional<AffineOperands>;
  if (!node.Is("Gemm") || !IsFloating(node.result()->type().dtype())) return None();
  if (!ScalesAreOne(node) || IntAttribute(node, "transA") != 0) return None();
  const bool transposed = IntAttribute(node, "transB") != 0;
  Value* weight = node.operand(1);
  if (transposed ? !IsFloatMatrix(OutsideOfGroup(weight)) : weight->type().rank() != 2)
    return None();
  const Shape* shape = weight->type().shape();
  if (shape == nullptr) return None();
  const Dim out = transposed ? (*shape)[0] : (*shape)[1];
  Value* bias = node.operand(2);
  if (bias != nullptr) bias = AsBias(bias, out, 2, *node.graph(), context);
  if (bias == nullptr && node.operand(2) != nullptr) {
    context.Explain(node, "no Linear, since its third operand is not a vector");
    return None();
  }
  if (!transposed) {
    DRAGOMAN_ASSIGN(weight, TransposedWeight(weight, context));
    if (weight == nullptr) return None();
  }
  return std::optional(AffineOperands{weight, bias});
}

Result<Value*> TransposeConstant(Value& constant, const std::vector<std::int64_t>& perm,
                                 PassContext& context) {
  Graph scratch;
  Value* input = scratch.AddInput("x", constant.type());
  Node* transpose = scratch.Append(InternOp("onnx", "Transpose"), {{input}});
  transpose->SetAttribute("perm", perm);
  transpose->AddResult("y");
  const Tensor* const operands[] = {constant.tensor()};
  DRAGOMAN_ASSIGN(std::vector<Tensor> results, EvaluateOnTensors(*transpose, operands));
  // Whoever replaces a weight by its name sees by its sizes that its elements are in another order;
  // those of a square one do not show it.
  const bool looks_same =
      results.front().sizes() == constant.tensor()->sizes() && !std::ranges::is_sorted(perm);
  const std::string name = constant.name() + (looks_same ? "_transposed" : "");
  return context.AddConstant(*constant.graph(), std::move(results.front()), name,
                             constant.origin());
}

}  // namespace dragoman
