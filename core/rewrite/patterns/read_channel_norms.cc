// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ir/producer.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"
#include "core/rewrite/patterns/function_patterns.h"
#include "core/rewrite/scalar.h"
#include "core/rewrite/zeros.h"

namespace dragoman {
namespace {

constexpr std::size_t kScale = 1, kBias = 2;  // operands of all normalisations
constexpr std::size_t kChannelNormRank = 4;

std::optional<std::vector<std::int64_t>> SizesOf(const Value& value) {
  const Shape* shape = value.type().shape();
  return shape != nullptr ? KnownShape(*shape) : std::nullopt;
}

// A shape of a batch, a known number of channels, and more; none is known to be 0. Where an open
// size is, nothing is left to compute.
const Shape* ImageShape(const Value& value) {
  const Shape* shape = value.type().shape();
  if (shape == nullptr || shape->size() < 3 || !(*shape)[1].known()) return nullptr;
  const auto is_none = [](const Dim& dim) { return dim.known() && dim.value() == 0; };
  return std::ranges::none_of(*shape, is_none) ? shape : nullptr;
}

bool AreAll(const Value* value, double number) {
  const Tensor* tensor = ConstantOf(value);
  return tensor != nullptr && HasOnly(*tensor, number);
}

using Numbers = std::vector<float>;

Numbers Filled(float number, std::int64_t count) {
  return Numbers(static_cast<std::size_t>(count), number);
}

// Of the element type of `like`, or of the node's result.
Result<Value*> AddNumbers(const Numbers& numbers, const char* name, Node& node,
                          PassContext& context, const Value* like = nullptr) {
  Value* added = context.AddConstant(
      *node.graph(), Tensor::Of<float>({std::ssize(numbers)}, numbers), name, node.origin());
  const DType dtype = (like != nullptr ? like : node.result())->type().dtype();
  if (dtype == DType::kF32) return added;
  return context.Insert(node, "Cast", {{added}}, {{"to", static_cast<std::int64_t>(dtype)}});
}

// A normalisation of each channel of each element of a batch, along all axes after it.
struct ChannelNorm {
  const Node* node = nullptr;
  Value* x = nullptr;
  float epsilon = 0;

  const Shape& sizes() const { return *x->type().shape(); }  // an ImageShape
  std::int64_t channels() const { return sizes()[1].value(); }
};

// By InstanceNormalization, or by LayerNormalization without factors.
std::optional<ChannelNorm> FindNorm(const Value* value) {
  const Node* layer = ProducerOf(value, "LayerNormalization");
  const Node* node = layer != nullptr ? layer : ProducerOf(value, "InstanceNormalization");
  if (node == nullptr || node->num_results() != 1 ||
      !IsReadAs("InstanceNormalization", node->result()) || !node->result()->HasOneUse()) {
    return std::nullopt;
  }
  const Shape* sizes = ImageShape(*node->operand(0));
  if (sizes == nullptr) return std::nullopt;
  if (layer != nullptr) {
    const std::int64_t axis = IntAttribute(*node, "axis");
    const bool fits = (axis == 2 || axis + std::ssize(*sizes) == 2) &&
                      node->operand(kBias) == nullptr && AreAll(node->operand(kScale), 1);
    if (!fits) return std::nullopt;
  }
  return ChannelNorm{node, node->operand(0), FloatAttribute(*node, "epsilon")};
}

// If all are numbers that f32 has.
std::optional<Numbers> NumbersOf(const Value* value) {
  const Tensor* tensor = ConstantOf(value);
  if (tensor == nullptr || !IsFloating(tensor->dtype())) return std::nullopt;
  Numbers numbers;
  for (std::int64_t i = 0; i < tensor->size(); ++i) {
    numbers.push_back(static_cast<float>(tensor->FloatAt(i)));
    if (numbers.back() != tensor->FloatAt(i)) return std::nullopt;
  }
  return numbers;
}

// What each channel is multiplied by, and what is added.
struct Factors {
  Numbers scale, bias;
};

std::optional<Factors> FactorsOf(const ChannelNorm& norm) {
  if (norm.node->Is("LayerNormalization"))
    return Factors{Filled(1, norm.channels()), Filled(0, norm.channels())};
  auto scale = NumbersOf(norm.node->operand(kScale)), bias = NumbersOf(norm.node->operand(kBias));
  if (!scale || !bias) return std::nullopt;
  return Factors{*std::move(scale), *std::move(bias)};
}

Result<bool> ReplaceByInstances(Node& node, Value* x, const Factors& factors, float epsilon,
                                PassContext& context) {
  DRAGOMAN_ASSIGN(Value * scale, AddNumbers(factors.scale, "scale", node, context));
  DRAGOMAN_ASSIGN(Value * bias, AddNumbers(factors.bias, "bias", node, context));
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "InstanceNormalization", {{x, scale, bias}},
                                            {{"epsilon", epsilon}}));
  return context.ReplaceIfAllowed(node, y);
}

