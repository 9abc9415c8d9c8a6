// SPDX-License-Identifier: Apache-2.0
// Pad: by R.nn.pad where that says it, else each axis takes its elements by index. Before 0.21 TVM
// pads with a constant, whatever the mode.
#include "codegen/relax/ops/op_rows.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "codegen/relax/ops/runtime_sizes.h"

namespace dragoman::relax {
namespace {

// The axes that are padded, counted from the front.
Result<std::vector<std::int64_t>> PaddedAxes(const RelaxOp& op, std::size_t rank) {
  std::vector<std::int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (!op.has(3)) return axes;
  DRAGOMAN_ASSIGN(axes, op.KnownInts(3));
  for (std::int64_t& axis : axes) {
    if (axis < 0) axis += static_cast<std::int64_t>(rank);
  }
  return axes;
}

// Before and after each axis in turn, as Relax orders them; nullopt if only run time knows.
std::optional<std::vector<std::int64_t>> PadWidths(const RelaxOp& op, std::size_t rank,
                                                   const std::vector<std::int64_t>& axes) {
  const auto pads = op.inference.KnownInts(op.node.operand(1));
  if (!pads) return std::nullopt;
  std::vector<std::int64_t> widths(2 * rank, 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<std::size_t>(axes[i]);
    widths[2 * axis] = (*pads)[i];
    widths[2 * axis + 1] = (*pads)[i + axes.size()];
  }
  return widths;
}

// Whether `spare` elements of each axis stay when it lends what it is padded with.
bool Lends(const Shape& shape, const std::vector<std::int64_t>& widths, std::int64_t spare) {
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const Dim& size = shape[i / 2];
    if (widths[i] > 0 && (!size.known() || widths[i] > size.value() - spare)) return false;
  }
  return true;
}

// The padding value as R.nn.pad takes it: a float, which does not hold every integer.
std::optional<std::string> PadValue(const RelaxOp& op) {
  if (op.dtype() == DType::kBool) return std::nullopt;
  if (!op.has(2)) return "0.0";
  const Tensor* filler = op.node.operand(2)->tensor();
  if (filler == nullptr) return std::nullopt;
  if (IsFloating(op.dtype())) return op.FloatArgument(filler->FloatAt(0));
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  const std::int64_t value = filler->IntAt(0);
  if (value < -kMost || value > kMost || (op.dtype() == DType::kU64 && value < 0))
    return std::nullopt;
  return std::to_string(value) + ".0";
}

// One axis of `size` elements, of which the result takes element places - before.
class PaddedAxis {
 public:
  PaddedAxis(RelaxOp& op, std::string mode, std::int64_t axis, std::size_t rank)
      : op_(op), mode_(std::move(mode)), axis_(axis), rank_(rank) {}

  std::string Take(const std::string& x, const std::string& from, const std::string& size) {
    const std::string taken = op_.BindPlain(
        fmt::format("R.take({}, {}, axis={}, mode=\"fast\")", x, Index(from, size), axis_));
    if (mode_ != "constant") return taken;
    const std::string inside = op_.Do("logical_and", op_.Do("greater_equal", from, Int64Const(0)),
                                      op_.Do("less", from, size));
    return op_.Do("where", Aligned(inside), taken, op_.has(2) ? op_.arg(2) : op_.Const(0));
  }

  // The same where the first `low` elements, and others at the end, are cropped first: what is
  // repeated is the `kept` elements between.
  std::string TakeCropped(const std::string& x, const std::string& from, const std::string& low,
                          const std::string& kept) {
    const std::string index = op_.Do("add", Index(op_.Do("subtract", from, low), kept), low);
    return op_.BindPlain(fmt::format("R.take({}, {}, axis={}, mode=\"fast\")", x, index, axis_));
  }

