// SPDX-License-Identifier: Apache-2.0
#include "codegen/relax/ops/resize_axis.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codegen/relax/ops/runtime_sizes.h"

namespace dragoman::relax {
namespace {

std::string F64(double value) { return ConstOf(value, DType::kF64); }

// An axis that is resized. Numbers are 0-d tensors of f64 in the text, and known ones numbers, too.
struct Axis {
  std::int64_t axis = 0;
  std::size_t entry = 0;  // of scales, sizes, roi
  Dim from, to;
  std::optional<double> known_scale;
  std::string scale;
  std::string input;   // size
  std::string length;  // of the result before it is rounded to a size
  std::string count;   // of the result, as a size
};

class AxisResizer {
 public:
  explicit AxisResizer(RelaxOp& op)
      : op_(op),
        mode_(op.String("mode", "nearest")),
        coordinates_(op.String("coordinate_transformation_mode", "half_pixel")),
        excludes_(op.Int("exclude_outside") != 0),
        policy_(op.String("keep_aspect_ratio_policy", "stretch")),
        antialias_(op.Int("antialias") != 0 && mode_ != "nearest"),
        a_(op.Float("cubic_coeff_a")) {}

  Expressions Run();

 private:
  Result<std::vector<Axis>> Axes();
  Result<std::vector<double>> KnownScales(const std::vector<Axis>& axes) const;
  void FindInput(Axis& axis);
  Status FindScale(Axis& axis);
  void FindCommonScale(std::vector<Axis>& axes);
  bool Stays(const Axis& axis) const;
  std::string Coordinates(const Axis& axis);
  std::string RoiAt(std::size_t entry, std::size_t offset);
  // Scales and regions are given in f32: 1.5 / 0.6 is meant to be 2.5, and it is so there.
  std::string Rounded(const std::string& x) {
    return op_.Astype(op_.Astype(x, DType::kF64, DType::kF32), DType::kF32, DType::kF64);
  }
  std::string Several(const std::string& vector) {
    return op_.Do("greater", op_.Do("size", vector), Int64Const(1));
  }
  std::string Nearest(const std::string& x);
  std::string Taken(const std::string& y, const Axis& axis, const std::string& place);
  std::string Cubic(const std::string& distance, bool near);
  std::string WeightAt(const std::string& distance, const std::string& shrink);
  Result<std::vector<std::pair<std::string, std::string>>> Taps(const Axis& axis,
                                                                const std::string& x);
  std::string WeightInside(const Axis& axis, const std::string& place, const std::string& weight);
  Result<std::string> Mixed(std::string y, const Axis& axis, const std::string& x);
  Result<std::string> MixedByMatrix(std::string y, const Axis& axis, const std::string& x);
  std::string Moved(const std::string& y, const std::vector<std::int64_t>& order);
  void MarkOutside(const Axis& axis, const std::string& x);
  std::string AlongAxis(const std::string& vector, std::int64_t axis) const;
  Expressions Finish(const std::string& y);

