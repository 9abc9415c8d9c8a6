// SPDX-License-Identifier: Apache-2.0
// quantized_decomposed: what torch.export writes of quantised models. Tensors of integers are plain
// ones here, and rounding to a grid is an operator of its own.
#include "importers/torch/ops/op_rows.h"

#include <cstdint>
#include <string>

#include "core/ir/dtype.h"
#include "core/lowering/math.h"
#include "importers/torch/container/torch_dtype.h"
#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/quantized.h"

namespace dragoman::torch {
namespace {

// Of integers of one byte, as QuantizeLinear rounds to.
DType ByteType(CallComposer& c) {
  const DType dtype = c.DTypeOr("dtype", DType::kUnknown);
  if (dtype != DType::kU8 && dtype != DType::kI8) c.Fail("quantisation to this element type");
  return dtype;
}

ValueGrid GridOf(CallComposer& c, Value* x, DType stored) {
  const bool per_channel = c.call().Declares("axis");
  const char* suffix = per_channel ? "s" : "";
  Value* scale = c.As(std::string("scale") + suffix, DType::kF32);
  Value* zero_point = nullptr;
  if (const std::string name = std::string("zero_point") + suffix; c.Has(name)) {
    zero_point = c.As(name, stored);
  } else {
    Value* zero = c.Number(0, stored);
    zero_point = c.Op("Expand", {zero, c.Op("Shape", {scale})});
  }
  if (per_channel) return {scale, zero_point, c.AxisArgument("axis", x)};
  // A tensor of one element may stand for a number.
  return {c.Reshape(scale, c.Ints({})), c.Reshape(zero_point, c.Ints({})), 0};
}

// A grid of integers of 2 or 4 bytes, as torch computes on it: in float32.
struct WideGrid {
  Value* scale = nullptr;
  Value* inverse = nullptr;  // of the scale, rounded once
  Value* zero_point = nullptr;
};

bool IsWide(DType dtype) {
  return dtype == DType::kI16 || dtype == DType::kU16 || dtype == DType::kI32;
}

// Whether the grid has integers of 2 or 4 bytes.
bool HasWideGrid(CallComposer& c) { return IsWide(c.DTypeOr("dtype", DType::kUnknown)); }

WideGrid WideGridOf(CallComposer& c, Value* x) {
  const bool per_channel = c.call().Declares("axis");
  const std::string suffix = per_channel ? "s" : "";
  // Of one number torch computes in double precision, of tensors in theirs.
  Value* scale = per_channel ? c.Tensor("scales") : c.As("scale", DType::kF64);
  Value* zero_point = c.Has("zero_point" + suffix) ? c.As("zero_point" + suffix, DType::kF32)
                                                   : c.Number(0, DType::kF32);
  const auto fit = [&](Value* value) {
    if (!per_channel) return c.Reshape(value, c.Ints({}));
    return c.Rank(value) == 0 ? value : AlongAxis(c, value, c.AxisArgument("axis", x), c.Rank(x));
  };
  return {fit(c.Cast(scale, DType::kF32)), fit(c.Cast(c.Div(1, scale), DType::kF32)),
          fit(zero_point)};
}

Value* QuantizeToWide(CallComposer& c) {
  Value* x = c.Tensor("input");
  const WideGrid grid = WideGridOf(c, x);
  Value* steps = c.Op("Round", {c.Mul(c.Cast(x, DType::kF32), grid.inverse)});
  Value* placed = c.Add(steps, grid.zero_point);
  const auto low = static_cast<double>(c.Int("quant_min"));
  const auto high = static_cast<double>(c.Int("quant_max"));
  Value* bounded = c.Min(c.Max(placed, low), high);
  return c.Cast(bounded, c.DTypeOr("dtype", DType::kUnknown));
}

Value* DequantizeWide(CallComposer& c) {
  Value* x = c.Tensor("input");
  const WideGrid grid = WideGridOf(c, x);
  Value* y = c.Mul(c.Sub(c.Cast(x, DType::kF32), grid.zero_point), grid.scale);
  return c.Cast(y, c.DTypeOr("out_dtype", DType::kF32));
}

// quantize_per_tensor, quantize_per_channel
Value* LowerQuantizeToIntegers(CallComposer& c) {
  if (HasWideGrid(c)) return QuantizeToWide(c);
  Value* x = c.Cast(c.Tensor("input"), DType::kF32);
  const DType dtype = ByteType(c);
  const ValueGrid grid = GridOf(c, x, dtype);
  Value* stored = c.Op("QuantizeLinear", {x, grid.scale, grid.zero_point}, {{"axis", grid.axis}});
  const std::int64_t low = c.Int("quant_min");
  const std::int64_t high = c.Int("quant_max");
  const std::int64_t least = dtype == DType::kU8 ? 0 : INT8_MIN;
  const std::int64_t most = dtype == DType::kU8 ? UINT8_MAX : INT8_MAX;
  if (low < least || high > most) return c.Refuse("bounds beyond the element type");
  if (low > least) stored = c.Op("Max", {stored, c.Number(static_cast<double>(low), dtype)});
  if (high < most) stored = c.Op("Min", {stored, c.Number(static_cast<double>(high), dtype)});
  return stored;
}

// dequantize_per_tensor, dequantize_per_channel
Value* LowerDequantizeIntegers(CallComposer& c) {
  if (HasWideGrid(c)) return DequantizeWide(c);
  Value* x = c.Tensor("input");
  const ValueGrid grid = GridOf(c, x, ByteType(c));
  Value* y = c.Op("DequantizeLinear", {x, grid.scale, grid.zero_point}, {{"axis", grid.axis}});
  // These are floats, not a quantised tensor.
  return c.Op("Identity", {c.Cast(y, c.DTypeOr("out_dtype", DType::kF32))});
}

// choose_qparams, choose_qparams_symmetric: the scale (f64) and the zero point (i64), one element
// each, of a grid from `quant_min` to `quant_max` that holds all elements and 0
// (torch/ao/quantization/utils.py, determine_qparams).
Result<Results> LowerChooseGrid(Call& call) {
  CallComposer c(call);
  Value* x = c.Cast(c.Tensor("input"), DType::kF32);
  const DType stored = HasWideGrid(c) ? c.DTypeOr("dtype", DType::kUnknown) : ByteType(c);
  const auto low = static_cast<double>(c.Int("quant_min"));
  const auto high = static_cast<double>(c.Int("quant_max"));
  Value* least = c.Vector(c.Min(c.ReduceAll("ReduceMin", x), 0));
  Value* most = c.Vector(c.Max(c.ReduceAll("ReduceMax", x), 0));
  const double eps = c.Float("eps");
  Value* zero_point = nullptr;
  Value* scale = nullptr;
  if (call.op().type == "choose_qparams_symmetric") {
    scale = c.Max(c.Div(c.Max(c.Neg(least), most), (high - low) / 2), eps);
    zero_point = c.Ints({Info(stored).is_signed ? 0 : std::int64_t{1} << (Info(stored).bits - 1)});
  } else {
    scale = c.Max(c.Div(c.Sub(most, least), high - low), eps);
    // In int32, also of grids that have as many steps.
    Value* steps = c.Cast(c.Op("Round", {c.Div(least, scale)}), DType::kI32);
    Value* point = c.Max(c.Min(c.Sub(c.Number(low, DType::kI32), steps), high), low);
    zero_point = c.Cast(point, DType::kI64);
  }
  return c.Done({c.Cast(scale, DType::kF64), zero_point});
}

}  // namespace

std::span<const OpRow> QuantizedDecomposedRows() {
  static constexpr OpRow kRows[] = {
      {"quantized_decomposed.choose_qparams", LowerChooseGrid},
      {"quantized_decomposed.choose_qparams_symmetric", LowerChooseGrid},
      {"quantized_decomposed.dequantize_per_channel", LowerDequantizeIntegers},
      {"quantized_decomposed.dequantize_per_tensor", LowerDequantizeIntegers},
      {"quantized_decomposed.quantize_per_channel", LowerQuantizeToIntegers},
      {"quantized_decomposed.quantize_per_tensor", LowerQuantizeToIntegers},
  };
  return kRows;
}

}  // namespace dragoman::torch
