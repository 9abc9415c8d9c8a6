// SPDX-License-Identifier: Apache-2.0
// GridSample, by gathers: each point takes the elements around it, and sums them with their
// weights. (The layout of R.image.grid_sample's grid is documented in one way and implemented in
// another.) Points are computed in f64.
#include "codegen/relax/ops/op_rows.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codegen/relax/ops/runtime_sizes.h"

namespace dragoman::relax {
namespace {

std::string DoubleOf(double value) { return ConstOf(value, DType::kF64); }

// An element along one axis that a point takes: i64 and f64 tensors of the points. No weight is 1.
struct Tap {
  std::string index, weight;
};

// One spatial axis.
class GridAxis {
 public:
  GridAxis(RelaxOp& op, const Dim& size, std::int64_t axis)
      : op_(op),
        padding_(op.String("padding_mode", "zeros")),
        mode_(op.String("mode", "linear")),
        align_(op.Int("align_corners") != 0),
        size_(op.Astype(SizeOf(op, 0, size, axis), DType::kI64, DType::kF64)),
        last_(op.Do("subtract", size_, DoubleOf(1))),
        low_(DoubleOf(align_ ? 0 : -0.5)),
        high_(align_ ? last_ : op.Do("subtract", size_, DoubleOf(0.5))) {}

  // For points within -1 … 1.
  std::vector<Tap> Taps(const std::string& point) {
    const std::string at = Moved(Coordinate(point));
    if (mode_ == "nearest") return {TapAt(at, "")};
    const std::string base = op_.Do("floor", at);
    const std::string t = op_.Do("subtract", at, base);
    const std::string rest = op_.Do("subtract", DoubleOf(1), t);
    if (mode_ == "linear") return {TapAt(base, rest), TapAt(Behind(base, 1), t)};
    return {TapAt(Behind(base, -1), Far(Behind(t, 1))), TapAt(base, Near(t)),
            TapAt(Behind(base, 1), Near(rest)), TapAt(Behind(base, 2), Far(Behind(rest, 1)))};
  }

 private:
  std::string Behind(const std::string& place, double by) {
    return op_.Do("add", place, DoubleOf(by));
  }
  std::string Clamped(const std::string& at) {
    return op_.Do("minimum", op_.Do("maximum", at, DoubleOf(0)), last_);
  }
  std::string Within(const std::string& at, const std::string& low, const std::string& high) {
    return op_.Do("logical_and", op_.Do("greater_equal", at, low), op_.Do("less_equal", at, high));
  }

  // As far away as whole numbers go; what is not a number counts as far in front.
  std::string Coordinate(const std::string& point) {
    const std::string shifted = op_.Do("add", point, DoubleOf(1));
    const std::string whole = op_.Do("multiply", shifted, align_ ? last_ : size_);
    const std::string at =
        op_.Do("multiply", align_ ? whole : op_.Do("subtract", whole, DoubleOf(1)), DoubleOf(0.5));
    const std::string counts = op_.Do("greater_equal", at, DoubleOf(-1e15));
    const std::string bounded =
        op_.Do("where", counts, op_.Do("minimum", at, DoubleOf(1e15)), DoubleOf(-1e15));
    return mode_ == "nearest" ? op_.Do("round", bounded) : bounded;
  }

  std::string Reflected(const std::string& at) {
    const std::string range = op_.Do("subtract", high_, low_);
    const std::string twice = op_.Do("multiply", range, DoubleOf(2));
    const std::string divisor =
        op_.Do("where", op_.Do("greater", twice, DoubleOf(0)), twice, DoubleOf(1));
    const std::string away = op_.Do("abs", op_.Do("subtract", at, low_));
    const std::string bounced = op_.Do("floor_mod", away, divisor);
    const std::string back = op_.Do("subtract", twice, bounced);
    return op_.Do("add", op_.Do("minimum", bounced, back), low_);
  }

  // Where a point beyond the image shows.
  std::string Moved(const std::string& at) {
    if (padding_ == "zeros" || mode_ == "cubic") return at;
    const std::string to = padding_ == "border" ? Clamped(at) : Reflected(at);
    return op_.Do("where", Within(at, low_, high_), at, to);
  }

  Tap TapAt(const std::string& place, std::string weight) {
    const std::string inside = Within(place, DoubleOf(0), last_);
    std::string shown = place;
    if (padding_ == "reflection") shown = op_.Do("where", inside, place, Reflected(place));
    if (padding_ == "zeros")
      weight = op_.Do("where", inside, weight.empty() ? DoubleOf(1) : weight, DoubleOf(0));
    return {op_.Astype(Clamped(shown), DType::kF64, DType::kI64), std::move(weight)};
  }

  // Keys' kernel with a = -0.75, at distances of at most 1, and from 1 to 2.
  std::string Near(const std::string& d) { return Polynomial(d, {1.25, -2.25, 0, 1}); }
  std::string Far(const std::string& d) { return Polynomial(d, {-0.75, 3.75, -6, 3}); }
  std::string Polynomial(const std::string& d, const std::vector<double>& factors) {
    std::string sum = DoubleOf(factors.front());
    for (std::size_t i = 1; i < factors.size(); ++i)
      sum = op_.Do("add", op_.Do("multiply", sum, d), DoubleOf(factors[i]));
    return sum;
  }

