// SPDX-License-Identifier: Apache-2.0
// Operators that read and write at places, and those that make tensors.
#include "importers/relay/ops/op_rows.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "core/lowering/indices.h"
#include "core/lowering/math.h"
#include "importers/relay/ops/advanced_indexing.h"

namespace dragoman::relay {
namespace {

// The list `values`, filled with `otherwise` to `count` entries.
Ints Filled(Ints values, std::size_t count, std::int64_t otherwise) {
  if (values.size() < count) values.resize(count, otherwise);
  return values;
}

// Begin and end of a slice of known numbers, by attributes or operands.
struct Slices {
  Ints begin;
  Ints end;
  Ints strides;
  Ints axes;
};

// Ends that are lengths become ends; -1 is to the end of the axis.
void FromLengths(Call& c, Value* x, Slices& slices) {
  for (std::size_t i = 0; i < slices.end.size(); ++i) {
    std::int64_t begin = slices.begin[i];
    const auto axis = static_cast<int>(slices.axes[i]);
    if (begin < 0) {
      const std::optional<std::int64_t> size = c.KnownSize(x, axis);
      if (!size) {
        c.Fail("a slice of a length from the end of an axis whose size is not known");
        return;
      }
      begin = std::max<std::int64_t>(begin + *size, 0);
      slices.begin[i] = begin;
    }
    if (slices.end[i] < -1) c.Fail(InvalidInput("a negative length"));
    const bool all = slices.end[i] == -1 || slices.end[i] > kEnd - begin;
    slices.end[i] = all ? kEnd : begin + slices.end[i];
    slices.strides[i] = 1;
  }
}

// With a negative stride an end of None is written as far before the first element.
Value* SliceBy(Call& c, Value* x, Slices slices) {
  if (c.failed() || slices.axes.empty()) return x;
  return c.Op("Slice", {x, c.Ints(std::move(slices.begin)), c.Ints(std::move(slices.end)),
                        c.Ints(std::move(slices.axes)), c.Ints(std::move(slices.strides))});
}

Slices TakeSlices(Call& c, Value* x, bool of_operands) {
  Slices slices;
  if (of_operands) {
    c.Ignore({"begin", "end", "strides"});
    slices.begin = c.KnownInts(1, "a begin");
    slices.end = c.KnownInts(2, "an end");
    slices.strides = c.KnownInts(3, "a stride");
  } else {
    slices.begin = c.RequiredInts("begin");
    slices.end = c.RequiredInts("end");
    slices.strides = c.IntList("strides", {});
  }
  const std::string mode = c.Text("slice_mode", "end");
  const int rank = c.Rank(x);
  const std::size_t count = std::max(slices.begin.size(), slices.end.size());
  const std::optional<Ints> axes = c.MaybeInts("axes");
  slices.axes = axes && !axes->empty() ? *axes : AllAxes(static_cast<int>(count));
  if (c.failed()) return {};
  if (slices.axes.size() != count || static_cast<int>(count) > rank) {
    c.Fail(InvalidInput("begin, end and axes have other numbers of entries"));
    return {};
  }
  for (std::int64_t& axis : slices.axes) axis = c.Axis(axis, rank);
  if (slices.begin.size() == 1 && count > 1) slices.begin = Ints(count, slices.begin.front());
  slices.begin = Filled(std::move(slices.begin), count, 0);
  slices.end = Filled(std::move(slices.end), count, kEnd);
  slices.strides = Filled(std::move(slices.strides), count, 1);
  if (mode == "size") FromLengths(c, x, slices);
  if (mode != "size" && mode != "end") c.Fail("slice_mode=\"" + mode + "\" is not supported");
  if (std::find(slices.strides.begin(), slices.strides.end(), 0) != slices.strides.end())
    c.Fail(InvalidInput("a stride of 0"));
  return slices;
}

// Indices as TVM takes them: "clip" between the ends, "wrap" modulo the size, "fast" unchecked.
Value* Indices(Call& c, Value* x, int axis, Value* indices, const std::string& mode) {
  const std::optional<Ints> known = c.failed() ? std::nullopt : c.builder().KnownInts(indices);
  const std::optional<std::int64_t> size = c.KnownSize(x, axis);
  const auto fit = [&](std::int64_t low) {
    return known && size && std::all_of(known->begin(), known->end(), [&](std::int64_t index) {
             return index >= low && index < *size;
           });
  };
  if (mode == "fast") return WithoutRaising(c, indices, x, axis);
  if (mode == "wrap") {
    const bool plain = known && std::all_of(known->begin(), known->end(), [](std::int64_t index) {
                         return index >= -1 && index <= 0;
                       });
    // The first and the last element are there of any axis that has one.
    return fit(size ? -*size : 0) || plain ? indices : Remainder(c, indices, c.Size(x, axis));
  }
  if (mode != "clip") return c.Fail("mode=\"" + mode + "\" is not supported");
  if (fit(0) || (known && std::all_of(known->begin(), known->end(),
                                      [](std::int64_t index) { return index == 0; })))
    return indices;
  return c.Max(c.Min(indices, c.Sub(c.Size(x, axis), 1)), 0);
}

std::string ScatterReduction(Call& c, std::string_view name) {
  std::string mode = c.Text(name, "update");
  if (mode == "update") return "none";
  if (mode != "add" && mode != "mul" && mode != "min" && mode != "max")
    c.Fail("a reduction \"" + mode + "\" is not supported");
  return mode;
}

// Indices of TVM have their tuple in the first axis, those of ai.onnx in the last one.
Value* TupleLast(Call& c, Value* indices) {
  const int rank = c.Rank(indices);
  if (c.failed()) return nullptr;
  Ints order;
  for (int i = 1; i < rank; ++i) order.push_back(i);
  order.push_back(0);
  return rank > 1 ? c.Transpose(indices, std::move(order)) : indices;
}

Value* LowerStridedSlice(Call& c, Given given) {
  Value* x = c.Tensor(0);
  if (given == Given::kAsAttribute) {
    Slices slices = TakeSlices(c, x, false);
    return SliceBy(c, x, std::move(slices));
  }
  const bool known = c.MaybeKnownInts(1) && c.MaybeKnownInts(2) && c.MaybeKnownInts(3);
  if (known) {
    Slices slices = TakeSlices(c, x, true);
    return SliceBy(c, x, std::move(slices));
  }
  c.Ignore({"begin", "end", "strides"});
  const std::string mode = c.Text("slice_mode", "end");
  c.ExpectText("slice_mode", {"end", "size"});
  Value* begin = c.Index(1);
  Value* end = c.Index(2);
  Value* strides = c.Index(3);
  const int rank = c.Rank(x);
  const std::optional<std::int64_t> count = c.KnownSize(begin, 0);
  if (c.failed()) return nullptr;
  if (!count || *count > rank) return c.Fail("a slice of an unknown number of axes");
  Ints axes = c.IntList("axes", {});
  if (axes.empty()) axes = AllAxes(static_cast<int>(*count));
  if (axes.size() != static_cast<std::size_t>(*count))
    return c.Fail(InvalidInput("begin and axes have other numbers of entries"));
  for (std::int64_t& axis : axes) axis = c.Axis(axis, rank);
  Value* along = c.Ints(axes);
  if (mode == "end") return c.Op("Slice", {x, begin, end, along, strides});
  // Lengths; below 0 to the end of the axis.
  Value* sizes = c.Gather(c.Shape(x), along, 0);
  begin = c.Where(c.Less(begin, 0), c.Max(c.Add(begin, sizes), 0), begin);
  end = c.Where(c.Less(end, 0), sizes, c.Add(begin, end));
  return c.Op("Slice", {x, begin, end, along});
}

Value* LowerStridedSet(Call& c) {
  Value* x = c.Tensor(0);
  Value* update = c.Tensor(1);
  Value* begin = c.Index(2);
  const int rank = c.Rank(x);
  const std::optional<std::int64_t> count = c.KnownSize(begin, 0);
  if (c.failed()) return nullptr;
  if (!count || *count > rank) return c.Fail("a slice of an unknown number of axes");
  // Lists that are shorter go to the end, one by one.
  const auto filled = [&](std::size_t i, std::int64_t rest) {
    const std::optional<Ints> known = c.MaybeKnownInts(i);
    return known ? c.Ints(Filled(*known, static_cast<std::size_t>(*count), rest)) : c.Index(i);
  };
  // The places of the elements, sliced alike.
  Value* places = c.Reshape(c.Iota(c.NumElements(x)), c.Shape(x));
  Value* axes = c.Ints(AllAxes(static_cast<int>(*count)));
  Value* chosen = c.Op("Slice", {places, begin, filled(3, kEnd), axes, filled(4, 1)});
  Value* flat = c.Op("ScatterElements", {c.Flatten(x), c.Flatten(chosen), c.Flatten(update)},
                     {{"axis", std::int64_t{0}}});
  return c.Reshape(flat, c.Shape(x));
}

Value* LowerSliceLike(Call& c) {
  Value* x = c.Tensor(0);
  Value* like = c.Tensor(1);
  const int rank = c.Rank(x);
  Ints axes = c.IntList("axes", {});
  if (axes.empty()) axes = AllAxes(rank);
  for (std::int64_t given : axes) {
    const int axis = c.Axis(given, rank);
    x = c.Slice(x, axis, c.Ints({0}), c.SizeVector(like, axis, 1), c.Ints({1}));
  }
  return x;
}

Value* LowerTake(Call& c) {
  Value* x = c.Tensor(0);
  Value* indices = c.Index(1);
  const std::optional<std::int64_t> given = c.MaybeInt("axis");
  const std::string mode = c.Text("mode", "clip");
  const std::int64_t batch = c.Int("batch_dims", 0);
  if (c.failed()) return nullptr;
  if (!given) x = c.Flatten(x);
  const int axis = c.AxisOf(given.value_or(0), x);
  indices = Indices(c, x, axis, indices, mode);
  if (batch == 0) return c.Gather(x, indices, axis);
  const int shared = c.Axis(batch, c.Rank(indices) + 1);
  return c.failed() ? nullptr : TakeByBatch(c, x, indices, axis, shared);
}

Value* LowerGather(Call& c) {
  Value* x = c.Tensor(0);
  const int axis = c.AxisOf(c.RequiredInt("axis"), x);
  return c.Op("GatherElements", {x, WithoutRaising(c, c.Index(1), x, axis)},
              {{"axis", std::int64_t{axis}}});
}

Value* LowerGatherNd(Call& c) {
  c.Ignore({"index_rank"});
  const std::int64_t batch = c.Int("batch_dims", 0);
  return c.Op("GatherND", {c.Tensor(0), TupleLast(c, c.Index(1))}, {{"batch_dims", batch}});
}

Value* LowerScatterNd(Call& c) {
  const std::string reduction = ScatterReduction(c, "mode");
  return c.Op("ScatterND", {c.Tensor(0), TupleLast(c, c.Index(1)), c.Tensor(2)},
              {{"reduction", reduction}});
}

// What becomes of the elements that are written to.
enum class Scattered { kReplaces, kAdds, kAsAttribute };

Value* LowerScatterElements(Call& c, Scattered scattered) {
  Value* x = c.Tensor(0);
  const int axis = c.AxisOf(c.Int("axis", 0), x);
  const std::string reduction = scattered == Scattered::kAsAttribute
                                    ? ScatterReduction(c, "reduction")
                                    : (scattered == Scattered::kAdds ? "add" : "none");
  return c.Op("ScatterElements", {x, WithoutRaising(c, c.Index(1), x, axis), c.Tensor(2)},
              {{"axis", std::int64_t{axis}}, {"reduction", reduction}});
}

Value* LowerArgWhere(Call& c) {
  return c.Cast(c.Transpose(c.Op("NonZero", {c.Tensor(0)}), {1, 0}), DType::kI32);
}

Value* LowerOneHot(Call& c, Given given) {
  const std::int64_t axis = c.Int("axis", -1);
  const DType dtype = c.Type("dtype", DType::kF32);
  Value* depth = nullptr;
  if (given == Given::kAsOperand) {
    c.Ignore({"depth"});
    depth = c.Reshape(c.Index(3), Ints());
  } else {
    depth = c.Int(c.RequiredInt("depth"));
  }
  Value* indices = c.Index(0);
  // Negative indices count from the end for ai.onnx, and mark nothing for TVM.
  const std::optional<Ints> known = c.failed() ? std::nullopt : c.builder().KnownInts(depth);
  Value* plain = known ? WithoutRaising(c, indices, known->front()) : indices;
  indices = plain != indices ? plain : c.Where(c.Less(indices, 0), depth, indices);
  Value* off = c.Vector(c.Cast(c.Tensor(2), dtype));
  Value* on = c.Vector(c.Cast(c.Tensor(1), dtype));
  return c.Op("OneHot", {indices, depth, c.Concat({off, on}, 0)}, {{"axis", axis}});
}

Value* LowerTrilu(Call& c) {
  const bool upper = c.Bool("upper", true);
  return c.Op("Trilu", {c.Tensor(0), c.Reshape(c.Index(1), Ints())},
              {{"upper", std::int64_t{upper}}});
}

enum class Fill { kZeros, kOnes, kOperand };

Value* LowerFull(Call& c, Fill fill, Given given) {
  const bool has_value = fill == Fill::kOperand;
  Value* value = has_value ? c.Tensor(0) : nullptr;
  const DType dtype = c.Type("dtype", has_value ? c.dtype(value) : DType::kF32);
  Value* shape = nullptr;
  if (given == Given::kAsOperand) {
    c.Ignore({"shape"});
    shape = c.Index(has_value ? 1 : 0);
  } else {
    shape = c.Ints(c.RequiredInts("shape"));
  }
  if (has_value) return c.Expand(c.Cast(value, dtype), shape);
  return c.Full(shape, fill == Fill::kOnes ? 1 : 0, dtype);
}

Value* LowerFullLike(Call& c) {
  Value* x = c.Tensor(0);
  return c.Expand(c.CastLike(c.Tensor(1), x), c.Shape(x));
}

// The attributes start, stop and step say again what the operands are.
Value* LowerArange(Call& c) {
  c.Ignore({"start", "stop", "step"});
  Value* start = c.Tensor(0);
  const DType dtype = c.Type("dtype", c.dtype(start));
  const auto number = [&](std::size_t i) { return c.Reshape(c.Cast(c.Tensor(i), dtype), Ints()); };
  start = number(0);
  Value* stop = number(1);
  return c.Op("Range", {start, stop, number(2)});
}

std::vector<Value*> LowerMeshgrid(Call& c) {
  const std::vector<Value*> vectors = c.Tensors(0);
  c.ExpectText("indexing", {"ij", "xy"});
  const bool swapped = c.Text("indexing", "ij") == "xy" && vectors.size() > 1;
  const auto rank = static_cast<int>(vectors.size());
  std::vector<Value*> sizes;
  for (Value* vector : vectors) sizes.push_back(c.Reshape(c.NumElements(vector), {1}));
  if (c.failed()) return {};
  if (swapped) std::swap(sizes[0], sizes[1]);
  Value* shape = c.ConcatSizes(std::move(sizes));
  std::vector<Value*> results;
  for (int i = 0; i < rank; ++i) {
    const int axis = swapped && i < 2 ? 1 - i : i;
    Value* vector = c.Flatten(vectors[static_cast<std::size_t>(i)]);
    results.push_back(c.Expand(AlongAxis(c, vector, axis, rank), shape));
  }
  return results;
}

// x[..., time, ...] beyond the length of each row becomes mask_value.
Value* LowerSequenceMask(Call& c) {
  Value* x = c.Tensor(0);
  const double mask = c.Float("mask_value", 0);
  const std::int64_t axis = c.Int("axis", 0);
  const int rank = c.Rank(x);
  if (c.failed()) return nullptr;
  if ((axis != 0 && axis != 1) || rank < 2)
    return c.Fail(InvalidInput("axis is " + std::to_string(axis)));
  const int time = static_cast<int>(axis);
  Value* steps = AlongAxis(c, c.Iota(c.Size(x, time)), time, rank);
  Value* lengths = AlongAxis(c, c.Index(1), 1 - time, rank);
  return c.Where(c.Less(steps, lengths), x, c.Number(mask, x));
}

}  // namespace

std::span<const OpRow> IndexingRows() {
  static constexpr OpRow kRows[] = {
      {"arange", LowerArange},
      {"argwhere", LowerArgWhere},
      {"dyn.full", With<LowerFull, Fill::kOperand, Given::kAsOperand>},
      {"dyn.one_hot", With<LowerOneHot, Given::kAsOperand>},
      {"dyn.ones", With<LowerFull, Fill::kOnes, Given::kAsOperand>},
      {"dyn.strided_slice", With<LowerStridedSlice, Given::kAsOperand>},
      {"dyn.zeros", With<LowerFull, Fill::kZeros, Given::kAsOperand>},
      {"full", With<LowerFull, Fill::kOperand, Given::kAsAttribute>},
      {"full_like", LowerFullLike},
      {"gather", LowerGather},
      {"gather_nd", LowerGatherNd},
      {"meshgrid", LowerMeshgrid},
      {"one_hot", With<LowerOneHot, Given::kAsAttribute>},
      {"ones", With<LowerFull, Fill::kOnes, Given::kAsAttribute>},
      {"scatter", With<LowerScatterElements, Scattered::kReplaces>},
      {"scatter_add", With<LowerScatterElements, Scattered::kAdds>},
      {"scatter_elements", With<LowerScatterElements, Scattered::kAsAttribute>},
      {"scatter_nd", LowerScatterNd},
      {"sequence_mask", LowerSequenceMask},
      {"slice_like", LowerSliceLike},
      {"strided_set", LowerStridedSet},
      {"strided_slice", With<LowerStridedSlice, Given::kAsAttribute>},
      {"take", LowerTake},
      {"trilu", LowerTrilu},
      {"zeros", With<LowerFull, Fill::kZeros, Given::kAsAttribute>},
  };
  return kRows;
}

}  // namespace dragoman::relay
