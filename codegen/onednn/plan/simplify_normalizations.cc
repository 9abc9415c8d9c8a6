#include <optional>
#include <vector>

#include "codegen/onednn/plan/simplify.h"
#include "codegen/onednn/plan/value_queries.h"
#include "core/rewrite/zeros.h"

namespace dragoman::onednn {
namespace {

// The mean along the last axis that `value` is, kept as an axis of 1: its operand.
const Value* MeanOperand(const Value* value, const PassContext& context) {
  const Node* mean = Maker(value, "ReduceMean");
  if (mean == nullptr || IntAttribute(*mean, "keepdims", 1) == 0) return nullptr;
  const auto axes = IntsOf(context, mean->operand(1));
  const std::optional<int> rank = mean->operand(0)->type().rank();
  const bool last =
      axes && axes->size() == 1 && rank && (axes->front() == -1 || axes->front() == *rank - 1);
  return last ? mean->operand(0) : nullptr;
}

// What `value` is the square of.
const Value* SquareOperand(const Value* value) {
  if (const Node* power = Maker(value, "Pow"))
    return ScalarOf(power->operand(1)) == 2.0f ? power->operand(0) : nullptr;
  const Node* product = Maker(value, "Mul");
  const bool square = product != nullptr && product->operand(0) == product->operand(1);
  return square ? product->operand(0) : nullptr;
}

// sqrt(mean(d²) + epsilon)
struct Deviation {
  const Value* d;
  float epsilon;
};

std::optional<Deviation> FindDeviation(const Value* value, const PassContext& context) {
  const Node* root = Maker(value, "Sqrt");
  const Node* sum = root != nullptr ? Maker(root->operand(0), "Add") : nullptr;
  if (sum == nullptr) return std::nullopt;
  for (std::size_t side = 0; side < 2; ++side) {
    const std::optional<float> epsilon = ScalarOf(sum->operand(side));
    if (!epsilon) continue;
    const Value* d = SquareOperand(MeanOperand(sum->operand(1 - side), context));
    if (d != nullptr) return Deviation{d, *epsilon};
  }
  return std::nullopt;
}

// The deviation by which `value` is divided, and what is.
struct Quotient {
  const Value* d;
  Deviation by;
};

std::optional<Quotient> FindQuotient(const Value* value, const PassContext& context) {
  if (const Node* division = Maker(value, "Div")) {
    const std::optional<Deviation> by = FindDeviation(division->operand(1), context);
    return by ? std::optional(Quotient{division->operand(0), *by}) : std::nullopt;
  }
  const Node* product = Maker(value, "Mul");
  for (std::size_t side = 0; product != nullptr && side < 2; ++side) {
    const Value* root = nullptr;
    if (const Node* inverse = Maker(product->operand(side), "Reciprocal"))
      root = inverse->operand(0);
    const Node* division = Maker(product->operand(side), "Div");
    if (division != nullptr && ScalarOf(division->operand(0)) == 1.0f) root = division->operand(1);
    const std::optional<Deviation> by = FindDeviation(root, context);
    if (by) return Quotient{product->operand(1 - side), *by};
  }
  return std::nullopt;
}

// The operand whose mean along the last axis `value` is the difference from.
const Value* CenteredOperand(const Value* value, const PassContext& context) {
  const Node* difference = Maker(value, "Sub");
  if (difference == nullptr) return nullptr;
  const Value* x = difference->operand(0);
  return MeanOperand(difference->operand(1), context) == x ? x : nullptr;
}

bool IsSameDifference(const Value* a, const Value* b, const PassContext& context) {
  return a == b || (CenteredOperand(a, context) != nullptr &&
                    CenteredOperand(a, context) == CenteredOperand(b, context));
}

// Whether `value` has one element for each along the last axis of `x`, and no other axis.
bool IsRowOf(const Value* value, const Value& x) {
  const Shape* shape = value->type().shape();
  const Shape* sizes = x.type().shape();
  return shape != nullptr && sizes != nullptr && !sizes->empty() && shape->size() == 1 &&
         value->type().dtype() == DType::kF32 &&
         Equal(shape->front(), sizes->back()) == Truth::kYes;
}

// A quotient of d, or of d and a factor for each element along the last axis.
struct Numerator {
  const Value* d;
  Value* scale;  // nullptr: none
};

std::optional<Numerator> FindNumerator(const Quotient& quotient, const PassContext& context) {
  if (IsSameDifference(quotient.d, quotient.by.d, context)) return Numerator{quotient.d, nullptr};
  const Node* product = Maker(quotient.d, "Mul");
  for (std::size_t side = 0; product != nullptr && side < 2; ++side) {
    const Value* d = product->operand(1 - side);
    Value* scale = product->operand(side);
    if (IsSameDifference(d, quotient.by.d, context) && IsRowOf(scale, *d))
      return Numerator{d, scale};
  }
  return std::nullopt;
}

// As many ones as `x` has elements along its last axis; nullptr if that is not known.
Value* Ones(Node& node, const Value& x, PassContext& context) {
  const Shape* shape = x.type().shape();
  if (shape == nullptr || shape->empty() || !shape->back().known()) return nullptr;
  const std::int64_t size = shape->back().value();
  const std::vector<float> ones(static_cast<std::size_t>(size), 1.0f);
  return context.AddConstant(*node.graph(), Tensor::Of<float>({size}, ones), "ones", node.origin());
}

bool AreOnes(const Value* value) {
  const Tensor* tensor = ConstantOf(value);
  return tensor != nullptr && tensor->dtype() == DType::kF32 && HasOnly(*tensor, 1);
}

// x / sqrt(mean(x²) + epsilon); with x - mean(x) in place of x LayerNormalization.
Result<bool> FuseNormalization(Node& node, PassContext& context) {
  if ((!node.Is("Mul") && !node.Is("Div")) || node.result()->type().dtype() != DType::kF32)
    return false;
  const std::optional<Quotient> quotient = FindQuotient(node.result(), context);
  const std::optional<Numerator> numerator =
      quotient ? FindNumerator(*quotient, context) : std::nullopt;
  if (!numerator) return false;
  const Value* centered = CenteredOperand(numerator->d, context);
  auto* x = const_cast<Value*>(centered != nullptr ? centered : numerator->d);
  // Numbers of more axes add some to the result.
  if (x->type().rank() != node.result()->type().rank()) return false;
  Value* scale = numerator->scale != nullptr ? numerator->scale : Ones(node, *x, context);
  if (scale == nullptr) return false;
  DRAGOMAN_ASSIGN(
      Value * y,
      context.Insert(node, centered != nullptr ? "LayerNormalization" : "RMSNormalization",
                     {{x, scale}}, {{"epsilon", quotient->by.epsilon}}));
  return context.ReplaceIfAllowed(node, y);
}

// The normalisation along the last axis, without bias, that gives `value` to one reader.
const Node* PlainNormalization(const Value* value) {
  const Node* norm = Maker(value, "LayerNormalization");
  if (norm == nullptr) norm = Maker(value, "RMSNormalization");
  const bool fits = norm != nullptr && norm->operand(2) == nullptr && norm->num_results() == 1 &&
                    norm->result()->HasOneUse() && IntAttribute(*norm, "axis", -1) == -1;
  return fits ? norm : nullptr;
}

// LayerNormalization(x, 1) * scale = LayerNormalization(x, scale)
Result<bool> FuseScale(Node& node, PassContext& context) {
  if (!node.Is("Mul")) return false;
  for (std::size_t side = 0; side < 2; ++side) {
    const Node* norm = PlainNormalization(node.operand(side));
    Value* scale = node.operand(1 - side);
    if (norm == nullptr || !AreOnes(norm->operand(1)) || !IsRowOf(scale, *norm->operand(0)))
      continue;
    DRAGOMAN_ASSIGN(Value * y, context.Insert(node, norm->op().type, {{norm->operand(0), scale}},
                                              norm->attributes()));
    return context.ReplaceIfAllowed(node, y);
  }
  return false;
}

// LayerNormalization(x, scale) + bias = LayerNormalization(x, scale, bias)
Result<bool> FuseBias(Node& node, PassContext& context) {
  if (!node.Is("Add")) return false;
  for (std::size_t side = 0; side < 2; ++side) {
    const Node* norm = PlainNormalization(node.operand(side));
    Value* bias = node.operand(1 - side);
    if (norm == nullptr || !norm->Is("LayerNormalization") || !IsRowOf(bias, *norm->operand(0)))
      continue;
    DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "LayerNormalization",
                                              {{norm->operand(0), norm->operand(1), bias}},
                                              norm->attributes()));
    return context.ReplaceIfAllowed(node, y);
  }
  return false;
}

constexpr Pattern kPatterns[] = {
    {"fuse-normalization", FuseNormalization},
    {"fuse-normalization-scale", FuseScale},
    {"fuse-normalization-bias", FuseBias},
};

}  // namespace

std::span<const Pattern> NormalizationPatterns() { return kPatterns; }

}  // namespace dragoman::onednn
