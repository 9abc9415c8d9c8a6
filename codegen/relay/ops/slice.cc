// SPDX-License-Identifier: Apache-2.0
// Slices and pads.
#include "codegen/relay/ops/op_rows.h"

#include <algorithm>

#include "codegen/relay/ops/sizes.h"
#include "core/ir/axes.h"

namespace dragoman::relay::emit {
namespace {

// Beyond every size, and within an int32, which attributes are.
constexpr std::int64_t kFar = 2147483647;

// The axes that operand `i` names, from the front; without it the first `count`.
Result<Ints> AxesOf(const RelayOp& op, std::size_t i, std::size_t count) {
  DRAGOMAN_ASSIGN(const std::int64_t rank, op.rank());
  Ints axes = AxesFrom(0, static_cast<std::int64_t>(count));
  if (op.has(i)) {
    DRAGOMAN_ASSIGN(axes, op.KnownInts(i));
  }
  for (std::int64_t& axis : axes) axis += axis < 0 ? rank : 0;
  return axes;
}

// A bound within 0 … n, or -1 … n - 1 backwards.
std::int64_t Resolved(std::int64_t bound, std::int64_t n, bool forwards) {
  if (bound < 0) bound = std::max(bound, -n - 1) + n;
  return forwards ? std::clamp<std::int64_t>(bound, 0, n)
                  : std::clamp<std::int64_t>(bound, -1, n - 1);
}

struct Bounds {
  std::int64_t begin, end, step;
};

// An end before the start is an error in Relay. Backwards, the place before the first element is
// -n - 1: -1 is the last one.
Bounds Fitted(const Bounds& given, const Dim& size) {
  Bounds b = {std::clamp(given.begin, -kFar, kFar), std::clamp(given.end, -kFar, kFar), given.step};
  if (!size.known()) {
    if (b.step > 0 && b.begin == -kFar) b.begin = 0;
    return b;
  }
  const std::int64_t n = size.value();
  const bool forwards = b.step > 0;
  b.begin = Resolved(given.begin, n, forwards);
  b.end = Resolved(given.end, n, forwards);
  if (forwards ? b.end <= b.begin : b.end >= b.begin) return {0, 0, 1};
  if (b.end < 0) b.end = -n - 1;
  return b;
}

// Of steps forwards, bounds from 0 to the size, and no end before its begin, of which TVM makes a
// negative size. Bounds of steps backwards are as they were.
std::pair<Value*, Value*> BoundsWithin(RelayOp& op, Value* begin, Value* end, Value* steps,
                                       std::int64_t count) {
  Value* zero = op.Int64(0);
  Value* sizes = Part(op, SizesOf(op, op.arg(0)), 0, count);
  Value* forwards = op.Do("greater", {steps, zero});
  const auto within = [&](Value* bound, Value* least) {
    Value* counted =
        op.Do("where", {op.Do("less", {bound, zero}), op.Do("add", {bound, sizes}), bound});
    return op.Do("minimum", {op.Do("maximum", {counted, least}), sizes});
  };
  Value* first = within(begin, zero);
  Value* last = within(end, first);
  return {op.Do("where", {forwards, first, begin}), op.Do("where", {forwards, last, end})};
}

// Bounds as vectors over the first axes of the operand; those that are not named stay whole.
Emitted SliceAtRunTime(RelayOp& op) {
  DRAGOMAN_ASSIGN(const Shape bounds, op.shape(1));
  if (bounds.size() != 1 || !bounds[0].known()) return op.Refuse("bounds of unknown number");
  const auto count = static_cast<std::size_t>(bounds[0].value());
  DRAGOMAN_ASSIGN(const Ints axes, AxesOf(op, 3, count));
  const std::int64_t last = axes.empty() ? -1 : *std::ranges::max_element(axes);
  const auto whole = [&](Value* given, std::int64_t otherwise) {
    Values parts;
    for (std::int64_t axis = 0; axis <= last; ++axis) {
      const auto found = std::ranges::find(axes, axis);
      const std::int64_t at = found - axes.begin();
      parts.push_back(found == axes.end() ? op.IntVector({otherwise})
                                          : Part(op, given, at, at + 1));
    }
    return Join(op, parts);
  };
  if (axes.empty()) return One(op.arg(0));
  const auto in_order = [&](Value* given, std::int64_t otherwise) {
    return axes == AxesFrom(0, last + 1) ? given : whole(given, otherwise);
  };
  Value* steps = op.has(4) ? in_order(op.ArgAs(4, DType::kI64), 1)
                           : op.IntVector(Ints(static_cast<std::size_t>(last + 1), 1));
  const auto [begin, end] = BoundsWithin(op, in_order(op.ArgAs(1, DType::kI64), 0),
                                         in_order(op.ArgAs(2, DType::kI64), kFar), steps, last + 1);
  return One(op.Do("dyn.strided_slice", {op.arg(0), begin, end, steps},
                   {{"begin", Attribute()},
                    {"end", Attribute()},
                    {"strides", Attribute()},
                    {"axes", Attribute()}}));
}

// Whether TVM finds the elements that these bounds name along an axis of any size but 0. It takes
// an end beyond the size for the size, but no begin, and no end before its begin.
bool HoldsForAnySize(const Bounds& b) {
  if (b.step < 0) return true;
  if (b.begin == 0) return b.end >= -1;
  return b.begin == 1 ? b.end >= 1 : b.begin == -1 && b.end == kFar;
}

Emitted EmitSlice(RelayOp& op) {
  const std::optional<Ints> starts = op.MaybeInts(1), ends = op.MaybeInts(2);
  const std::optional<Ints> steps = op.has(4) ? op.MaybeInts(4) : Ints();
  if (!starts || !ends || !steps) return SliceAtRunTime(op);
  DRAGOMAN_ASSIGN(const Shape shape, op.shape(0));
  DRAGOMAN_ASSIGN(Ints axes, AxesOf(op, 3, starts->size()));
  Ints begin, end, strides;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Bounds given = {(*starts)[i], (*ends)[i], steps->empty() ? 1 : (*steps)[i]};
    const Dim& size = shape[static_cast<std::size_t>(axes[i])];
    const Bounds fitted = Fitted(given, size);
    if (!size.known() && !HoldsForAnySize(fitted)) return SliceAtRunTime(op);
    begin.push_back(fitted.begin);
    end.push_back(fitted.end);
    strides.push_back(fitted.step);
  }
  if (axes.empty()) return One(op.arg(0));
  return One(op.Do("strided_slice", {op.arg(0)},
                   {{"begin", std::move(begin)},
                    {"end", std::move(end)},
                    {"strides", std::move(strides)},
                    {"axes", std::move(axes)}}));
}

Value* Filler(RelayOp& op) {
  if (!op.has(2)) return op.Number(0);
  return AsScalar(op.builder, op.arg(2), op.type(2));
}

Emitted PadAtRunTime(RelayOp& op, const std::string& mode) {
  if (op.has(3)) return op.Refuse("axes and pads that are known at run time only");
  Value* pairs = op.Do("reshape", {op.arg(1)}, {{"newshape", Ints{2, -1}}});
  return One(op.Do("dyn.nn.pad", {op.arg(0), Transpose(op, pairs, {1, 0}), Filler(op)},
                   {{"pad_width", Ints()}, {"pad_mode", mode}}));
}

// Rows before the first are the last ones, and so on around.
Value* Wrapped(RelayOp& op, Value* x, std::int64_t axis, std::int64_t size, std::int64_t before,
               std::int64_t after) {
  Ints places;
  for (std::int64_t i = -before; i < size + after; ++i) places.push_back((i % size + size) % size);
  return op.Do("take", {x, op.IntVector(places)}, {{"axis", axis}});
}

Emitted EmitPad(RelayOp& op) {
  const std::string mode = op.String("mode", "constant");
  const std::optional<Ints> pads = op.MaybeInts(1);
  if (!pads) return PadAtRunTime(op, mode);
  DRAGOMAN_ASSIGN(const Shape shape, op.shape(0));
  DRAGOMAN_ASSIGN(const Ints axes, AxesOf(op, 3, pads->size() / 2));
  std::vector<Ints> widths(shape.size(), Ints{0, 0});
  Ints begin(shape.size(), 0), end(shape.size(), kFar);
  bool crops = false, extends = false;
  Value* x = op.arg(0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<std::size_t>(axes[i]);
    const std::int64_t before = (*pads)[i], after = (*pads)[i + axes.size()];
    crops = crops || before < 0 || after < 0;
    extends = extends || before > 0 || after > 0;
    if (mode == "wrap" && (before != 0 || after != 0)) {
      if (!shape[axis].known() || shape[axis].value() < 1 || before < 0 || after < 0)
        return op.Refuse("a wrapping pad of an axis whose size is not known");
      x = Wrapped(op, x, axes[i], shape[axis].value(), before, after);
    }
    widths[axis] = {std::max<std::int64_t>(before, 0), std::max<std::int64_t>(after, 0)};
    begin[axis] = std::max<std::int64_t>(-before, 0);
    if (after < 0) end[axis] = after;
  }
  if (mode == "wrap") return One(x);
  if (crops && extends && mode != "constant") return op.Refuse("pads that crop and repeat");
  if (crops) {
    x = op.Do("strided_slice", {x},
              {{"begin", begin},
               {"end", end},
               {"strides", Ints(shape.size(), 1)},
               {"axes", AxesFrom(0, static_cast<std::int64_t>(shape.size()))}});
  }
  if (!extends) return One(x);
  Attribute::List list;
  for (const Ints& pair : widths) list.emplace_back(pair);
  Attribute::Dict attributes = {{"pad_width", std::move(list)}};
  if (mode != "constant") attributes.emplace_back("pad_mode", mode);
  return One(op.Do("nn.pad", {x, Filler(op)}, std::move(attributes)));
}

}  // namespace

std::span<const Row> SliceRows() {
  static constexpr Row kRows[] = {
      {"Pad", EmitPad},
      {"Slice", EmitSlice},
  };
  return kRows;
}

}  // namespace dragoman::relay::emit
