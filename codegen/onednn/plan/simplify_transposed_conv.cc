// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "codegen/onednn/plan/simplify.h"
#include "core/ops/op_def.h"
#include "runtime/params/conv_transpose.h"

namespace dragoman::onednn {
namespace {

std::int64_t FirstOr(const rt::Ints& list, std::size_t i, std::int64_t otherwise) {
  return list.empty() ? otherwise : list[static_cast<int>(i)];
}

// A ConvTranspose whose weights are known, and whose pads are as given.
struct TransposedConv {
  const Tensor* weights = nullptr;  // (inputs, outputs of a group, taps...)
  const Shape* x = nullptr;         // sizes
  rt::ConvTransposeParams p;

  std::size_t axes() const { return weights->sizes().size() - 2; }
};

std::optional<TransposedConv> FindTransposedConv(const Node& node) {
  if (!node.Is("ConvTranspose")) return std::nullopt;
  TransposedConv conv{ConstantOf(node.operand(1)), node.operand(0)->type().shape(), {}};
  const Result<Params> params = FindOp(node)->fill_params(node);
  if (!params.ok() || conv.x == nullptr || conv.weights == nullptr ||
      conv.weights->dtype() != DType::kF32 || conv.weights->size() == 0) {
    return std::nullopt;
  }
  conv.p = params->As<rt::ConvTransposeParams>();
  if (conv.p.auto_pad != rt::AutoPad::kNotSet || !conv.p.output_shape.empty()) return std::nullopt;
  return conv;
}

// Of images of one element, whose result is that of each tap at its place.
struct PixelTaps {
  std::vector<std::int64_t> sizes;   // of the result: spatial ones
  std::vector<std::int64_t> places;  // of its elements among the taps
};

// Nothing if elements of the result lie between the taps or after them.
std::optional<PixelTaps> FindPixelTaps(const TransposedConv& conv) {
  PixelTaps found{{}, {0}};
  for (std::size_t a = 0; a < conv.axes(); ++a) {
    const Dim& size = (*conv.x)[a + 2];
    const std::int64_t taps = conv.weights->sizes()[a + 2], begin = FirstOr(conv.p.pads, a, 0);
    const std::int64_t count = taps - begin - FirstOr(conv.p.pads, conv.axes() + a, 0) +
                               FirstOr(conv.p.output_padding, a, 0);
    const bool dense = taps == 1 || FirstOr(conv.p.dilations, a, 1) == 1;
    if (!size.known() || size.value() != 1 || !dense || begin < 0 || begin + count > taps)
      return std::nullopt;
    std::vector<std::int64_t> places;
    for (const std::int64_t place : found.places) {
      for (std::int64_t i = 0; i < count; ++i) places.push_back(place * taps + begin + i);
    }
    found.sizes.push_back(count);
    found.places = std::move(places);
  }
  return found;
}

// ConvTranspose of one element = Linear that gives each output's taps
Result<bool> MultiplyPixel(Node& node, PassContext& context) {
  const std::optional<TransposedConv> conv = FindTransposedConv(node);
  if (!conv || conv->p.group != 1) return false;
  const Tensor* bias = ConstantOf(node.operand(2));
  const std::optional<PixelTaps> taps = FindPixelTaps(*conv);
  if (!taps || (node.operand(2) != nullptr && bias == nullptr)) return false;
  const std::int64_t inputs = conv->weights->sizes()[0], outputs = conv->weights->sizes()[1];
  const std::int64_t all = conv->weights->size() / (inputs * outputs);
  std::vector<float> rows, biases;
  for (std::int64_t o = 0; o < outputs; ++o) {
    for (const std::int64_t place : taps->places) {
      for (std::int64_t i = 0; i < inputs; ++i)
        rows.push_back(
            conv->weights
                ->data<float>()[static_cast<std::size_t>((i * outputs + o) * all + place)]);
      if (bias != nullptr) biases.push_back(static_cast<float>(bias->FloatAt(o)));
    }
  }
  Graph& graph = *node.graph();
  const auto constant = [&](std::vector<std::int64_t> sizes, const std::vector<float>& values,
                            const Value& old) {
    return context.AddConstant(graph, Tensor::Of<float>(std::move(sizes), values), old.name(),
                               old.origin());
  };
  const auto reshape = [&](Value* value, std::vector<std::int64_t> sizes) {
    Value* const target = context.AddConstant(graph, Tensor::Ints(sizes), "sizes", {});
    return context.Insert(node, "Reshape", {{value, target}});
  };
  const auto features = outputs * static_cast<std::int64_t>(taps->places.size());
  DRAGOMAN_ASSIGN(Value * x, reshape(node.operand(0), {0, inputs}));
  std::vector<Value*> operands = {x, constant({features, inputs}, rows, *node.operand(1))};
  if (bias != nullptr) operands.push_back(constant({features}, biases, *node.operand(2)));
  DRAGOMAN_ASSIGN(Value * product, context.Insert(node, "dragoman.Linear", operands));
  std::vector<std::int64_t> sizes = {0, outputs};
  sizes.insert(sizes.end(), taps->sizes.begin(), taps->sizes.end());
  DRAGOMAN_ASSIGN(Value * y, reshape(product, std::move(sizes)));
  return context.ReplaceIfAllowed(node, y);
}

// (outputs, inputs of a group, taps), the last tap first, of (inputs, outputs of a group, taps).
Tensor TurnedWeights(const Tensor& weights, std::int64_t groups) {
  const std::int64_t inputs = weights.sizes()[0] / groups, outputs = weights.sizes()[1];
  const std::int64_t taps = weights.size() / (weights.sizes()[0] * outputs);
  const auto from = weights.data<float>();
  std::vector<float> turned(from.size());
  for (std::int64_t i = 0; i < groups * inputs; ++i) {
    for (std::int64_t o = 0; o < outputs; ++o) {
      const std::int64_t row = (i / inputs * outputs + o) * inputs + i % inputs;
      for (std::int64_t tap = 0; tap < taps; ++tap)
        turned[static_cast<std::size_t>(row * taps + taps - 1 - tap)] =
            from[static_cast<std::size_t>((i * outputs + o) * taps + tap)];
    }
  }
  std::vector<std::int64_t> sizes = weights.sizes();
  sizes[0] = groups * outputs;
  sizes[1] = inputs;
  return Tensor::Of<float>(std::move(sizes), turned);
}

// The pads of a Conv that gives the same; nothing if there is none, or if it would multiply mostly
// zeros around a small image.
std::optional<std::vector<std::int64_t>> PadsOfConv(const TransposedConv& conv) {
  const std::size_t axes = conv.axes();
  std::vector<std::int64_t> pads(2 * axes);
  for (std::size_t a = 0; a < axes; ++a) {
    const Dim& size = (*conv.x)[a + 2];
    const std::int64_t reach = (conv.weights->sizes()[a + 2] - 1) * FirstOr(conv.p.dilations, a, 1);
    if (FirstOr(conv.p.strides, a, 1) != 1 || !size.known() || size.value() <= reach)
      return std::nullopt;
    pads[a] = reach - FirstOr(conv.p.pads, a, 0);
    pads[axes + a] =
        reach - FirstOr(conv.p.pads, axes + a, 0) + FirstOr(conv.p.output_padding, a, 0);
    if (pads[a] < 0 || pads[axes + a] < 0) return std::nullopt;
  }
  return pads;
}

// ConvTranspose without a stride = Conv with the taps in reverse
Result<bool> TurnTaps(Node& node, PassContext& context) {
  const std::optional<TransposedConv> conv = FindTransposedConv(node);
  if (!conv) return false;
  std::optional<std::vector<std::int64_t>> pads = PadsOfConv(*conv);
  if (!pads) return false;
  const Value& old = *node.operand(1);
  Value* turned = context.AddConstant(*node.graph(), TurnedWeights(*conv->weights, conv->p.group),
                                      old.name(), old.origin());
  std::vector<std::int64_t> dilations;
  for (std::size_t a = 0; 2 * a < pads->size(); ++a)
    dilations.push_back(FirstOr(conv->p.dilations, a, 1));
  DRAGOMAN_ASSIGN(Value * y,
                  context.Insert(node, "Conv", {{node.operand(0), turned, node.operand(2)}},
                                 {{"dilations", std::move(dilations)},
                                  {"group", conv->p.group},
                                  {"pads", *std::move(pads)}}));
  return context.ReplaceIfAllowed(node, y);
}

}  // namespace

std::span<const Pattern> TransposedConvPatterns() {
  static constexpr Pattern kPatterns[] = {{"multiply-pixel", MultiplyPixel},
                                          {"turn-taps", TurnTaps}};
  return kPatterns;
}

}  // namespace dragoman::onednn
