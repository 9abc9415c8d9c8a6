// SPDX-License-Identifier: Apache-2.0
// Slice: by R.strided_slice where its bounds are known when the module is written, else each axis
// takes its elements by index.
#include "codegen/relax/ops/op_rows.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "codegen/relax/ops/runtime_sizes.h"

namespace dragoman::relax {
namespace {

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();

struct Range {
  std::int64_t axis, start, end, step;
};

Result<std::vector<Range>> RangesOf(const RelaxOp& op, std::size_t rank) {
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> starts, op.KnownInts(1));
  DRAGOMAN_ASSIGN(std::vector<std::int64_t> ends, op.KnownInts(2));
  std::vector<std::int64_t> axes(starts.size());
  std::iota(axes.begin(), axes.end(), 0);
  std::vector<std::int64_t> steps(starts.size(), 1);
  if (op.has(3)) {
    DRAGOMAN_ASSIGN(axes, op.KnownInts(3));
  }
  if (op.has(4)) {
    DRAGOMAN_ASSIGN(steps, op.KnownInts(4));
  }
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::int64_t axis = axes[i] < 0 ? axes[i] + static_cast<std::int64_t>(rank) : axes[i];
    ranges.push_back({axis, starts[i], ends[i], steps[i]});
  }
  return ranges;
}

struct Bounds {
  std::string begin, end;
  std::int64_t step = 1;
};

// Bounds within 0 … n. Relax gives an end before the start a negative size, and counts a negative
// bound from the end once more: everything before the first element lies beyond -n.
Bounds Resolved(const Range& range, std::int64_t n) {
  auto resolve = [&](std::int64_t bound) {
    if (bound < 0) bound = std::max(bound, -n - 1) + n;
    return range.step > 0 ? std::clamp<std::int64_t>(bound, 0, n)
                          : std::clamp<std::int64_t>(bound, -1, n - 1);
  };
  const std::int64_t start = resolve(range.start);
  const std::int64_t end = resolve(range.end);
  if (range.step > 0 ? end <= start : end >= start) return {"0", "0"};
  return {std::to_string(start), std::to_string(end < 0 ? kLowest : end), range.step};
}

// A bound of an axis of symbolic size; nullopt if it might lie outside.
std::optional<std::string> Symbolic(std::int64_t bound, const Dim& size, const RelaxOp& op,
                                    std::int64_t far) {
  if (bound >= far) return DimText(size, op.symbols);
  if (bound >= 0) return std::to_string(bound);
  if (bound < -(std::int64_t{1} << 31)) return std::nullopt;
  return DimText(size + Dim(bound), op.symbols);
}

// Forwards only, and where the size of the result shows that no bound was clamped.
Result<Bounds> ResolvedSymbolic(const RelaxOp& op, const Range& range, const Dim& size,
                                const Dim& result) {
  constexpr std::int64_t kFar = std::int64_t{1} << 31;
  const std::optional<std::string> begin = Symbolic(range.start, size, op, kFar);
  const std::optional<std::string> end = Symbolic(range.end, size, op, kFar);
  const Dim from = range.start < 0 ? size + Dim(range.start) : Dim(range.start);
  const Dim to = range.end >= kFar ? size : range.end < 0 ? size + Dim(range.end) : Dim(range.end);
  const Dim length = to - from;
  const bool exact = result == length || (length.symbolic() && result == Max(length, Dim(0)));
  if (range.step != 1 || !begin || !end || !exact)
    return op.Refuse("a slice of a size that is known at run time only");
  return Bounds{*begin, *end, 1};
}

// All of an axis, backwards, whatever its size.
bool IsFlip(const Range& range) {
  return range.start == -1 && range.step == -1 && range.end < -(std::int64_t{1} << 31);
}

// Bounds of one axis as 0-d int64 tensors.
struct RuntimeBounds {
  std::string start, end, step;
};

// `bound`, counted from the front and held within low … high.
std::string Within(RelaxOp& op, const std::string& bound, const std::string& size,
                   const std::string& low, const std::string& high) {
  const std::string is_negative = op.Do("less", bound, Int64Const(0));
  const std::string front = op.Do("where", is_negative, op.Do("add", bound, size), bound);
  return op.Do("minimum", op.Do("maximum", front, low), high);
}

