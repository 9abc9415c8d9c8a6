// SPDX-License-Identifier: Apache-2.0
// Pools of one to three spatial axes.
#include "codegen/relax/ops/op_rows.h"

#include <algorithm>

#include <fmt/format.h>

#include "codegen/relax/ops/extreme.h"
#include "codegen/relax/ops/runtime_sizes.h"
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
  const bool same = op.String("auto_pad", "NOTSET").starts_with("SAME");
  window.ceil = !same && op.Int("ceil_mode") != 0 && RoundsUp(shape, window);
  return window;
}

bool AnyAbove(const std::vector<std::int64_t>& values, std::int64_t limit) {
  return std::ranges::any_of(values, [limit](std::int64_t v) { return v > limit; });
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

// `x` padded by `pads` before and after each spatial axis.
std::string Padded(RelaxOp& op, const std::string& x, const std::vector<std::int64_t>& pads,
                   double value) {
  if (!AnyAbove(pads, 0)) return x;
  std::vector<std::int64_t> widths(4, 0);
  const std::size_t n = pads.size() / 2;
  for (std::size_t i = 0; i < n; ++i) widths.insert(widths.end(), {pads[i], pads[i + n]});
  return op.BindPlain(fmt::format("R.nn.pad({}, pad_width={}, pad_mode=\"constant\", pad_value={})",
                                  x, ListText(widths), PythonFloat(value, true)));
}

// The pads with which windows end where those of the result do, where rounding up goes beyond.
Result<std::vector<std::int64_t>> PadsToResult(const RelaxOp& op, const PoolWindow& window) {
  std::vector<std::int64_t> pads = window.pads;
  if (!window.ceil) return pads;
  DRAGOMAN_ASSIGN(Shape from, op.shape(0));
  DRAGOMAN_ASSIGN(Shape to, op.result_shape());
  const auto n = static_cast<std::size_t>(window.layout.spatial);
  for (std::size_t i = 0; i < n; ++i) {
    if (!from[i + 2].known() || !to[i + 2].known())
      return op.Refuse("a pool that rounds a symbolic size up");
    const std::int64_t span = (window.kernel[i] - 1) * window.dilations[i] + 1;
    const std::int64_t reach = (to[i + 2].value() - 1) * window.strides[i] + span;
    pads[i + n] = std::max<std::int64_t>(reach - from[i + 2].value() - pads[i], 0);
  }
  return pads;
}

// Whether rounding up adds a window that starts after the operand: ONNX drops it, Relax does not.
bool DropsWindows(const Shape& shape, const PoolWindow& window) {
  const auto n = static_cast<std::size_t>(window.layout.spatial);
  for (std::size_t i = 0; window.ceil && i < n; ++i) {
    if (!shape[i + 2].known()) continue;
    const std::int64_t begin = shape[i + 2].value() + window.pads[i];
    const std::int64_t span = (window.kernel[i] - 1) * window.dilations[i] + 1;
    const std::int64_t moves = begin + window.pads[i + n] - span + window.strides[i] - 1;
    if (moves / window.strides[i] * window.strides[i] >= begin) return true;
  }
  return false;
}

// The same window over what is padded already.
PoolWindow Unpadded(PoolWindow window) {
  std::ranges::fill(window.pads, 0);
  window.ceil = false;
  return window;
}

// Windows that reach beyond the operand: the sum over each is divided by how many elements count,
// which is the sum over as many ones.
Expressions AverageByCount(RelaxOp& op, const PoolWindow& window, bool count_padding) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> pads, PadsToResult(op, window));
  const auto n = static_cast<std::size_t>(window.layout.spatial);
  shape[0] = shape[1] = Dim(1);
  std::vector<std::int64_t> beyond = pads;
  for (std::size_t i = 0; i < n && count_padding; ++i) {
    shape[i + 2] = shape[i + 2] + Dim(window.pads[i] + std::min(window.pads[i + n], pads[i + n]));
    beyond[i] = 0;
    beyond[i + n] = std::max<std::int64_t>(pads[i + n] - window.pads[i + n], 0);
  }
  DRAGOMAN_ASSIGN(std::string sizes, op.ShapeValue(shape));
  const std::string ones =
      op.BindPlain(fmt::format("R.ones({}, dtype=\"{}\")", sizes, RelaxDType(op.dtype())));
  const PoolWindow whole = Unpadded(window);
  const std::string mean = op.BindPlain(Call("avg", Padded(op, op.arg(0), pads, 0), whole, true));
  const std::string part = op.BindPlain(Call("avg", Padded(op, ones, beyond, 0), whole, true));
  return One(fmt::format("R.divide({}, {})", mean, part));
}

