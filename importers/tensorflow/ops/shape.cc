// SPDX-License-Identifier: Apache-2.0
// Sizes, and tensors with other sizes.
#include "importers/tensorflow/ops/lowerings.h"
#include "importers/tensorflow/ops/op_rows.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "core/lowering/complex.h"
#include "core/lowering/math.h"
#include "importers/tensorflow/ops/lists.h"
#include "importers/tensorflow/ops/run_time_axes.h"

namespace dragoman::tf {
namespace {

// The element type of sizes: attribute out_type.
Value* AsSizes(Call& c, Value* sizes) { return c.Cast(sizes, c.TypeAttribute("out_type")); }

// A vector of variants is a list (lists.h).
Value* LowerShape(Call& c) {
  const bool is_list = c.num_operands() > 0 && ListOf(c.operand(0)) != nullptr;
  return AsSizes(c, is_list ? c.Vector(ListLength(c, c.operand(0))) : c.Shape(c.Tensor(0)));
}

std::vector<Value*> LowerShapeN(Call& c) {
  std::vector<Value*> results;
  for (std::size_t i = 0; i < c.num_operands(); ++i)
    results.push_back(AsSizes(c, c.Shape(c.Tensor(i))));
  return results;
}

Value* LowerSize(Call& c) { return AsSizes(c, c.NumElements(c.Tensor(0))); }

Value* LowerRank(Call& c) {
  Value* x = c.Tensor(0);
  if (const std::optional<int> rank = c.MaybeRank(x)) return c.Cast(c.Int(*rank), DType::kI32);
  return c.Cast(c.Op("Size", {c.Op("Shape", {x})}), DType::kI32);
}

Value* LowerReshape(Call& c) {
  Value* x = c.Tensor(0);
  return c.Reshape(x, c.Index(1));
}

Value* LowerExpandDims(Call& c) {
  Value* x = c.Tensor(0);
  Value* stated = c.IndexNumber(1);
  if (!c.failed() && !c.KnownNumber(stated)) return c.Op("Unsqueeze", {x, c.Vector(stated)});
  const std::int64_t axis = c.KnownInt(1, "the axis");
  const std::optional<int> rank = c.MaybeRank(x);
  if (!rank) return c.Unsqueeze(x, {axis});
  return c.Unsqueeze(x, {c.Axis(axis, *rank + 1)});
}

Value* LowerSqueeze(Call& c) {
  Value* x = c.Tensor(0);
  Ints axes = c.Has("squeeze_dims") ? c.IntsAttribute("squeeze_dims") : Ints();
  for (std::int64_t& axis : axes) axis = c.AxisOf(axis, x);
  if (!axes.empty()) return c.Squeeze(x, std::move(axes));
  // Without axes, those of size 1 vanish: which those are must be known.
  const Shape* shape = x != nullptr ? x->type().shape() : nullptr;
  if (shape == nullptr) return c.failed() ? nullptr : c.Op("Squeeze", {x});
  for (std::size_t i = 0; i < shape->size(); ++i) {
    const Truth one = Equal((*shape)[i], Dim(1));
    if (one == Truth::kYes) axes.push_back(static_cast<std::int64_t>(i));
    if (one == Truth::kUnknown)
      return c.Fail("whether axis " + std::to_string(i) +
                    " vanishes is not known; state the inputs' sizes with --shape");
  }
  return c.Squeeze(x, std::move(axes));
}

Value* LowerTranspose(Call& c, bool conjugate) {
  Value* x = c.Tensor(0);
  Value* y = nullptr;
  if (std::optional<Ints> order = c.MaybeKnownInts(1)) {
    for (std::int64_t& axis : *order) axis = c.AxisOf(axis, x);
    y = c.Transpose(x, *std::move(order));
  } else {
    const int rank = c.Rank(x);
    Value* of_run = c.Flatten(c.Index(1));
    y = TransposeByOrder(c, x, c.Where(c.Less(of_run, 0), c.Add(of_run, rank), of_run));
  }
  return conjugate && IsComplex(c.dtype(x)) ? Conjugate(c, y) : y;
}

Value* LowerBroadcastTo(Call& c) {
  Value* x = c.Tensor(0);
  return c.Expand(x, c.Index(1));
}

// The sizes that tensors of two lists of sizes broadcast to.
Value* LowerBroadcastArgs(Call& c) {
  Value* a = c.Full(c.Index(0), 0, DType::kBool);
  Value* b = c.Full(c.Index(1), 0, DType::kBool);
  return c.CastLike(c.Op("Shape", {c.Or(a, b)}), c.Tensor(0));
}

Value* LowerTile(Call& c) {
  Value* x = c.Tensor(0);
  return c.Op("Tile", {x, c.Index(1)});
}

Value* LowerFill(Call& c) { return c.Expand(c.Tensor(1), c.Index(0)); }

Value* LowerLike(Call& c, int number) {
  Value* x = c.Tensor(0);
  return c.Full(c.Shape(x), number, c.dtype(x));
}

// Where each axis of layout `to` stands in layout `from`; fails unless both have the same ones.
Ints AxesOf(Call& c, const std::string& from, const std::string& to) {
  Ints axes;
  for (const char axis : to) {
    const std::size_t at = from.find(axis);
    if (at == std::string::npos) break;
    axes.push_back(static_cast<std::int64_t>(at));
  }
  if (axes.size() != from.size() || to.size() != from.size())
    c.Fail(InvalidInput("src_format and dst_format do not have the same axes"));
  return axes;
}

// Numbers of axes in the other layout; negative ones count from the end.
Value* LowerDataFormatDimMap(Call& c) {
  Value* x = c.Tensor(0);
  const std::string from = c.TextAttribute("src_format");
  const std::string to = c.TextAttribute("dst_format");
  const Ints axes = AxesOf(c, to, from);
  if (c.failed()) return nullptr;
  const auto rank = static_cast<int>(axes.size());
  Value* number = c.Cast(x, DType::kI64);
  number = c.Where(c.Less(number, 0), c.Add(number, rank), number);
  return c.CastLike(c.Gather(c.Ints(axes), number, 0), x);
}

// Sizes, or pairs of them, in the order of the other layout; or of its spatial axes.
Value* LowerDataFormatVecPermute(Call& c) {
  Value* x = c.Tensor(0);
  std::string from = c.TextAttribute("src_format");
  std::string to = c.TextAttribute("dst_format");
  const std::optional<std::int64_t> count = c.KnownSize(x, 0);
  if (c.failed()) return nullptr;
  if (count && static_cast<std::size_t>(*count) + 2 == from.size()) {
    for (std::string* layout : {&from, &to})
      std::erase_if(*layout, [](char axis) { return axis == 'N' || axis == 'C'; });
  }
  const Ints axes = AxesOf(c, from, to);
  if (c.failed()) return nullptr;
  return c.Gather(x, c.Ints(axes), 0);
}

// Whatever the elements are: zeros.
Value* LowerEmpty(Call& c) { return c.Full(c.Index(0), 0, c.TypeAttribute("dtype")); }

Value* LowerConcat(Call& c, bool axis_first) {
  const std::size_t count = c.num_operands() - 1;
  if (c.num_operands() < 2) return c.Fail(InvalidInput("there is nothing to join"));
  std::vector<Value*> parts = c.Tensors(axis_first ? 1 : 0, count);
  const std::size_t at = axis_first ? 0 : count;
  if (Value* axis = RunTimeAxis(c, at, parts.back())) {
    for (Value*& part : parts) part = AxisToFront(c, part, axis);
    return FrontToAxis(c, c.Concat(std::move(parts), 0), axis);
  }
  const std::int64_t axis = c.AxisOperand(at, parts.back());
  return c.Concat(std::move(parts), axis);
}

// Operands with size 1 along axis 0.
Value* LowerParallelConcat(Call& c) { return c.Concat(c.Tensors(0, c.num_operands()), 0); }

// For each list of sizes, where its part begins in the joined tensor.
std::vector<Value*> LowerConcatOffset(Call& c) {
  std::vector<Value*> results;
  Value* axis = c.IndexNumber(0);
  Value* offset = nullptr;
  for (std::size_t i = 1; i < c.num_operands(); ++i) {
    Value* sizes = c.Tensor(i);
    const std::optional<std::int64_t> rank = c.KnownSize(sizes, 0);
    if (!rank) return {c.Fail("the number of axes is not known")};
    if (*rank < 1 || *rank > kMaxAxes)
      return {c.Fail(InvalidInput("a list of " + std::to_string(*rank) + " sizes"))};
    if (const std::optional<std::int64_t> known = c.KnownNumber(axis))
      axis = c.Int(c.Axis(*known, static_cast<int>(*rank)));
    Value* from_front = c.Where(c.Less(axis, 0), c.Add(axis, c.Int(*rank)), axis);
    Value* along = c.Equal(c.Iota(c.Int(*rank)), from_front);
    Value* only = c.Where(along, sizes, 0);
    results.push_back(offset != nullptr ? offset : c.Mul(sizes, 0));
    offset = offset != nullptr ? c.Add(offset, only) : only;
  }
  return results;
}

Value* LowerPack(Call& c) {
  std::vector<Value*> parts = c.Tensors(0, c.num_operands());
  if (parts.empty()) return c.Fail(InvalidInput("there is nothing to join"));
  std::int64_t axis = c.IntAttribute("axis");
  if (axis < 0) axis = c.Axis(axis, c.Rank(parts.front()) + 1);
  for (Value*& part : parts) part = c.Unsqueeze(part, {axis});
  return c.Concat(std::move(parts), axis);
}

std::vector<Value*> LowerUnpack(Call& c) {
  Value* x = c.Tensor(0);
  const std::size_t count = c.num_results();
  const int axis = c.AxisOf(c.IntAttribute("axis"), x);
  const std::optional<std::int64_t> size = c.KnownSize(x, axis);
  if (size && *size != static_cast<std::int64_t>(count))
    return {c.Fail(InvalidInput(fmt::format("there are {} results of {} parts", count, *size)))};
  std::vector<Value*> results;
  for (std::size_t i = 0; i < count; ++i)
    results.push_back(c.Select(x, axis, static_cast<std::int64_t>(i)));
  return results;
}

// An axis that is split: one of the run is at the front meanwhile.
struct SplitAxis {
  std::int64_t number = 0;
  Value* of_run = nullptr;
};

SplitAxis TakeSplitAxis(Call& c, std::size_t i, Value*& x) {
  Value* of_run = RunTimeAxis(c, i, x);
  if (of_run == nullptr) return {c.AxisOperand(i, x)};
  x = AxisToFront(c, x, of_run);
  return {0, of_run};
}

std::vector<Value*> BackInPlace(Call& c, const SplitAxis& axis, std::vector<Value*> parts) {
  if (axis.of_run == nullptr) return parts;
  for (Value*& part : parts) part = FrontToAxis(c, part, axis.of_run);
  return parts;
}

std::vector<Value*> LowerSplit(Call& c) {
  Value* x = c.Tensor(1);
  const std::size_t count = c.num_results();
  if (count == 1) return {x};
  const SplitAxis axis = TakeSplitAxis(c, 0, x);
  const std::optional<std::int64_t> size = c.KnownSize(x, static_cast<int>(axis.number));
  if (size && *size % static_cast<std::int64_t>(count) != 0)
    return {
        c.Fail(InvalidInput(fmt::format("{} elements do not make {} equal parts", *size, count)))};
  return BackInPlace(
      c, axis,
      c.Ops("Split", {x},
            {{"axis", axis.number}, {"num_outputs", static_cast<std::int64_t>(count)}}, count));
}

std::vector<Value*> LowerSplitV(Call& c) {
  Value* x = c.Tensor(0);
  const SplitAxis axis = TakeSplitAxis(c, 2, x);
  const std::size_t count = c.num_results();
  Value* sizes = c.Index(1);
  const std::optional<Ints> known = c.MaybeKnownInts(1);
  if (known) {
    Ints parts = *known;
    const auto rest = std::find(parts.begin(), parts.end(), -1);
    if (rest != parts.end()) {
      std::int64_t stated = 0;
      for (const std::int64_t part : parts) {
        if (part < -1 || __builtin_add_overflow(stated, part, &stated))
          return {c.Fail(InvalidInput("the sizes of the parts are not sizes"))};
      }
      Value* before = c.Ints({parts.begin(), rest});
      Value* left = c.Sub(c.Vector(c.Size(x, static_cast<int>(axis.number))), c.Ints({stated + 1}));
      sizes = c.ConcatSizes({before, left, c.Ints({rest + 1, parts.end()})});
    }
  } else {
    // At most one of them is -1: what the others leave.
    Value* negative = c.Less(sizes, 0);
    Value* stated = c.ReduceAll("ReduceSum", c.Where(negative, 0, sizes));
    sizes = c.Where(negative, c.Sub(c.Size(x, static_cast<int>(axis.number)), stated), sizes);
  }
  return BackInPlace(c, axis, c.Ops("Split", {x, sizes}, {{"axis", axis.number}}, count));
}

// From (begin, end) an axis to all begins, then all ends.
Value* PadsOf(Call& c, std::size_t operand) {
  const std::optional<Ints> known = c.MaybeKnownInts(operand);
  if (!known) return c.Flatten(c.Transpose(c.Index(operand), {1, 0}));
  Ints sides;
  for (std::size_t side : {0, 1}) {
    for (std::size_t i = side; i < known->size(); i += 2) sides.push_back((*known)[i]);
  }
  return c.Ints(std::move(sides));
}

// With so many elements at the beginning and the end of each axis as `pads` (axes, 2) gives at run
// time, the ones on the border twice.
Value* MirroredAtRunTime(Call& c, Value* x, Value* pads) {
  const int rank = c.Rank(x);
  for (int axis = 0; axis < rank && !c.failed(); ++axis) {
    Value* sides = c.Select(pads, 0, axis);
    Value* before = c.Select(sides, 0, 0);
    Value* after = c.Select(sides, 0, 1);
    Value* size = c.Size(x, axis);
    c.Assert(c.LessOrEqual(c.Max(before, after), size),
             "more pads of '" + c.node().name() + "' than there are elements");
    Value* place = c.Sub(c.Iota(c.Add(size, c.Add(before, after))), before);
    Value* low = c.Where(c.Less(place, 0), c.Sub(-1, place), place);
    Value* beyond = c.Sub(c.Sub(c.Add(size, size), 1), place);
    x = c.Gather(x, c.Where(c.GreaterOrEqual(place, size), beyond, low), axis);
  }
  return x;
}

}  // namespace

Value* Mirrored(Call& c, Value* x, std::size_t operand, const std::string& mode) {
  if (mode == "REFLECT") return c.Op("Pad", {x, PadsOf(c, operand)}, {{"mode", "reflect"}});
  // Each element on the border comes twice.
  const std::optional<Ints> known = c.MaybeKnownInts(operand);
  if (!known) return MirroredAtRunTime(c, x, c.Index(operand));
  const Ints& sides = *known;
  const int rank = c.Rank(x);
  if (c.failed()) return nullptr;
  for (int axis = 0; axis < rank; ++axis) {
    const auto at = 2 * static_cast<std::size_t>(axis);
    if (at + 1 >= sides.size()) return c.Fail(InvalidInput("there are fewer pads than axes"));
    std::vector<Value*> parts;
    if (sides[at] > 0)
      parts.push_back(
          c.Slice(x, axis, sides[at] - 1, std::numeric_limits<std::int64_t>::min(), -1));
    parts.push_back(x);
    if (sides[at + 1] > 0) parts.push_back(c.Slice(x, axis, -1, -sides[at + 1] - 1, -1));
    x = c.Concat(std::move(parts), axis);
  }
  return x;
}

namespace {

Value* LowerPad(Call& c, bool mirrors) {
  Value* x = c.Tensor(0);
  if (mirrors) return Mirrored(c, x, 1, c.TextAttribute("mode"));
  if (c.num_operands() < 3) return c.Op("Pad", {x, PadsOf(c, 1)});
  return c.Op("Pad", {x, PadsOf(c, 1), c.Tensor(2)});
}

Value* Reversed(Call& c, Value* x, Value* axes, std::int64_t count) {
  Value* last = c.Ints(Ints(static_cast<std::size_t>(count), -1));
  Value* before =
      c.Ints(Ints(static_cast<std::size_t>(count), std::numeric_limits<std::int64_t>::min()));
  return c.Op("Slice", {x, last, before, axes, last});
}

Value* LowerReverse(Call& c) {
  Value* x = c.Tensor(0);
  Ints axes;
  if (c.dtype(c.Tensor(1)) != DType::kBool) {
    Value* of_run = c.Index(1);
    const std::optional<std::int64_t> count = c.KnownSize(of_run, 0);
    if (!c.failed() && count && !c.builder().KnownInts(of_run)) {
      if (*count > kMaxAxes)
        return c.Fail(InvalidInput("a list of " + std::to_string(*count) + " axes"));
      return Reversed(c, x, of_run, *count);
    }
  }
  const Ints stated = c.KnownInts(1, "a list of axes");
  const bool flags = c.dtype(c.Tensor(1)) == DType::kBool;
  for (std::size_t i = 0; i < stated.size(); ++i) {
    if (!flags) axes.push_back(c.AxisOf(stated[i], x));
    if (flags && stated[i] != 0) axes.push_back(static_cast<std::int64_t>(i));
  }
  if (axes.empty()) return x;
  return Reversed(c, x, c.Ints(axes), static_cast<std::int64_t>(axes.size()));
}

Value* LowerReverseSequence(Call& c) {
  Value* x = c.Tensor(0);
  const int rank = c.Rank(x);
  const int time = c.Axis(c.IntAttribute("seq_dim"), rank);
  const int batch = c.Axis(c.IntAttribute("batch_dim"), rank);
  if (c.failed()) return nullptr;
  if (time == batch) return c.Fail(InvalidInput("seq_dim and batch_dim are the same"));
  // The operator takes axes 0 and 1 only.
  Ints order = {std::min(time, batch), std::max(time, batch)};
  for (int axis = 0; axis < rank; ++axis) {
    if (axis != time && axis != batch) order.push_back(axis);
  }
  Ints back(order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  const std::int64_t time_axis = time < batch ? 0 : 1;
  Value* y = c.Op("ReverseSequence", {c.Transpose(x, order), c.Index(1)},
                  {{"batch_axis", 1 - time_axis}, {"time_axis", time_axis}});
  return c.Transpose(y, back);
}

Value* LowerRoll(Call& c) {
  Value* x = c.Tensor(0);
  Value* shifts = c.Flatten(c.Index(1));
  const Ints axes = c.KnownInts(2, "an axis");
  const auto count = static_cast<std::int64_t>(axes.size());
  if (!c.failed() && c.KnownSize(shifts, 0).value_or(count) != count)
    return c.Fail(InvalidInput("there are not as many shifts as axes"));
  for (std::int64_t i = 0; i < count && !c.failed(); ++i) {
    const int axis = c.AxisOf(axes[static_cast<std::size_t>(i)], x);
    Value* size = c.Max(c.Size(x, axis), 1);
    // What lies after the border comes first.
    Value* border = Remainder(c, c.Neg(c.Select(shifts, 0, i)), size);
    Value* at = c.Vector(border);
    Value* tail = c.Slice(x, axis, at, c.Ints({kEnd}), c.Ints({1}));
    x = c.Concat({tail, c.Slice(x, axis, c.Ints({0}), at, c.Ints({1}))}, axis);
  }
  return x;
}

}  // namespace

std::span<const OpRow> ShapeRows() {
  static constexpr OpRow kRows[] = {
      {"BroadcastArgs", LowerBroadcastArgs},
      {"BroadcastTo", LowerBroadcastTo},
      {"Concat", With<LowerConcat, true>},
      {"ConcatOffset", LowerConcatOffset},
      {"ConcatV2", With<LowerConcat, false>},
      {"ConjugateTranspose", With<LowerTranspose, true>},
      {"DataFormatDimMap", LowerDataFormatDimMap},
      {"DataFormatVecPermute", LowerDataFormatVecPermute},
      {"Empty", LowerEmpty},
      {"ExpandDims", LowerExpandDims},
      {"Fill", LowerFill},
      {"MirrorPad", With<LowerPad, true>},
      {"OnesLike", With<LowerLike, 1>},
      {"Pack", LowerPack},
      {"Pad", With<LowerPad, false>},
      {"PadV2", With<LowerPad, false>},
      {"ParallelConcat", LowerParallelConcat},
      {"Rank", LowerRank},
      {"Reshape", LowerReshape},
      {"Reverse", LowerReverse},
      {"ReverseSequence", LowerReverseSequence},
      {"ReverseV2", LowerReverse},
      {"Roll", LowerRoll},
      {"Shape", LowerShape},
      {"ShapeN", LowerShapeN},
      {"Size", LowerSize},
      {"Split", LowerSplit},
      {"SplitV", LowerSplitV},
      {"Squeeze", LowerSqueeze},
      {"Tile", LowerTile},
      {"Transpose", With<LowerTranspose, false>},
      {"Unpack", LowerUnpack},
      {"ZerosLike", With<LowerLike, 0>},
  };
  return kRows;
}

}  // namespace dragoman::tf