// What an axis of `size` elements gives: elements start + i * step, i below the count.
Result<std::string> Indices(RelaxOp& op, const RuntimeBounds& bounds, const std::string& size,
                            const Dim& length) {
  const std::string zero = Int64Const(0);
  const std::string forwards = op.Do("greater", bounds.step, zero);
  const std::string last = op.Do("subtract", size, Int64Const(1));
  const std::string high = op.Do("where", forwards, size, last);
  const std::string low = op.Do("where", forwards, zero, Int64Const(-1));
  const std::string start = Within(op, bounds.start, size, zero, high);
  std::string count;
  if (!IsSaid(op, {length})) {
    const std::string end = Within(op, bounds.end, size, low, high);
    const std::string back = op.Do("subtract", start, end);
    const std::string steps = op.Do("negative", op.Do("floor_divide", back, bounds.step));
    count = op.Do("maximum", steps, zero);
  }
  DRAGOMAN_ASSIGN(std::string named, NameSize(op, count, length));
  return op.Do("add", op.Do("multiply", Places(op, named), bounds.step), start);
}

Expressions SliceByIndex(RelaxOp& op, const Shape& shape, const Shape& result) {
  DRAGOMAN_ASSIGN(Shape bounds, op.shape(1));
  if (bounds.size() != 1 || !bounds[0].known()) return op.Refuse("bounds of unknown number");
  std::vector<std::int64_t> axes(static_cast<std::size_t>(bounds[0].value()));
  std::iota(axes.begin(), axes.end(), 0);
  if (op.has(3)) {
    DRAGOMAN_ASSIGN(axes, op.KnownInts(3));
  }
  const std::string starts = AsInt64(op, 1), ends = AsInt64(op, 2);
  const std::string steps = op.has(4) ? AsInt64(op, 4) : "";
  std::string x = op.arg(0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t axis =
        axes[i] < 0 ? axes[i] + static_cast<std::int64_t>(shape.size()) : axes[i];
    const auto at = static_cast<std::size_t>(axis);
    const auto place = static_cast<std::int64_t>(i);
    const RuntimeBounds of_axis = {ElementOf(op, starts, place), ElementOf(op, ends, place),
                                   steps.empty() ? Int64Const(1) : ElementOf(op, steps, place)};
    DRAGOMAN_ASSIGN(std::string indices,
                    Indices(op, of_axis, SizeOf(op, 0, shape[at], axis), result[at]));
    x = op.BindPlain(fmt::format("R.take({}, {}, axis={}, mode=\"fast\")", x, indices, axis));
  }
  return One(x);
}

// R.strided_slice. Errors: the bounds are not known, or may lie outside.
Expressions SliceByBounds(RelaxOp& op, const Shape& shape, const Shape& result) {
  DRAGOMAN_ASSIGN(std::vector<Range> ranges, RangesOf(op, shape.size()));
  if (ranges.size() == 1 && IsFlip(ranges.front()))
    return One(fmt::format("R.flip({}, axis={})", op.arg(0), ranges.front().axis));
  std::vector<std::int64_t> axes;
  std::vector<std::string> begins, ends;
  std::vector<std::int64_t> steps;
  for (const Range& range : ranges) {
    const Dim& size = shape[static_cast<std::size_t>(range.axis)];
    const Dim& length = result[static_cast<std::size_t>(range.axis)];
    if (size == length && size.symbolic() && range.step == 1) continue;
    Bounds bounds;
    if (size.known()) {
      bounds = Resolved(range, size.value());
    } else {
      DRAGOMAN_ASSIGN(bounds, ResolvedSymbolic(op, range, size, length));
    }
    axes.push_back(range.axis);
    begins.push_back(bounds.begin);
    ends.push_back(bounds.end);
    steps.push_back(bounds.step);
  }
  if (axes.empty()) return One(op.arg(0));
  return One(fmt::format(
      "R.strided_slice({}, axes={}, begin=[{}], end=[{}], strides={}, assume_inbound=False)",
      op.arg(0), ListText(axes), fmt::join(begins, ", "), fmt::join(ends, ", "), ListText(steps)));
}

Expressions EmitSlice(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  DRAGOMAN_ASSIGN(Shape result, op.result_shape());
  Expressions slice = SliceByBounds(op, shape, result);
  return slice.ok() ? std::move(slice) : SliceByIndex(op, shape, result);
}

}  // namespace

std::span<const Row> SliceRows() {
  static constexpr Row kRows[] = {
      {"Slice", EmitSlice},
  };
  return kRows;
}

}  // namespace dragoman::relax
