// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "core/interpreter/evaluate.h"
#include "core/rewrite/passes.h"
#include "core/rewrite/patterns/linear_patterns.h"
#include "core/rewrite/patterns/quantized_product.h"

namespace dragoman {
namespace {

Tensor FloatLine(const std::vector<float>& values) {
  std::vector<std::int64_t> sizes;
  if (values.size() != 1) sizes.push_back(static_cast<std::int64_t>(values.size()));
  return Tensor::Of<float>(std::move(sizes), values);
}

// Makes the nodes of one product before `position`.
class ProductWriter {
 public:
  ProductWriter(const QuantizedProduct& product, Node& position, PassContext& context)
      : p_(product), position_(position), context_(context) {}

  // QLinearConv, or QLinearMatMul if there is no bias.
  Result<Value*> Quantized(const Quantization& y) {
    DRAGOMAN_ASSIGN(Value * w, Weight());
    std::vector<Value*> operands = {p_.x,
                                    Constant(Tensor::Float(p_.x_scale), "x_scale"),
                                    Constant(p_.x_zero, "x_zero"),
                                    w,
                                    Constant(FloatLine(p_.w_scales), "w_scale"),
                                    Constant(p_.w_zero, "w_zero"),
                                    Constant(y.scale, "y_scale"),
                                    Constant(y.zero, "y_zero")};
    if (!p_.is_conv) return InsertProduct("QLinearMatMul", operands, {});
    if (p_.int_bias) operands.push_back(IntBias());
    return InsertProduct("QLinearConv", operands, p_.node->attributes());
  }

  // The sums as integers, dequantised.
  Result<Value*> Dequantized() {
    DRAGOMAN_ASSIGN(Value * w, Weight());
    Value* const operands[] = {p_.x, w, Constant(p_.x_zero, "x_zero"),
                               Constant(p_.w_zero, "w_zero")};
    DRAGOMAN_ASSIGN(Value * sum, p_.is_conv
                                     ? InsertProduct("ConvInteger", operands, p_.node->attributes())
                                     : InsertProduct("MatMulInteger", operands, {}));
    if (p_.int_bias) {
      DRAGOMAN_ASSIGN(sum, context_.Insert(position_, "Add", {{sum, AlongChannels(IntBias())}}));
    }
    const std::int64_t axis = p_.is_conv ? 1 : *sum->type().rank() - 1;
    DRAGOMAN_ASSIGN(Value * y, context_.Insert(position_, "DequantizeLinear",
                                               {{sum, Constant(FloatLine(p_.Scales()), "scale")}},
                                               {{"axis", Attribute(axis)}}));
    if (p_.bias == nullptr || p_.int_bias) return y;
    return context_.Insert(position_, "Add", {{y, AlongChannels(p_.bias)}});
  }

 private:
  Result<Value*> InsertProduct(std::string_view label, std::span<Value* const> operands,
                               std::vector<NamedAttribute> attributes) {
    DRAGOMAN_ASSIGN(Value * y, context_.Insert(position_, label, operands, std::move(attributes)));
    y->producer()->set_name(p_.node->name());
    return y;
  }

  Value* Constant(Tensor tensor, std::string_view what) {
    return context_.AddConstant(*position_.graph(), std::move(tensor),
                                p_.node->result()->name() + "_" + std::string(what),
                                p_.node->origin());
  }

  Value* IntBias() {
    return Constant(
        Tensor::Of<std::int32_t>({static_cast<std::int64_t>(p_.int_bias->size())}, *p_.int_bias),
        "bias");
  }

  // A constant vector, so that it broadcasts along the channels of a convolution's result.
  Value* AlongChannels(Value* bias) {
    if (!p_.is_conv) return bias;
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(*p_.x->type().rank()) - 1, 1);
    sizes.front() = ConstantOf(bias)->size();
    return Constant(ConstantOf(bias)->Reshaped(std::move(sizes)), "bias");
  }

  Result<Value*> Weight() {
    if (!p_.transpose_w) return p_.w;
    return TransposeConstant(*p_.w, {1, 0}, context_);
  }

