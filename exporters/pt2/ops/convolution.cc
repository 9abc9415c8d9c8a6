// SPDX-License-Identifier: Apache-2.0
// Convolutions of one to three spatial axes.
#include "exporters/pt2/ops/op_rows.h"

#include <algorithm>
#include <utility>

#include "exporters/pt2/ops/quantize.h"
#include "exporters/pt2/ops/window.h"

namespace dragoman::pt2 {
namespace {

// The sizes of the kernel that operand `weight` holds.
Result<Ints> KernelOf(const AtenOp& op, std::size_t weight) {
  Ints kernel;
  const Term term = op.arg(weight);
  for (std::size_t i = 2; i < term.shape.size(); ++i) {
    if (!term.shape[i].known()) return op.Refuse("the kernel's sizes are not known");
    kernel.push_back(term.shape[i].value());
  }
  if (kernel.empty() || kernel.size() > 3)
    return op.Refuse("a convolution over other than one to three axes");
  return kernel;
}

Term Convolution(const AtenOp& op, const Term& x, const Term& weight,
                 const std::optional<Term>& bias, const Window& window, Shape shape) {
  const bool pads_itself = window.is_symmetric();
  const Term padded = pads_itself ? x : PadSpatial(op, x, window.begins, window.ends, 0);
  const Ints pads = pads_itself ? window.begins : Ints(window.axes(), 0);
  Arguments arguments = {{"input", padded}, {"weight", weight},
                         {"bias", bias},    {"stride", window.strides},
                         {"padding", pads}, {"dilation", window.dilations}};
  if (op.Int("group") != 1) arguments.push_back({"groups", op.Int("group")});
  return op.Call(OfAxes("aten.conv{}d.default", window.axes()), arguments,
                 {x.dtype, std::move(shape)});
}

// A vector along `axis` of tensors of rank `rank`.
Term AlongAxis(const AtenOp& op, Term vector, std::int64_t axis, std::int64_t rank) {
  if (vector.rank() != 1) return vector;
  for (std::int64_t i = 0; i < axis; ++i) vector = op.Unsqueeze(vector, 0);
  while (vector.rank() < rank) vector = op.Unsqueeze(vector, vector.rank());
  return vector;
}

Term WithoutPoint(const AtenOp& op, std::size_t x, std::size_t point, std::int64_t axis) {
  const Term wide = op.Cast(op.arg(x), DType::kF64);
  if (!op.has(point)) return wide;
  const Term zero = AlongAxis(op, op.Cast(op.arg(point), DType::kF64), axis, wide.rank());
  return op.Binary("aten.sub.Tensor", wide, zero);
}

Emitted EmitConv(AtenOp& op) {
  DRAGOMAN_ASSIGN(Ints kernel, KernelOf(op, 1));
  DRAGOMAN_ASSIGN(const Window window, WindowOf(op, std::move(kernel)));
  return One(Convolution(op, op.arg(0), op.arg(1), op.arg_if_any(2), window, op.result().shape));
}

// Sums of products of integers of 8 bits are exact in float64, and torch convolves no integers.
Emitted EmitConvInteger(AtenOp& op) {
  DRAGOMAN_ASSIGN(Ints kernel, KernelOf(op, 1));
  DRAGOMAN_ASSIGN(const Window window, WindowOf(op, std::move(kernel)));
  const Term sum = Convolution(op, WithoutPoint(op, 0, 2, 1), WithoutPoint(op, 1, 3, 0),
                               std::nullopt, window, op.result().shape);
  return One(op.Cast(sum, DType::kI32));
}

// x, its scale and zero point, w, its, the result's, and perhaps a bias of int32.
Emitted EmitQLinearConv(AtenOp& op) {
  DRAGOMAN_ASSIGN(Ints kernel, KernelOf(op, 3));
  DRAGOMAN_ASSIGN(const Window window, WindowOf(op, std::move(kernel)));
  const TermType result = op.result();
  Term sum = Convolution(op, WithoutPoint(op, 0, 2, 1), WithoutPoint(op, 3, 5, 0), std::nullopt,
                         window, result.shape);
  const auto channels = [&](Term vector) {
    if (vector.rank() == 1 && vector.shape[0] == Dim(1)) return op.Select(vector, 0, 0);
    return AlongAxis(op, std::move(vector), 1, sum.rank());
  };
  if (op.has(8)) sum = op.Binary("aten.add.Tensor", sum, channels(op.Cast(op.arg(8), DType::kF64)));
  const Term product = op.Binary("aten.mul.Tensor", channels(op.arg(1)), channels(op.arg(4)));
  const Term factor = op.Binary("aten.div.Tensor", product, channels(op.arg(6)));
  const Term scaled = op.Binary("aten.mul.Tensor", op.Cast(sum, DType::kF32), factor);
  return One(Saturated(op, scaled, channels(op.arg(7)), result.dtype));
}

struct TransposedPads {
  Ints begins;
  Ints ends;
  Ints beyond;  // after each axis, where no tap of the kernel reaches
};

// The pads that give the result its sizes, where those are stated instead of pads.
Result<TransposedPads> TransposedPadsOf(const AtenOp& op, const Ints& kernel, const Ints& beyond) {
  const std::string mode = op.String("auto_pad", "NOTSET");
  const std::size_t axes = kernel.size();
  const Ints stated = op.IntsOr("pads", static_cast<std::int64_t>(2 * axes), 0);
  TransposedPads pads = {Ints(axes, 0), Ints(axes, 0), beyond};
  const bool by_size = !op.IntList("output_shape").empty() || mode.starts_with("SAME");
  if (!by_size) {
    if (mode == "VALID") return pads;
    for (std::size_t i = 0; i < axes; ++i) {
      pads.begins[i] = stated.at(i);
      pads.ends[i] = stated.at(i + axes);
    }
    return pads;
  }
  const Ints strides = op.IntsOr("strides", static_cast<std::int64_t>(axes), 1);
  const Ints dilations = op.IntsOr("dilations", static_cast<std::int64_t>(axes), 1);
  const Term x = op.arg(0);
  for (std::size_t i = 0; i < axes; ++i) {
    const Dim& from = x.shape.at(i + 2);
    const Dim to = op.result().shape.at(i + 2);
    if (!from.known() || !to.known())
      return op.Refuse("padding of a size that is known at run time only");
    const std::int64_t full =
        (from.value() - 1) * strides[i] + beyond[i] + (kernel[i] - 1) * dilations[i] + 1;
    const std::int64_t total = std::max<std::int64_t>(0, full - to.value());
    pads.begins[i] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
    pads.ends[i] = total - pads.begins[i];
    pads.beyond[i] += to.value() + total - full;
  }
  return pads;
}

// torch's own pads take as much from both ends, and its output_padding is smaller than stride or
// dilation; what is left is cut from, or put after, the result.
Emitted EmitConvTranspose(AtenOp& op) {
  DRAGOMAN_ASSIGN(const Ints kernel, KernelOf(op, 1));
  const std::size_t axes = kernel.size();
  const auto count = static_cast<std::int64_t>(axes);
  const Ints strides = op.IntsOr("strides", count, 1);
  const Ints dilations = op.IntsOr("dilations", count, 1);
  DRAGOMAN_ASSIGN(const TransposedPads pads,
                  TransposedPadsOf(op, kernel, op.IntsOr("output_padding", count, 0)));
  bool is_plain = pads.begins == pads.ends;
  for (std::size_t i = 0; i < axes; ++i)
    is_plain = is_plain && pads.beyond[i] < std::max(strides[i], dilations[i]);
  const Term x = op.arg(0);
  Shape shape = op.result().shape;
  if (!is_plain) {
    for (std::size_t i = 0; i < axes; ++i)
      shape[i + 2] =
          (x.shape[i + 2] - Dim(1)) * Dim(strides[i]) + Dim((kernel[i] - 1) * dilations[i] + 1);
  }
  const Ints none(axes, 0);
  const std::string target =
      axes == 1 ? "aten.conv_transpose1d.default" : OfAxes("aten.conv_transpose{}d.input", axes);
  Term result = op.Call(target,
                        {{"input", x},
                         {"weight", op.arg(1)},
                         {"bias", is_plain ? op.arg_if_any(2) : std::nullopt},
                         {"stride", strides},
                         {"padding", is_plain ? pads.begins : none},
                         {"output_padding", is_plain ? pads.beyond : none},
                         {"groups", op.Int("group")},
                         {"dilation", dilations}},
                        {x.dtype, shape});
  if (is_plain) return One(std::move(result));
  Ints begins;
  Ints ends;
  for (std::size_t i = 0; i < axes; ++i) {
    begins.push_back(-pads.begins[i]);
    ends.push_back(pads.beyond[i] - pads.ends[i]);
  }
  result = PadSpatial(op, result, begins, ends, 0);
  if (op.has(2))
    result = op.Binary("aten.add.Tensor", result, AlongAxis(op, op.arg(2), 1, result.rank()));
  return One(std::move(result));
}

}  // namespace

std::span<const Row> ConvolutionRows() {
  static constexpr Row kRows[] = {
      {"Conv", EmitConv},
      {"ConvInteger", EmitConvInteger},
      {"ConvTranspose", EmitConvTranspose},
      {"QLinearConv", EmitQLinearConv},
  };
  return kRows;
}

}  // namespace dragoman::pt2
