// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "core/ir/finite.h"
#include "core/ops/declared_attributes.h"
#include "core/rewrite/passes.h"

namespace dragoman {
namespace {

bool IsChannelVector(const Value* value, std::int64_t channels) {
  const Tensor* tensor = ConstantOf(value);
  return tensor != nullptr && tensor->rank() == 1 && tensor->size() == channels;
}

// y = x * scale + shift, per channel.
struct Affine {
  std::vector<double> scale;
  std::vector<double> shift;
};

std::optional<Affine> AffineOf(const Node& node, std::int64_t channels) {
  for (std::size_t i = 1; i < 5; ++i) {
    if (!IsChannelVector(node.operand(i), channels)) return std::nullopt;
  }
  const double epsilon = FloatAttribute(node, "epsilon");
  Affine affine;
  for (std::int64_t c = 0; c < channels; ++c) {
    const auto at = [&](std::size_t operand) {
      return node.operand(operand)->tensor()->FloatAt(c);
    };
    const double scale = at(1) / std::sqrt(at(4) + epsilon);
    affine.scale.push_back(scale);
    affine.shift.push_back(at(2) - at(3) * scale);
  }
  return affine;
}

template <class T>
Tensor ScaleRows(const Tensor& weight, const std::vector<double>& scale) {
  const std::span<const T> old = weight.data<T>();
  const std::size_t row = scale.empty() ? 0 : old.size() / scale.size();
  std::vector<T> values(old.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<T>(old[i] * scale[i / row]);
  }
  return Tensor::Of<T>(weight.sizes(), values);
}

template <class T>
Tensor ScaleBias(const Tensor* bias, const Affine& affine) {
  std::vector<T> values;
  for (std::size_t c = 0; c < affine.scale.size(); ++c) {
    const double old = bias != nullptr ? bias->FloatAt(static_cast<std::int64_t>(c)) : 0.0;
    values.push_back(static_cast<T>(old * affine.scale[c] + affine.shift[c]));
  }
  return Tensor::Of<T>({static_cast<std::int64_t>(values.size())}, values);
}

bool IsInference(const Node& node) {
  if (!node.Is("BatchNormalization") || IntAttribute(node, "training_mode") != 0) return false;
  for (std::size_t i = 1; i < node.num_results(); ++i) {
    if (node.result(i) != nullptr && node.result(i)->used()) return false;
  }
  return node.result() != nullptr;
}

// The Conv with constant weight that only `node` reads; else nullptr.
Node* ConvBefore(const Node& node) {
  Node* conv = node.operand(0)->producer();
  if (conv == nullptr || !conv->Is("Conv") || conv->graph() != node.graph()) return nullptr;
  if (!conv->result()->HasOneUse() || ConstantOf(conv->operand(1)) == nullptr) return nullptr;
  if (conv->operand(2) != nullptr && ConstantOf(conv->operand(2)) == nullptr) return nullptr;
  return conv;
}

// Where a variance is 0, infinite weights would make NaN of sums that are infinite.
Result<bool> ReplaceByConv(Node& node, const Node& conv, Tensor weight, Tensor bias,
                           PassContext& context) {
  if (!AllFinite(weight) || !AllFinite(bias)) return false;
  Graph& graph = *node.graph();
  node.set_origin(Origin::Merge(conv.origin(), node.origin()));
  const Value& old_weight = *conv.operand(1);
  const Value& old_bias = *(conv.operand(2) != nullptr ? conv.operand(2) : node.operand(2));
  Value* const operands[] = {
      conv.operand(0),
      context.AddConstant(graph, std::move(weight), old_weight.name(), old_weight.origin()),
      context.AddConstant(graph, std::move(bias), old_bias.name(), old_bias.origin()),
  };
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Conv", operands, conv.attributes()));
  y->producer()->set_name(conv.name());
  return context.ReplaceIfAllowed(node, y);
}

// BatchNormalization(Conv(x, W, b), s, B, m, v) = Conv(x, W * k, (b - m) * k + B), k = s / sqrt(v +
// epsilon)
Result<bool> FoldIntoConv(Node& node, PassContext& context) {
  if (!IsInference(node)) return false;
  const Node* conv = ConvBefore(node);
  if (conv == nullptr) return false;
  const Tensor& weight = *conv->operand(1)->tensor();
  const Tensor* bias = ConstantOf(conv->operand(2));
  if (weight.rank() < 3) return false;
  const std::optional<Affine> affine = AffineOf(node, weight.sizes()[0]);
  if (!affine) return false;
  if (weight.dtype() == DType::kF32) {
    return ReplaceByConv(node, *conv, ScaleRows<float>(weight, affine->scale),
                         ScaleBias<float>(bias, *affine), context);
  }
  if (weight.dtype() == DType::kF64) {
    return ReplaceByConv(node, *conv, ScaleRows<double>(weight, affine->scale),
                         ScaleBias<double>(bias, *affine), context);
  }
  context.Explain(node,
                  "not folded, since the weight is of type " + std::string(Name(weight.dtype())));
  return false;
}

// Whether `tensor` broadcasts with the result of a Conv as one number a channel.
bool IsAlongChannels(const Tensor& tensor, int rank, std::int64_t channels) {
  const std::vector<std::int64_t>& sizes = tensor.sizes();
  if (tensor.size() != channels || tensor.rank() > rank || tensor.rank() < rank - 1) return false;
  return sizes[sizes.size() - static_cast<std::size_t>(rank - 1)] == channels;
}

// Add(Conv(x, W, b), c) = Conv(x, W, b + c), if c is one number a channel
Result<bool> FoldBias(Node& node, PassContext& context) {
  if (!node.Is("Add")) return false;
  const std::size_t place = ConstantOf(node.operand(1)) != nullptr ? 1 : 0;
  const Tensor* shift = ConstantOf(node.operand(place));
  const Node* conv = shift != nullptr ? node.operand(1 - place)->producer() : nullptr;
  if (conv == nullptr || !conv->Is("Conv") || conv->graph() != node.graph() ||
      !conv->result()->HasOneUse())
    return false;
  const Tensor* bias = ConstantOf(conv->operand(2));
  if (conv->operand(2) != nullptr && bias == nullptr) return false;
  const std::optional<int> rank = conv->result()->type().rank();
  const Shape* weight = conv->operand(1)->type().shape();
  if (!rank || weight == nullptr || !weight->front().known()) return false;
  const std::int64_t channels = weight->front().value();
  if (!IsAlongChannels(*shift, *rank, channels)) return false;
  const DType dtype = shift->dtype();
  if (dtype != DType::kF32 && dtype != DType::kF64) return false;
  Affine affine;
  affine.scale.assign(static_cast<std::size_t>(channels), 1);
  for (std::int64_t c = 0; c < channels; ++c) affine.shift.push_back(shift->FloatAt(c));
  Tensor sum =
      dtype == DType::kF32 ? ScaleBias<float>(bias, affine) : ScaleBias<double>(bias, affine);
  const Value& old = *node.operand(place);
  Value* const operands[] = {
      conv->operand(0), conv->operand(1),
      context.AddConstant(*node.graph(), std::move(sum), old.name(), old.origin())};
  node.set_origin(Origin::Merge(conv->origin(), node.origin()));
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Conv", operands, conv->attributes()));
  y->producer()->set_name(conv->name());
  return context.ReplaceIfAllowed(node, y);
}

}  // namespace

std::span<const Pattern> BatchNormalizationPatterns() {
  static constexpr Pattern kPatterns[] = {{"fold-into-conv", FoldIntoConv},
                                          {"fold-bias", FoldBias}};
  return kPatterns;
}

}  // namespace dragoman
