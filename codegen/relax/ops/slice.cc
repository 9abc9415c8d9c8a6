// Slice, with bounds that are known when the module is written.
#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "codegen/relax/ops/emitters.h"

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

// Forwards only, and where the size of the result tells that no bound was clamped.
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

}  // namespace

namespace {

// All of an axis, backwards, whatever its size.
bool IsFlip(const Range& range) {
  return range.start == -1 && range.step == -1 && range.end < -(std::int64_t{1} << 31);
}

}  // namespace

Expressions EmitSlice(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Shape shape, op.shape(0));
  DRAGOMAN_ASSIGN(Shape result, op.result_shape());
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

}  // namespace dragoman::relax
