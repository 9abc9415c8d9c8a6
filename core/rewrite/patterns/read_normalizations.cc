// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "core/analysis/affine.h"
#include "core/ir/producer.h"
#include "core/ops/declared_attributes.h"
#include "core/rewrite/patterns/function_patterns.h"
#include "core/rewrite/scalar.h"
#include "core/rewrite/zeros.h"

namespace dragoman {
namespace {

constexpr std::int64_t kMostOnes = std::int64_t{1} << 22;

// The mean along the last axes, which are kept as axes of 1.
struct Mean {
  const Value* of = nullptr;
  std::int64_t axes = 0;  // how many
};

// Whether `axes`, sorted and counted from the end, are the last ones, or none.
bool AreLast(const std::vector<std::int64_t>& axes) {
  std::vector<std::int64_t> last(axes.size());
  std::iota(last.begin(), last.end(), -std::ssize(last));
  return axes == last;
}

std::optional<Mean> FindMean(const Value* value, const PassContext& context) {
  if (const Node* pool = ProducerOf(value, "GlobalAveragePool")) {
    const std::int64_t rank = pool->operand(0)->type().rank().value_or(0);
    return rank > 2 ? std::optional(Mean{pool->operand(0), rank - 2}) : std::nullopt;
  }
  const Node* mean = ProducerOf(value, "ReduceMean");
  if (mean == nullptr || IntAttribute(*mean, "keepdims") == 0) return std::nullopt;
  auto axes = IntsOf(context, mean->operand(1));
  const std::optional<int> rank = mean->operand(0)->type().rank();
  if (!axes || axes->empty() || !rank) return std::nullopt;
  for (std::int64_t& axis : *axes) axis -= axis >= 0 ? *rank : 0;
  std::ranges::sort(*axes);
  // The mean along an axis of size 1 is what it is of.
  while (!AreLast(*axes) &&
         SizeAlong(*mean->operand(0), static_cast<int>(axes->front() + *rank)) == 1)
    axes->erase(axes->begin());
  return AreLast(*axes) && !axes->empty() ? std::optional(Mean{mean->operand(0), std::ssize(*axes)})
                                          : std::nullopt;
}

// What `value` is the square of.
const Value* SquareOperand(const Value* value) {
  if (const Node* power = ProducerOf(value, "Pow"))
    return FormulaNumber(power->operand(1)) == 2.0f ? power->operand(0) : nullptr;
  const Node* product = ProducerOf(value, "Mul");
  const bool square = product != nullptr && product->operand(0) == product->operand(1);
  return square ? product->operand(0) : nullptr;
}

// sqrt(mean(d²) + epsilon)
struct Deviation {
  const Value* d;
  float epsilon;
  std::int64_t axes;  // the last ones
};

std::optional<Deviation> FindDeviation(const Value* value, const PassContext& context) {
  const Node* root = ProducerOf(value, "Sqrt");
  const Node* sum = root != nullptr ? ProducerOf(root->operand(0), "Add") : nullptr;
  if (sum == nullptr) return std::nullopt;
  for (std::size_t side = 0; side < 2; ++side) {
    const std::optional<float> epsilon = FormulaNumber(sum->operand(side));
    if (!epsilon) continue;
    const std::optional<Mean> mean = FindMean(sum->operand(1 - side), context);
    const Value* d = mean ? SquareOperand(mean->of) : nullptr;
    if (d != nullptr) return Deviation{d, *epsilon, mean->axes};
  }
  return std::nullopt;
}

// The deviation by which `value` is divided, and what is.
struct Quotient {
  const Value* d;
  Deviation by;
};

std::optional<Quotient> FindQuotient(const Value* value, const PassContext& context) {
  if (const Node* division = ProducerOf(value, "Div")) {
    const std::optional<Deviation> by = FindDeviation(division->operand(1), context);
    return by ? std::optional(Quotient{division->operand(0), *by}) : std::nullopt;
  }
  const Node* product = ProducerOf(value, "Mul");
  for (std::size_t side = 0; product != nullptr && side < 2; ++side) {
    const Value* root = nullptr;
    if (const Node* inverse = ProducerOf(product->operand(side), "Reciprocal"))
      root = inverse->operand(0);
    const Node* division = ProducerOf(product->operand(side), "Div");
    if (division != nullptr && FormulaNumber(division->operand(0)) == 1.0f)
      root = division->operand(1);
    const std::optional<Deviation> by = FindDeviation(root, context);
    if (by) return Quotient{product->operand(1 - side), *by};
  }
  return std::nullopt;
}

// The operand whose mean along the last `axes` axes `value` is the difference from.
const Value* CenteredOperand(const Value* value, std::int64_t axes, const PassContext& context) {
  const Node* difference = ProducerOf(value, "Sub");
  const std::optional<Mean> mean =
      difference != nullptr ? FindMean(difference->operand(1), context) : std::nullopt;
  const bool fits = mean && mean->axes == axes && mean->of == difference->operand(0);
  return fits ? mean->of : nullptr;
}

bool IsSameDifference(const Value* a, const Value* b, std::int64_t axes,
                      const PassContext& context) {
  const Value* x = CenteredOperand(a, axes, context);
  return a == b || (x != nullptr && x == CenteredOperand(b, axes, context));
}

// Whether `value` has the sizes of the last `axes` axes of `x`, and no other axis.
bool IsRowOf(const Value* value, const Value& x, std::int64_t axes) {
  const Shape* shape = value->type().shape();
  const Shape* sizes = x.type().shape();
  return shape != nullptr && sizes != nullptr && std::ssize(*shape) == axes &&
         std::ssize(*sizes) >= axes && value->type().dtype() == x.type().dtype() &&
         std::equal(shape->begin(), shape->end(), sizes->end() - axes,
                    [](const Dim& a, const Dim& b) { return Equal(a, b) == Truth::kYes; });
}

// A quotient of d, or of d and a factor for each element along the last axes.
struct Numerator {
  const Value* d;
  Value* scale;  // nullptr: none
};

std::optional<Numerator> FindNumerator(const Quotient& quotient, const PassContext& context) {
  const std::int64_t axes = quotient.by.axes;
  if (IsSameDifference(quotient.d, quotient.by.d, axes, context))
    return Numerator{quotient.d, nullptr};
  const Node* product = ProducerOf(quotient.d, "Mul");
  for (std::size_t side = 0; product != nullptr && side < 2; ++side) {
    const Value* d = product->operand(1 - side);
    Value* scale = product->operand(side);
    if (IsSameDifference(d, quotient.by.d, axes, context) && IsRowOf(scale, *d, axes))
      return Numerator{d, scale};
  }
  return std::nullopt;
}

// Ones of the sizes of the last `axes` axes of `x`; nullptr if these are not known, or are more
// than a file should claim without having weights.
Result<Value*> Ones(Node& node, const Value& x, std::int64_t axes, PassContext& context) {
  Value* const none = nullptr;
  const Shape* shape = x.type().shape();
  if (shape == nullptr || std::ssize(*shape) < axes) return none;
  std::vector<std::int64_t> sizes;
  std::int64_t count = 1;
  for (auto dim = shape->end() - axes; dim != shape->end(); ++dim) {
    if (!dim->known() || dim->value() > kMostOnes) return none;
    sizes.push_back(dim->value());
    count *= dim->value();
    if (count > kMostOnes) return none;
  }
  DRAGOMAN_ASSIGN(Tensor ones, Tensor::Full(x.type().dtype(), sizes, 1));
  return context.AddConstant(*node.graph(), std::move(ones), "ones", node.origin());
}

bool AreOnes(const Value* value) {
  const Tensor* tensor = ConstantOf(value);
  return tensor != nullptr && IsFloating(tensor->dtype()) && HasOnly(*tensor, 1);
}

// x / sqrt(mean(x²) + epsilon); with x - mean(x) in place of x LayerNormalization.
Result<bool> FuseNormalization(Node& node, PassContext& context) {
  if ((!node.Is("Mul") && !node.Is("Div")) || !IsReadAs("LayerNormalization", node.result()))
    return false;
  const std::optional<Quotient> quotient = FindQuotient(node.result(), context);
  const std::optional<Numerator> numerator =
      quotient ? FindNumerator(*quotient, context) : std::nullopt;
  if (!numerator) return false;
  const std::int64_t axes = quotient->by.axes;
  const Value* centered = CenteredOperand(numerator->d, axes, context);
  auto* x = const_cast<Value*>(centered != nullptr ? centered : numerator->d);
  // Numbers of more axes add some to the result.
  if (x->type().rank() != node.result()->type().rank()) return false;
  Value* scale = numerator->scale;
  if (scale == nullptr) {
    DRAGOMAN_ASSIGN(scale, Ones(node, *x, axes, context));
  }
  if (scale == nullptr) return false;
  DRAGOMAN_ASSIGN(
      Value * y,
      context.Insert(node, centered != nullptr ? "LayerNormalization" : "RMSNormalization",
                     {{x, scale}}, {{"axis", -axes}, {"epsilon", quotient->by.epsilon}}));
  return context.ReplaceIfAllowed(node, y);
}

// The normalisation, without bias, that gives `value` to one reader.
const Node* PlainNormalization(const Value* value) {
  const Node* norm = ProducerOf(value, "LayerNormalization");
  if (norm == nullptr) norm = ProducerOf(value, "RMSNormalization");
  const bool fits = norm != nullptr && norm->operand(2) == nullptr && norm->num_results() == 1 &&
                    norm->result()->HasOneUse();
  return fits ? norm : nullptr;
}

// Along how many of the last axes it goes.
std::int64_t AxesOf(const Node& norm) {
  const std::int64_t axis = IntAttribute(norm, "axis");
  return axis < 0 ? -axis : norm.operand(0)->type().rank().value_or(0) - axis;
}

// LayerNormalization(x, 1) * scale = LayerNormalization(x, scale)
Result<bool> FuseScale(Node& node, PassContext& context) {
  if (!node.Is("Mul")) return false;
  for (std::size_t side = 0; side < 2; ++side) {
    const Node* norm = PlainNormalization(node.operand(side));
    Value* scale = node.operand(1 - side);
    if (norm == nullptr || !AreOnes(norm->operand(1)) ||
        !IsRowOf(scale, *norm->operand(0), AxesOf(*norm))) {
      continue;
    }
    DRAGOMAN_ASSIGN(Value * y, context.Insert(node, norm->op().type, {{norm->operand(0), scale}},
                                              norm->attributes()));
    return context.ReplaceIfAllowed(node, y);
  }
  return false;
}

// LayerNormalization(x, scale) + bias = LayerNormalization(x, scale, bias)
Result<bool> FuseNormalizationBias(Node& node, PassContext& context) {
  if (!node.Is("Add")) return false;
  for (std::size_t side = 0; side < 2; ++side) {
    const Node* norm = PlainNormalization(node.operand(side));
    Value* bias = node.operand(1 - side);
    if (norm == nullptr || !norm->Is("LayerNormalization") ||
        !IsRowOf(bias, *norm->operand(0), AxesOf(*norm))) {
      continue;
    }
    DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "LayerNormalization",
                                              {{norm->operand(0), norm->operand(1), bias}},
                                              norm->attributes()));
    return context.ReplaceIfAllowed(node, y);
  }
  return false;
}

}  // namespace

std::span<const Pattern> NormalizationPatterns() {
  static constexpr Pattern kPatterns[] = {
      {"fuse-normalization", FuseNormalization},
      {"fuse-normalization-scale", FuseScale},
      {"fuse-normalization-bias", FuseNormalizationBias},
  };
  return kPatterns;
}

}  // namespace dragoman
