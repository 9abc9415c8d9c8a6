// SPDX-License-Identifier: Apache-2.0
// Convolutions of one to three spatial axes. What sizes decide (automatic padding, output_shape)
// is resolved here.
#include "codegen/relax/ops/op_rows.h"

#include "codegen/relax/ops/convolution.h"

#include <algorithm>

#include <fmt/format.h>

#include "codegen/relax/ops/window.h"

namespace dragoman::relax {
namespace {

// Sizes of the kernel; none where they are not known, and decide no padding.
Result<std::vector<std::int64_t>> KernelOf(const RelaxOp& op, const Layout& layout,
                                           std::size_t weight_operand = 1) {
  const bool decides =
      op.String("auto_pad", "NOTSET").starts_with("SAME") || !op.Ints("output_shape").empty();
  std::vector<std::int64_t> kernel = op.Ints("kernel_shape");
  if (!kernel.empty()) return kernel;
  DRAGOMAN_ASSIGN(Shape weight, op.shape(weight_operand));
  for (std::int64_t i = 0; i < layout.spatial; ++i) {
    const Dim& size = weight[static_cast<std::size_t>(i) + 2];
    if (!size.known() && !decides) return std::vector<std::int64_t>();
    if (!size.known()) return op.Refuse("the kernel's sizes are not known");
    kernel.push_back(size.value());
  }
  return kernel;
}

// The bias as (1, C, 1, …), added.
Expressions WithBias(RelaxOp& op, const std::string& product) {
  if (!op.has(2)) return One(product);
  const std::string sum = op.bind(product, op.result_type());
  DRAGOMAN_ASSIGN(std::string bias, OverChannels(op, op.arg(2), op.type(2)));
  return One(fmt::format("R.add({}, {})", sum, bias));
}

}  // namespace

Result<std::string> OverChannels(RelaxOp& op, const std::string& vector, const Type& type) {
  DRAGOMAN_ASSIGN(Shape result, op.result_shape());
  Shape shape(result.size(), Dim(1));
  shape[1] = type.shape() != nullptr && type.shape()->size() == 1 ? type.shape()->front() : Dim();
  if (!ShapeText(shape, op.symbols)) {
    std::vector<std::int64_t> axes = {0};
    for (std::size_t i = 2; i < result.size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
    return op.BindPlain(fmt::format("R.expand_dims({}, axis={})", vector, ListText(axes)));
  }
  DRAGOMAN_ASSIGN(std::string sizes, op.ShapeValue(shape));
  return op.bind(fmt::format("R.reshape({}, {})", vector, sizes),
                 Type::Tensor(type.dtype(), shape));
}

Result<std::string> ConvolutionOf(RelaxOp& op, const std::string& x, const std::string& weight,
                                  std::size_t weight_operand) {
  DRAGOMAN_ASSIGN(Layout layout, LayoutOf(op));
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> kernel, KernelOf(op, layout, weight_operand));
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> pads, PadsOf(op, layout, kernel));
  return fmt::format(
      "R.nn.conv{}d({}, {}, strides={}, padding={}, dilation={}, groups={}, data_layout=\"{}\", "
      "kernel_layout=\"{}\", out_layout=\"{}\", out_dtype=None)",
      layout.spatial, x, weight, ListText(OrFill(op.Ints("strides"), layout.spatial, 1)),
      ListText(pads), ListText(OrFill(op.Ints("dilations"), layout.spatial, 1)), op.Int("group"),
      layout.data, layout.kernel, layout.data);
}