// LayerNormalization(images, 1) along all pixels = InstanceNormalization(images, 1, 0)
Result<bool> NormalizePlanes(Node& node, PassContext& context) {
  if (!node.Is("LayerNormalization") || node.result() == nullptr) return false;
  const auto norm = FindNorm(node.result());
  if (!norm || norm->sizes().size() < kChannelNormRank) return false;
  return ReplaceByInstances(node, norm->x, *FactorsOf(*norm), norm->epsilon, context);
}

// The numbers of a constant that has one for each channel of a tensor of `rank` axes.
std::optional<Numbers> ChannelNumbers(const Value* value, std::int64_t channels, std::size_t rank) {
  const Tensor* tensor = ConstantOf(value);
  if (tensor == nullptr || tensor->size() != channels) return std::nullopt;
  const auto own = static_cast<std::size_t>(tensor->rank());
  if (own > rank || own + 1 < rank || tensor->sizes()[own + 1 - rank] != channels)
    return std::nullopt;
  return NumbersOf(value);
}

// The normalisation that gives `value` to one reader and whose factors of channels can be separated
// otherwise; nullptr: none.
const Node* NormOfChannels(const Value* value) {
  const Node* groups = ProducerOf(value, "GroupNormalization");
  if (groups == nullptr) {
    const auto norm = FindNorm(value);
    return norm ? norm->node : nullptr;
  }
  const bool fits = groups->result()->HasOneUse() && ImageShape(*groups->operand(0)) != nullptr &&
                    IsReadAs("GroupNormalization", groups->result());
  return fits ? groups : nullptr;
}

// InstanceNormalization(x, 1, 0) * scale = InstanceNormalization(x, scale, 0), and with
// + bias = InstanceNormalization(x, scale, bias); GroupNormalization likewise
Result<bool> FuseChannelFactor(Node& node, PassContext& context) {
  const bool scales = node.Is("Mul");
  if (!scales && !node.Is("Add")) return false;
  for (std::size_t side = 0; side < 2; ++side) {
    const Node* norm = NormOfChannels(node.operand(side));
    if (norm == nullptr) continue;
    const Shape& sizes = *norm->operand(0)->type().shape();
    const std::int64_t channels = sizes[1].value();
    const auto factor = ChannelNumbers(node.operand(1 - side), channels, sizes.size());
    const bool is_layer = norm->Is("LayerNormalization");
    const bool is_free = is_layer || (AreAll(norm->operand(kBias), 0) &&
                                      (!scales || AreAll(norm->operand(kScale), 1)));
    if (!factor || !is_free) continue;
    DRAGOMAN_ASSIGN(Value * own, AddNumbers(*factor, scales ? "scale" : "bias", node, context));
    DRAGOMAN_ASSIGN(Value * other,
                    AddNumbers(Filled(scales ? 0 : 1, channels), "filled", node, context));
    if (!scales && !is_layer) other = norm->operand(kScale);
    std::vector<NamedAttribute> attributes = {{"epsilon", FloatAttribute(*norm, "epsilon")}};
    if (const Attribute* groups = norm->attribute("num_groups"))
      attributes.push_back({"num_groups", *groups});
    DRAGOMAN_ASSIGN(Value * y,
                    context.Insert(node, is_layer ? "InstanceNormalization" : norm->op().type,
                                   {{norm->operand(0), scales ? own : other, scales ? other : own}},
                                   std::move(attributes)));
    return context.ReplaceIfAllowed(node, y);
  }
  return false;
}

// The first `count` of numbers that repeat them.
std::optional<Numbers> Period(const Numbers& numbers, std::int64_t count) {
  const auto period = static_cast<std::size_t>(count);
  if (numbers.size() % period != 0) return std::nullopt;
  for (std::size_t i = period; i < numbers.size(); ++i) {
    if (!(numbers[i] == numbers[i - period])) return std::nullopt;
  }
  return Numbers(numbers.begin(), numbers.begin() + count);
}