  RelaxOp& op_;
  const std::string padding_, mode_;
  const bool align_;
  const std::string size_, last_, low_, high_;
};

// Sums over all combinations of the axes' taps; `axes` by axis.
class GridSum {
 public:
  GridSum(RelaxOp& op, const std::vector<std::vector<Tap>>& axes, std::vector<std::string> strides,
          std::string planes, std::string sizes, DType compute)
      : op_(op),
        axes_(axes),
        strides_(std::move(strides)),
        planes_(std::move(planes)),
        sizes_(std::move(sizes)),
        compute_(compute) {}

  std::string Sum() {
    std::vector<std::size_t> tap(axes_.size(), 0);
    while (true) {
      AddTerm(tap);
      std::size_t axis = tap.size();
      while (axis > 0 && ++tap[axis - 1] == axes_[axis - 1].size()) tap[--axis] = 0;
      if (axis == 0) return sum_;
    }
  }

 private:
  void AddTerm(const std::vector<std::size_t>& tap) {
    std::string place, weight;
    for (std::size_t i = 0; i < tap.size(); ++i) {
      const Tap& of_axis = axes_[i][tap[i]];
      const std::string offset =
          i + 1 == tap.size() ? of_axis.index : op_.Do("multiply", of_axis.index, strides_[i]);
      place = place.empty() ? offset : op_.Do("add", place, offset);
      if (of_axis.weight.empty()) continue;
      weight = weight.empty() ? of_axis.weight : op_.Do("multiply", weight, of_axis.weight);
    }
    const std::string all = op_.BindPlain(fmt::format("R.expand_dims({}, axis=[1])", place));
    const std::string spread = op_.BindPlain(fmt::format("R.broadcast_to({}, {})", all, sizes_));
    std::string term =
        op_.BindPlain(fmt::format("R.gather_elements({}, {}, axis=2)", planes_, spread));
    if (!weight.empty()) {
      const std::string factor = op_.BindPlain(
          fmt::format("R.expand_dims({}, axis=[1])", op_.Astype(weight, DType::kF64, compute_)));
      term = op_.Do("multiply", term, factor);
    }
    sum_ = sum_.empty() ? term : op_.Do("add", sum_, term);
  }

  RelaxOp& op_;
  const std::vector<std::vector<Tap>>& axes_;
  const std::vector<std::string> strides_;
  const std::string planes_, sizes_;
  const DType compute_;
  std::string sum_;
};

Expressions EmitGridSample(RelaxOp& op) {
  const DType dtype = op.dtype();
  if (!IsFloating(dtype)) return op.Refuse("the operator takes floating-point operands only");
  const DType compute = dtype == DType::kF64 ? dtype : DType::kF32;
  DRAGOMAN_ASSIGN(Shape x, op.shape(0));
  DRAGOMAN_ASSIGN(Shape y, op.result_shape());
  const std::size_t spatial = x.size() - 2;
  Dim points(1), plane(1);
  for (std::size_t i = 2; i < x.size(); ++i) {
    points = points * y[i];
    plane = plane * x[i];
  }
  if (plane == Dim(0)) return op.Refuse("images without elements");
  DRAGOMAN_ASSIGN(std::string flat_points, op.ShapeValue({x[0], points}));
  DRAGOMAN_ASSIGN(std::string flat_planes, op.ShapeValue({x[0], x[1], plane}));
  DRAGOMAN_ASSIGN(std::string flat_result, op.ShapeValue({x[0], x[1], points}));
  DRAGOMAN_ASSIGN(std::string sizes, op.ShapeValue(y));
  const std::string grid = op.ArgAs(1, DType::kF64);
  std::vector<std::vector<Tap>> axes;
  std::vector<std::string> strides(spatial);
  for (std::size_t i = spatial; i-- > 0;) {
    const auto axis = static_cast<std::int64_t>(i) + 2;
    const std::string below = i + 1 == spatial ? "" : SizeOf(op, 0, x[i + 3], axis + 1);
    strides[i] = i + 2 >= spatial ? below : op.Do("multiply", below, strides[i + 1]);
  }
  for (std::size_t i = 0; i < spatial; ++i) {
    const auto axis = static_cast<std::int64_t>(i) + 2;
    const std::string entry = Int64Const(static_cast<std::int64_t>(spatial - 1 - i));
    const std::string along = op.BindPlain(fmt::format("R.take({}, {}, axis={}, mode=\"fast\")",
                                                       grid, entry, static_cast<int>(spatial) + 1));
    axes.push_back(GridAxis(op, x[i + 2], axis).Taps(op.Do("reshape", along, flat_points)));
  }
  const std::string planes = op.Do("reshape", op.ArgAs(0, compute), flat_planes);
  const std::string sum = GridSum(op, axes, strides, planes, flat_result, compute).Sum();
  return One(fmt::format("R.reshape({}, {})", op.Astype(sum, compute, dtype), sizes));
}

}  // namespace

std::span<const Row> GridSampleRows() {
  static constexpr Row kRows[] = {
      {"GridSample", EmitGridSample},
  };
  return kRows;
}

}  // namespace dragoman::relax
