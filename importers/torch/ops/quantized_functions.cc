// SPDX-License-Identifier: Apache-2.0
// Operators of quantized:: that are those of aten on the numbers, rounded to the grid they state.
#include "importers/torch/ops/lowerings.h"
#include "importers/torch/ops/op_rows.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "importers/torch/ops/quantized.h"

namespace dragoman::torch {
namespace {

// The operator of aten, and what it calls the arguments, in order.
struct Twin {
  std::string_view type;
  OpLowering lower;
  std::vector<std::string> names;
};

const std::vector<Twin>& Twins() {
  static const std::vector<Twin> kTwins = {
      {"celu", LowerCelu, {"self", "", "", "alpha"}},
      {"elu", LowerElu, {"self", "", "", "alpha", "scale", "input_scale"}},
      {"group_norm", LowerGroupNorm, {"input", "num_groups", "weight", "bias", "eps"}},
      {"hardswish", LowerHardswish, {"self"}},
      {"layer_norm", LowerLayerNorm, {"input", "normalized_shape", "weight", "bias", "eps"}},
      {"leaky_relu", LowerLeakyRelu, {"self", "negative_slope"}},
      {"prelu", LowerPRelu, {"self", "weight"}},
      {"sigmoid", LowerFloatFunction, {"self"}},
      {"softmax", LowerSoftmax, {"self", "dim"}},
  };
  return kTwins;
}

Result<Value*> LowerQuantizedTwin(Call& call) {
  const auto twin = std::ranges::find(Twins(), call.op().type, &Twin::type);
  if (twin == Twins().end()) return call.Unsupported("on quantised tensors");
  Call other(call.heap(), call.builder(), call.node(), twin->names, call.arguments());
  DRAGOMAN_ASSIGN(Value * y, twin->lower.Tensor(other));
  CallComposer c(call);
  return c.Done(Requantize(c, y, "output_scale", "output_zero_point"));
}

// Arguments weight and bias, of which there are `count`; 1 and 0 where they are absent.
std::pair<Value*, Value*> TakeAffine(CallComposer& c, Value* count) {
  Value* weight = c.OptionalTensor("weight");
  Value* bias = c.OptionalTensor("bias");
  if (weight == nullptr) weight = c.Full(count, 1, DType::kF32);
  if (bias == nullptr) bias = c.Full(count, 0, DType::kF32);
  return {weight, bias};
}

// batch_norm1d, 2d, 3d, with relu or without
Value* LowerQuantizedBatchNorm(CallComposer& c) {
  Value* mean = c.Tensor("mean");
  Value* count = c.Shape(mean);
  const auto [weight, bias] = TakeAffine(c, count);
  Value* y = c.Op("BatchNormalization", {c.Tensor("qx"), weight, bias, mean, c.Tensor("var")},
                  {{"epsilon", static_cast<float>(c.Float("eps"))}});
  if (c.call().op().type.ends_with("_relu")) y = c.Op("Relu", {y});
  return Requantize(c, y, "output_scale", "output_zero_point");
}

Value* LowerQuantizedMatmul(CallComposer& c) {
  Value* y = c.Op("MatMul", {c.Tensor("qa"), c.Tensor("qb")});
  return Requantize(c, y, "scale", "zero_point");
}

Value* LowerQuantizedInstanceNorm(CallComposer& c) {
  Value* x = c.Tensor("input");
  Value* count = c.SizeVector(x, 1, 1);
  const auto [weight, bias] = TakeAffine(c, count);
  Value* y = c.Op("InstanceNormalization", {x, weight, bias},
                  {{"epsilon", static_cast<float>(c.Float("eps"))}});
  return Requantize(c, y, "output_scale", "output_zero_point");
}

// The integers that a grid stores.
struct Range {
  double least = 0;
  double greatest = 0;
};

// x + number: the grid moves by whole steps as far as its zero point is one of the integers, and is
// widened beyond.
Value* Shifted(Composer& c, Value* x, double number, const Range& range, ValueGrid& grid) {
  const DType stored = c.dtype(grid.zero_point);
  Value* steps = c.Op("Round", {c.Div(number, grid.scale)});
  Value* y = c.Add(x, c.Mul(steps, grid.scale));
  Value* zero_point = c.Sub(c.Cast(grid.zero_point, DType::kF32), steps);
  Value* beyond =
      c.Add(c.Max(c.Sub(range.least, zero_point), 0), c.Max(c.Sub(zero_point, range.greatest), 0));
  grid.scale = c.Mul(grid.scale, c.Add(c.Div(beyond, range.greatest - range.least), 1));
  grid.zero_point = c.Cast(c.Max(c.Min(zero_point, range.greatest), range.least), stored);
  return y;
}

// x · number: the grid is stretched, and turned over by one below zero.
Value* Stretched(Composer& c, Value* x, double number, const Range& range, ValueGrid& grid) {
  const DType stored = c.dtype(grid.zero_point);
  Value* zero_point = c.Cast(grid.zero_point, DType::kF32);
  if (number == 0) {
    grid = {c.Number(1, DType::kF32), c.Number(0, stored), 0};
  } else {
    grid.scale = c.Mul(grid.scale, std::abs(number));
    if (number < 0)
      grid.zero_point = c.Cast(c.Sub(range.greatest + range.least, zero_point), stored);
  }
  return c.Mul(x, number);
}

}  // namespace

// add, mul with a number, with relu or without
Result<Value*> LowerQuantizedScalar(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("qa");
  std::optional<ValueGrid> grid = x != nullptr ? ValueGridOf(x) : std::nullopt;
  if (!grid) return call.Unsupported("of a tensor that is not quantised");
  const Range range = c.dtype(grid->zero_point) == DType::kI8 ? Range{-128, 127} : Range{0, 255};
  const std::string& type = call.op().type;
  const double number = c.Float("b");
  Value* y = type.starts_with("add") ? Shifted(c, x, number, range, *grid)
                                     : Stretched(c, x, number, range, *grid);
  y = RoundedOn(c, y, *grid);
  return c.Done(type.ends_with("_relu") ? c.Op("Relu", {y}) : y);
}

namespace {

Value* LowerQuantizedRelu6(CallComposer& c) {
  Value* x = c.Tensor("qx");
  const auto grid = x != nullptr ? ValueGridOf(x) : std::nullopt;
  if (!grid) return c.Refuse("of a tensor that is not quantised");
  return RoundedOn(c, c.Max(c.Min(x, 6), 0), *grid);
}

}  // namespace

std::span<const OpRow> QuantizedFunctionsRows() {
  static constexpr OpRow kRows[] = {
      {"quantized.add_scalar", LowerQuantizedScalar},
      {"quantized.add_scalar_relu", LowerQuantizedScalar},
      {"quantized.batch_norm", LowerQuantizedBatchNorm},
      {"quantized.batch_norm1d", LowerQuantizedBatchNorm},
      {"quantized.batch_norm1d_relu", LowerQuantizedBatchNorm},
      {"quantized.batch_norm2d", LowerQuantizedBatchNorm},
      {"quantized.batch_norm2d_relu", LowerQuantizedBatchNorm},
      {"quantized.batch_norm3d", LowerQuantizedBatchNorm},
      {"quantized.batch_norm3d_relu", LowerQuantizedBatchNorm},
      {"quantized.batch_norm_relu", LowerQuantizedBatchNorm},
      {"quantized.celu", LowerQuantizedTwin},
      {"quantized.elu", LowerQuantizedTwin},
      {"quantized.group_norm", LowerQuantizedTwin},
      {"quantized.hardswish", LowerQuantizedTwin},
      {"quantized.instance_norm", LowerQuantizedInstanceNorm},
      {"quantized.layer_norm", LowerQuantizedTwin},
      {"quantized.leaky_relu", LowerQuantizedTwin},
      {"quantized.matmul", LowerQuantizedMatmul},
      {"quantized.mul_scalar", LowerQuantizedScalar},
      {"quantized.mul_scalar_relu", LowerQuantizedScalar},
      {"quantized.prelu", LowerQuantizedTwin},
      {"quantized.relu6", LowerQuantizedRelu6},
      {"quantized.sigmoid", LowerQuantizedTwin},
      {"quantized.softmax", LowerQuantizedTwin},
  };
  return kRows;
}

}  // namespace dragoman::torch