 private:
  std::string Index(const std::string& from, const std::string& size) {
    if (mode_ == "wrap") return op_.Do("floor_mod", from, size);
    const std::string last = op_.Do("subtract", size, Int64Const(1));
    if (mode_ != "reflect") return op_.Do("minimum", op_.Do("maximum", from, Int64Const(0)), last);
    const std::string turn = op_.Do("multiply", last, Int64Const(2));
    const std::string within = op_.Do("floor_mod", from, op_.Do("maximum", turn, Int64Const(1)));
    return op_.Do("minimum", within, op_.Do("subtract", turn, within));
  }

  // A vector along the axis.
  std::string Aligned(const std::string& vector) {
    std::vector<std::int64_t> others;
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(rank_); ++i) {
      if (i != axis_) others.push_back(i);
    }
    if (others.empty()) return vector;
    return op_.BindPlain(fmt::format("R.expand_dims({}, axis={})", vector, ListText(others)));
  }

  RelaxOp& op_;
  const std::string mode_;
  const std::int64_t axis_;
  const std::size_t rank_;
};

Expressions PadByIndex(RelaxOp& op, const Shape& shape, const std::vector<std::int64_t>& axes) {
  DRAGOMAN_ASSIGN(Shape result, op.result_shape());
  const auto known = op.inference.KnownInts(op.node.operand(1));
  const auto width = [&](std::size_t i) {
    return known ? Int64Const((*known)[i]) : ElementOf(op, op.arg(1), static_cast<std::int64_t>(i));
  };
  const std::string mode = op.String("mode", "constant");
  std::string x = op.arg(0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto at = static_cast<std::size_t>(axes[i]);
    const bool kept = known && (*known)[i] == 0 && (*known)[i + axes.size()] == 0;
    if (kept) continue;
    if (shape[at] == Dim(0)) return op.Refuse("padding of nothing");
    const std::string size = SizeOf(op, 0, shape[at], axes[i]);
    const std::string before = width(i);
    std::string whole;
    if (!IsSaid(op, {result[at]}))
      whole = op.Do("add", op.Do("add", size, before), width(i + axes.size()));
    DRAGOMAN_ASSIGN(std::string count, NameSize(op, whole, result[at]));
    const std::string from = op.Do("subtract", Places(op, count), before);
    PaddedAxis axis(op, mode, axes[i], shape.size());
    const bool may_crop = !known || (*known)[i] < 0 || (*known)[i + axes.size()] < 0;
    if (mode == "constant" || !may_crop) {
      x = axis.Take(x, from, size);
      continue;
    }
    const auto cropped = [&op](const std::string& pad) {
      return op.Do("maximum", op.Do("subtract", Int64Const(0), pad), Int64Const(0));
    };
    const std::string low = cropped(before);
    const std::string high = cropped(width(i + axes.size()));
    x = axis.TakeCropped(x, from, low, op.Do("subtract", op.Do("subtract", size, low), high));
  }
  return One(x);
}

Expressions EmitPad(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> axes, PaddedAxes(op, shape.size()));
  const auto widths = PadWidths(op, shape.size(), axes);
  const std::string mode = op.String("mode", "constant");
  const auto is_negative = [](std::int64_t width) { return width < 0; };
  if (!widths || std::ranges::any_of(*widths, is_negative)) return PadByIndex(op, shape, axes);
  std::optional<std::string> value = "0.0";
  if (mode == "constant") {
    value = PadValue(op);
  } else if (!Lends(shape, *widths, mode == "reflect" ? 1 : 0)) {
    value = std::nullopt;
  }
  if (!value || (mode != "constant" && op.release < Release::k021))
    return PadByIndex(op, shape, axes);
  const std::string name = mode == "edge" ? "replicate" : mode == "wrap" ? "circular" : mode;
  return One(fmt::format("R.nn.pad({}, pad_width={}, pad_mode=\"{}\", pad_value={})", op.arg(0),
                         ListText(*widths), name, *value));
}

}  // namespace

std::span<const Row> PadRows() {
  static constexpr Row kRows[] = {
      {"Pad", EmitPad},
  };
  return kRows;
}

}  // namespace dragoman::relax
