// SPDX-License-Identifier: Apache-2.0
// torchao's grids of blocks (torchao/quantization/quant_primitives.py): a block holds as many
// elements along each axis as block_size says, all of them where that is -1, and each has a scale
// and a zero point of its own.
#include "importers/torch/ops/op_rows.h"

#include <cfloat>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/dtype.h"
#include "importers/torch/ops/composer.h"

namespace dragoman::torch {
namespace {

// An axis that holds several blocks becomes two, of which the second lies within a block.
struct BlockLayout {
  Value* shape = nullptr;          // of the elements
  Value* grid_shape = nullptr;     // of a number for each block, to be broadcast to `shape`
  std::vector<std::int64_t> axes;  // those of `shape` that lie within a block
};

BlockLayout LayoutOf(CallComposer& c, Value* x) {
  const std::vector<std::int64_t> block = c.Take(c.call().IntList("block_size"));
  const int rank = c.Rank(x);
  if (!c.failed() && block.size() != static_cast<std::size_t>(rank))
    c.Fail(InvalidInput("block_size does not have a number for each axis"));
  BlockLayout layout;
  std::vector<Value*> sizes, grid;
  for (int axis = 0; axis < rank && !c.failed(); ++axis) {
    const std::int64_t count = block[static_cast<std::size_t>(axis)];
    if (count < 1 && count != -1) c.Fail(InvalidInput("block_size is neither positive nor -1"));
    Value* size = c.SizeVector(x, axis, 1);
    const bool is_whole = count == -1 || c.KnownSize(x, axis) == count;
    const bool is_split = !is_whole && count > 1;
    sizes.push_back(is_split ? c.Div(size, static_cast<double>(count)) : size);
    grid.push_back(is_whole && count != 1 ? c.Ints({1}) : sizes.back());
    if (count == 1) continue;
    if (is_split) {
      sizes.push_back(c.Ints({count}));
      grid.push_back(c.Ints({1}));
    }
    layout.axes.push_back(std::ssize(sizes) - 1);
  }
  layout.shape = c.ConcatSizes(std::move(sizes));
  layout.grid_shape = c.ConcatSizes(std::move(grid));
  return layout;
}

struct IntegerBounds {
  double low = 0;
  double high = 0;
};

// Those that are given, else those of `stored`.
IntegerBounds BoundsOf(CallComposer& c, DType stored) {
  if (!IsInteger(stored) || Info(stored).bits > 32) {
    c.Fail("quantisation to this element type");
    return {};
  }
  const bool is_signed = Info(stored).is_signed;
  const std::int64_t count = std::int64_t{1} << Info(stored).bits;
  const std::int64_t low = is_signed ? -count / 2 : 0;
  return {c.FloatOr("quant_min", static_cast<double>(low)),
          c.FloatOr("quant_max", static_cast<double>(low + count - 1))};
}

// Older releases say whether zero points are integers.
void CheckZeroPoints(CallComposer& c) {
  if (c.Has("zero_point_domain") && c.Text("zero_point_domain") != "INT")
    c.Fail("zero points that are not integers");
}

// quantize_affine
Value* LowerQuantizeBlocks(CallComposer& c) {
  CheckZeroPoints(c);
  Value* x = c.Tensor("input");
  const DType stored = c.DTypeOr("output_dtype", DType::kUnknown);
  const IntegerBounds bounds = BoundsOf(c, stored);
  const BlockLayout layout = LayoutOf(c, x);
  Value* scale = c.Reshape(c.Tensor("scale"), layout.grid_shape);
  // Where the types differ, torch computes in float32.
  const DType wide = c.dtype(x) == c.dtype(scale) ? c.dtype(x) : DType::kF32;
  Value* inverse = c.Cast(c.Op("Reciprocal", {scale}), wide);
  Value* steps = c.Op("Round", {c.Mul(c.Cast(c.Reshape(x, layout.shape), wide), inverse)});
  if (c.Has("zero_point"))
    steps = c.Add(steps, c.Cast(c.Reshape(c.Tensor("zero_point"), layout.grid_shape), wide));
  Value* bounded = c.Min(c.Max(steps, bounds.low), bounds.high);
  return c.Cast(c.Reshape(bounded, c.Shape(x)), stored);
}

// dequantize_affine
Value* LowerDequantizeBlocks(CallComposer& c) {
  CheckZeroPoints(c);
  Value* x = c.Tensor("input");
  const DType result = c.DTypeOr("output_dtype", DType::kF32);
  const BlockLayout layout = LayoutOf(c, x);
  Value* steps = c.Cast(c.Reshape(x, layout.shape), DType::kI32);
  if (c.Has("zero_point")) {
    Value* zero_point = c.Reshape(c.Tensor("zero_point"), layout.grid_shape);
    steps = c.Sub(steps, c.Cast(zero_point, DType::kI32));
  }
  Value* scale = c.Reshape(c.Tensor("scale"), layout.grid_shape);
  const DType wide = result == c.dtype(scale) ? result : DType::kF32;
  Value* y = c.Mul(c.Cast(c.Cast(steps, result), wide), c.Cast(scale, wide));
  return c.Cast(c.Reshape(y, c.Shape(x)), result);
}

// choose_qparams_affine: scales and zero points of grids that hold all elements of a block, and 0.
Result<Results> LowerChooseBlockGrid(Call& call) {
  CallComposer c(call);
  CheckZeroPoints(c);
  Value* x = c.Tensor("input");
  const IntegerBounds bounds = BoundsOf(c, c.DTypeOr("target_dtype", DType::kUnknown));
  const std::string mapping = c.Text("mapping_type");
  if (!c.BoolOr("preserve_zero", true)) return call.Unsupported("preserve_zero = False");
  const BlockLayout layout = LayoutOf(c, x);
  const bool keep = c.BoolOr("keepdim", false);
  Value* blocks = c.Reshape(x, layout.shape);
  Value* least = c.Min(c.Reduce("ReduceMin", blocks, layout.axes, keep), 0);
  Value* most = c.Max(c.Reduce("ReduceMax", blocks, layout.axes, keep), 0);
  const double epsilon = c.dtype(x) == DType::kF16    ? 0x1p-10
                         : c.dtype(x) == DType::kBF16 ? 0x1p-7
                         : c.dtype(x) == DType::kF64  ? DBL_EPSILON
                                                      : FLT_EPSILON;
  Value* scale = nullptr;
  Value* zero_point = nullptr;
  if (mapping == "SYMMETRIC" || mapping == "SYMMETRIC_NO_CLIPPING_ERR") {
    scale = mapping == "SYMMETRIC"
                ? c.Div(c.Max(c.Neg(least), most), (bounds.high - bounds.low) / 2)
                : c.Max(c.Div(least, bounds.low), c.Div(most, bounds.high));
    scale = c.Max(scale, c.FloatOr("eps", epsilon));
    const double middle =
        static_cast<double>(static_cast<std::int64_t>((bounds.high + bounds.low + 1) / 2));
    zero_point = c.Full(c.Shape(scale), middle, c.dtype(scale));
  } else if (mapping == "ASYMMETRIC") {
    scale = c.Div(c.Sub(most, least), bounds.high - bounds.low);
    scale = c.Max(scale, c.FloatOr("eps", epsilon));
    Value* steps = c.Sub(bounds.low, c.Op("Round", {c.Div(least, scale)}));
    zero_point = c.Min(c.Max(steps, bounds.low), bounds.high);
  } else {
    return call.Unsupported("mapping_type = " + mapping);
  }
  return c.Done({c.Cast(scale, c.DTypeOr("scale_dtype", c.dtype(x))),
                 c.Cast(zero_point, c.DTypeOr("zero_point_dtype", DType::kI32))});
}

}  // namespace

std::span<const OpRow> QuantizedAffineRows() {
  static constexpr OpRow kRows[] = {
      {"torchao.choose_qparams_affine", LowerChooseBlockGrid},
      {"torchao.dequantize_affine", LowerDequantizeBlocks},
      {"torchao.quantize_affine", LowerQuantizeBlocks},
  };
  return kRows;
}

}  // namespace dragoman::torch