  RelaxOp& op_;
  const std::string mode_, coordinates_;
  const bool excludes_;
  const std::string policy_;
  const bool antialias_;
  const double a_;
  std::size_t rank_ = 0;
  DType compute_ = DType::kF32;
  std::string common_;  // the scale of all axes that a policy chooses at run time
  std::string inside_;  // where nothing is extrapolated; empty: everywhere
};

Result<std::vector<Axis>> AxisResizer::Axes() {
  DRAGOMAN_ASSIGN(Shape from, op_.shape(0));
  DRAGOMAN_ASSIGN(Shape to, op_.result_shape());
  rank_ = from.size();
  std::vector<std::int64_t> named = op_.Ints("axes");
  if (named.empty()) {
    named.resize(rank_);
    std::iota(named.begin(), named.end(), 0);
  }
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < named.size(); ++i) {
    const std::int64_t axis = named[i] < 0 ? named[i] + static_cast<std::int64_t>(rank_) : named[i];
    const auto at = static_cast<std::size_t>(axis);
    axes.push_back({.axis = axis, .entry = i, .from = from[at], .to = to[at]});
  }
  return axes;
}

// Scales by entry that the text can state; none if only run time knows them.
Result<std::vector<double>> AxisResizer::KnownScales(const std::vector<Axis>& axes) const {
  std::vector<double> known;
  if (!op_.has(3)) {
    const Tensor* scales = op_.has(2) ? op_.node.operand(2)->tensor() : nullptr;
    for (std::int64_t i = 0; scales != nullptr && i < scales->size(); ++i)
      known.push_back(scales->FloatAt(i));
    return known;
  }
  const auto sizes = op_.inference.KnownInts(op_.node.operand(3));
  for (const Axis& axis : axes) {
    if (!sizes || !axis.from.known() || axis.from.value() == 0) return std::vector<double>();
    known.push_back(static_cast<double>((*sizes)[axis.entry]) /
                    static_cast<double>(axis.from.value()));
  }
  if (policy_ == "stretch" || known.empty()) return known;
  const auto common =
      policy_ == "not_larger" ? std::ranges::min_element(known) : std::ranges::max_element(known);
  return std::vector<double>(known.size(), *common);
}

// Whether nothing happens to the axis.
bool AxisResizer::Stays(const Axis& axis) const {
  if (coordinates_ == "tf_crop_and_resize") return false;
  if (axis.known_scale) return *axis.known_scale == 1;
  return common_.empty() && op_.has(3) && axis.from == axis.to;
}

void AxisResizer::FindInput(Axis& axis) {
  axis.input = axis.from.known()
                   ? F64(static_cast<double>(axis.from.value()))
                   : op_.Astype(SizeOf(op_, 0, axis.from, axis.axis), DType::kI64, DType::kF64);
}

// The smallest or largest of the scales that stretch each axis alone.
void AxisResizer::FindCommonScale(std::vector<Axis>& axes) {
  const std::string sizes = AsInt64(op_, 3);
  for (Axis& axis : axes) {
    FindInput(axis);
    const std::string size = ElementOf(op_, sizes, static_cast<std::int64_t>(axis.entry));
    const std::string scale =
        op_.Do("divide", op_.Astype(size, DType::kI64, DType::kF64), axis.input);
    const char* const chosen = policy_ == "not_larger" ? "minimum" : "maximum";
    common_ = common_.empty() ? scale : op_.Do(chosen, common_, scale);
  }
}

Status AxisResizer::FindScale(Axis& axis) {
  FindInput(axis);
  const auto entry = static_cast<std::int64_t>(axis.entry);
  if (axis.known_scale) {
    axis.scale = F64(*axis.known_scale);
    axis.length = axis.from.known()
                      ? F64(*axis.known_scale * static_cast<double>(axis.from.value()))
                      : op_.Do("multiply", axis.scale, axis.input);
  } else if (!common_.empty()) {
    axis.scale = common_;
    axis.length = op_.Do("multiply", axis.scale, axis.input);
  } else if (op_.has(3)) {
    const std::string size =
        axis.to.known() ? Int64Const(axis.to.value()) : ElementOf(op_, AsInt64(op_, 3), entry);
    axis.length = op_.Astype(size, DType::kI64, DType::kF64);
    axis.scale = op_.Do("divide", axis.length, axis.input);
  } else if (op_.has(2)) {
    axis.scale = op_.Astype(ElementOf(op_, op_.arg(2), entry), DType::kF32, DType::kF64);
    axis.length = op_.Do("multiply", axis.scale, axis.input);
  } else {
    return op_.Refuse("neither scales nor sizes");
  }
  std::string size;
  if (!IsSaid(op_, {axis.to})) {
    const std::string whole = common_.empty() ? axis.length : op_.Do("add", axis.length, F64(0.5));
    size = op_.Astype(op_.Do("floor", whole), DType::kF64, DType::kI64);
  }
  DRAGOMAN_ASSIGN(axis.count, NameSize(op_, size, axis.to));
  return {};
}

std::string AxisResizer::RoiAt(std::size_t entry, std::size_t offset) {
  const std::string element = ElementOf(op_, op_.arg(1), static_cast<std::int64_t>(entry + offset));
  return op_.Astype(element, op_.dtype(1), DType::kF64);
}

// Where each element of the result lies in the operand.
std::string AxisResizer::Coordinates(const Axis& axis) {
  const std::string i = op_.Astype(Places(op_, axis.count), DType::kI64, DType::kF64);
  const auto half_pixel = [&] {
    const std::string middle = op_.Do("add", i, F64(0.5));
    return op_.Do("subtract", Rounded(op_.Do("divide", middle, axis.scale)), F64(0.5));
  };
  const auto count = [&] {
    if (axis.to.known()) return F64(static_cast<double>(axis.to.value()));
    return op_.Astype(op_.Do("size", i), DType::kI64, DType::kF64);
  };
  const auto by_ends = [&](const std::string& first, const std::string& span) {
    const std::string steps = op_.Do("subtract", count(), F64(1));
    const std::string none = op_.Do("equal", steps, F64(0));
    const std::string divisor = op_.Do("where", none, F64(1), steps);
    const std::string offset = op_.Do("divide", op_.Do("multiply", i, span), divisor);
    return first.empty() ? offset : op_.Do("add", first, offset);
  };
  const bool single = axis.to == Dim(1);
  if (coordinates_ == "asymmetric") return Rounded(op_.Do("divide", i, axis.scale));
  if (coordinates_ == "tf_half_pixel_for_nn") {  // at scale 1 an axis stays as it is
    const std::string x = Rounded(op_.Do("divide", op_.Do("add", i, F64(0.5)), axis.scale));
    return axis.known_scale ? x : op_.Do("where", op_.Do("equal", axis.scale, F64(1)), i, x);
  }
  if (coordinates_ == "half_pixel_symmetric") {
    const std::string rest = op_.Do("subtract", F64(1), op_.Do("divide", count(), axis.length));
    const std::string offset = op_.Do("multiply", op_.Do("divide", axis.input, F64(2)), rest);
    return op_.Do("add", offset, half_pixel());
  }
  const std::string last = op_.Do("subtract", axis.input, F64(1));
  if (coordinates_ == "align_corners") return single ? i : by_ends("", last);
  if (coordinates_ == "tf_crop_and_resize") {
    const std::string start = RoiAt(axis.entry, 0);
    const std::string end =
        RoiAt(axis.entry, op_.Ints("axes").empty() ? rank_ : op_.Ints("axes").size());
    const std::string middle = op_.Do("multiply", op_.Do("add", start, end), F64(0.5));
    const std::string alone = op_.Do("add", op_.Do("multiply", middle, last), i);
    if (single) return alone;
    const std::string span = op_.Do("multiply", op_.Do("subtract", end, start), last);
    const std::string spread = Rounded(by_ends(op_.Do("multiply", start, last), span));
    return axis.to.known() ? spread : op_.Do("where", Several(i), spread, alone);
  }
  if (coordinates_ == "pytorch_half_pixel" && single) return i;
  const std::string x = half_pixel();
  if (coordinates_ != "pytorch_half_pixel" || axis.to.known()) return x;
  return op_.Do("where", Several(i), x, F64(0));
}

std::string AxisResizer::Nearest(const std::string& x) {
  const std::string mode = op_.String("nearest_mode", "round_prefer_floor");
  if (mode == "round_prefer_floor") return op_.Do("ceil", op_.Do("subtract", x, F64(0.5)));
  if (mode == "round_prefer_ceil") return op_.Do("floor", op_.Do("add", x, F64(0.5)));
  return op_.Do(mode, x);
}

// The elements at `place`, a vector of f64, or at the ends where that lies beyond.
std::string AxisResizer::Taken(const std::string& y, const Axis& axis, const std::string& place) {
  const std::string last = axis.from.known() ? F64(static_cast<double>(axis.from.value() - 1))
                                             : op_.Do("subtract", axis.input, F64(1));
  const std::string within = op_.Do("minimum", op_.Do("maximum", place, F64(0)), last);
  const std::string index = op_.Astype(within, DType::kF64, DType::kI64);
  return op_.BindPlain(fmt::format("R.take({}, {}, axis={}, mode=\"fast\")", y, index, axis.axis));
}

// Keys' kernel at distances of at most 1 (`near`), or between 1 and 2.
std::string AxisResizer::Cubic(const std::string& distance, bool near) {
  const std::vector<double> factors =
      near ? std::vector{a_ + 2, -(a_ + 3), 0.0, 1.0} : std::vector{a_, -5 * a_, 8 * a_, -4 * a_};
  std::string sum = F64(factors.front());
  for (std::size_t i = 1; i < factors.size(); ++i)
    sum = op_.Do("add", op_.Do("multiply", sum, distance), F64(factors[i]));
  return sum;
}

// The weight of an element at that distance, of any sign.
std::string AxisResizer::WeightAt(const std::string& distance, const std::string& shrink) {
  const std::string away = op_.Do("multiply", op_.Do("abs", distance), shrink);
  if (mode_ == "linear") return op_.Do("maximum", op_.Do("subtract", F64(1), away), F64(0));
  const std::string is_far = op_.Do("greater", away, F64(1));
  const std::string beyond = op_.Do("greater", away, F64(2));
  const std::string far = op_.Do("where", beyond, F64(0), Cubic(away, false));
  return op_.Do("where", is_far, far, Cubic(away, true));
}

// Places and weights of the elements that meet at `x`.
Result<std::vector<std::pair<std::string, std::string>>> AxisResizer::Taps(const Axis& axis,
                                                                           const std::string& x) {
  constexpr std::int64_t kMaxTaps = 64;
  const double shrink = antialias_ ? std::min(*axis.known_scale, 1.0) : 1;
  const double radius = mode_ == "linear" ? 1 : 2;
  const auto first = static_cast<std::int64_t>(std::floor(-radius / shrink)) + 1;
  const std::int64_t width = 2 - 2 * first;
  if (width > kMaxTaps) return op_.Refuse("antialiasing over so many elements");
  const std::string base = op_.Do("floor", x);
  std::vector<std::pair<std::string, std::string>> taps;
  for (std::int64_t k = 0; k < width; ++k) {
    const auto offset = static_cast<double>(first + k);
    const std::string place = offset == 0 ? base : op_.Do("add", base, F64(offset));
    const std::string distance = op_.Do("subtract", x, place);
    std::string weight;
    if (antialias_ || mode_ == "linear") {
      weight = WeightAt(distance, F64(shrink));
    } else {
      weight = Cubic(op_.Do("abs", distance), k == 1 || k == 2);
    }
    taps.emplace_back(place, weight);
  }
  return taps;
}

// A vector along one axis, as what broadcasts to the operand.
std::string AxisResizer::AlongAxis(const std::string& vector, std::int64_t axis) const {
  std::vector<std::int64_t> behind(rank_ - 1 - static_cast<std::size_t>(axis));
  if (behind.empty()) return vector;
  std::iota(behind.begin(), behind.end(), 1);
  return op_.BindPlain(fmt::format("R.expand_dims({}, axis={})", vector, ListText(behind)));
}

// `weight`, or 0 at places beyond the axis.
std::string AxisResizer::WeightInside(const Axis& axis, const std::string& place,
                                      const std::string& weight) {
  const std::string inside = op_.Do("logical_and", op_.Do("greater_equal", place, F64(0)),
                                    op_.Do("less", place, axis.input));
  return op_.Do("where", inside, weight, F64(0));
}

std::string AxisResizer::Moved(const std::string& y, const std::vector<std::int64_t>& order) {
  if (std::ranges::is_sorted(order)) return y;
  return op_.BindPlain(fmt::format("R.permute_dims({}, axes={})", y, ListText(order)));
}

// Where only run time knows how many elements meet: a product with the weights of all, and of
// those beyond the ends that the kernel reaches.
Result<std::string> AxisResizer::MixedByMatrix(std::string y, const Axis& axis,
                                               const std::string& x) {
  const std::string shrink = op_.Do("minimum", axis.scale, F64(1));
  const std::string reach = op_.Do("divide", F64(mode_ == "linear" ? 1 : 2), shrink);
  const std::string margin = op_.Astype(op_.Do("ceil", reach), DType::kF64, DType::kI64);
  const std::string size = SizeOf(op_, 0, axis.from, axis.axis);
  const std::string total = op_.Do("add", size, op_.Do("multiply", margin, Int64Const(2)));
  const Dim all = Dim::Symbol(fmt::format("{}.{}", op_.node.result(0)->name(), axis.axis));
  DRAGOMAN_ASSIGN(const std::string count, NameSize(op_, total, all));
  const std::string place =
      op_.Astype(op_.Do("subtract", Places(op_, count), margin), DType::kI64, DType::kF64);
  const std::string column = op_.BindPlain(fmt::format("R.expand_dims({}, axis=[1])", x));
  std::string weight = WeightAt(op_.Do("subtract", column, place), shrink);
  if (excludes_) weight = WeightInside(axis, place, weight);
  std::string sum = op_.BindPlain(fmt::format("R.sum({}, axis=[1], keepdims=True)", weight));
  sum = op_.Do("where", op_.Do("equal", sum, F64(0)), F64(1), sum);
  weight = op_.Astype(op_.Do("divide", weight, sum), DType::kF64, compute_);
  std::vector<std::int64_t> order(rank_), back(rank_);
  std::iota(order.begin(), order.end(), 0);
  back = order;
  std::rotate(order.begin() + axis.axis, order.begin() + axis.axis + 1, order.end());
  std::rotate(back.begin() + axis.axis, back.end() - 1, back.end());
  const std::string rows = Moved(Taken(y, axis, place), order);
  return Moved(op_.Do("matmul", rows, Moved(weight, {1, 0})), back);
}

Result<std::string> AxisResizer::Mixed(std::string y, const Axis& axis, const std::string& x) {
  if (antialias_ && !axis.known_scale) return MixedByMatrix(std::move(y), axis, x);
  DRAGOMAN_ASSIGN(auto taps, Taps(axis, x));
  std::string total;
  for (auto& [place, weight] : taps) {
    if (excludes_) weight = WeightInside(axis, place, weight);
    if (excludes_ || antialias_) total = total.empty() ? weight : op_.Do("add", total, weight);
  }
  if (!total.empty()) total = op_.Do("where", op_.Do("equal", total, F64(0)), F64(1), total);
  std::string sum;
  for (const auto& [place, weight] : taps) {
    const std::string part = total.empty() ? weight : op_.Do("divide", weight, total);
    const std::string factor = AlongAxis(op_.Astype(part, DType::kF64, compute_), axis.axis);
    const std::string term = op_.Do("multiply", Taken(y, axis, place), factor);
    sum = sum.empty() ? term : op_.Do("add", sum, term);
  }
  return sum;
}

void AxisResizer::MarkOutside(const Axis& axis, const std::string& x) {
  const std::string last = op_.Do("subtract", axis.input, F64(1));
  const std::string within =
      op_.Do("logical_and", op_.Do("greater_equal", x, F64(0)), op_.Do("less_equal", x, last));
  const std::string aligned = AlongAxis(within, axis.axis);
  inside_ = inside_.empty() ? aligned : op_.Do("logical_and", inside_, aligned);
}

// Back to the operand's element type: integers truncate and saturate.
Expressions AxisResizer::Finish(const std::string& y) {
  const DType dtype = op_.dtype();
  std::string result = y;
  if (IsInteger(dtype) && mode_ == "cubic") {
    const int bits = Info(dtype).bits;
    if (bits > 32) return op_.Refuse("64-bit integers in mode cubic");
    const double low = Info(dtype).is_signed ? -std::ldexp(1.0, bits - 1) : 0;
    const std::string above = op_.Do("maximum", result, F64(low));
    result = op_.Do("minimum", above, F64(low + std::ldexp(1.0, bits) - 1));
  }
  if (mode_ != "nearest") result = op_.Astype(result, compute_, dtype);
  if (inside_.empty()) return One(result);
  return One(fmt::format("R.where({}, {}, {})", inside_, result,
                         op_.Const(op_.Float("extrapolation_value"))));
}

Expressions AxisResizer::Run() {
  const DType dtype = op_.dtype();
  if (dtype == DType::kBool && mode_ != "nearest") return op_.Refuse("bool between two places");
  if (IsInteger(dtype) || dtype == DType::kF64) compute_ = DType::kF64;
  DRAGOMAN_ASSIGN(std::vector<Axis> axes, Axes());
  DRAGOMAN_ASSIGN(std::vector<double> scales, KnownScales(axes));
  if (op_.has(3) && policy_ != "stretch" && scales.empty()) FindCommonScale(axes);
  std::string y = mode_ == "nearest" ? op_.arg(0) : op_.ArgAs(0, compute_);
  for (Axis& axis : axes) {
    if (axis.entry < scales.size()) axis.known_scale = scales[axis.entry];
    if (Stays(axis)) continue;
    DRAGOMAN_TRY(FindScale(axis));
    const std::string x = Coordinates(axis);
    if (coordinates_ == "tf_crop_and_resize") MarkOutside(axis, x);
    if (mode_ == "nearest") {
      y = Taken(y, axis, Nearest(x));
    } else {
      DRAGOMAN_ASSIGN(y, Mixed(y, axis, x));
    }
  }
  return Finish(y);
}

}  // namespace

Expressions ResizeByAxis(RelaxOp& op) { return AxisResizer(op).Run(); }

}  // namespace dragoman::relax
