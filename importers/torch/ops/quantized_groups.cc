// SPDX-License-Identifier: Apache-2.0
// quantized_decomposed for grids of their own: of groups of elements, and of all that lie along the
// last axis of a token (torch/ao/quantization/fx/_decomposed.py).
#include "importers/torch/ops/op_rows.h"

#include <cfloat>
#include <cstdint>
#include <string>

#include "core/ir/dtype.h"
#include "importers/torch/ops/composer.h"

namespace dragoman::torch {
namespace {

// Both of the type of the scales, float64 where choose_qparams gives them.
struct Grid {
  Value* scales = nullptr;
  Value* zero_points = nullptr;
};

Grid TokenGrid(CallComposer& c) {
  Value* scales = c.Tensor("scales");
  return {scales, c.CastLike(c.Tensor("zero_points"), scales)};
}

// One for each group, as a column.
Grid GroupGrid(CallComposer& c) {
  Value* scales = c.Reshape(c.Tensor("scales"), {-1, 1});
  if (!c.Has("zero_points")) return {scales, c.Number(0, c.dtype(scales))};
  return {scales, c.CastLike(c.Reshape(c.Tensor("zero_points"), {-1, 1}), scales)};
}

// The nearest integers on the grid, within the bounds.
Value* Quantized(CallComposer& c, Value* x, const Grid& grid) {
  const DType stored = c.DTypeOr("dtype", DType::kUnknown);
  if (!IsInteger(stored)) c.Fail("quantisation to this element type");
  Value* wide = c.CastLike(x, grid.scales);
  Value* inverse = c.Op("Reciprocal", {grid.scales});
  Value* steps = c.Op("Round", {c.Add(c.Mul(wide, inverse), grid.zero_points)});
  Value* bounded = c.Max(c.Min(steps, static_cast<double>(c.Int("quant_max"))),
                         static_cast<double>(c.Int("quant_min")));
  return c.Cast(bounded, stored);
}

Value* Dequantized(CallComposer& c, Value* x, const Grid& grid) {
  Value* wide = c.CastLike(x, grid.scales);
  Value* y = c.Mul(c.Sub(wide, grid.zero_points), grid.scales);
  return c.Cast(y, c.DTypeOr("output_dtype", DType::kF32));
}

Value* LowerQuantizeTokens(CallComposer& c) {
  return Quantized(c, c.Tensor("input"), TokenGrid(c));
}

Value* LowerDequantizeTokens(CallComposer& c) {
  return Dequantized(c, c.Tensor("input"), TokenGrid(c));
}

Value* LowerQuantizeGroups(CallComposer& c) {
  Value* x = c.Tensor("input");
  Value* groups = c.Reshape(x, {-1, c.Int("group_size")});
  return c.Reshape(Quantized(c, groups, GroupGrid(c)), c.Shape(x));
}

Value* LowerDequantizeGroups(CallComposer& c) {
  Value* x = c.Tensor("w_int8");
  Value* groups = c.Reshape(x, {-1, c.Int("group_size")});
  return c.Reshape(Dequantized(c, groups, GroupGrid(c)), c.Shape(x));
}

// choose_qparams_per_token: grids around 0; choose_qparams_per_token_asymmetric: from the least to
// the greatest element, and 0. Both are of 8 bits, with a sign.
Result<Results> LowerChooseTokenGrid(Call& call) {
  CallComposer c(call);
  Value* x = c.Cast(c.Tensor("input"), DType::kF32);
  if (call.op().type == "choose_qparams_per_token") {
    constexpr double kLeastSize = 1e-5;
    Value* size = c.Max(c.Reduce("ReduceMax", c.Abs(x), {-1}, true), kLeastSize);
    Value* scale = c.Div(size, INT8_MAX);
    return c.Done({c.Cast(scale, DType::kF64), c.Cast(c.Sub(scale, scale), DType::kI64)});
  }
  constexpr double kLow = INT8_MIN, kHigh = INT8_MAX;
  Value* least = c.Min(c.Reduce("ReduceMin", x, {-1}, true), 0);
  Value* most = c.Max(c.Reduce("ReduceMax", x, {-1}, true), 0);
  Value* scale = c.Max(c.Div(c.Sub(most, least), kHigh - kLow), FLT_EPSILON);
  Value* below = c.Div(least, scale);
  Value* above = c.Div(most, scale);
  Value* error = c.Add(c.Add(below, kLow), c.Add(above, kHigh));
  Value* zero = c.Where(c.Greater(error, 0), c.Add(c.Neg(below), kLow), c.Add(c.Neg(above), kHigh));
  Value* steps = c.Op("Round", {c.Max(c.Min(zero, kHigh), kLow)});
  return c.Done({c.Cast(scale, DType::kF64), c.Cast(steps, DType::kI64)});
}

}  // namespace

std::span<const OpRow> QuantizedGroupsRows() {
  static constexpr OpRow kRows[] = {
      {"quantized_decomposed.choose_qparams_per_token", LowerChooseTokenGrid},
      {"quantized_decomposed.choose_qparams_per_token_asymmetric", LowerChooseTokenGrid},
      {"quantized_decomposed.dequantize_per_channel_group", LowerDequantizeGroups},
      {"quantized_decomposed.dequantize_per_token", LowerDequantizeTokens},
      {"quantized_decomposed.quantize_per_channel_group", LowerQuantizeGroups},
      {"quantized_decomposed.quantize_per_token", LowerQuantizeTokens},
  };
  return kRows;
}

}  // namespace dragoman::torch
