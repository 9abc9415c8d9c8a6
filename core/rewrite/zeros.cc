// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/zeros.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "core/ir/producer.h"
#include "core/ops/op_def.h"

namespace dragoman {
namespace {

constexpr int kMaxHops = 32;

// Whether all elements of the results are those of operand 0, perhaps of another element type.
bool Moves(const Node& node) { return node.Is("Cast") || (OnlyMoves(node) && !node.Is("Concat")); }

// Whether zeros of either sign give one number, or zeros, as the operand with this index.
bool KeepsToZeros(const Node& node, std::size_t index) {
  if (node.Is("Div")) return index == 0;
  if (node.Is("Cast")) return node.result()->type().dtype() != DType::kString;
  return FactsOf(FindOp(node)).ends_zeros;
}

// Whether the result is that of 0: it begins with 0, which a -0 that is added does not change, or
// is a share of a sum of exponentials.
bool SumsUp(const Node& node) {
  // By name: only the formula of each says so; those that are not listed may keep the sign.
  static constexpr std::string_view kNames[] = {
      "AveragePool",       "Conv",   "ConvTranspose", "CumSum",    "Einsum",     "Gemm",
      "GlobalAveragePool", "MatMul", "ReduceMean",    "ReduceSum", "LogSoftmax", "Softmax"};
  return node.IsDragoman("Linear") ||
         std::ranges::any_of(kNames, [&](std::string_view name) { return node.Is(name); });
}

// Whether the numbers of steps and sizes stay what they are in it.
bool HoldsIntegers(const Value& value) {
  return value.type().dtype() == DType::kI32 || value.type().dtype() == DType::kI64;
}

}  // namespace

bool HasOnly(const Tensor& tensor, double number) {
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    if (tensor.FloatAt(i) != number) return false;
  }
  return true;
}

bool IsZero(const Value* value) {
  for (int hop = 0; hop < kMaxHops && value != nullptr; ++hop) {
    if (const Tensor* tensor = value->is_constant() ? value->tensor() : nullptr)
      return IsZeroTensor(*tensor);
    const Node* node = value->producer();
    if (node == nullptr) return false;
    if (node->Is("ConstantOfShape")) {
      const Attribute* fill = node->attribute("value");
      return fill == nullptr || (fill->tensor() != nullptr && IsZeroTensor(*fill->tensor()));
    }
    if (!Moves(*node) && !(node->Is("Concat") && node->num_operands() == 1)) return false;
    value = node->operand(0);
  }
  return false;
}

bool MayReadSignOfZero(const Value& value) {
  constexpr std::size_t kMaxValues = 256;
  std::vector<const Value*> open = {&value};
  std::unordered_set<const Value*> seen = {&value};
  while (!open.empty()) {
    const Value* at = open.back();
    open.pop_back();
    for (const Use* use = at->first_use(); use != nullptr; use = use->next()) {
      const Node* node = use->user();
      if (node == nullptr && use->graph()->parent() == nullptr) continue;
      if (node == nullptr) return true;
      if (SumsUp(*node)) continue;
      if (!OnlyMoves(*node) && !KeepsToZeros(*node, use->index())) return true;
      for (std::size_t i = 0; i < node->num_results(); ++i) {
        if (node->result(i) != nullptr && seen.insert(node->result(i)).second)
          open.push_back(node->result(i));
      }
    }
    if (seen.size() > kMaxValues) return true;
  }
  return false;
}

const Tensor* StatedFill(const Value* value) {
  const Node* fill = ProducerOf(value, "ConstantOfShape");
  const Attribute* stated = fill != nullptr ? fill->attribute("value") : nullptr;
  return stated != nullptr ? stated->tensor() : nullptr;
}

bool IsTrue(const Value* value) {
  for (; value != nullptr; value = value->producer()->operand(0)) {
    if (value->is_constant() && value->tensor() != nullptr)
      return value->tensor()->size() == 1 && value->tensor()->IntAt(0) != 0;
    if (value->producer() == nullptr || !value->producer()->Is("Identity")) return false;
  }
  return false;
}

const Value* RepeatedIn(const Value* value) {
  for (int hop = 0; hop < kMaxHops; ++hop) {
    const Shape* shape = value->type().shape();
    if (shape == nullptr || !HoldsIntegers(*value)) return nullptr;
    if (NumElements(*shape) == Dim(1)) return value;
    const Node* node = value->producer();
    if (node == nullptr || !Moves(*node)) return nullptr;
    value = node->operand(0);
  }
  return nullptr;
}

}  // namespace dragoman
