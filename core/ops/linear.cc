// SPDX-License-Identifier: Apache-2.0
// dragoman.Linear: x times a weight (out, in), transposed, plus a bias (out).
#include <utility>

#include "core/ops/expansion.h"
#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"
#include "core/ops/operand_checks.h"

namespace dragoman {
namespace {

Status InferLinear(InferContext& context) {
  const Shape* x = context.shape(0);
  const Shape* weight = context.shape(1);
  DRAGOMAN_TRY(CheckMinRank(context, 0, 1));
  if (weight != nullptr && weight->size() != 2) return context.Fail("the weight is not a matrix");
  const Dim out = weight != nullptr ? (*weight)[0] : Dim::Unknown();
  if (x != nullptr && weight != nullptr && Equal(x->back(), (*weight)[1]) == Truth::kNo) {
    return context.Fail("the operand has " + x->back().ToString() + " features, the weight " +
                        (*weight)[1].ToString());
  }
  DRAGOMAN_TRY(CheckVector(context, 2, out));
  if (x == nullptr) return {};
  Shape y = *x;
  y.back() = out;
  context.SetShape(0, std::move(y));
  return {};
}

Type TransposedType(const Type& weight) {
  if (weight.shape() == nullptr) return weight;
  return weight.WithShape(Shape{(*weight.shape())[1], (*weight.shape())[0]});
}

// A Gemm for matrices; else Transpose, MatMul and Add.
Result<std::vector<Value*>> ExpandLinear(Node& node) {
  Value* const x = node.operand(0);
  Value* const weight = node.operand(1);
  Value* const bias = node.operand(2);
  const std::string& name = node.result()->name();
  const Type& type = node.result()->type();
  if (x->type().rank() == 2) {
    std::vector<Value*> operands = {x, weight};
    if (bias != nullptr) operands.push_back(bias);
    Value* y = InsertOp(node, "Gemm", operands, type, name + ".gemm");
    y->producer()->SetAttribute("transB", std::int64_t{1});
    return std::vector<Value*>{y};
  }
  Value* transposed =
      InsertOp(node, "Transpose", {weight}, TransposedType(weight->type()), name + ".weight");
  transposed->producer()->SetAttribute("perm", Attribute::Ints{1, 0});
  Value* y = InsertOp(node, "MatMul", {x, transposed}, type, name + ".product");
  if (bias != nullptr) y = InsertOp(node, "Add", {y, bias}, type, name + ".sum");
  return std::vector<Value*>{y};
}

}  // namespace

std::vector<OpDef> LinearOps() {
  return {DragomanOp("Linear", "(x: T, weight: T, bias: T?) -> (y: T)", "T: float")
              .Infer(InferLinear)
              .Sizes({.function = "LinearShape",
                      .header = "runtime/program/operands.h",
                      .arguments = "s0 s1"})
              .Kernel({.header = "runtime/kernels/linear.h", .types = "T"})
              .Expand(ExpandLinear)};
}

}  // namespace dragoman
