// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/patterns/quantized_product.h"
#include "core/ops/declared_attributes.h"

#include <algorithm>
#include <cmath>

namespace dragoman {
namespace {

constexpr double kLargestBias = 1 << 30;
// How far from a whole number a float that was computed from one may be: at least, and relatively.
constexpr double kWhole = 1e-3, kRelative = 1e-6;

bool IsInt8(DType dtype) { return dtype == DType::kI8 || dtype == DType::kU8; }

Tensor Int8Scalar(DType dtype, std::int64_t value) {
  if (dtype == DType::kI8) return Tensor::Of<std::int8_t>({}, {{static_cast<std::int8_t>(value)}});
  return Tensor::Of<std::uint8_t>({}, {{static_cast<std::uint8_t>(value)}});
}

// A DequantizeLinear with constant scale (positive) and zero point.
struct Dequantization {
  Value* data = nullptr;
  std::vector<float> scales;
  const Tensor* zero = nullptr;  // nullptr: 0
  std::int64_t axis = 0;         // not negative
};

std::optional<Dequantization> MatchDequantization(const Value* value) {
  const Node* node = value != nullptr ? value->producer() : nullptr;
  if (node == nullptr || !node->Is("DequantizeLinear") || IntAttribute(*node, "block_size") != 0)
    return std::nullopt;
  const Tensor* scale = ConstantOf(node->operand(1));
  const Tensor* zero = ConstantOf(node->operand(2));
  const std::optional<int> rank = value->type().rank();
  if (scale == nullptr || scale->dtype() != DType::kF32 || scale->rank() > 1 || !rank ||
      (node->operand(2) != nullptr && zero == nullptr)) {
    return std::nullopt;
  }
  Dequantization found{node->operand(0), {}, zero, IntAttribute(*node, "axis")};
  if (found.axis < 0) found.axis += *rank;
  for (std::int64_t i = 0; i < scale->size(); ++i) {
    found.scales.push_back(static_cast<float>(scale->FloatAt(i)));
    if (!IsGridScale(found.scales.back())) return std::nullopt;
  }
  return found;
}

Tensor ZeroOf(const Dequantization& d) {
  const DType dtype = d.data->type().dtype();
  if (d.zero == nullptr) return Int8Scalar(dtype, 0);
  return d.scales.size() == 1 ? d.zero->Reshaped({}) : *d.zero;
}

// The weight of a MatMul or Gemm after a Transpose of its two axes.
const Value* WithoutSwap(const Value* weight, bool& transposed) {
  const Node* node = weight != nullptr ? weight->producer() : nullptr;
  if (node == nullptr || !node->Is("Transpose") || weight->type().rank() != 2) return weight;
  const Attribute::Ints* perm = IntsAttribute(*node, "perm");
  if (perm != nullptr && *perm != Attribute::Ints{1, 0}) return weight;
  transposed = !transposed;
  return node->operand(0);
}

bool IsPlainGemm(const Node& node) {
  return node.Is("Gemm") && FloatAttribute(node, "alpha") == 1.0f &&
         (node.operand(2) == nullptr || FloatAttribute(node, "beta") == 1.0f) &&
         IntAttribute(node, "transA") == 0;
}

// Which axis of the weight is that of the result's channels or columns; nullopt if node is no
// product.
struct WeightAxis {
  bool is_conv = false;
  bool transposed = false;
};

std::optional<WeightAxis> MatchProduct(const Node& node) {
  if (node.Is("Conv")) return WeightAxis{true, false};
  if (node.Is("MatMul")) return WeightAxis{false, false};
  if (node.IsDragoman("Linear")) return WeightAxis{false, true};
  if (IsPlainGemm(node)) return WeightAxis{false, IntAttribute(node, "transB") != 0};
  return std::nullopt;
}

bool TakeWeight(const Value* weight, QuantizedProduct& product) {
  const std::optional<Dequantization> w = MatchDequantization(weight);
  if (!w || !IsInt8(w->data->type().dtype())) return false;
  const Tensor* tensor = ConstantOf(w->data);
  const int rank = w->data->type().rank().value_or(0);
  if (tensor == nullptr && (product.is_conv || product.transpose_w)) return false;
  if (rank < (product.is_conv ? 3 : 2) || (tensor != nullptr && !product.is_conv && rank != 2))
    return false;
  if (w->scales.size() != 1) {
    const std::int64_t axis = product.is_conv || product.transpose_w ? 0 : 1;
    if (tensor == nullptr || w->axis != axis) return false;
  }
  product.w = w->data;
  product.w_scales = w->scales;
  product.w_zero = ZeroOf(*w);
  return true;
}

bool IsAllZero(const Tensor* zero) {
  if (zero == nullptr) return true;
  const std::vector<std::int64_t> values = zero->ToInts();
  return std::ranges::all_of(values, [](std::int64_t value) { return value == 0; });
}

// The bias as multiples of `scales`, if it is nearly that.
std::optional<std::vector<std::int32_t>> RoundedBias(const Tensor& bias,
                                                     const std::vector<float>& scales) {
  std::vector<std::int32_t> rounded;
  for (std::int64_t i = 0; i < bias.size(); ++i) {
    const double scale = scales[scales.size() == 1 ? 0 : static_cast<std::size_t>(i)];
    const double units = bias.FloatAt(i) / scale;
    const double whole = std::nearbyint(units);
    if (!(std::fabs(units) < kLargestBias)) return std::nullopt;
    if (std::fabs(units - whole) > std::max(kWhole, kRelative * std::fabs(units)))
      return std::nullopt;
    rounded.push_back(static_cast<std::int32_t>(whole));
  }
  return rounded;
}

// A bias that is dequantised with the scales of the product has its integers.
void TakeBias(QuantizedProduct& product) {
  const std::vector<float> scales = product.Scales();
  const auto fits = [&](const Tensor& bias) {
    return bias.rank() == 1 &&
           (scales.size() == 1 || scales.size() == static_cast<std::size_t>(bias.size()));
  };
  if (const Tensor* bias = ConstantOf(product.bias)) {
    if (bias->dtype() == DType::kF32 && fits(*bias)) product.int_bias = RoundedBias(*bias, scales);
    return;
  }
  const std::optional<Dequantization> d = MatchDequantization(product.bias);
  const Tensor* bias = d ? ConstantOf(d->data) : nullptr;
  if (bias == nullptr || bias->dtype() != DType::kI32 || !IsAllZero(d->zero) || !fits(*bias) ||
      (d->scales.size() != 1 && d->scales.size() != scales.size())) {
    return;
  }
  for (std::size_t i = 0; i < scales.size(); ++i) {
    const float scale = d->scales[d->scales.size() == 1 ? 0 : i];
    if (std::fabs(scale - scales[i]) > 1e-5f * scales[i]) return;
  }
  const std::span<const std::int32_t> values = bias->data<std::int32_t>();
  product.int_bias = std::vector<std::int32_t>(values.begin(), values.end());
}

}  // namespace

bool IsGridScale(float scale) {
  return scale > 0.0f && std::isnormal(scale) && std::isfinite(scale * 255.0f);
}

std::vector<float> QuantizedProduct::Scales() const {
  std::vector<float> scales;
  for (float scale : w_scales) scales.push_back(x_scale * scale);
  return scales;
}

std::optional<QuantizedProduct> MatchQuantizedProduct(Node& node) {
  const std::optional<WeightAxis> axis = MatchProduct(node);
  if (!axis) return std::nullopt;
  const std::optional<Dequantization> x = MatchDequantization(node.operand(0));
  if (!x || x->scales.size() != 1 || !IsInt8(x->data->type().dtype())) return std::nullopt;
  QuantizedProduct product;
  product.node = &node;
  product.is_conv = axis->is_conv;
  product.transpose_w = axis->transposed;
  product.x = x->data;
  product.x_scale = x->scales.front();
  product.x_zero = ZeroOf(*x);
  if (!product.is_conv && x->data->type().rank().value_or(0) < 2) return std::nullopt;
  const Value* weight = node.operand(1);
  if (!product.is_conv) weight = WithoutSwap(weight, product.transpose_w);
  if (!TakeWeight(weight, product)) return std::nullopt;
  product.bias = node.operand(2);
  if (product.bias != nullptr) TakeBias(product);
  return product;
}

std::int64_t Quantization::Apply(float value) const {
  const bool is_signed = zero.dtype() == DType::kI8;
  const double shifted = std::nearbyint(value / static_cast<float>(scale.FloatAt(0))) +
                         static_cast<double>(zero.IntAt(0));
  return static_cast<std::int64_t>(
      std::clamp(shifted, is_signed ? -128.0 : 0.0, is_signed ? 127.0 : 255.0));
}

std::optional<Quantization> MatchQuantization(const Node& node) {
  if (!node.Is("QuantizeLinear") || node.result() == nullptr) return std::nullopt;
  const DType dtype = node.result()->type().dtype();
  const Tensor* scale = ConstantOf(node.operand(1));
  const Tensor* zero = ConstantOf(node.operand(2));
  if (!IsInt8(dtype) || scale == nullptr || scale->size() != 1 || scale->dtype() != DType::kF32 ||
      (node.operand(2) != nullptr && zero == nullptr)) {
    return std::nullopt;
  }
  return Quantization{scale->Reshaped({}),
                      zero != nullptr ? zero->Reshaped({}) : Int8Scalar(dtype, 0)};
}

}  // namespace dragoman
