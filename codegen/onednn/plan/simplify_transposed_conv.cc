// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "codegen/onednn/plan/simplify.h"
#include "core/ops/op_def.h"
#include "runtime/params/conv_transpose.h"

namespace dragoman::onednn {
namespace {

// Along one axis, with the weights (inputs, outputs, taps).
struct TransposedLine {
  const Tensor* weights = nullptr;
  const Tensor* bias = nullptr;  // may be absent
  std::int64_t inputs = 0, outputs = 0, taps = 0;
  std::int64_t stride = 1, pad_begin = 0;
  // Elements that the last whole step of the stride reaches beyond the end of the result.
  std::int64_t cut = 0;

  // Taps of each of `stride` phases.
  std::int64_t PhaseTaps() const { return (taps + stride - 1) / stride; }
};

std::int64_t FirstOr(const rt::Ints& list, std::size_t i, std::int64_t otherwise) {
  return list.empty() ? otherwise : list[static_cast<int>(i)];
}

std::optional<TransposedLine> FindLine(const Node& node) {
  if (!node.Is("ConvTranspose")) return std::nullopt;
  const Shape* x = node.operand(0)->type().shape();
  // Reshape counts what is left, which it cannot in an empty batch.
  const bool filled =
      x != nullptr && x->size() == 3 && x->front().known() && x->front().value() > 0;
  if (!filled) return std::nullopt;
  const Result<Params> params = FindOp(node)->fill_params(node);
  TransposedLine line;
  line.weights = ConstantOf(node.operand(1));
  line.bias = ConstantOf(node.operand(2));
  const bool biased = node.operand(2) != nullptr;
  if (!params.ok() || line.weights == nullptr || line.weights->dtype() != DType::kF32 ||
      (biased && line.bias == nullptr)) {
    return std::nullopt;
  }
  const auto& p = params->As<rt::ConvTransposeParams>();
  if (p.auto_pad != rt::AutoPad::kNotSet || !p.output_shape.empty() || p.group != 1 ||
      FirstOr(p.dilations, 0, 1) != 1) {
    return std::nullopt;
  }
  line.inputs = line.weights->sizes()[0];
  line.outputs = line.weights->sizes()[1];
  line.taps = line.weights->sizes()[2];
  line.stride = FirstOr(p.strides, 0, 1);
  line.pad_begin = FirstOr(p.pads, 0, 0);
  line.cut = line.PhaseTaps() * line.stride - line.taps + FirstOr(p.pads, 1, 0) -
             FirstOr(p.output_padding, 0, 0);
  return line;
}

// Primitives of deconvolution want whole vectors of outputs, and are slow with less.
bool IsNarrow(const TransposedLine& line) {
  constexpr std::int64_t kVector = 8;
  constexpr std::int64_t kMostPhases = 256;  // each of which has weights
  return line.outputs < kVector && line.stride <= kMostPhases &&
         line.outputs * line.stride >= kVector && line.taps > 0;
}

// (outputs · stride, inputs, taps of a phase): phase r of an output takes taps r, r + stride, …,
// the last of them first.
Tensor PhaseWeights(const TransposedLine& line) {
  const std::int64_t taps = line.PhaseTaps();
  const auto from = line.weights->data<float>();
  std::vector<float> phases(
      static_cast<std::size_t>(line.outputs * line.stride * line.inputs * taps));
  for (std::int64_t i = 0; i < line.inputs; ++i) {
    for (std::int64_t o = 0; o < line.outputs; ++o) {
      for (std::int64_t tap = 0; tap < line.taps; ++tap) {
        const std::int64_t phase = o * line.stride + tap % line.stride;
        const std::int64_t at = (phase * line.inputs + i) * taps + taps - 1 - tap / line.stride;
        phases[static_cast<std::size_t>(at)] =
            from[static_cast<std::size_t>((i * line.outputs + o) * line.taps + tap)];
      }
    }
  }
  return Tensor::Of<float>({line.outputs * line.stride, line.inputs, taps}, phases);
}

Tensor PhaseBias(const TransposedLine& line) {
  std::vector<float> phases;
  for (std::int64_t o = 0; o < line.outputs; ++o)
    phases.insert(phases.end(), static_cast<std::size_t>(line.stride),
                  static_cast<float>(line.bias->FloatAt(o)));
  return Tensor::Of<float>({line.outputs * line.stride}, phases);
}

// ConvTranspose with few outputs = Conv that gives each phase of the stride as an output, the
// phases interleaved, without what pads take away.
Result<bool> SplitIntoPhases(Node& node, PassContext& context) {
  const std::optional<TransposedLine> line = FindLine(node);
  if (!line || !IsNarrow(*line) || line->cut < 0) return false;
  Graph& graph = *node.graph();
  const auto ints = [&](std::vector<std::int64_t> values) {
    return context.AddConstant(graph, Tensor::Ints(values), "sizes", {});
  };
  const Value& weights = *node.operand(1);
  std::vector<Value*> operands = {
      node.operand(0),
      context.AddConstant(graph, PhaseWeights(*line), weights.name(), weights.origin())};
  if (line->bias != nullptr) {
    const Value& bias = *node.operand(2);
    operands.push_back(context.AddConstant(graph, PhaseBias(*line), bias.name(), bias.origin()));
  }
  const std::int64_t around = line->PhaseTaps() - 1;
  DRAGOMAN_ASSIGN(Value * phases,
                  context.Insert(node, "Conv", operands,
                                 {{"pads", std::vector<std::int64_t>{around, around}}}));
  DRAGOMAN_ASSIGN(
      Value * apart,
      context.Insert(node, "Reshape", {{phases, ints({0, line->outputs, line->stride, -1})}}));
  DRAGOMAN_ASSIGN(Value * turned,
                  context.Insert(node, "Transpose", {{apart}},
                                 {{"perm", std::vector<std::int64_t>{0, 1, 3, 2}}}));
  DRAGOMAN_ASSIGN(Value * whole,
                  context.Insert(node, "Reshape", {{turned, ints({0, line->outputs, -1})}}));
  const std::int64_t end = line->cut > 0 ? -line->cut : std::numeric_limits<std::int64_t>::max();
  DRAGOMAN_ASSIGN(
      Value * y,
      context.Insert(node, "Slice", {{whole, ints({line->pad_begin}), ints({end}), ints({2})}}));
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
std::optional<std::vector<std::int64_t>> PadsOfConv(const Value& x, const Tensor& weights,
                                                    const rt::ConvTransposeParams& p) {
  const Shape* sizes = x.type().shape();
  const std::size_t axes = weights.sizes().size() - 2;
  if (p.auto_pad != rt::AutoPad::kNotSet || !p.output_shape.empty() || sizes == nullptr)
    return std::nullopt;
  std::vector<std::int64_t> pads(2 * axes);
  for (std::size_t a = 0; a < axes; ++a) {
    const Dim& size = (*sizes)[a + 2];
    const std::int64_t reach = (weights.sizes()[a + 2] - 1) * FirstOr(p.dilations, a, 1);
    if (FirstOr(p.strides, a, 1) != 1 || !size.known() || size.value() <= reach)
      return std::nullopt;
    pads[a] = reach - FirstOr(p.pads, a, 0);
    pads[axes + a] = reach - FirstOr(p.pads, axes + a, 0) + FirstOr(p.output_padding, a, 0);
    if (pads[a] < 0 || pads[axes + a] < 0) return std::nullopt;
  }
  return pads;
}

// ConvTranspose without a stride = Conv with the taps in reverse
Result<bool> TurnTaps(Node& node, PassContext& context) {
  const Tensor* weights = node.Is("ConvTranspose") ? ConstantOf(node.operand(1)) : nullptr;
  if (weights == nullptr || weights->dtype() != DType::kF32 || weights->size() == 0) return false;
  const Result<Params> params = FindOp(node)->fill_params(node);
  if (!params.ok()) return false;
  const auto& p = params->As<rt::ConvTransposeParams>();
  std::optional<std::vector<std::int64_t>> pads = PadsOfConv(*node.operand(0), *weights, p);
  if (!pads) return false;
  const Value& old = *node.operand(1);
  Value* turned = context.AddConstant(*node.graph(), TurnedWeights(*weights, p.group), old.name(),
                                      old.origin());
  std::vector<std::int64_t> dilations;
  for (std::size_t a = 0; 2 * a < pads->size(); ++a)
    dilations.push_back(FirstOr(p.dilations, a, 1));
  DRAGOMAN_ASSIGN(
      Value * y,
      context.Insert(
          node, "Conv", {{node.operand(0), turned, node.operand(2)}},
          {{"dilations", std::move(dilations)}, {"group", p.group}, {"pads", *std::move(pads)}}));
  return context.ReplaceIfAllowed(node, y);
}

}  // namespace

std::span<const Pattern> TransposedConvPatterns() {
  static constexpr Pattern kPatterns[] = {{"split-into-phases", SplitIntoPhases},
                                          {"turn-taps", TurnTaps}};
  return kPatterns;
}

}  // namespace dragoman::onednn
