// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/evaluate_const.h"

#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "core/interpreter/evaluate.h"

namespace dragoman {
namespace {

using ExprKind = ConstExpr::Kind;

Result<Tensor> Compute(std::string_view type, std::vector<Tensor> operands,
                       std::vector<NamedAttribute> attributes = {}) {
  Graph scratch;
  std::vector<Value*> inputs;
  std::vector<const Tensor*> tensors;
  for (const Tensor& operand : operands) {
    inputs.push_back(scratch.AddInput("x", operand.type()));
    tensors.push_back(&operand);
  }
  Node* node = scratch.Append(InternOp("onnx", type), inputs);
  for (NamedAttribute& attribute : attributes) node->AddAttribute(std::move(attribute));
  node->AddResult("y");
  DRAGOMAN_ASSIGN(std::vector<Tensor> results, EvaluateOnTensors(*node, tensors));
  return std::move(results.front());
}

Tensor Ints(std::vector<std::int64_t> values) { return Tensor::Ints(values); }

Result<Tensor> ComputeNode(const ConstExpr& expr, const std::vector<Tensor>& operands) {
  std::vector<const Tensor*> tensors;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    tensors.push_back(expr.operands[i] != kNoConst ? &operands[i] : nullptr);
  }
  DRAGOMAN_ASSIGN(std::vector<Tensor> results, EvaluateOnTensors(*expr.node, tensors));
  return std::move(results[static_cast<std::size_t>(expr.ints.front())]);
}

}  // namespace

Result<Tensor> ConstEvaluator::Compute(const ConstExpr& expr) {
  std::vector<Tensor> x;
  for (ConstId id : expr.operands) x.push_back(id != kNoConst ? computed_[id] : Tensor());
  switch (expr.kind) {
    case ExprKind::kTensor:
      return *expr.value->tensor();
    case ExprKind::kNode:
      return ComputeNode(expr, x);
    case ExprKind::kTranspose:
      return dragoman::Compute("Transpose", std::move(x), {{"perm", Attribute::Ints{1, 0}}});
    case ExprKind::kSlice: {
      const std::int64_t axis = expr.ints[0];
      const std::int64_t end = expr.ints[1] + expr.sizes[static_cast<std::size_t>(axis)];
      return dragoman::Compute("Slice", {x[0], Ints({expr.ints[1]}), Ints({end}), Ints({axis})});
    }
    case ExprKind::kConcat:
      return dragoman::Compute("Concat", std::move(x), {{"axis", expr.ints[0]}});
    case ExprKind::kAdd:
      return dragoman::Compute("Add", std::move(x));
    case ExprKind::kScale: {
      DRAGOMAN_ASSIGN(Tensor factor, Tensor::Full(x[0].dtype(), {}, expr.scale));
      return dragoman::Compute("Mul", {x[0], std::move(factor)});
    }
    case ExprKind::kReshape:
      return x[0].Reshaped(expr.sizes);
    case ExprKind::kFill:
      if (x.empty()) return Tensor::Full(dtype_, expr.sizes, expr.scale);
      return dragoman::Compute("Expand", {x[0].Reshaped({1}), Ints(expr.sizes)});
    case ExprKind::kDiagonal: {
      DRAGOMAN_ASSIGN(Tensor frame, Tensor::Full(dtype_, expr.sizes, 0));
      DRAGOMAN_ASSIGN(Tensor eye, dragoman::Compute("EyeLike", {std::move(frame)}));
      return dragoman::Compute("Mul", {std::move(eye), x[0]});
    }
    case ExprKind::kProduct:
      return dragoman::Compute("MatMul", std::move(x));
    case ExprKind::kRows:
      return dragoman::Compute("Mul", {x[0], x[1].Reshaped({expr.sizes[0], 1})});
  }
  return Internal("a constant expression of no kind");
}

Result<Tensor> ConstEvaluator::Evaluate(ConstId id) {
  // Operands have smaller ids, so the order of ids is an order of evaluation.
  std::set<ConstId> needed;
  std::vector<ConstId> stack = {id};
  while (!stack.empty()) {
    const ConstId next = stack.back();
    stack.pop_back();
    if (next == kNoConst || computed_.contains(next) || !needed.insert(next).second) continue;
    for (ConstId operand : exprs_->at(next).operands) stack.push_back(operand);
  }
  for (ConstId next : needed) {
    DRAGOMAN_ASSIGN(Tensor tensor, Compute(exprs_->at(next)));
    computed_.emplace(next, std::move(tensor));
  }
  return computed_.at(id);
}

}  // namespace dragoman
