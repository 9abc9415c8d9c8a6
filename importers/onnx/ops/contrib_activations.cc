// SPDX-License-Identifier: Apache-2.0
// Gelu in its forms, and softmax of a sum.
#include "importers/onnx/ops/contrib.h"

namespace dragoman {
namespace {

constexpr char kTanhForm[] = "tanh";

}  // namespace

LoweredResults LowerContribGelu(OpLowering& op) { return op.EmitOne("Gelu", op.operands); }

LoweredResults LowerBiasGelu(OpLowering& op) {
  OpComposer f(op);
  return f.Finish({f.Op("Gelu", {f.Op("Add", op.operands)}, {}, op.ResultName(0))});
}

LoweredResults LowerFastGelu(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0}));
  OpComposer f(op);
  Value* x = op.operand(0);
  if (op.operand(1) != nullptr) x = f.Op("Add", {x, op.operand(1)});
  return f.Finish({f.Op("Gelu", {x}, {{"approximate", kTanhForm}}, op.ResultName(0))});
}

LoweredResults LowerGemmFastGelu(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1}));
  OpComposer f(op);
  Value* x = f.Op("MatMul", {op.operand(0), op.operand(1)});
  if (op.operand(2) != nullptr) x = f.Op("Add", {x, op.operand(2)});
  return f.Finish({f.Op("Gelu", {x}, {{"approximate", kTanhForm}}, op.ResultName(0))});
}

// x sigmoid(alpha x)
LoweredResults LowerQuickGelu(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0}));
  DRAGOMAN_ASSIGN(const std::optional<float> alpha, op.TakeFloat("alpha"));
  OpComposer f(op);
  Value* x = op.operand(0);
  Value* gate = f.Op("Sigmoid", {f.Op("Mul", {x, f.Number(alpha.value_or(1.702f), x)})});
  return f.Finish({f.Op("Mul", {x, gate}, {}, op.ResultName(0))});
}

// The first half of x + bias times the Gelu of the second.
LoweredResults LowerBiasSplitGelu(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1}));
  OpComposer f(op);
  Value* sum = f.Op("Add", {op.operand(0), op.operand(1)});
  const std::vector<Value*> halves =
      f.Ops("Split", {sum}, {{"axis", std::int64_t{-1}}, {"num_outputs", std::int64_t{2}}},
            {"left", "right"});
  Value* gate = f.Op("Gelu", {halves[1]});
  return f.Finish({f.Op("Mul", {halves[0], gate}, {}, op.ResultName(0))});
}

// The softmax is over all axes from `axis` on. The bias has the sizes of the inner of the axes
// before it, or of the outer ones, and is repeated along the others.
LoweredResults LowerBiasSoftmax(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1}));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> given, op.TakeInt("axis"));
  DRAGOMAN_ASSIGN(const bool repeats_inner, TakeFlag(op, "is_inner_broadcast"));
  DRAGOMAN_ASSIGN(const int rank, op.Rank(0));
  DRAGOMAN_ASSIGN(const int bias_rank, op.Rank(1));
  const std::int64_t axis = given.value_or(1) < 0 ? *given + rank : given.value_or(1);
  if (axis < 0 || axis >= rank) return op.Invalid("axis is out of range");
  if (repeats_inner && bias_rank != rank)
    return op.Unsupported("is_inner_broadcast with a bias of another rank than the operand");
  OpComposer f(op);
  Value* sum = f.Op("Add", {op.operand(0), op.operand(1)});
  return f.Finish({SoftmaxFrom(f, sum, axis, rank, op.ResultName(0))});
}

}  // namespace dragoman
