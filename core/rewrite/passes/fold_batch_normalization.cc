// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "core/ir/finite.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"
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

bool IsFloatOrDouble(const Tensor& tensor) {
  return tensor.dtype() == DType::kF32 || tensor.dtype() == DType::kF64;
}

// The Conv with constant weight that gives operand `i` of `node`, which alone reads it; else
// nullptr.
Node* ConvBefore(const Node& node, std::size_t i) {
  Node* conv = node.operand(i)->producer();
  if (conv == nullptr || !conv->Is("Conv") || conv->graph() != node.graph()) return nullptr;
  if (!conv->result()->HasOneUse() || ConstantOf(conv->operand(1)) == nullptr) return nullptr;
  if (conv->operand(2) != nullptr && ConstantOf(conv->operand(2)) == nullptr) return nullptr;
  return conv;
}

Tensor Scaled(const Tensor& weight, const std::vector<double>& scale) {
  return weight.dtype() == DType::kF32 ? ScaleRows<float>(weight, scale)
                                       : ScaleRows<double>(weight, scale);
}

// `tensor` * scale + shift, of type `dtype`; nullptr is 0.
Tensor Transformed(const Tensor* tensor, const Affine& affine, DType dtype) {
  return dtype == DType::kF32 ? ScaleBias<float>(tensor, affine)
                              : ScaleBias<double>(tensor, affine);
}

// A constant for operand `i` of what takes the place of a node, called as `like` is.
struct NewOperand {
  std::size_t i;
  Tensor tensor;
  const Value* like;
};

// `node` becomes `before`, which it alone reads, with other constants. Where a variance is 0,
// infinite weights would make NaN of sums that are infinite.
Result<bool> ReplaceBy(Node& node, const Node& before, std::vector<NewOperand> constants,
                       PassContext& context) {
  std::vector<Value*> operands;
  for (const Use& use : before.operands()) operands.push_back(use.value());
  for (NewOperand& constant : constants) {
    if (!AllFinite(constant.tensor)) return false;
    if (operands.size() <= constant.i) operands.resize(constant.i + 1);
    operands[constant.i] = context.AddConstant(*node.graph(), std::move(constant.tensor),
                                               constant.like->name(), constant.like->origin());
  }
  node.set_origin(Origin::Merge(before.origin(), node.origin()));
  DRAGOMAN_ASSIGN(Value * y,
                  context.Insert(node, FindOp(before)->Label(), operands, before.attributes()));
  y->producer()->set_name(before.name());
  return context.ReplaceIfAllowed(node, y);
}

// BatchNormalization(Conv(x, W, b), s, B, m, v) = Conv(x, W * k, (b - m) * k + B), k = s / sqrt(v +
// epsilon)
Result<bool> FoldIntoConv(Node& node, PassContext& context) {
  if (!IsInference(node)) return false;
  const Node* conv = ConvBefore(node, 0);
  if (conv == nullptr) return false;
  const Tensor& weight = *conv->operand(1)->tensor();
  const Tensor* bias = ConstantOf(conv->operand(2));
  if (weight.rank() < 3) return false;
  const std::optional<Affine> affine = AffineOf(node, weight.sizes()[0]);
  if (!affine) return false;
  if (!IsFloatOrDouble(weight)) {
    context.Explain(node,
                    "not folded, since the weight is of type " + std::string(Name(weight.dtype())));
    return false;
  }
  const Value* shift = bias != nullptr ? conv->operand(2) : node.operand(2);
  return ReplaceBy(node, *conv,
                   {{1, Scaled(weight, affine->scale), conv->operand(1)},
                    {2, Transformed(bias, *affine, weight.dtype()), shift}},
                   context);
}

// Whether `tensor` broadcasts with a result of channels along axis 1 as one number a channel.
bool IsAlongChannels(const Tensor& tensor, int rank, std::int64_t channels) {
  const std::vector<std::int64_t>& sizes = tensor.sizes();
  if (tensor.size() != channels || tensor.rank() > rank || tensor.rank() < rank - 1) return false;
  return sizes[sizes.size() - static_cast<std::size_t>(rank - 1)] == channels;
}

// An Add or Mul of one number a channel and what a Conv or BatchNormalization gives, which nothing
// else reads.
struct NumberPerChannel {
  const Node* before = nullptr;
  const Value* numbers = nullptr;
  Affine affine;
};

