// SPDX-License-Identifier: Apache-2.0
// Quantised tensors and torch's quantized:: operators, as QuantizeLinear / DequantizeLinear pairs:
// a quantised tensor is what DequantizeLinear gives, and an operator computes with that.
#include "importers/torch/ops/lowerings.h"
#include "importers/torch/ops/op_rows.h"

#include <algorithm>

#include "importers/torch/container/torch_dtype.h"
#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"
#include "importers/torch/ops/packed_weights.h"
#include "importers/torch/ops/quantized.h"

namespace dragoman::torch {
namespace {

// The integers that a quantised torch type stores.
DType StoredType(CallComposer& c) {
  const auto dtype = TorchDTypeFromNumber(c.Int("dtype"));
  if (dtype.has_value() && Info(*dtype).is_quantized && Info(*dtype).bits >= 8) {
    return Info(*dtype).element;
  }
  c.Fail("quantisation to this element type");
  return DType::kU8;
}

bool EndsWithRelu(const Call& call) { return call.op().type.find("_relu") != std::string::npos; }

Value* ReluIfNamed(CallComposer& c, Value* y) {
  return EndsWithRelu(c.call()) ? c.Op("Relu", {y}) : y;
}

Value* LinearOf(CallComposer& c, Value* x, bool through_f16) {
  const PackedWeights packed(c.call(), c.Take(c.call().Argument("W_prepack")));
  return ReluIfNamed(c, packed.Linear(c, x, through_f16));
}

std::vector<std::int64_t> QuantizedPads(const std::vector<std::int64_t>& padding) {
  std::vector<std::int64_t> pads = padding;
  pads.insert(pads.end(), padding.begin(), padding.end());
  return pads;
}

Value* LowerQuantizePerTensor(CallComposer& c) {
  const DType stored = StoredType(c);
  Value* scale = c.As("scale", DType::kF32);
  return RoundedOn(c, c.Tensor("self"), {scale, c.As("zero_point", stored), 0});
}

Value* LowerQuantizePerChannel(CallComposer& c) {
  Value* x = c.Tensor("self");
  const DType stored = StoredType(c);
  Value* scales = c.Cast(c.Tensor("scales"), DType::kF32);
  Value* zero_points = c.Cast(c.Tensor("zero_points"), stored);
  return RoundedOn(c, x, {scales, zero_points, c.AxisArgument("axis", x)});
}

Value* LowerDequantize(CallComposer& c) {
  Value* x = c.Tensor(c.call().Declares("qtensor") ? "qtensor" : "self");
  return c.Op("Identity", {x});
}

Value* LowerQuantizedLinear(CallComposer& c) {
  Value* y = LinearOf(c, c.Tensor("X"), false);
  return Requantize(c, y, "Y_scale_i", "Y_zero_point_i");
}

Value* LowerDynamicLinear(CallComposer& c) {
  const bool f16 = c.call().op().type.ends_with("_fp16");
  Value* x = c.Tensor("X");
  if (!f16) x = RoundedToOwnRange(c, x, c.BoolOr("reduce_range", false));
  return LinearOf(c, x, f16);
}

Value* LowerQuantizedConv(CallComposer& c) {
  if (!c.call().Declares("packed_weight")) {
    return c.Refuse("the old form of this operator; save the model with a newer torch");
  }
  const PackedWeights packed(c.call(), c.Take(c.call().Argument("packed_weight")));
  Value* x = c.Tensor("qx");
  std::vector<NamedAttribute> attributes = {{"strides", packed.Ints("stride")},
                                            {"pads", QuantizedPads(packed.Ints("padding"))},
                                            {"dilations", packed.Ints("dilation")},
                                            {"group", packed.Int("groups")}};
  const bool transposed = packed.Int("transpose") != 0;
  if (transposed) attributes.emplace_back("output_padding", packed.Ints("output_padding"));
  Value* weight = packed.Tensor(c, "weight");
  if (weight == nullptr) return c.Refuse("packed weights of this kind");
  // Weights of convolutions over one axis are kept with two, or as they were before packing.
  const bool is_1d =
      c.call().op().type.find("1d") != std::string::npos && c.Rank(weight) > c.Rank(x);
  if (is_1d) x = c.Unsqueeze(x, {2});
  Value* y = c.Op(transposed ? "ConvTranspose" : "Conv", {x, weight, packed.Tensor(c, "bias")},
                  std::move(attributes));
  if (is_1d) y = c.Squeeze(y, {2});
  return Requantize(c, ReluIfNamed(c, y), "output_scale", "output_zero_point");
}

// add, mul, with relu or without
Result<Value*> LowerQuantizedBinary(Call& call) {
  CallComposer c(call);
  if (!call.Declares("scale")) return LowerQuantizedScalar(call);
  Value* a = c.Tensor("qa");
  Value* b = c.Tensor("qb");
  Value* y = call.op().type.starts_with("add") ? c.Add(a, b) : c.Mul(a, b);
  return c.Done(Requantize(c, ReluIfNamed(c, y), "scale", "zero_point"));
}

Value* LowerQuantizedCat(CallComposer& c) {
  const std::vector<Value*> parts = c.Tensors("qx");
  if (parts.empty() || !c.call().Has("scale")) return c.Refuse("no scale of the result");
  Value* y = c.Concat(parts, c.AxisArgument("dim", parts.front()));
  return Requantize(c, ReluIfNamed(c, y), "scale", "zero_point");
}

}  // namespace

// fake_quantize_per_tensor_affine, fake_quantize_per_channel_affine: rounded to a grid, and back.
Result<Value*> LowerFakeQuantize(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  const int rank = c.Rank(x);
  Value* scale = c.As("scale", c.dtype(x));
  Value* zero_point = c.As("zero_point", c.dtype(x));
  if (call.Declares("axis")) {
    const int axis = c.AxisArgument("axis", x);
    scale = AlongAxis(c, scale, axis, std::max(rank, 1));
    zero_point = AlongAxis(c, zero_point, axis, std::max(rank, 1));
  } else if (c.Rank(scale) > 0) {
    scale = c.Reshape(scale, c.Ints({}));
    zero_point = c.Reshape(zero_point, c.Ints({}));
  }
  Value* steps = c.Op("Round", {c.Mul(x, c.Op("Reciprocal", {scale}))});
  const double low = static_cast<double>(c.Int("quant_min"));
  const double high = static_cast<double>(c.Int("quant_max"));
  Value* placed = c.Add(steps, zero_point);
  // NaN is the least number, and for channels, which torch casts to int64, all beyond that is too.
  Value* counts = call.Declares("axis") ? c.Less(placed, 0x1p63) : c.Equal(placed, placed);
  Value* stored = c.Where(counts, c.Max(c.Min(placed, high), low), low);
  Value* tensor_enabled = c.OptionalTensor("fake_quant_enabled");
  Value* rounded = c.Mul(c.Sub(stored, zero_point), scale);
  if (tensor_enabled == nullptr) return c.Done(rounded);
  return c.Done(c.Where(c.Equal(c.Flatten(tensor_enabled), 1), rounded, x));
}

std::span<const OpRow> QuantizedRows() {
  static constexpr OpRow kRows[] = {
      {"aten.dequantize", LowerDequantize},
      {"aten.fake_quantize_per_channel_affine", LowerFakeQuantize},
      {"aten.fake_quantize_per_tensor_affine", LowerFakeQuantize},
      {"aten.quantize_per_channel", LowerQuantizePerChannel},
      {"aten.quantize_per_tensor", LowerQuantizePerTensor},
      {"quantized.add", LowerQuantizedBinary},
      {"quantized.add_relu", LowerQuantizedBinary},
      {"quantized.cat", LowerQuantizedCat},
      {"quantized.cat_relu", LowerQuantizedCat},
      {"quantized.conv1d", LowerQuantizedConv},
      {"quantized.conv1d_relu", LowerQuantizedConv},
      {"quantized.conv2d", LowerQuantizedConv},
      {"quantized.conv2d_relu", LowerQuantizedConv},
      {"quantized.conv3d", LowerQuantizedConv},
      {"quantized.conv3d_relu", LowerQuantizedConv},
      {"quantized.conv_transpose1d", LowerQuantizedConv},
      {"quantized.conv_transpose2d", LowerQuantizedConv},
      {"quantized.conv_transpose3d", LowerQuantizedConv},
      {"quantized.linear", LowerQuantizedLinear},
      {"quantized.linear_dynamic", LowerDynamicLinear},
      {"quantized.linear_dynamic_fp16", LowerDynamicLinear},
      {"quantized.linear_relu", LowerQuantizedLinear},
      {"quantized.linear_relu_dynamic", LowerDynamicLinear},
      {"quantized.linear_relu_dynamic_fp16", LowerDynamicLinear},
      {"quantized.mul", LowerQuantizedBinary},
      {"quantized.mul_relu", LowerQuantizedBinary},
  };
  return kRows;
}

}  // namespace dragoman::torch
