// Pools of one to three spatial axes.
#include <cmath>

#include <fmt/format.h>

#include "codegen/relax/ops/emitters.h"
#include "codegen/relax/ops/window.h"

namespace dragoman::relax {
namespace {

struct PoolWindow {
  Layout layout;
  std::vector<std::int64_t> kernel, strides, pads, dilations;
  bool ceil = false;  // where it makes a difference
};

// Rounding up makes no difference where every size is known and divides.
bool RoundsUp(const Shape& shape, const PoolWindow& window) {
  const auto n = static_cast<std::size_t>(window.layout.spatial);
  for (std::size_t i = 0; i < n; ++i) {
    if (!shape[i + 2].known()) return true;
    const std::int64_t span = (window.kernel[i] - 1) * window.dilations[i] + 1;
    const std::int64_t moves = shape[i + 2].value() + window.pads[i] + window.pads[i + n] - span;
    if (moves % window.strides[i] != 0) return true;
  }
  return false;
}

Result<PoolWindow> WindowOf(const RelaxOp& op) {
  PoolWindow window;
  DRAGOMAN_ASSIGN(window.layout, LayoutOf(op));
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  window.kernel = op.Ints("kernel_shape");
  window.strides = OrFill(op.Ints("strides"), window.layout.spatial, 1);
  window.dilations = OrFill(op.Ints("dilations"), window.layout.spatial, 1);
  DRAGOMAN_ASSIGN(window.pads, PadsOf(op, window.layout, window.kernel));
  const bool stated = op.String("auto_pad", "NOTSET") == "NOTSET";
  window.ceil = stated && op.Int("ceil_mode", 0) != 0 && RoundsUp(shape, window);
  return window;
}

bool AnyAbove(const std::vector<std::int64_t>& values, std::int64_t limit) {
  for (std::int64_t v : values) {
    if (v > limit) return true;
  }
  return false;
}

std::string Call(std::string_view function, const std::string& x, const PoolWindow& window,
                 bool count_padding) {
  return fmt::format(
      "R.nn.{}_pool{}d({}, pool_size={}, strides={}, padding={}, dilation={}, ceil_mode={}, "
      "count_include_pad={}, layout=\"{}\", out_layout=\"{}\")",
      function, window.layout.spatial, x, ListText(window.kernel), ListText(window.strides),
      ListText(window.pads), ListText(window.dilations), window.ceil ? "True" : "False",
      count_padding ? "True" : "False", window.layout.data, window.layout.data);
}

// Relax counts the elements of an average otherwise where windows reach beyond both ends.
Status CheckAverage(const RelaxOp& op, const PoolWindow& window, bool count_padding) {
  if (window.ceil) return op.Refuse("average pools that round up count another number of elements");
  if (!count_padding && AnyAbove(window.pads, 0) && AnyAbove(window.dilations, 1))
    return op.Refuse("dilated average pools with padding that does not count");
  return {};
}

Result<std::vector<std::int64_t>> SpatialAxes(const RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  std::vector<std::int64_t> axes;
  for (std::size_t i = 2; i < shape.size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  if (axes.empty()) return op.Refuse("a pool over no axes");
  return axes;
}

// |x|^p
std::string PowerOf(RelaxOp& op, std::int64_t p) {
  const std::string magnitude = op.BindLike(fmt::format("R.abs({})", op.arg(0)));
  if (p == 1) return magnitude;
  if (p == 2) return op.BindLike(fmt::format("R.multiply({}, {})", magnitude, magnitude));
  return op.BindLike(fmt::format("R.power({}, {})", magnitude, op.Const(static_cast<double>(p))));
}

Expressions RootOf(RelaxOp& op, const std::string& sum, std::int64_t p) {
  if (p == 1) return One(sum);
  const std::string bound = op.bind(sum, op.result_type());
  if (p == 2) return One(fmt::format("R.sqrt({})", bound));
  return One(fmt::format("R.power({}, {})", bound, op.Const(1.0 / static_cast<double>(p))));
}

}  // namespace

// MaxPool and AveragePool.
Expressions EmitPool(RelaxOp& op) {
  const bool is_max = op.node.op().type == "MaxPool";
  if (op.node.result(1) != nullptr) return op.Refuse("pools have no Indices");
  if (!is_max && !IsFloating(op.dtype())) return op.Refuse("the average of integers");
  DRAGOMAN_ASSIGN(PoolWindow window, WindowOf(op));
  const bool count_padding = !is_max && op.Int("count_include_pad", 0) != 0;
  if (!is_max) {
    DRAGOMAN_TRY(CheckAverage(op, window, count_padding));
  }
  return One(Call(is_max ? "max" : "avg", op.arg(0), window, count_padding));
}

// The average over whole windows, times their size, to the power of 1 / p.
Expressions EmitLpPool(RelaxOp& op) {
  DRAGOMAN_ASSIGN(PoolWindow window, WindowOf(op));
  DRAGOMAN_TRY(CheckAverage(op, window, true));
  const std::int64_t p = op.Int("p", 2);
  double taps = 1;
  for (std::int64_t size : window.kernel) taps *= static_cast<double>(size);
  const std::string average = op.bind(Call("avg", PowerOf(op, p), window, true), op.result_type());
  return RootOf(op, fmt::format("R.multiply({}, {})", average, op.Const(taps)), p);
}

// Over all spatial axes, which stay as 1.
Expressions EmitGlobalPool(RelaxOp& op) {
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> axes, SpatialAxes(op));
  return One(fmt::format("R.{}({}, axis={}, keepdims=True)",
                         op.node.op().type == "GlobalMaxPool" ? "max" : "mean", op.arg(0),
                         ListText(axes)));
}

Expressions EmitGlobalLpPool(RelaxOp& op) {
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> axes, SpatialAxes(op));
  const std::int64_t p = op.Int("p", 2);
  return RootOf(
      op, fmt::format("R.sum({}, axis={}, keepdims=True)", PowerOf(op, p), ListText(axes)), p);
}

}  // namespace dragoman::relax
