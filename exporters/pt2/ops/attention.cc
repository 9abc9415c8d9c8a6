// SPDX-License-Identifier: Apache-2.0
#include "exporters/pt2/ops/attention.h"

#include <algorithm>
#include <cmath>

#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"

namespace dragoman::pt2 {
namespace {

// Operators between a mask and the numbers that it is made of.
constexpr int kMaskDepth = 12;

// The producer of a value that nothing else reads, if it is that operator.
const Node* OnlyReader(const Value* value, std::string_view type) {
  const Node* node = value != nullptr ? value->producer() : nullptr;
  return node != nullptr && node->Is(type) && value->HasOneUse() ? node : nullptr;
}

bool HasFiniteElements(const dragoman::Tensor& tensor) {
  if (!IsFloating(tensor.dtype())) return true;
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    if (!std::isfinite(tensor.FloatAt(i))) return false;
  }
  return true;
}

// As far as is seen within a few operators: of finite numbers, moved, chosen, converted, or scaled.
bool IsFinite(const Value& value, int depth) {
  if (!IsFloating(value.type().dtype())) return true;
  if (value.tensor() != nullptr) return HasFiniteElements(*value.tensor());
  const Node* node = value.producer();
  if (node == nullptr || depth == 0) return false;
  // By name: none makes infinity of numbers of usual size.
  constexpr std::string_view kKeeping[] = {"Add", "Cast", "Mul", "Sub", "Where"};
  const bool keeps = OnlyMoves(*node) || std::ranges::any_of(kKeeping, [&](std::string_view type) {
                       return node->Is(type);
                     });
  return keeps && std::ranges::all_of(node->operands(), [&](const Use& use) {
           return use.value() == nullptr || IsFinite(*use.value(), depth - 1);
         });
}

struct Scores {
  const Node* product = nullptr;
  double factor = 1;  // of the product
  const Value* mask = nullptr;
};

// The number that a tensor is multiplied by, or divided.
std::optional<double> FactorOf(const Node& scaling) {
  const dragoman::Tensor* factor = scaling.operand(1)->tensor();
  if (factor == nullptr || factor->size() != 1 || factor->rank() != 0) return std::nullopt;
  return factor->FloatAt(0);
}

// A product of queries and keys, perhaps scaled.
std::optional<Scores> ProductOf(const Value* value) {
  Scores scores;
  const Node* scaling = OnlyReader(value, "Mul");
  if (scaling == nullptr) scaling = OnlyReader(value, "Div");
  if (scaling != nullptr) {
    const std::optional<double> number = FactorOf(*scaling);
    if (!number) return std::nullopt;
    scores.factor = scaling->Is("Div") ? 1 / *number : *number;
    value = scaling->operand(0);
  }
  scores.product = OnlyReader(value, "MatMul");
  if (scores.product == nullptr) return std::nullopt;
  return scores;
}

std::optional<Scores> ScoresOf(const Value* value) {
  if (std::optional<Scores> scores = ProductOf(value)) return scores;
  const Node* sum = OnlyReader(value, "Add");
  if (sum == nullptr) return std::nullopt;
  for (std::size_t i = 0; i < 2; ++i) {
    std::optional<Scores> scores = ProductOf(sum->operand(i));
    if (!scores || !IsFinite(*sum->operand(1 - i), kMaskDepth)) continue;
    scores->mask = sum->operand(1 - i);
    return scores;
  }
  return std::nullopt;
}

// Whether the axes in front of the matrices are the same ones.
bool HaveOneBatch(const Term& q, const Term& k, const Term& v) {
  if (q.rank() != k.rank() || q.rank() != v.rank()) return false;
  for (std::size_t i = 0; i + 2 < q.shape.size(); ++i) {
    if (!(q.shape[i] == k.shape[i]) || !(q.shape[i] == v.shape[i])) return false;
  }
  return true;
}

}  // namespace

std::optional<Term> AttentionOf(const AtenOp& op) {
  const Node* softmax = OnlyReader(op.node.operand(0), "Softmax");
  if (softmax == nullptr || op.rank(0) < 3 || op.rank(1) != op.rank(0)) return std::nullopt;
  const std::int64_t axis = IntAttribute(*softmax, "axis");
  if (axis != -1 && axis != op.rank(0) - 1) return std::nullopt;
  if (!IsFloating(op.dtype()) || Info(op.dtype()).bits < 32) return std::nullopt;
  const std::optional<Scores> scores = ScoresOf(softmax->operand(0));
  if (!scores) return std::nullopt;
  const Value* queries = scores->product->operand(0);
  const Node* scaling = OnlyReader(queries, "Mul");
  const std::optional<double> factor = scaling != nullptr ? FactorOf(*scaling) : std::nullopt;
  if (factor) queries = scaling->operand(0);
  const std::optional<Term> q = op.graph.Find(queries);
  const std::optional<Term> keys = op.graph.Find(scores->product->operand(1));
  if (!q || !keys || !HaveOneBatch(*q, *keys, op.arg(1))) return std::nullopt;
  std::optional<Term> mask;
  if (scores->mask != nullptr) {
    // What a mask stretches is of sizes that the operator takes from queries and keys.
    if (!(scores->product->result(0)->type() == softmax->operand(0)->type())) return std::nullopt;
    mask = op.graph.Find(scores->mask);
    if (!mask) return std::nullopt;
    while (mask->rank() < 2) mask = op.Unsqueeze(*mask, 0);
  }
  const Term k = op.SwapAxes(*keys, keys->rank() - 2, keys->rank() - 1);
  return op.Call("aten.scaled_dot_product_attention.default",
                 {{"query", *q},
                  {"key", k},
                  {"value", op.arg(1)},
                  {"attn_mask", mask},
                  {"dropout_p", 0.0},
                  {"is_causal", false},
                  Kw("scale", scores->factor * factor.value_or(1))},
                 op.result());
}

}  // namespace dragoman::pt2
