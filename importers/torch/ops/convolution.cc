// SPDX-License-Identifier: Apache-2.0
// Convolutions, plain and transposed, in all the forms that archives hold.
#include "importers/torch/ops/op_rows.h"

#include <optional>
#include <string>
#include <utility>

#include "core/lowering/complex.h"
#include "importers/torch/ops/composer.h"

namespace dragoman::torch {
namespace {

struct Convolution {
  Value* x = nullptr;
  Value* weight = nullptr;
  Value* bias = nullptr;
  std::vector<std::int64_t> strides;
  std::vector<std::int64_t> pads;  // those at the beginnings, then those at the ends
  std::vector<std::int64_t> dilations;
  std::vector<std::int64_t> output_padding;  // of a transposed one
  std::int64_t groups = 1;
  bool transposed = false;
};

// What keeps the sizes: the odd element goes to the end.
std::vector<std::int64_t> SamePads(Composer& c, const Convolution& conv, int spatial) {
  std::vector<std::int64_t> pads(2 * static_cast<std::size_t>(spatial));
  for (std::size_t i = 0; i < static_cast<std::size_t>(spatial); ++i) {
    const std::optional<std::int64_t> kernel = c.KnownSize(conv.weight, static_cast<int>(i) + 2);
    if (!kernel) {
      c.Fail("padding = 'same' needs the size of the weight, which is not known");
      return pads;
    }
    const std::int64_t total = conv.dilations[i] * (*kernel - 1);
    pads[i] = total / 2;
    pads[i + static_cast<std::size_t>(spatial)] = total - total / 2;
  }
  return pads;
}

std::vector<std::int64_t> Pads(CallComposer& c, const Convolution& conv, int spatial) {
  const Abstract padding = c.Take(c.call().Argument("padding"));
  if (padding.Is<String>()) {
    const std::string mode = c.Text("padding");
    if (mode == "same") return SamePads(c, conv, spatial);
    if (mode != "valid") c.Fail("padding = '" + mode + "'");
    return std::vector<std::int64_t>(2 * static_cast<std::size_t>(spatial), 0);
  }
  std::vector<std::int64_t> pads = c.IntPerAxis("padding", spatial);
  pads.insert(pads.end(), pads.begin(), pads.end());
  return pads;
}

Value* Convolve(Composer& c, const Convolution& conv, int spatial) {
  std::vector<NamedAttribute> attributes = {{"dilations", conv.dilations},
                                            {"group", conv.groups},
                                            {"pads", conv.pads},
                                            {"strides", conv.strides}};
  std::vector<std::int64_t> kernel;
  for (int i = 0; i < spatial; ++i) {
    if (std::optional<std::int64_t> size = c.KnownSize(conv.weight, i + 2)) kernel.push_back(*size);
  }
  if (kernel.size() == static_cast<std::size_t>(spatial))
    attributes.push_back({"kernel_shape", std::move(kernel)});
  if (conv.transposed) attributes.push_back({"output_padding", conv.output_padding});
  const DType type = c.dtype(conv.x);
  const DType computed = IsInteger(type) ? DType::kF64 : type;
  std::vector<Value*> operands = {c.Cast(conv.x, computed), c.Cast(conv.weight, computed)};
  if (conv.bias != nullptr) operands.push_back(c.Cast(conv.bias, computed));
  Value* y =
      c.Op(conv.transposed ? "ConvTranspose" : "Conv", std::move(operands), std::move(attributes));
  return c.Cast(y, type);
}

// (a + ib) (v + iw) + bias by four real ones.
Value* ConvolveComplex(Composer& c, const Convolution& conv, int spatial) {
  const Parts x = PartsOf(c, conv.x), weight = PartsOf(c, conv.weight);
  const Parts bias = conv.bias != nullptr ? PartsOf(c, conv.bias) : Parts{nullptr, nullptr};
  const auto part = [&](Value* of_x, Value* of_weight, Value* of_bias) {
    Convolution real = conv;
    real.x = of_x;
    real.weight = of_weight;
    real.bias = of_bias;
    return Convolve(c, real, spatial);
  };
  Value* re = c.Sub(part(x.re, weight.re, bias.re), part(x.im, weight.im, nullptr));
  Value* im = c.Add(part(x.re, weight.im, bias.im), part(x.im, weight.re, nullptr));
  return FromParts(c, {re, im});
}

Result<Value*> Lower(Call& call, bool transposed) {
  CallComposer c(call);
  Convolution conv;
  conv.transposed = transposed;
  conv.x = c.Tensor(call.Declares("input") ? "input" : "self");
  conv.weight = c.Tensor("weight");
  conv.bias = c.OptionalTensor("bias");
  const int spatial = c.Rank(conv.weight) - 2;
  if (c.failed()) return c.Done(nullptr);
  if (spatial < 1) return call.Invalid("the weight has no spatial axes");
  conv.strides = c.IntPerAxis("stride", spatial);
  conv.dilations = c.IntPerAxis("dilation", spatial);
  conv.pads = Pads(c, conv, spatial);
  if (transposed) conv.output_padding = c.IntPerAxis("output_padding", spatial);
  conv.groups = c.Int("groups");
  const bool batched = c.MaybeRank(conv.x) != spatial + 1;
  if (!batched) conv.x = c.Unsqueeze(conv.x, {0});
  const bool is_complex = IsComplex(c.dtype(conv.x));
  Value* y = is_complex ? ConvolveComplex(c, conv, spatial) : Convolve(c, conv, spatial);
  return c.Done(batched ? y : c.Squeeze(y, {0}));
}

// conv1d, conv2d, conv3d, _convolution_mode
Result<Value*> LowerConv(Call& call) { return Lower(call, false); }
// conv_transpose1d, conv_transpose2d, conv_transpose3d
Result<Value*> LowerConvTranspose(Call& call) { return Lower(call, true); }

// Along the first axis of (time, batch, channels), by a weight (kernel, in, out).
Value* LowerConvTbc(CallComposer& c) {
  const std::int64_t pad = c.Int("pad");
  Convolution conv;
  conv.x = c.Transpose(c.Tensor("self"), {1, 2, 0});
  conv.weight = c.Transpose(c.Tensor("weight"), {2, 1, 0});
  conv.bias = c.Tensor("bias");
  conv.strides = conv.dilations = {1};
  conv.pads = {pad, pad};
  return c.Transpose(Convolve(c, conv, 1), {2, 0, 1});
}

// convolution, _convolution
Result<Value*> LowerAnyConv(Call& call) {
  CallComposer c(call);
  const bool transposed = c.Bool("transposed");
  if (c.failed()) return c.Done(nullptr);
  return Lower(call, transposed);
}

}  // namespace

std::span<const OpRow> ConvolutionRows() {
  static constexpr OpRow kRows[] = {
      {"aten._convolution", LowerAnyConv, {.complex = true}},
      {"aten._convolution_mode", LowerConv, {.complex = true}},
      {"aten.conv1d", LowerConv, {.complex = true}},
      {"aten.conv2d", LowerConv, {.complex = true}},
      {"aten.conv3d", LowerConv, {.complex = true}},
      {"aten.conv_tbc", LowerConvTbc},
      {"aten.conv_transpose1d", LowerConvTranspose, {.complex = true}},
      {"aten.conv_transpose2d", LowerConvTranspose, {.complex = true}},
      {"aten.conv_transpose3d", LowerConvTranspose, {.complex = true}},
      {"aten.convolution", LowerAnyConv, {.complex = true}},
      {"aten.mkldnn_convolution", LowerConv},
  };
  return kRows;
}

}  // namespace dragoman::torch
