// SPDX-License-Identifier: Apache-2.0
// Operators that make, move and pick elements.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "core/lowering/indices.h"
#include "importers/relax/ops/call.h"

namespace dragoman::tvmscript {
namespace {

// The lists of Relax count axes from the end too.
Ints AxesFromFront(Call& c, Ints axes, int rank) {
  for (std::int64_t& axis : axes) axis = c.Axis(axis, rank);
  return axes;
}

Abstract LowerReshape(Call& c) {
  Value* x = c.X("x");
  bool literal = false;
  Value* sizes = c.Sizes("shape", &literal);
  if (c.failed()) return Poison();
  // In a list, 0 is the size of x; in a shape, it is 0.
  const std::optional<Ints> known = c.builder().KnownInts(sizes);
  const bool has_zero = !known || std::ranges::count(*known, 0) > 0;
  return c.NewTensor(c.Op("Reshape", {x, sizes}, {{"allowzero", !literal && has_zero ? 1 : 0}}));
}

Abstract LowerFlatten(Call& c) {
  Value* x = c.X("x");
  return c.NewTensor(c.failed() ? nullptr : c.Flatten(x));
}

Abstract LowerBatchFlatten(Call& c) {
  return c.NewTensor(c.Op("Flatten", {c.X("data")}, {{"axis", 1}}));
}

Abstract LowerPermute(Call& c) {
  Value* x = c.X("x");
  const int rank = c.failed() ? 0 : c.Rank(x);
  if (c.failed()) return Poison();
  Ints axes = AllAxes(rank);
  std::reverse(axes.begin(), axes.end());
  if (!c.IsNone("axes")) axes = AxesFromFront(c, c.IntsOf("axes"), rank);
  return c.NewTensor(c.failed() ? nullptr : c.Transpose(x, axes));
}

Abstract LowerExpandDims(Call& c) {
  Value* x = c.X("x");
  const Ints axes = c.IntsOf("axis");
  if (c.failed()) return Poison();
  return c.NewTensor(
      c.Unsqueeze(x, AxesFromFront(c, axes, c.Rank(x) + static_cast<int>(axes.size()))));
}

Abstract LowerSqueeze(Call& c) {
  Value* x = c.X("x");
  if (c.failed()) return Poison();
  if (c.IsNone("axis")) return c.NewTensor(c.Op("Squeeze", {x}));
  // TVM leaves axes of other sizes than 1 as they are.
  Ints axes = AxesFromFront(c, c.IntsOf("axis"), c.Rank(x));
  std::erase_if(axes, [&](std::int64_t axis) {
    return !c.failed() && c.KnownSize(x, static_cast<int>(axis)).value_or(1) != 1;
  });
  return c.NewTensor(axes.empty() ? x : c.Squeeze(x, axes));
}

Abstract LowerConcat(Call& c) {
  std::vector<Value*> parts = c.Tensors("tensors");
  const bool flat = c.IsNone("axis");
  const std::int64_t axis = flat ? 0 : c.Int("axis");
  if (c.failed()) return Poison();
  if (flat) std::ranges::transform(parts, parts.begin(), [&](Value* v) { return c.Flatten(v); });
  return c.NewTensor(c.Concat(parts, axis));
}

Abstract LowerStack(Call& c) {
  std::vector<Value*> parts = c.Tensors("tensors");
  const std::int64_t given = c.IsNone("axis") ? 0 : c.Int("axis");
  if (c.failed()) return Poison();
  const int axis = c.Axis(given, c.Rank(parts.front()) + 1);
  for (Value*& part : parts) part = c.failed() ? nullptr : c.Unsqueeze(part, {axis});
  return c.NewTensor(c.failed() ? nullptr : c.Concat(parts, axis));
}

// The parts between cuts; those of cuts that lie in order within the axis are one Split.
std::vector<Value*> Cut(Call& c, Value* x, int axis, const Ints& places) {
  const std::optional<std::int64_t> size = c.KnownSize(x, axis);
  const bool fits =
      size && std::ranges::is_sorted(places) && places.front() >= 0 && places.back() <= *size;
  std::vector<Value*> parts;
  Ints sizes;
  std::int64_t begin = 0;
  for (const std::int64_t place : places) {
    if (!fits) parts.push_back(c.Slice(x, axis, begin, place));
    sizes.push_back(place - begin);
    begin = place;
  }
  if (!fits) {
    parts.push_back(c.Slice(x, axis, begin, kEnd));
    return parts;
  }
  sizes.push_back(*size - begin);
  const bool equal =
      sizes.front() > 0 && std::ranges::count(sizes, sizes.front()) == std::ssize(sizes);
  const std::size_t count = sizes.size();
  if (equal)
    return c.Ops("Split", {x}, {{"axis", axis}, {"num_outputs", std::ssize(sizes)}}, count);
  return c.Ops("Split", {x, c.Ints(std::move(sizes))}, {{"axis", axis}}, count);
}

Abstract LowerSplit(Call& c) {
  Value* x = c.X("x");
  const std::int64_t given = c.Int("axis");
  if (c.failed()) return Poison();
  const int axis = c.Axis(given, c.Rank(x));
  const Ints places = c.IntsOf("indices_or_sections");
  if (c.failed()) return Poison();
  const bool sections = !c.IsList("indices_or_sections");
  // One part is not a tuple.
  if (sections ? places.front() == 1 : places.empty()) return c.NewTensor(x);
  if (sections) {
    if (places.front() <= 0 || places.front() > 4096) c.Fail("so many parts are not supported");
    if (c.failed()) return Poison();
    return c.NewTuple(c.Ops("Split", {x}, {{"axis", axis}, {"num_outputs", places.front()}},
                            static_cast<std::size_t>(places.front())));
  }
  return c.NewTuple(Cut(c, x, axis, places));
}

Abstract LowerTake(Call& c) {
  Value* x = c.X("x");
  Value* indices = c.X("indices");
  c.Expect("mode", {"fast", "clip", "wrap"});
  if (c.failed()) return Poison();
  const bool flat = c.IsNone("axis");
  const int axis = flat ? 0 : c.Axis(c.Int("axis"), c.Rank(x));
  if (flat) x = c.Flatten(x);
  if (!c.IsNone("mode") && c.Text("mode") == "clip" && !c.failed()) {
    indices = c.Cast(indices, DType::kI64);
    indices = c.Min(c.Max(indices, 0), c.Sub(c.Size(x, axis), 1));
  }
  if (!c.IsNone("mode") && c.Text("mode") == "wrap" && !c.failed())
    indices = c.Op("Mod", {c.Cast(indices, DType::kI64), c.Size(x, axis)});
  if (c.IsNone("mode") || (!c.failed() && c.Text("mode") == "fast"))
    indices = WithoutRaising(c, indices, x, axis);
  return c.NewTensor(c.Gather(x, indices, axis));
}

Abstract LowerStridedSlice(Call& c) {
  Value* x = c.X("x");
  Value* begin = c.Sizes("begin");
  Value* end = c.Sizes("end");
  Value* axes = c.Sizes("axes");
  if (c.failed()) return Poison();
  std::vector<Value*> operands = {x, begin, end, axes};
  if (!c.IsNone("strides")) operands.push_back(c.Sizes("strides"));
  return c.NewTensor(c.Op("Slice", operands));
}

Abstract LowerBroadcast(Call& c) {
  Value* x = c.X("x");
  Value* sizes = c.Sizes("shape");
  return c.NewTensor(c.failed() ? nullptr : c.Expand(x, sizes));
}

Abstract LowerTile(Call& c) {
  Value* x = c.X("data");
  Ints repeats = c.IntsOf("repeats");
  const int rank = c.failed() ? 0 : c.Rank(x);
  if (c.failed()) return Poison();
  const auto count = static_cast<std::ptrdiff_t>(repeats.size());
  if (count < rank) repeats.insert(repeats.begin(), static_cast<std::size_t>(rank - count), 1);
  if (count > rank) x = c.Unsqueeze(x, AllAxes(static_cast<int>(count - rank)));
  return c.NewTensor(c.Op("Tile", {x, c.Ints(repeats)}));
}

Abstract LowerRepeat(Call& c) {
  Value* x = c.X("data");
  const std::int64_t times = c.Int("repeats");
  if (c.failed()) return Poison();
  const bool flat = c.IsNone("axis");
  if (flat) x = c.Flatten(x);
  const int rank = c.Rank(x);
  const int axis = flat || c.failed() ? 0 : c.Axis(c.Int("axis"), rank);
  if (c.failed()) return Poison();
  Ints repeats(static_cast<std::size_t>(rank) + 1, 1);
  repeats[static_cast<std::size_t>(axis) + 1] = times;
  Value* tiled = c.Op("Tile", {c.Unsqueeze(x, {axis + 1}), c.Ints(repeats)});
  Value* shape =
      c.ConcatSizes({c.SizeVector(x, 0, axis), c.Mul(c.SizeVector(x, axis, 1), c.Ints({times})),
                     c.SizeVector(x, axis + 1, rank - axis - 1)});
  return c.NewTensor(c.Op("Reshape", {tiled, shape}, {{"allowzero", 1}}));
}

Abstract LowerFlip(Call& c) {
  Value* x = c.X("data");
  if (c.failed()) return Poison();
  for (const std::int64_t axis : AxesFromFront(c, c.IntsOf("axis"), c.Rank(x))) {
    if (c.failed()) break;
    x = c.Slice(x, static_cast<int>(axis), -1, std::numeric_limits<std::int64_t>::min(), -1);
  }
  return c.NewTensor(x);
}

enum class Fill { kZeros, kOnes, kValue };

Abstract LowerFull(Call& c, Fill fill, bool like) {
  const bool full = fill == Fill::kValue;
  Value* x = like ? c.X("x") : nullptr;
  Value* shape = like ? (c.failed() ? nullptr : c.Shape(x)) : c.Sizes("shape");
  const DType dtype = c.Type("dtype", x != nullptr ? c.dtype(x) : DType::kF32);
  if (c.failed()) return Poison();
  if (!full) return c.NewTensor(c.Full(shape, fill == Fill::kOnes ? 1 : 0, dtype));
  Value* value = c.Cast(c.Scalar("fill_value", dtype), dtype);
  return c.NewTensor(c.failed() ? nullptr : c.Expand(value, shape));
}

Abstract LowerArange(Call& c) {
  const DType dtype = c.Type("dtype", DType::kI64);
  // ONNX counts in a few types only.
  const bool widens = IsInteger(dtype) && dtype != DType::kI16 && dtype != DType::kI32;
  const DType counted = widens ? DType::kI64 : dtype;
  Value* start = c.Scalar("start", counted);
  if (c.failed()) return Poison();
  // "arange(n)" counts from 0.
  Value* end = c.IsNone("end") ? start : c.Scalar("end", counted);
  if (c.IsNone("end")) start = c.Number(0, counted);
  Value* places = c.Op("Range", {start, end, c.Scalar("step", counted)});
  return c.NewTensor(c.failed() ? nullptr : c.Cast(places, dtype));
}

// alpha - beta · cos(2πi / n), where n is the size, or what lies between both ends.
Abstract LowerHammingWindow(Call& c) {
  const std::int64_t size = c.Int("window_size");
  const bool periodic = c.Bool("periodic");
  const double alpha = c.Float("alpha");
  const double beta = c.Float("beta");
  const DType dtype = c.Type("dtype", DType::kF32);
  if (c.failed()) return Poison();
  if (size < 1 || size > 1'000'000) return c.NewTensor(c.Fail("a window_size out of range"));
  const auto turns = static_cast<double>(periodic ? size : size - 1);
  std::vector<double> window;
  for (std::int64_t i = 0; i < size; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / turns;
    window.push_back(size == 1 ? 1 : alpha - beta * std::cos(angle));
  }
  return c.NewTensor(c.Cast(c.builder().Constant(Tensor::Of<double>({size}, window)), dtype));
}

Abstract LowerEye(Call& c) {
  const DType dtype = c.Type("dtype", DType::kF32);
  Value* n = c.Scalar("n", DType::kI64);
  Value* m = c.IsNone("m") ? n : c.Scalar("m", DType::kI64);
  const std::int64_t k = c.Int("k");
  if (c.failed()) return Poison();
  Value* zeros = c.Full(c.ConcatSizes({c.Vector(n), c.Vector(m)}), 0, dtype);
  return c.NewTensor(c.Op("EyeLike", {zeros}, {{"k", k}}));
}

Abstract LowerTriangle(Call& c, bool upper) {
  Value* x = c.X("x");
  Value* k = c.Scalar("k", DType::kI64);
  if (!c.failed() && c.builder().KnownInts(k) == Ints{0}) k = nullptr;
  return c.NewTensor(c.Op("Trilu", {x, k}, {{"upper", upper ? 1 : 0}}));
}

Abstract LowerPad(Call& c) {
  Value* x = c.X("data");
  const Ints widths = c.IntsOf("pad_width");
  const std::string mode = c.Text("pad_mode");
  if (c.failed()) return Poison();
  Ints before, after;
  for (std::size_t i = 0; i + 1 < widths.size(); i += 2) {
    before.push_back(widths[i]);
    after.push_back(widths[i + 1]);
  }
  before.insert(before.end(), after.begin(), after.end());
  // What TVM computes for "edge" is not what it says.
  const std::pair<std::string_view, const char*> modes[] = {{"constant", "constant"},
                                                            {"reflect", "reflect"},
                                                            {"replicate", "edge"},
                                                            {"circular", "wrap"}};
  const auto* known = std::ranges::find(modes, mode, [](const auto& row) { return row.first; });
  if (known == std::end(modes))
    return c.NewTensor(c.Fail("pad_mode \"" + mode + "\" is not supported"));
  std::vector<Value*> operands = {x, c.Ints(before)};
  if (mode == "constant") operands.push_back(c.Number(c.Float("pad_value"), x));
  return c.NewTensor(c.Op("Pad", operands, {{"mode", known->second}}));
}

Abstract LowerGatherElements(Call& c) {
  Value* x = c.X("data");
  const int axis = c.failed() ? 0 : c.Axis(c.Int("axis"), c.Rank(x));
  Value* indices = WithoutRaising(c, c.X("indices"), x, axis);
  return c.NewTensor(c.Op("GatherElements", {x, indices}, {{"axis", std::int64_t{axis}}}));
}

Abstract LowerGatherNd(Call& c) {
  Value* indices = c.X("indices");
  if (c.failed()) return Poison();
  return c.NewTensor(c.Op("GatherND", {c.X("data"), c.Cast(indices, DType::kI64)},
                          {{"batch_dims", c.Int("batch_dims")}}));
}

Abstract LowerScatter(Call& c) {
  std::string reduction = c.Text("reduction");
  if (reduction == "update") reduction = "none";
  std::vector<NamedAttribute> attributes = {{"reduction", Attribute(reduction)}};
  Value* x = c.X("data");
  Value* indices = c.X("indices");
  if (c.target() == "ScatterElements" && !c.failed()) {
    const int axis = c.Axis(c.Int("axis"), c.Rank(x));
    attributes.emplace_back("axis", std::int64_t{axis});
    indices = WithoutRaising(c, indices, x, axis);
  }
  if (!c.failed() && c.target() == "ScatterND") indices = c.Cast(indices, DType::kI64);
  return c.NewTensor(c.Op(c.target(), {x, indices, c.X("updates")}, std::move(attributes)));
}

Abstract LowerSize(Call& c) { return c.NewTensor(c.Op("Size", {c.X("expr")})); }

Abstract LowerReverseSequence(Call& c) {
  Value* lengths = c.X("seq_lengths");
  if (c.failed()) return Poison();
  return c.NewTensor(c.Op("ReverseSequence", {c.X("data"), c.Cast(lengths, DType::kI64)},
                          {{"batch_axis", c.Int("batch_axis")}, {"time_axis", c.Int("seq_axis")}}));
}

}  // namespace

std::span<const LoweringRow> MovementRows() {
  static constexpr LoweringRow kRows[] = {
      {"arange", LowerArange},
      {"broadcast_to", LowerBroadcast},
      {"concat", LowerConcat},
      {"expand_dims", LowerExpandDims},
      {"eye", LowerEye},
      {"flatten", LowerFlatten},
      {"flip", LowerFlip},
      {"full", With<LowerFull, Fill::kValue, false>},
      {"full_like", With<LowerFull, Fill::kValue, true>},
      {"gather_elements", LowerGatherElements},
      {"gather_nd", LowerGatherNd},
      {"hamming_window", LowerHammingWindow},
      {"nn.batch_flatten", LowerBatchFlatten},
      {"nn.pad", LowerPad},
      {"ones", With<LowerFull, Fill::kOnes, false>},
      {"ones_like", With<LowerFull, Fill::kOnes, true>},
      {"permute_dims", LowerPermute},
      {"repeat", LowerRepeat},
      {"reshape", LowerReshape},
      {"reverse_sequence", LowerReverseSequence},
      {"scatter_elements", LowerScatter, "ScatterElements"},
      {"scatter_nd", LowerScatter, "ScatterND"},
      {"size", LowerSize},
      {"split", LowerSplit},
      {"squeeze", LowerSqueeze},
      {"stack", LowerStack},
      {"strided_slice", LowerStridedSlice},
      {"take", LowerTake},
      {"tile", LowerTile},
      {"tril", With<LowerTriangle, false>},
      {"triu", With<LowerTriangle, true>},
      {"zeros", With<LowerFull, Fill::kZeros, false>},
      {"zeros_like", With<LowerFull, Fill::kZeros, true>},
  };
  return kRows;
}

}  // namespace dragoman::tvmscript