// Reshape(InstanceNormalization(Reshape(x))), where batch and channels are one axis in between =
// InstanceNormalization(x); where some channels and all pixels are = GroupNormalization(x, 1, 0)
Result<bool> NormalizeGroups(Node& node, PassContext& context) {
  if (!KeepsOrder(node)) return false;
  const auto norm = FindNorm(node.operand(0));
  const Node* flatten = norm ? norm->x->producer() : nullptr;
  if (flatten == nullptr || !KeepsOrder(*flatten)) return false;
  Value* x = flatten->operand(0);
  const Shape* sizes = ImageShape(*x);
  const auto factors = FactorsOf(*norm);
  if (sizes == nullptr || !factors || !SameShape(*x, *node.result())) return false;
  const Dim instances = norm->sizes()[0] * norm->sizes()[1];
  const Dim& batch = (*sizes)[0];
  const std::int64_t channels = (*sizes)[1].value();
  if (Equal(instances, batch * channels) == Truth::kYes) {
    const auto scale = Period(factors->scale, channels), bias = Period(factors->bias, channels);
    if (!scale || !bias) return false;
    return ReplaceByInstances(node, x, {*scale, *bias}, norm->epsilon, context);
  }
  const Dim groups = FloorDiv(instances, batch);
  const bool is_plain =
      factors->scale == Filled(1, norm->channels()) && factors->bias == Filled(0, norm->channels());
  const bool fits = is_plain && groups.known() && groups.value() > 0 &&
                    Equal(groups * batch, instances) == Truth::kYes &&
                    channels % groups.value() == 0;
  if (!fits) return false;
  DRAGOMAN_ASSIGN(Value * scale, AddNumbers(Filled(1, channels), "scale", node, context));
  DRAGOMAN_ASSIGN(Value * bias, AddNumbers(Filled(0, channels), "bias", node, context));
  DRAGOMAN_ASSIGN(Value * y,
                  context.Insert(node, "GroupNormalization", {{x, scale, bias}},
                                 {{"epsilon", norm->epsilon}, {"num_groups", groups.value()}}));
  return context.ReplaceIfAllowed(node, y);
}

// Reshape(BatchNormalization(Reshape(x), …)), where batch and channels are one axis in between and
// all elements of the batch have the same numbers = BatchNormalization(x, …)
Result<bool> NormalizeBatch(Node& node, PassContext& context) {
  if (!KeepsOrder(node)) return false;
  const Node* norm = ProducerOf(node.operand(0), "BatchNormalization");
  const Node* flatten = norm != nullptr ? norm->operand(0)->producer() : nullptr;
  const bool is_plain = flatten != nullptr && KeepsOrder(*flatten) && norm->num_results() == 1 &&
                        norm->result()->HasOneUse() && IntAttribute(*norm, "training_mode") == 0;
  if (!is_plain) return false;
  std::vector<Value*> operands = {flatten->operand(0)};
  const auto sizes = SizesOf(*operands[0]), flat = SizesOf(*norm->operand(0));
  const bool fits = sizes && flat && sizes->size() >= 3 && sizes->size() == flat->size() &&
                    SameShape(*operands[0], *node.result()) && (*flat)[0] == 1 &&
                    (*flat)[1] == (*sizes)[0] * (*sizes)[1] && (*sizes)[1] > 0 &&
                    std::equal(sizes->begin() + 2, sizes->end(), flat->begin() + 2);
  if (!fits) return false;
  for (std::size_t i = 1; i < norm->num_operands(); ++i) {
    const auto numbers = NumbersOf(norm->operand(i));
    const auto each = numbers ? Period(*numbers, (*sizes)[1]) : std::nullopt;
    if (!each) return false;
    DRAGOMAN_ASSIGN(Value * number, AddNumbers(*each, "each", node, context, norm->operand(i)));
    operands.push_back(number);
  }
  DRAGOMAN_ASSIGN(Value * y,
                  context.Insert(node, "BatchNormalization", operands, norm->attributes()));
  return context.ReplaceIfAllowed(node, y);
}

}  // namespace

std::span<const Pattern> ChannelNormalizationPatterns() {
  static constexpr Pattern kPatterns[] = {
      {"normalize-planes", NormalizePlanes},
      {"fuse-channel-factor", FuseChannelFactor},
      {"normalize-groups", NormalizeGroups},
      {"normalize-batch", NormalizeBatch},
  };
  return kPatterns;
}

}  // namespace dragoman