// Whether R.nn.avg_pool counts the elements of every window as ONNX does.
bool CountsAlike(const PoolWindow& window, bool count_padding) {
  if (window.ceil) return false;
  return count_padding || !AnyAbove(window.pads, 0) || !AnyAbove(window.dilations, 1);
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

// Every place of a plane, in the order of its elements.
Result<std::string> PlacesOfPlane(RelaxOp& op, const Shape& shape, const Dim& count) {
  Shape plane = shape;
  plane[0] = plane[1] = Dim(1);
  DRAGOMAN_ASSIGN(std::string sizes, op.ShapeValue(plane));
  const std::optional<std::string> places = DimText(count, op.symbols);
  if (!places) return op.Refuse("a size is known at run time only");
  return op.Do("reshape", Places(op, *places), sizes);
}

// One tap of every window.
Result<std::string> TapOf(RelaxOp& op, const std::string& padded, const PoolWindow& window,
                          const std::vector<std::int64_t>& tap) {
  DRAGOMAN_ASSIGN(Shape to, op.result_shape());
  std::vector<std::int64_t> axes, begins;
  std::vector<std::string> ends;
  for (std::size_t i = 0; i < tap.size(); ++i) {
    axes.push_back(static_cast<std::int64_t>(i) + 2);
    begins.push_back(tap[i] * window.dilations[i]);
    const Dim end = (to[i + 2] - Dim(1)) * Dim(window.strides[i]) + Dim(begins.back() + 1);
    const std::optional<std::string> text = DimText(end, op.symbols);
    if (!text) return op.Refuse("a size is known at run time only");
    ends.push_back(*text);
  }
  return op.BindPlain(fmt::format(
      "R.strided_slice({}, axes={}, begin={}, end=[{}], strides={}, assume_inbound=False)", padded,
      ListText(axes), ListText(begins), fmt::join(ends, ", "), ListText(window.strides)));
}

// The numbers of elements of a plane if its first axis is innermost.
Result<std::string> FirstAxisInnermost(RelaxOp& op, std::string rest, const Shape& shape) {
  std::string number;
  Dim step(1);
  for (std::size_t i = 2; i < shape.size(); ++i) step = step * shape[i];
  for (std::size_t i = shape.size(); i-- > 2;) {
    step = FloorDiv(step, shape[i]);
    if (!shape[i].known() || !step.known()) return op.Refuse("storage_order of a symbolic size");
    const std::string size = Int64Const(shape[i].value());
    const std::string at = op.Do("floor_mod", rest, size);
    const std::string part = op.Do("multiply", at, Int64Const(step.value()));
    number = number.empty() ? part : op.Do("add", number, part);
    rest = op.Do("floor_divide", rest, size);
  }
  return number;
}

// Of each window the first place that holds the maximum, counted through the whole operand. The
// places are padded with a number greater than all.
Expressions WithIndices(RelaxOp& op, const PoolWindow& window, const std::string& maximum) {
  constexpr double kBeyond = 9007199254740992;
  constexpr std::int64_t kMaxTaps = 256;
  std::int64_t taps = 1;
  for (std::int64_t size : window.kernel) taps *= size;
  if (taps > kMaxTaps) return op.Refuse("the Indices of so large a window");
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> pads, PadsToResult(op, window));
  Dim count(1);
  for (std::size_t i = 2; i < shape.size(); ++i) count = count * shape[i];
  DRAGOMAN_ASSIGN(std::string places, PlacesOfPlane(op, shape, count));
  const std::string padded = Padded(op, op.arg(0), pads, 0);
  places = Padded(op, places, pads, kBeyond);
  std::string first;
  std::vector<std::int64_t> tap(window.kernel.size(), 0);
  for (std::int64_t i = 0; i < taps; ++i) {
    std::int64_t rest = i;
    for (std::size_t at = tap.size(); at-- > 0; rest /= window.kernel[at])
      tap[at] = rest % window.kernel[at];
    DRAGOMAN_ASSIGN(std::string elements, TapOf(op, padded, window, tap));
    DRAGOMAN_ASSIGN(std::string numbers, TapOf(op, places, window, tap));
    const std::string hit = op.Do("equal", elements, maximum);
    const std::string place = op.Do("where", hit, numbers, ConstOf(kBeyond, DType::kI64));
    first = first.empty() ? place : op.Do("minimum", first, place);
  }
  if (op.Int("storage_order") != 0) {
    DRAGOMAN_ASSIGN(first, FirstAxisInnermost(op, first, shape));
  }
  Shape planes(shape.size(), Dim(1));
  planes[0] = shape[0];
  planes[1] = shape[1];
  DRAGOMAN_ASSIGN(std::string sizes, op.ShapeValue(planes));
  const std::optional<std::string> all = DimText(shape[0] * shape[1], op.symbols);
  const std::string plane = op.Do("reshape", Places(op, *all), sizes);
  const std::string size = count.known() ? Int64Const(count.value())
                                         : op.Do("size", Places(op, *DimText(count, op.symbols)));
  return std::vector{maximum, fmt::format("R.add({}, {})", first, op.Do("multiply", plane, size))};
}

