// SPDX-License-Identifier: Apache-2.0
#include "exporters/pt2/ops/attention.h"

#include <algorithm>
#include <cmath>

#include "core/ir/producer.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"

namespace dragoman::pt2 {
namespace {

// Operators between a mask and the numbers that it is made of.
constexpr int kMaskDepth = 12;

// The producer of a value that nothing else reads, if it is that operator.
const Node* OnlyReader(const Value* value, std::string_view type) {
  return value != nullptr && value->HasOneUse() ? ProducerOf(value, type) : nullptr;
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

// Whether it is one number, `number`.
bool IsNumber(const Value* value, double number) {
  const dragoman::Tensor* tensor = value != nullptr ? value->tensor() : nullptr;
  return tensor != nullptr && tensor->size() == 1 && tensor->FloatAt(0) == number;
}

// A softmax along the last axis; a safe one gives zeros where all is -inf.
struct Weighting {
  const Node* softmax = nullptr;
  bool is_safe = false;
};

// Softmax(x), or Where(max(x) = -inf, 0, Softmax(x)), the form of a safe one, of rank `rank`.
Weighting WeightingOf(const Value* value, std::int64_t rank) {
  const auto is_last = [&](std::int64_t axis) { return axis == -1 || axis == rank - 1; };
  const auto softmax_of = [&](const Value* weights) {
    const Node* softmax = OnlyReader(weights, "Softmax");
    return softmax != nullptr && is_last(IntAttribute(*softmax, "axis")) ? softmax : nullptr;
  };
  if (const Node* softmax = softmax_of(value)) return {softmax, false};
  const Node* where = OnlyReader(value, "Where");
  const Node* softmax = where != nullptr ? softmax_of(where->operand(2)) : nullptr;
  const Node* hidden = softmax != nullptr ? OnlyReader(where->operand(0), "Equal") : nullptr;
  const Node* most = hidden != nullptr ? OnlyReader(hidden->operand(0), "ReduceMax") : nullptr;
  if (most == nullptr || !IsNumber(where->operand(1), 0) ||
      !IsNumber(hidden->operand(1), -HUGE_VAL))
    return {};
  const dragoman::Tensor* axes = most->operand(1) != nullptr ? most->operand(1)->tensor() : nullptr;
  const bool is_of_rows = axes != nullptr && axes->size() == 1 && is_last(axes->IntAt(0)) &&
                          most->operand(0) == softmax->operand(0) &&
                          IntAttribute(*most, "keepdims") != 0;
  return is_of_rows ? Weighting{softmax, true} : Weighting();
}

// What gives the scores of a softmax, if nothing else reads them; a safe one reads them twice.
const Node* MakerOfScores(const Weighting& weighting, std::string_view type) {
  const Value* scores = weighting.softmax->operand(0);
  const std::size_t reads = weighting.is_safe ? 2 : 1;
  std::size_t count = 0;
  for (const Use* use = scores->first_use(); use != nullptr; use = use->next()) ++count;
  return count == reads ? ProducerOf(scores, type) : nullptr;
}

// A product of queries and keys, perhaps scaled, of what `made_by` finds the producer.
template <class MadeByType>
std::optional<Scores> ProductOf(const MadeByType& made_by) {
  Scores scores;
  const Node* scaling = made_by("Mul");
  if (scaling == nullptr) scaling = made_by("Div");
  if (scaling == nullptr) {
    scores.product = made_by("MatMul");
  } else {
    const std::optional<double> number = FactorOf(*scaling);
    if (!number) return std::nullopt;
    scores.factor = scaling->Is("Div") ? 1 / *number : *number;
    scores.product = OnlyReader(scaling->operand(0), "MatMul");
  }
  if (scores.product == nullptr) return std::nullopt;
  return scores;
}

std::optional<Scores> ScoresOf(const Weighting& weighting) {
  const auto maker = [&](std::string_view type) { return MakerOfScores(weighting, type); };
  if (std::optional<Scores> scores = ProductOf(maker)) return scores;
  const Node* sum = maker("Add");
  if (sum == nullptr) return std::nullopt;
  for (std::size_t i = 0; i < 2; ++i) {
    std::optional<Scores> scores =
        ProductOf([&](std::string_view type) { return OnlyReader(sum->operand(i), type); });
    const Value* mask = sum->operand(1 - i);
    if (!scores || !(weighting.is_safe || IsFinite(*mask, kMaskDepth))) continue;
    scores->mask = mask;
    return scores;
  }
  return std::nullopt;
}

bool SameSizes(const Type& a, const Type& b) {
  return a.shape() != nullptr && b.shape() != nullptr && *a.shape() == *b.shape();
}

// What a mask of bool stands for: Where(visible, 0, -inf). Else the mask.
const Value* MaskOf(const Value* mask) {
  const Node* where = ProducerOf(mask, "Where");
  const bool hides = where != nullptr && SameSizes(where->operand(0)->type(), mask->type()) &&
                     IsNumber(where->operand(1), 0) && IsNumber(where->operand(2), -HUGE_VAL);
  return hides ? where->operand(0) : mask;
}

// What the operator multiplies by where nothing is stated.
bool IsUsualScale(double scale, const Term& queries) {
  const Dim& size = queries.shape.back();
  return size.known() && queries.dtype == DType::kF32 &&
         static_cast<float>(scale) ==
             static_cast<float>(1 / std::sqrt(static_cast<double>(size.value())));
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
  if (op.rank(0) < 3 || op.rank(1) != op.rank(0)) return std::nullopt;
  const Weighting weighting = WeightingOf(op.node.operand(0), op.rank(0));
  if (weighting.softmax == nullptr) return std::nullopt;
  if (!IsFloating(op.dtype()) || Info(op.dtype()).bits < 32) return std::nullopt;
  const std::optional<Scores> scores = ScoresOf(weighting);
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
    if (!(scores->product->result(0)->type() == weighting.softmax->operand(0)->type()))
      return std::nullopt;
    mask = op.graph.Find(weighting.is_safe ? MaskOf(scores->mask) : scores->mask);
    if (!mask) return std::nullopt;
    while (mask->rank() < 2) mask = op.Unsqueeze(*mask, 0);
  }
  const Term k = op.SwapAxes(*keys, keys->rank() - 2, keys->rank() - 1);
  Arguments arguments = {{"query", *q},       {"key", k},         {"value", op.arg(1)},
                         {"attn_mask", mask}, {"dropout_p", 0.0}, {"is_causal", false}};
  const double scale = scores->factor * factor.value_or(1);
  if (!IsUsualScale(scale, *q)) arguments.push_back(Kw("scale", scale));
  return op.Call("aten.scaled_dot_product_attention.default", arguments, op.result());
}

}  // namespace dragoman::pt2
