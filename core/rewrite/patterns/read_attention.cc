// SPDX-License-Identifier: Apache-2.0
// Attention as decomposed programs of torch, and ONNX files of torch 2, spell it.
#include <cmath>
#include <cstdint>
#include <optional>

#include "core/ir/producer.h"
#include "core/ops/declared_attributes.h"
#include "core/rewrite/joined_parts.h"
#include "core/rewrite/patterns/function_patterns.h"
#include "core/rewrite/safe_softmax.h"
#include "core/rewrite/scalar.h"
#include "core/rewrite/zeros.h"

namespace dragoman {
namespace {

constexpr float kHidden = -INFINITY;
constexpr double kLeastFactor = 1e-6;

// What a choice by rows says: the values that are asked, and whether it is true for rows of -inf
// alone, or for all others.
struct AskedRows {
  Value* x = nullptr;
  bool are_hidden = false;
};

// Of a condition that asks of the rows along `axis` whether all is -inf, or anything is not.
AskedRows ReadCondition(const Value* condition, int axis, const PassContext& context) {
  const Node* all = ProducerOf(condition, "ReduceMin");
  const Node* any = ProducerOf(condition, "ReduceMax");
  const Node* asked = all != nullptr ? all : any;
  if (asked == nullptr) return {};
  const Node* visible = any != nullptr ? ProducerOf(any->operand(0), "Not") : nullptr;
  if (any != nullptr && visible == nullptr) return {};
  const Node* hidden = ProducerOf(any != nullptr ? visible->operand(0) : all->operand(0), "Equal");
  if (hidden == nullptr || FormulaNumber(hidden->operand(1)) != kHidden) return {};
  const auto axes = IntsOf(context, asked->operand(1));
  const bool keeps = IntAttribute(*asked, "keepdims", 1) != 0;
  const bool is_axis =
      axes && axes->size() == 1 && FromFront(axes->front(), *asked->operand(0)) == axis;
  return keeps && is_axis ? AskedRows{hidden->operand(0), all != nullptr} : AskedRows();
}

// Where(any(x != -inf), Softmax(x), 0) = Where(all(x = -inf), 0, Softmax(x))
//   = Where(max(x) = -inf, 0, Softmax(x)), along one axis
Result<bool> ReadSafeSoftmax(Node& node, PassContext& context) {
  if (!node.Is("Where")) return false;
  const Node* first = ProducerOf(node.operand(1), "Softmax");
  const Node* softmax = first != nullptr ? first : ProducerOf(node.operand(2), "Softmax");
  if (softmax == nullptr || !IsZero(node.operand(first != nullptr ? 2 : 1)) ||
      !SameShape(*softmax->result(), *node.result()))
    return false;
  Value* x = softmax->operand(0);
  const int axis = static_cast<int>(FromFront(IntAttribute(*softmax, "axis", -1), *x));
  if (!x->type().rank()) return false;
  const AskedRows asked = ReadCondition(node.operand(0), axis, context);
  if (asked.x != x || asked.are_hidden != (first == nullptr)) return false;
  DRAGOMAN_ASSIGN(Value * y, InsertSafeSoftmax(*softmax, node, context));
  return context.ReplaceIfAllowed(node, y);
}

// A value of a product, the number that it is multiplied by, and what transposes that.
struct Scaled {
  Value* value = nullptr;
  double factor = 1;
  const Node* transpose = nullptr;  // nullptr: nothing
};

// Of a Mul with a number that makes nothing larger, and not so much smaller that a product of two
// would be 0.
std::optional<Scaled> ReadScaled(const Value* value) {
  const Node* transpose = ProducerOf(value, "Transpose");
  if (transpose != nullptr) value = transpose->operand(0);
  const Node* product = ProducerOf(value, "Mul");
  const Tensor* factor = product != nullptr ? ConstantOf(product->operand(1)) : nullptr;
  if (factor == nullptr || factor->size() != 1 || !SameShape(*product->operand(0), *value))
    return std::nullopt;
  const double number = factor->FloatAt(0);
  const bool shrinks = std::abs(number) <= 1 && std::abs(number) >= kLeastFactor;
  return shrinks ? std::optional(Scaled{product->operand(0), number, transpose}) : std::nullopt;
}

double Rounded(double number, DType dtype) {
  return dtype == DType::kF32 ? static_cast<float>(number) : number;
}

// The product of two factors; two that are the rounded root of the same 1 / √n give just that.
double ProductOf(double a, double b, DType dtype) {
  const double features = std::round(1 / (a * a * b * b));
  const double scale = 1 / std::sqrt(features);
  if (a == b && features < 1 << 20 && Rounded(std::sqrt(scale), dtype) == a)
    return Rounded(scale, dtype);
  return Rounded(a * b, dtype);
}

// `value` transposed as what is scaled was.
Result<Value*> InsertTranspose(Value* value, const Scaled& scaled, Node& node,
                               PassContext& context) {
  if (scaled.transpose == nullptr) return value;
  return context.Insert(node, "Transpose", {{value}}, scaled.transpose->attributes());
}

// MatMul(x · a, y · b) = MatMul(x · (a · b), y), for numbers; with Transposes of both, too
Result<bool> MergeFactors(Node& node, PassContext& context) {
  const DType dtype = node.Is("MatMul") ? node.result()->type().dtype() : DType::kUnknown;
  if (dtype != DType::kF32 && dtype != DType::kF64) return false;
  const std::optional<Scaled> x = ReadScaled(node.operand(0)), y = ReadScaled(node.operand(1));
  if (!x || !y || x->value->is_constant() || y->value->is_constant()) return false;
  DRAGOMAN_ASSIGN(Tensor product, Tensor::Full(dtype, {}, ProductOf(x->factor, y->factor, dtype)));
  Value* factor = context.AddConstant(*node.graph(), std::move(product), "factor", node.origin());
  DRAGOMAN_ASSIGN(Value * scaled, context.Insert(node, "Mul", {{x->value, factor}}));
  DRAGOMAN_ASSIGN(Value * first, InsertTranspose(scaled, *x, node, context));
  DRAGOMAN_ASSIGN(Value * second, InsertTranspose(y->value, *y, node, context));
  DRAGOMAN_ASSIGN(Value * result, context.Insert(node, "MatMul", {{first, second}}));
  return context.ReplaceIfAllowed(node, result);
}

// What multiplication by a number does in place of division by it: one over the rounded root of n
// is the rounded 1 / √n.
double InverseOf(double number, DType dtype) {
  const double root = std::sqrt(std::round(number * number));
  return Rounded(1 / (Rounded(root, dtype) == number ? root : number), dtype);
}

// MatMul(x, y) · a = MatMul(x · a, y), and MatMul(x, y) / a = MatMul(x · (1 / a), y), for numbers
// that make nothing larger
Result<bool> ScaleFactor(Node& node, PassContext& context) {
  if (!node.Is("Mul") && !node.Is("Div")) return false;
  const DType dtype = node.result()->type().dtype();
  const Node* const product = ProducerOf(node.operand(0), "MatMul");
  const Tensor* const given = product != nullptr ? ConstantOf(node.operand(1)) : nullptr;
  if (given == nullptr || given->size() != 1 || (dtype != DType::kF32 && dtype != DType::kF64) ||
      !product->result()->HasOneUse() || !SameShape(*product->result(), *node.result()))
    return false;
  Value* const x = product->operand(0);
  Value* const y = product->operand(1);
  const double number = given->FloatAt(0);
  if (x->is_constant() || y->is_constant() || number == 0) return false;
  const double factor = node.Is("Mul") ? number : InverseOf(number, dtype);
  if (!(std::abs(factor) <= 1 && std::abs(factor) >= kLeastFactor)) return false;
  DRAGOMAN_ASSIGN(Tensor tensor, Tensor::Full(dtype, {}, factor));
  Value* by = context.AddConstant(*node.graph(), std::move(tensor), "factor", node.origin());
  DRAGOMAN_ASSIGN(Value * scaled, context.Insert(node, "Mul", {{x, by}}));
  DRAGOMAN_ASSIGN(Value * result, context.Insert(node, "MatMul", {{scaled, y}}));
  return context.ReplaceIfAllowed(node, result);
}

}  // namespace

std::span<const Pattern> FactorPatterns() {
  static constexpr Pattern kPatterns[] = {{"scale-factor", ScaleFactor}};
  return kPatterns;
}

std::span<const Pattern> AttentionPatterns() {
  static constexpr Pattern kPatterns[] = {{"read-safe-softmax", ReadSafeSoftmax},
                                          {"merge-factors", MergeFactors}};
  return kPatterns;
}

}  // namespace dragoman