// MaxPool and AveragePool.
Expressions EmitPool(RelaxOp& op) {
  const bool is_max = op.node.op().type == "MaxPool";
  if (!is_max && !IsFloating(op.dtype())) return op.Refuse("the average of integers");
  DRAGOMAN_ASSIGN(PoolWindow window, WindowOf(op));
  const bool count_padding = !is_max && op.Int("count_include_pad") != 0;
  if (!is_max && !CountsAlike(window, count_padding))
    return AverageByCount(op, window, count_padding);
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  if (DropsWindows(shape, window)) {
    DRAGOMAN_ASSIGN(window.pads, PadsToResult(op, window));
    window.ceil = false;
  }
  if (!is_max) return One(Call("avg", op.arg(0), window, count_padding));
  const std::string pool =
      Extreme(op, true, [&](const std::string& x) { return Call("max", x, window, false); });
  if (op.node.result(1) == nullptr) return One(pool);
  return WithIndices(
      op, window, op.bind(pool, op.result_type(op.node.result(0) ? 0 : 1).WithDType(op.dtype())));
}

// The average over whole windows, times their size, to the power of 1 / p.
Expressions EmitLpPool(RelaxOp& op) {
  DRAGOMAN_ASSIGN(PoolWindow window, WindowOf(op));
  const std::int64_t p = op.Int("p");
  double taps = 1;
  for (std::int64_t size : window.kernel) taps *= static_cast<double>(size);
  std::string powers = PowerOf(op, p);
  if (window.ceil) {
    DRAGOMAN_ASSIGN(std::vector<std::int64_t> pads, PadsToResult(op, window));
    powers = Padded(op, powers, pads, 0);
    window = Unpadded(window);
  }
  const std::string average = op.bind(Call("avg", powers, window, true), op.result_type());
  return RootOf(op, fmt::format("R.multiply({}, {})", average, op.Const(taps)), p);
}

// Elements at the places from which MaxPool took them, among zeros.
Expressions EmitMaxUnpool(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Layout layout, LayoutOf(op));
  DRAGOMAN_ASSIGN(Shape from, op.shape(0));
  DRAGOMAN_ASSIGN(Shape to, op.result_shape());
  const std::vector<std::int64_t> kernel = op.Ints("kernel_shape");
  const std::vector<std::int64_t> strides = OrFill(op.Ints("strides"), layout.spatial, 1);
  const std::vector<std::int64_t> pads = OrFill(op.Ints("pads"), 2 * layout.spatial, 0);
  const auto n = static_cast<std::size_t>(layout.spatial);
  Shape indexed = from;
  Dim count = to[0] * to[1];
  for (std::size_t i = 0; i < n; ++i) {
    indexed[i + 2] =
        (from[i + 2] - Dim(1)) * Dim(strides[i]) + Dim(kernel[i] - pads[i]) - Dim(pads[i + n]);
    count = count * to[i + 2];
  }
  std::string places = op.Do("flatten", op.arg(1));
  std::string target;
  Dim step(1);
  for (std::size_t i = indexed.size(); i-- > 0 && indexed != to;) {
    if (!indexed[i].known() || !step.known())
      return op.Refuse("an output_shape of its own, of a symbolic size");
    const std::string size = Int64Const(indexed[i].value());
    const std::string at =
        op.Do("multiply", op.Do("floor_mod", places, size), Int64Const(step.value()));
    target = target.empty() ? at : op.Do("add", target, at);
    places = op.Do("floor_divide", places, size);
    step = step * to[i];
  }
  DRAGOMAN_ASSIGN(std::string all, op.ShapeValue({count}));
  DRAGOMAN_ASSIGN(std::string sizes, op.ShapeValue(to));
  const std::string zeros =
      op.BindPlain(fmt::format("R.zeros({}, dtype=\"{}\")", all, RelaxDType(op.dtype())));
  const std::string flat = op.BindPlain(
      fmt::format("R.scatter_elements({}, {}, {}, axis=0, reduction=\"update\")", zeros,
                  target.empty() ? places : target, op.Do("flatten", op.arg(0))));
  return One(fmt::format("R.reshape({}, {})", flat, sizes));
}

// Over all spatial axes, which stay as 1.
Expressions EmitGlobalAveragePool(RelaxOp& op) {
  DRAGOMAN_ASSIGN(const std::int64_t rank, op.rank());
  std::vector<std::int64_t> axes;
  for (std::int64_t i = 2; i < rank; ++i) axes.push_back(i);
  if (axes.empty()) return op.Refuse("a pool over no axes");
  return One(fmt::format("R.mean({}, axis={}, keepdims=True)", op.arg(0), ListText(axes)));
}

}  // namespace

std::span<const Row> PoolRows() {
  static constexpr Row kRows[] = {
      {"AveragePool", EmitPool},
      {"GlobalAveragePool", EmitGlobalAveragePool},
      {"LpPool", EmitLpPool, true, tvm::IsOfWideFloats},
      {"MaxPool", EmitPool},
      {"MaxUnpool", EmitMaxUnpool},
  };
  return kRows;
}

}  // namespace dragoman::relax