  const QuantizedProduct& p_;
  Node& position_;
  PassContext& context_;
};

// What lies between a product and its QuantizeLinear: nothing, or a node that limits the values.
struct Limits {
  float low = -std::numeric_limits<float>::infinity();
  float high = std::numeric_limits<float>::infinity();
};

std::optional<Limits> MatchLimits(const Node& node) {
  Limits limits;
  if (node.Is("Relu")) {
    limits.low = 0.0f;
    return limits;
  }
  if (!node.Is("Clip")) return std::nullopt;
  for (std::size_t i : {1, 2}) {
    const Tensor* bound = ConstantOf(node.operand(i));
    if (node.operand(i) == nullptr) continue;
    if (bound == nullptr || bound->size() != 1) return std::nullopt;
    (i == 1 ? limits.low : limits.high) = static_cast<float>(bound->FloatAt(0));
  }
  if (!(limits.low <= limits.high)) return std::nullopt;
  return limits;
}

// Rounding keeps the order, and a negative scale turns it around: the limits can be applied to the
// integers.
Result<Value*> Limited(Value* y, const Quantization& q, const Limits& limits, Node& position,
                       PassContext& context) {
  const bool is_signed = q.zero.dtype() == DType::kI8;
  const std::int64_t ends[] = {q.Apply(limits.low), q.Apply(limits.high)};
  const auto [low, high] = std::minmax(ends[0], ends[1]);
  if (low == (is_signed ? -128 : 0) && high == (is_signed ? 127 : 255)) return y;
  Value* bounds[2] = {};
  for (std::size_t i : {0, 1}) {
    DRAGOMAN_ASSIGN(Tensor bound, Tensor::Full(q.zero.dtype(), {}, i == 0 ? low : high));
    bounds[i] =
        context.AddConstant(*position.graph(), std::move(bound), i == 0 ? "low" : "high", nullptr);
  }
  return context.Insert(position, "Clip", {{y, bounds[0], bounds[1]}});
}

bool OnlyReader(const Node& node, const Node& reader) {
  return node.graph() == reader.graph() && node.result()->HasOneUse();
}

// QuantizeLinear(Conv(DequantizeLinear(x), DequantizeLinear(w), b)) = QLinearConv(x, w, b), and
// QuantizeLinear(MatMul(...)) = QLinearMatMul(x, w), also with Relu or Clip in between
Result<bool> UseQuantizedResult(Node& node, PassContext& context) {
  const std::optional<Quantization> q = MatchQuantization(node);
  Node* before = q && node.operand(0) != nullptr ? node.operand(0)->producer() : nullptr;
  if (before == nullptr || !OnlyReader(*before, node)) return false;
  const std::optional<Limits> limits = MatchLimits(*before);
  Node* made_by = limits ? before->operand(0)->producer() : before;
  if (made_by == nullptr || (limits && !OnlyReader(*made_by, *before))) return false;
  const std::optional<QuantizedProduct> product = MatchQuantizedProduct(*made_by);
  if (!product || (product->bias != nullptr && !(product->is_conv && product->int_bias)))
    return false;
  DRAGOMAN_ASSIGN(Value * y, ProductWriter(*product, node, context).Quantized(*q));
  DRAGOMAN_ASSIGN(y, Limited(y, *q, limits.value_or(Limits()), node, context));
  return context.ReplaceIfAllowed(node, y);
}

// Conv(DequantizeLinear(x), DequantizeLinear(w), b) = DequantizeLinear(ConvInteger(x, w) + b),
// MatMul likewise
Result<bool> UseIntegerSum(Node& node, PassContext& context) {
  const std::optional<QuantizedProduct> product = MatchQuantizedProduct(node);
  if (!product) return false;
  const bool constant_bias =
      product->bias == nullptr || product->int_bias || ConstantOf(product->bias) != nullptr;
  if (product->is_conv && (!constant_bias || !product->x->type().rank())) return false;
  DRAGOMAN_ASSIGN(Value * y, ProductWriter(*product, node, context).Dequantized());
  return context.ReplaceIfAllowed(node, y);
}

// QuantizeLinear of a constant to 8 bits = a constant of a quarter of its size
Result<bool> QuantizeConstant(Node& node, PassContext& context) {
  if (!node.Is("QuantizeLinear") || node.result() == nullptr) return false;
  const DType dtype = node.result()->type().dtype();
  if (dtype != DType::kI8 && dtype != DType::kU8) return false;
  std::vector<const Tensor*> operands;
  for (const Use& use : node.operands()) {
    operands.push_back(ConstantOf(use.value()));
    if (use.value() != nullptr && operands.back() == nullptr) return false;
  }
  DRAGOMAN_ASSIGN(std::vector<Tensor> computed, EvaluateOnTensors(node, operands));
  Value* constant = context.AddConstant(*node.graph(), std::move(computed.front()),
                                        node.result()->name(), node.origin());
  return context.ReplaceIfAllowed(node, constant);
}

constexpr Pattern kQuantizations[] = {{"quantize-constant", QuantizeConstant}};
constexpr Pattern kResults[] = {{"use-quantized-result", UseQuantizedResult}};
constexpr Pattern kSums[] = {{"use-integer-sum", UseIntegerSum}};

}  // namespace

std::span<const Pattern> QuantizedConstantPatterns() { return kQuantizations; }
std::span<const Pattern> QuantizedResultPatterns() { return kResults; }
std::span<const Pattern> IntegerSumPatterns() { return kSums; }

}  // namespace dragoman
