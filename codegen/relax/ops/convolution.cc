// Convolutions and pools of one to three spatial axes. Automatic padding is resolved here, so sizes
// must be known for it.
#include <algorithm>

#include <fmt/format.h>

#include "codegen/relax/ops/emitters.h"

namespace dragoman::relax {
namespace {

struct Layout {
  std::int64_t spatial;
  std::string data;
  std::string kernel;
};

Result<Layout> LayoutOf(const RelaxOp& op, bool transposed) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  if (shape.size() < 3 || shape.size() > 5) return op.Refuse("only one to three spatial axes");
  const std::string axes = shape.size() == 3 ? "W" : shape.size() == 4 ? "HW" : "DHW";
  return Layout{static_cast<std::int64_t>(shape.size()) - 2, "NC" + axes,
                (transposed ? "IO" : "OI") + axes};
}

std::vector<std::int64_t> OrOnes(std::vector<std::int64_t> values, std::int64_t count,
                                 std::int64_t fill = 1) {
  if (values.empty()) values.assign(static_cast<std::size_t>(count), fill);
  return values;
}

// Pads begin…, end… as ONNX and Relax both order them.
Result<std::vector<std::int64_t>> Pads(const RelaxOp& op, const Layout& layout,
                                       const std::vector<std::int64_t>& kernel) {
  const std::string mode = op.String("auto_pad", "NOTSET");
  if (mode == "NOTSET") return OrOnes(op.Ints("pads"), 2 * layout.spatial, 0);
  if (mode == "VALID")
    return std::vector<std::int64_t>(static_cast<std::size_t>(2 * layout.spatial), 0);
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  const std::vector<std::int64_t> strides = OrOnes(op.Ints("strides"), layout.spatial);
  const std::vector<std::int64_t> dilations = OrOnes(op.Ints("dilations"), layout.spatial);
  const auto n = static_cast<std::size_t>(layout.spatial);
  std::vector<std::int64_t> pads(2 * n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    if (!shape[i + 2].known())
      return op.Refuse("automatic padding of a size that is known at run time only");
    const std::int64_t size = shape[i + 2].value();
    const std::int64_t out = (size + strides[i] - 1) / strides[i];
    const std::int64_t span = dilations[i] * (kernel[i] - 1) + 1;
    const std::int64_t total = std::max<std::int64_t>(0, (out - 1) * strides[i] + span - size);
    pads[i] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
    pads[i + n] = total - pads[i];
  }
  return pads;
}

Result<std::vector<std::int64_t>> KernelOf(const RelaxOp& op, const Layout& layout) {
  std::vector<std::int64_t> kernel = op.Ints("kernel_shape");
  if (!kernel.empty()) return kernel;
  DRAGOMAN_ASSIGN(Shape weight, op.shape(1));
  for (std::int64_t i = 0; i < layout.spatial; ++i) {
    const Dim& size = weight[static_cast<std::size_t>(i) + 2];
    if (!size.known()) return op.Refuse("the kernel's sizes are not known");
    kernel.push_back(size.value());
  }
  return kernel;
}

// The bias as (1, C, 1, …), added.
Expressions WithBias(RelaxOp& op, const Layout& layout, const std::string& product) {
  if (!op.has(2)) return std::vector<std::string>{product};
  const std::string sum = op.bind(product, op.result_type());
  DRAGOMAN_ASSIGN(Shape result, op.result_shape());
  Shape shape(static_cast<std::size_t>(layout.spatial) + 2, Dim(1));
  shape[1] = result[1];
  DRAGOMAN_ASSIGN(std::string sizes, op.shape_text(shape));
  const std::string bias = op.bind(
      fmt::format("R.reshape({}, R.shape([{}]))", op.arg(2), sizes.substr(1, sizes.size() - 2)),
      Type::Tensor(op.dtype(2), shape));
  return std::vector<std::string>{fmt::format("R.add({}, {})", sum, bias)};
}

}  // namespace

Expressions EmitConv(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Layout layout, LayoutOf(op, false));
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> kernel, KernelOf(op, layout));
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> pads, Pads(op, layout, kernel));
  const std::string product = fmt::format(
      "R.nn.conv{}d({}, {}, strides={}, padding={}, dilation={}, groups={}, data_layout=\"{}\", "
      "kernel_layout=\"{}\", out_layout=\"{}\", out_dtype=None)",
      layout.spatial, op.arg(0), op.arg(1), ListText(OrOnes(op.Ints("strides"), layout.spatial)),
      ListText(pads), ListText(OrOnes(op.Ints("dilations"), layout.spatial)), op.Int("group", 1),
      layout.data, layout.kernel, layout.data);
  return WithBias(op, layout, product);
}

Expressions EmitConvTranspose(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Layout layout, LayoutOf(op, true));
  if (op.String("auto_pad", "NOTSET") != "NOTSET" || !op.Ints("output_shape").empty()) {
    return op.Refuse("transposed convolution by output size");
  }
  const std::vector<std::int64_t> zeros = OrOnes({}, layout.spatial, 0);
  std::vector<std::int64_t> extra = op.Ints("output_padding");
  const std::string product = fmt::format(
      "R.nn.conv{}d_transpose({}, {}, strides={}, padding={}, output_padding={}, dilation={}, "
      "groups={}, "
      "data_layout=\"{}\", kernel_layout=\"{}\", out_layout=\"{}\", out_dtype=None)",
      layout.spatial, op.arg(0), op.arg(1), ListText(OrOnes(op.Ints("strides"), layout.spatial)),
      ListText(OrOnes(op.Ints("pads"), 2 * layout.spatial, 0)),
      ListText(extra.empty() ? zeros : extra),
      ListText(OrOnes(op.Ints("dilations"), layout.spatial)), op.Int("group", 1), layout.data,
      layout.kernel, layout.data);
  return WithBias(op, layout, product);
}

// MaxPool and AveragePool.
Expressions EmitPool(RelaxOp& op) {
  const bool is_max = op.node.op().type == "MaxPool";
  if (op.node.result(1) != nullptr) return op.Refuse("pools have no Indices");
  if (!IsFloating(op.dtype())) return op.Refuse("pools take floating-point operands only");
  DRAGOMAN_ASSIGN(Layout layout, LayoutOf(op, false));
  const std::vector<std::int64_t> kernel = op.Ints("kernel_shape");
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> pads, Pads(op, layout, kernel));
  const bool ceil = op.Int("ceil_mode", 0) != 0;
  if (ceil && !is_max)
    return op.Refuse("average pools that round up count another number of elements");
  return std::vector<std::string>{fmt::format(
      "R.nn.{}_pool{}d({}, pool_size={}, strides={}, padding={}, dilation={}, ceil_mode={}, "
      "count_include_pad={}, layout=\"{}\", out_layout=\"{}\")",
      is_max ? "max" : "avg", layout.spatial, op.arg(0), ListText(kernel),
      ListText(OrOnes(op.Ints("strides"), layout.spatial)), ListText(pads),
      ListText(OrOnes(op.Ints("dilations"), layout.spatial)), ceil ? "True" : "False",
      op.Int("count_include_pad", 0) != 0 ? "True" : "False", layout.data, layout.data)};
}

// Over all spatial axes, which stay as 1.
Expressions EmitGlobalPool(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  std::vector<std::int64_t> axes;
  for (std::size_t i = 2; i < shape.size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  return std::vector<std::string>{fmt::format("R.{}({}, axis={}, keepdims=True)",
                                              op.node.op().type == "GlobalMaxPool" ? "max" : "mean",
                                              op.arg(0), ListText(axes))};
}

}  // namespace dragoman::relax
