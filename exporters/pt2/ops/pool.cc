// SPDX-License-Identifier: Apache-2.0
// Pools of one to three spatial axes.
#include "exporters/pt2/ops/op_rows.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "core/ir/axes.h"
#include "exporters/pt2/ops/window.h"

namespace dragoman::pt2 {
namespace {

bool AreOnes(const Ints& ints) {
  return std::ranges::all_of(ints, [](std::int64_t i) { return i == 1; });
}

// torch pads at most half a window, and rounds sizes up only.
bool HasTorchPads(const Window& window) {
  for (std::size_t i = 0; i < window.axes(); ++i) {
    if (window.begins[i] < 0 || 2 * window.begins[i] > window.kernel[i]) return false;
  }
  return window.is_symmetric();
}

Result<Window> PoolWindow(const AtenOp& op) {
  Ints kernel = op.IntList("kernel_shape");
  if (kernel.empty() || kernel.size() > 3)
    return op.Refuse("a pool over other than one to three axes");
  return WindowOf(op, std::move(kernel));
}

Term AveragePool(const AtenOp& op, const Term& x, const Window& window, const Ints& pads,
                 bool counts_pads, Shape shape) {
  return op.Call(OfAxes("aten.avg_pool{}d.default", window.axes()),
                 {{"self", x},
                  {"kernel_size", window.kernel},
                  {"stride", window.strides},
                  {"padding", pads},
                  {"ceil_mode", false},
                  {"count_include_pad", counts_pads}},
                 {x.dtype, std::move(shape)});
}

// The sums of windows: a convolution of each channel with ones.
Result<Term> WindowSums(const AtenOp& op, const Term& x, const Window& window, const Ints& ends,
                        const Shape& result) {
  if (!x.shape.at(1).known()) return op.Refuse("a pool of channels known at run time only");
  const std::int64_t channels = x.shape[1].value();
  Shape ones = {Dim(channels), Dim(1)};
  for (std::int64_t size : window.kernel) ones.emplace_back(size);
  DRAGOMAN_ASSIGN(const Term weight, op.Full(ones, 1, x.dtype));
  return op.Call(OfAxes("aten.conv{}d.default", window.axes()),
                 {{"input", PadSpatial(op, x, window.begins, ends, 0)},
                  {"weight", weight},
                  {"bias", kNone},
                  {"stride", window.strides},
                  {"padding", Ints(window.axes(), 0)},
                  {"dilation", window.dilations},
                  {"groups", channels}},
                 {x.dtype, result});
}

// Where windows reach beyond the pads, or have gaps: sums over how many elements count.
Result<Term> GeneralAverage(const AtenOp& op, const Window& window, bool counts_pads) {
  const Term x = op.arg(0);
  const Shape result = op.result().shape;
  DRAGOMAN_ASSIGN(const Ints ends, EndsFor(op, window, result));
  DRAGOMAN_ASSIGN(const Term sums, WindowSums(op, x, window, ends, result));
  DRAGOMAN_ASSIGN(Term counted, op.Full(x.shape, 1, x.dtype));
  Window counting = window;
  Ints beyond = ends;
  if (counts_pads) {
    counted = PadSpatial(op, counted, window.begins, window.ends, 1);
    counting.begins.assign(window.axes(), 0);
    for (std::size_t i = 0; i < window.axes(); ++i) beyond[i] -= window.ends[i];
  }
  DRAGOMAN_ASSIGN(const Term counts, WindowSums(op, counted, counting, beyond, result));
  return op.Binary("aten.div.Tensor", sums, counts);
}

Emitted EmitAveragePool(AtenOp& op) {
  DRAGOMAN_ASSIGN(Window window, PoolWindow(op));
  const bool counts_pads = op.Int("count_include_pad") != 0;
  const Term x = op.arg(0);
  const bool is_plain = op.Int("ceil_mode") == 0 && AreOnes(window.dilations);
  if (is_plain && HasTorchPads(window))
    return One(AveragePool(op, x, window, window.begins, counts_pads, op.result().shape));
  if (is_plain && counts_pads) {
    const Term padded = PadSpatial(op, x, window.begins, window.ends, 0);
    return One(AveragePool(op, padded, window, Ints(window.axes(), 0), true, op.result().shape));
  }
  DRAGOMAN_ASSIGN(Term average, GeneralAverage(op, window, counts_pads));
  return One(std::move(average));
}

double LowestOf(DType dtype) {
  if (IsFloating(dtype)) return -HUGE_VAL;
  return Info(dtype).is_signed ? -std::ldexp(1.0, Info(dtype).bits - 1) : 0;
}

// Places in the planes of operand 0 as places in the whole of it. With storage order 1 columns of
// a plane come first.
Result<Term> PlacesInTensor(const AtenOp& op, Term places) {
  const Term x = op.arg(0);
  std::int64_t plane = 1;
  for (std::size_t i = 2; i < x.shape.size(); ++i) {
    if (!x.shape[i].known()) return op.Refuse("places in planes of a size known at run time only");
    plane *= x.shape[i].value();
  }
  if (op.Int("storage_order") != 0 && x.rank() == 4) {
    const std::int64_t height = x.shape[2].value();
    const std::int64_t width = x.shape[3].value();
    const Term row = op.Call("aten.div.Tensor_mode",
                             {{"self", places}, {"other", width}, Kw("rounding_mode", "floor")},
                             {places.dtype, places.shape});
    const Term column = op.WithNumber("aten.remainder.Scalar", places, static_cast<double>(width));
    places = op.Binary("aten.add.Tensor",
                       op.WithNumber("aten.mul.Scalar", column, static_cast<double>(height)), row);
  } else if (op.Int("storage_order") != 0) {
    return op.Refuse("places by columns of other than images");
  }
  const std::optional<Size> planes = op.graph.SizeOf(x.shape[0] * x.shape[1]);
  if (!planes) return op.Refuse("a size is known at run time only");
  const Term first =
      op.WithNumber("aten.mul.Scalar", op.Arange(*planes, x.shape[0] * x.shape[1], DType::kI64),
                    static_cast<double>(plane));
  Shape shape(x.shape.size(), Dim(1));
  shape[0] = x.shape[0];
  shape[1] = x.shape[1];
  DRAGOMAN_ASSIGN(const Term offsets, op.Reshape(first, shape));
  return op.Binary("aten.add.Tensor", places, offsets);
}

Emitted EmitMaxPool(AtenOp& op) {
  DRAGOMAN_ASSIGN(const Window window, PoolWindow(op));
  const TermType result = op.result();
  const bool gives_places = op.node.result(1) != nullptr;
  Term x = op.arg(0);
  const DType dtype = x.dtype;
  // torch has no pools of integers.
  if (!IsFloating(dtype)) x = op.Cast(x, DType::kF32);
  Ints pads = window.begins;
  if (op.Int("ceil_mode") != 0 || !HasTorchPads(window)) {
    if (gives_places && !HasTorchPads(window)) {
      if (!std::ranges::all_of(window.begins, [](std::int64_t pad) { return pad == 0; }))
        return op.Refuse("places of maxima of windows with uneven pads");
    }
    Ints ends = window.ends;
    if (op.Int("ceil_mode") != 0) {
      DRAGOMAN_ASSIGN(ends, EndsFor(op, window, result.shape));
    }
    if (gives_places && window.axes() > 0) {
      // Places are counted in what is pooled: only pads after the first axis leave them as they
      // are.
      const bool moves = std::ranges::any_of(window.begins, [](auto p) { return p != 0; }) ||
                         std::any_of(ends.begin() + 1, ends.end(), [](auto p) { return p > 0; });
      if (moves) return op.Refuse("places of maxima of windows that reach beyond their pads");
    }
    x = PadSpatial(op, x, window.begins, ends, LowestOf(dtype));
    pads.assign(window.axes(), 0);
  }
  const Arguments arguments = {{"self", x},
                               {"kernel_size", window.kernel},
                               {"stride", window.strides},
                               {"padding", pads},
                               {"dilation", window.dilations}};
  if (!gives_places) {
    const Term pooled = op.Call(OfAxes("aten.max_pool{}d.default", window.axes()), arguments,
                                {x.dtype, result.shape});
    return One(op.Cast(pooled, dtype));
  }
  const std::string target = window.axes() == 1
                                 ? "aten.max_pool1d_with_indices.default"
                                 : OfAxes("aten.max_pool{}d_with_indices.default", window.axes());
  const Terms pooled = op.graph.CallMany(
      target, arguments, {{x.dtype, result.shape}, {DType::kI64, result.shape}}, false);
  DRAGOMAN_ASSIGN(Term places, PlacesInTensor(op, pooled[1]));
  return Terms{op.Cast(pooled[0], dtype), std::move(places)};
}

Emitted EmitGlobalPool(AtenOp& op) {
  const Term x = op.arg(0);
  const Ints axes = AxesFrom(2, x.rank());
  if (op.node.Is("GlobalAveragePool")) return One(op.Mean(x, axes, true));
  return One(op.Extreme(true, x, axes, true));
}

// The sum of |x|^p to the power of 1 / p.
Term LpNorm(const AtenOp& op, const Term& x, double p,
            const std::function<Term(const Term&)>& sum) {
  const Term size = op.Unary("aten.abs.default", x);
  const auto power = [&](const Term& of, double exponent) {
    if (exponent == 1) return of;
    return op.Call("aten.pow.Tensor_Scalar", {{"self", of}, {"exponent", exponent}},
                   {of.dtype, of.shape});
  };
  return power(sum(power(size, p)), 1 / p);
}

Emitted EmitGlobalLpPool(AtenOp& op) {
  const Term x = op.arg(0);
  return One(LpNorm(op, x, static_cast<double>(op.Int("p")), [&](const Term& powers) {
    return op.Sum(powers, AxesFrom(2, x.rank()), true);
  }));
}

Emitted EmitLpPool(AtenOp& op) {
  DRAGOMAN_ASSIGN(const Window window, PoolWindow(op));
  const Shape result = op.result().shape;
  Ints ends = window.ends;
  if (op.Int("ceil_mode") != 0) {
    DRAGOMAN_ASSIGN(ends, EndsFor(op, window, result));
  }
  Status status;
  const Term norm =
      LpNorm(op, op.arg(0), static_cast<double>(op.Int("p")), [&](const Term& powers) {
        Result<Term> sums = WindowSums(op, powers, window, ends, result);
        if (sums.ok()) return *sums;
        status = std::move(sums).error();
        return powers;
      });
  DRAGOMAN_TRY(std::move(status));
  return One(norm);
}

// Elements at the places where the maxima were; zeros elsewhere.
Emitted EmitMaxUnpool(AtenOp& op) {
  const TermType result = op.result();
  const std::optional<std::vector<std::int64_t>> sizes = KnownShape(result.shape);
  if (!sizes) return op.Refuse("a size is known at run time only");
  const std::int64_t count =
      std::accumulate(sizes->begin(), sizes->end(), std::int64_t{1}, std::multiplies<>());
  // Places count in the tensor that was pooled, whose sizes the window gives.
  if (op.has(2)) {
    DRAGOMAN_ASSIGN(const Window window, PoolWindow(op));
    const Term x = op.arg(0);
    for (std::size_t i = 0; i < window.axes(); ++i) {
      const Dim pooled = (x.shape[i + 2] - Dim(1)) * Dim(window.strides[i]) +
                         Dim(window.kernel[i] - window.begins[i] - window.ends[i]);
      if (i > 0 && !(pooled == result.shape[i + 2]))
        return op.Refuse("planes of other sizes than the window gives");
    }
  }
  const Term flat = op.Reshape(op.arg(0), {Size(-1)}, {NumElements(op.arg(0).shape)});
  const Term places = op.Reshape(op.arg(1), {Size(-1)}, {NumElements(op.arg(1).shape)});
  DRAGOMAN_ASSIGN(const Term zeros, op.Full({Dim(count)}, 0, result.dtype));
  const Term filled =
      op.Call("aten.scatter.src", {{"self", zeros}, {"dim", 0}, {"index", places}, {"src", flat}},
              {result.dtype, zeros.shape});
  DRAGOMAN_ASSIGN(Term shaped, op.Reshape(filled, result.shape));
  return One(std::move(shaped));
}

}  // namespace

std::span<const Row> PoolRows() {
  static constexpr Row kRows[] = {
      {"AveragePool", EmitAveragePool},
      {"GlobalAveragePool", EmitGlobalPool},
      {"GlobalLpPool", EmitGlobalLpPool},
      {"GlobalMaxPool", EmitGlobalPool},
      {"LpPool", EmitLpPool},
      {"MaxPool", EmitMaxPool},
      {"MaxUnpool", EmitMaxUnpool},
  };
  return kRows;
}

}  // namespace dragoman::pt2