std::optional<NumberPerChannel> NumberPerChannelOf(const Node& node) {
  if (!node.Is("Add") && !node.Is("Mul")) return std::nullopt;
  const std::size_t place = ConstantOf(node.operand(1)) != nullptr ? 1 : 0;
  const Tensor* numbers = ConstantOf(node.operand(place));
  const Node* before = numbers != nullptr ? node.operand(1 - place)->producer() : nullptr;
  if (before == nullptr || before->graph() != node.graph() || !IsFloatOrDouble(*numbers) ||
      !node.operand(1 - place)->HasOneUse() || (!before->Is("Conv") && !IsInference(*before)))
    return std::nullopt;
  const std::optional<int> rank = before->result()->type().rank();
  const Shape* parameters = before->operand(1)->type().shape();  // a weight, or scales
  if (!rank || parameters == nullptr || parameters->empty() || !parameters->front().known())
    return std::nullopt;
  const std::int64_t channels = parameters->front().value();
  if (*rank < 2 || !IsAlongChannels(*numbers, *rank, channels)) return std::nullopt;
  NumberPerChannel found = {.before = before, .numbers = node.operand(place)};
  const auto count = static_cast<std::size_t>(channels);
  found.affine = {std::vector<double>(count, 1), std::vector<double>(count, 0)};
  std::vector<double>& changed = node.Is("Mul") ? found.affine.scale : found.affine.shift;
  for (std::size_t c = 0; c < count; ++c)
    changed[c] = numbers->FloatAt(static_cast<std::int64_t>(c));
  return found;
}

// Add(Conv(x, W, b), c) = Conv(x, W, b + c), if c is one number a channel
Result<bool> FoldBias(Node& node, PassContext& context) {
  const std::optional<NumberPerChannel> sum = NumberPerChannelOf(node);
  if (!sum || !node.Is("Add") || !sum->before->Is("Conv")) return false;
  const Tensor* bias = ConstantOf(sum->before->operand(2));
  if (sum->before->operand(2) != nullptr && bias == nullptr) return false;
  const DType dtype = sum->numbers->type().dtype();
  return ReplaceBy(node, *sum->before, {{2, Transformed(bias, sum->affine, dtype), sum->numbers}},
                   context);
}

// Mul(Conv(x, W, b), c) = Conv(x, W * c, b * c), if c is one number a channel
Result<bool> FoldScale(Node& node, PassContext& context) {
  const std::optional<NumberPerChannel> product = NumberPerChannelOf(node);
  if (!product || !node.Is("Mul")) return false;
  const Node* conv = ConvBefore(node, product->numbers == node.operand(0) ? 1 : 0);
  if (conv == nullptr) return false;
  std::vector<NewOperand> constants;
  constants.push_back(
      {1, Scaled(*conv->operand(1)->tensor(), product->affine.scale), conv->operand(1)});
  if (const Tensor* bias = ConstantOf(conv->operand(2)))
    constants.push_back({2, Transformed(bias, product->affine, bias->dtype()), conv->operand(2)});
  return ReplaceBy(node, *conv, std::move(constants), context);
}

// Mul(BatchNormalization(x, s, B, m, v), c) = BatchNormalization(x, s * c, B * c, m, v), if c is
// one number a channel; Add likewise
Result<bool> FoldIntoNormalization(Node& node, PassContext& context) {
  const std::optional<NumberPerChannel> number = NumberPerChannelOf(node);
  if (!number || !IsInference(*number->before)) return false;
  const Tensor* scale = ConstantOf(number->before->operand(1));
  const Tensor* shift = ConstantOf(number->before->operand(2));
  if (scale == nullptr || shift == nullptr || !IsFloatOrDouble(*scale) || !IsFloatOrDouble(*shift))
    return false;
  const Affine factors = {number->affine.scale,
                          std::vector<double>(number->affine.shift.size(), 0)};
  return ReplaceBy(
      node, *number->before,
      {{1, Transformed(scale, factors, scale->dtype()), number->before->operand(1)},
       {2, Transformed(shift, number->affine, shift->dtype()), number->before->operand(2)}},
      context);
}

}  // namespace

std::span<const Pattern> BatchNormalizationPatterns() {
  static constexpr Pattern kPatterns[] = {{"fold-into-conv", FoldIntoConv},
                                          {"fold-bias", FoldBias},
                                          {"fold-scale", FoldScale},
                                          {"fold-into-normalization", FoldIntoNormalization}};
  return kPatterns;
}

}  // namespace dragoman