namespace {

Expressions EmitConv(RelaxOp& op) {
  DRAGOMAN_ASSIGN(std::string product, ConvolutionOf(op, op.arg(0), op.arg(1), 1));
  return WithBias(op, product);
}

struct TransposedPads {
  std::vector<std::int64_t> pads;
  std::vector<std::int64_t> beyond;  // zeros after each axis, where no tap of the kernel reaches
};

// The pads that give the result its sizes, where those are stated instead of pads.
Result<TransposedPads> TransposedPadsOf(const RelaxOp& op, const Layout& layout,
                                        const std::vector<std::int64_t>& kernel,
                                        const std::vector<std::int64_t>& extra) {
  const std::string mode = op.String("auto_pad", "NOTSET");
  const bool by_size = !op.Ints("output_shape").empty() || mode.starts_with("SAME");
  const auto n = static_cast<std::size_t>(layout.spatial);
  if (!by_size) {
    const auto stated = mode == "VALID" ? std::vector<std::int64_t>() : op.Ints("pads");
    return TransposedPads{OrFill(stated, 2 * layout.spatial, 0), std::vector<std::int64_t>(n, 0)};
  }
  DRAGOMAN_ASSIGN(Shape input, op.shape(0));
  DRAGOMAN_ASSIGN(Shape output, op.result_shape());
  const std::vector<std::int64_t> strides = OrFill(op.Ints("strides"), layout.spatial, 1);
  const std::vector<std::int64_t> dilations = OrFill(op.Ints("dilations"), layout.spatial, 1);
  TransposedPads result = {std::vector<std::int64_t>(2 * n, 0), std::vector<std::int64_t>(n, 0)};
  for (std::size_t i = 0; i < n; ++i) {
    if (!input[i + 2].known() || !output[i + 2].known())
      return op.Refuse("padding of a size that is known at run time only");
    const std::int64_t full =
        (input[i + 2].value() - 1) * strides[i] + extra[i] + (kernel[i] - 1) * dilations[i] + 1;
    const std::int64_t total = std::max<std::int64_t>(0, full - output[i + 2].value());
    result.pads[i] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
    result.pads[i + n] = total - result.pads[i];
    result.beyond[i] = output[i + 2].value() + total - full;
  }
  return result;
}

std::string WithZerosBehind(RelaxOp& op, const std::string& product,
                            const std::vector<std::int64_t>& beyond) {
  if (std::ranges::all_of(beyond, [](std::int64_t zeros) { return zeros == 0; })) return product;
  std::vector<std::int64_t> widths(4, 0);
  for (std::int64_t zeros : beyond) widths.insert(widths.end(), {0, zeros});
  return fmt::format("R.nn.pad({}, pad_width={}, pad_mode=\"constant\", pad_value=0.0)",
                     op.BindPlain(product), ListText(widths));
}

Expressions EmitConvTranspose(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Layout layout, LayoutOf(op, true));
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> kernel, KernelOf(op, layout));
  const std::vector<std::int64_t> extra = OrFill(op.Ints("output_padding"), layout.spatial, 0);
  const std::vector<std::int64_t> strides = OrFill(op.Ints("strides"), layout.spatial, 1);
  for (std::size_t i = 0; i < extra.size(); ++i) {
    if (extra[i] >= strides[i] && extra[i] > 0)
      return op.Refuse("output_padding that is not below the stride");
  }
  DRAGOMAN_ASSIGN(TransposedPads window, TransposedPadsOf(op, layout, kernel, extra));
  const std::string product = fmt::format(
      "R.nn.conv{}d_transpose({}, {}, strides={}, padding={}, output_padding={}, dilation={}, "
      "groups={}, data_layout=\"{}\", kernel_layout=\"{}\", out_layout=\"{}\", out_dtype=None)",
      layout.spatial, op.arg(0), op.arg(1), ListText(strides), ListText(window.pads),
      ListText(extra), ListText(OrFill(op.Ints("dilations"), layout.spatial, 1)), op.Int("group"),
      layout.data, layout.kernel, layout.data);
  return WithBias(op, WithZerosBehind(op, product, window.beyond));
}

}  // namespace

std::span<const Row> ConvolutionRows() {
  static constexpr Row kRows[] = {
      {"Conv", EmitConv},
      {"ConvTranspose", EmitConvTranspose},
  };
  return kRows;
}

}  // namespace dragoman::relax
