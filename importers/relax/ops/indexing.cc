// SPDX-License-Identifier: Apache-2.0
// Operators that pick elements by tensors of indices, and those that compare elements.
#include <algorithm>
#include <utility>

#include "core/lowering/math.h"
#include "importers/relax/ops/call.h"

namespace dragoman::tvmscript {
namespace {

// Where an index is the place along `axis`, on_value; else off_value. Indices out of range give
// off_value throughout.
Abstract LowerOneHot(Call& c) {
  Value* indices = c.X("indices");
  const std::int64_t depth = c.Int("depth");
  const DType dtype = c.NumberType("on_value");
  Value* on = c.Scalar("on_value", dtype);
  Value* off = c.Scalar("off_value", dtype);
  if (c.failed()) return Poison();
  const int rank = c.Rank(indices) + 1;
  const int axis = c.Axis(c.Int("axis"), rank);
  if (c.failed()) return Poison();
  Value* places = AlongAxis(c, c.Iota(c.Composer::Int(depth)), axis, rank);
  Value* index = c.Unsqueeze(c.Cast(indices, DType::kI64), {axis});
  return c.NewTensor(c.Where(c.Equal(index, places), on, off));
}

Abstract LowerDynamicSlice(Call& c) {
  Value* x = c.X("x");
  Value* begin = c.X("begin");
  Value* end = c.X("end");
  Value* strides = c.X("strides");
  if (c.failed()) return Poison();
  const int rank = c.Rank(x);
  if (c.failed()) return Poison();
  return c.NewTensor(c.Op("Slice", {x, begin, end, c.Ints(AllAxes(rank)), strides}));
}

// `src` in place of elements start, start + step, … before end of an axis.
Abstract LowerSliceScatter(Call& c) {
  Value* x = c.X("input_tensor");
  Value* src = c.X("src");
  Value* end = c.Scalar("end", DType::kI64);
  const std::int64_t start = c.Int("start");
  const std::int64_t step = c.Int("step");
  if (c.failed()) return Poison();
  const int rank = c.Rank(x);
  const int axis = c.Axis(c.Int("axis"), rank);
  const auto known_end = c.builder().KnownInts(end);
  if (start < 0 || step < 1 || (known_end && known_end->front() < 0))
    return c.NewTensor(c.Fail("a bound or a step below 0"));
  if (c.failed()) return Poison();
  Value* place = c.Iota(c.Size(x, axis));
  Value* offset = c.Sub(place, static_cast<double>(start));
  Value* is_in = c.And(c.GreaterOrEqual(offset, 0), c.Less(place, end));
  if (step > 1) is_in = c.And(is_in, c.Equal(c.Op("Mod", {offset, c.Composer::Int(step)}), 0));
  Value* from = c.Op("Div", {c.Max(offset, 0), c.Composer::Int(step)});
  from = c.Min(from, c.Sub(c.Size(src, axis), 1));
  return c.NewTensor(c.Where(AlongAxis(c, is_in, axis, rank), c.Gather(src, from, axis), x));
}

Abstract LowerMeshgrid(Call& c) {
  std::vector<Value*> parts = c.Tensors("tensors");
  const std::string indexing = c.Text("indexing");
  if (!c.failed() && indexing != "ij" && indexing != "xy")
    c.Fail("indexing \"" + indexing + "\" is not supported");
  if (c.failed()) return Poison();
  const int rank = static_cast<int>(parts.size());
  // "xy": the first two axes change places.
  const auto axis_of = [&](int i) { return indexing == "xy" && rank > 1 && i < 2 ? 1 - i : i; };
  std::vector<Value*> sizes(parts.size());
  for (int i = 0; i < rank; ++i)
    sizes[static_cast<std::size_t>(axis_of(i))] = c.NumElements(parts[static_cast<std::size_t>(i)]);
  for (Value*& size : sizes) size = c.failed() ? nullptr : c.Vector(size);
  Value* shape = c.failed() ? nullptr : c.ConcatSizes(sizes);
  for (int i = 0; i < rank && !c.failed(); ++i) {
    Value*& part = parts[static_cast<std::size_t>(i)];
    part = c.Expand(AlongAxis(c, c.Flatten(part), axis_of(i), rank), shape);
  }
  return c.failed() ? Abstract(Poison()) : c.NewTuple(parts);
}

// Indices of the first axes, as GatherND has them: broadcast to each other, along a last axis.
Value* JoinedIndices(Call& c) {
  const std::vector<Value*> parts = c.Tensors("indices");
  if (c.failed()) return nullptr;
  Value* shape = nullptr;
  for (Value* part : parts) {
    if (!IsInteger(c.dtype(part))) return c.Fail("indices that are not integers");
  }
  if (parts.size() > 1) {
    Value* sum = c.Cast(parts.front(), DType::kI64);
    for (std::size_t i = 1; i < parts.size(); ++i) sum = c.Add(sum, c.Cast(parts[i], DType::kI64));
    shape = c.Shape(sum);
  }
  std::vector<Value*> columns;
  for (Value* part : parts) {
    Value* index = c.Cast(part, DType::kI64);
    if (shape != nullptr) index = c.Expand(index, shape);
    const int rank = c.Rank(index);
    columns.push_back(c.failed() ? nullptr : c.Unsqueeze(index, {rank}));
  }
  return c.failed() ? nullptr : c.Concat(columns, -1);
}

Abstract LowerIndexTensor(Call& c) {
  Value* x = c.X("data");
  Value* indices = JoinedIndices(c);
  return c.NewTensor(c.failed() ? nullptr : c.Op("GatherND", {x, indices}));
}

Abstract LowerIndexPut(Call& c) {
  Value* x = c.X("data");
  Value* indices = JoinedIndices(c);
  Value* values = c.X("values");
  const bool adds = c.Bool("accumulate");
  if (c.failed()) return Poison();
  Value* shape = c.Shape(c.Op("GatherND", {x, indices}));
  return c.NewTensor(c.Op("ScatterND", {x, indices, c.Expand(values, shape)},
                          {{"reduction", Attribute(adds ? "add" : "none")}}));
}

Abstract LowerMaskedFill(Call& c) {
  Value* x = c.X("x");
  Value* mask = c.X("mask");
  if (c.failed()) return Poison();
  return c.NewTensor(c.Where(mask, c.Cast(c.Scalar("value", c.dtype(x)), c.dtype(x)), x));
}

// How many boundaries are less than each element, or not greater.
Abstract LowerBucketize(Call& c) {
  Value* x = c.X("input_tensor");
  Value* boundaries = c.X("boundaries");
  const bool right = c.Bool("right");
  const DType dtype = c.Bool("out_int32") ? DType::kI32 : DType::kI64;
  if (c.failed()) return Poison();
  const int rank = c.Rank(x);
  if (c.failed()) return Poison();
  Value* element = c.Unsqueeze(x, {rank});
  Value* passed = right ? c.LessOrEqual(boundaries, element) : c.Less(boundaries, element);
  return c.NewTensor(c.Cast(c.ReduceSum(c.Cast(passed, DType::kI64), {rank}), dtype));
}

// TVM sorts the elements in any case. What is not asked for is not a result.
Abstract LowerUnique(Call& c) {
  Value* x = c.X("x");
  c.Bool("sorted");
  std::vector<NamedAttribute> attributes = {{"sorted", 1}};
  if (!c.IsNone("axis")) attributes.emplace_back("axis", c.Int("axis"));
  if (c.failed()) return Poison();
  const std::vector<Value*> all = c.Ops("Unique", {x}, std::move(attributes), 4);
  std::vector<Value*> results = {all[0]};
  const char* const asked[] = {"return_index", "return_inverse", "return_counts"};
  for (std::size_t i = 0; i < 3; ++i) {
    if (c.Bool(asked[i])) results.push_back(all[i + 1]);
  }
  if (c.failed()) return Poison();
  return results.size() == 1 ? c.NewTensor(results[0]) : c.NewTuple(results);
}

Abstract LowerOuter(Call& c) {
  Value* a = c.X("x1");
  Value* b = c.X("x2");
  return c.NewTensor(c.failed() ? nullptr : c.Mul(c.Unsqueeze(a, {1}), c.Unsqueeze(b, {0})));
}

Abstract LowerLogAddExp(Call& c) {
  Value* a = c.X("x1");
  Value* b = c.X("x2");
  if (c.failed()) return Poison();
  Value* larger = c.Max(a, b);
  return c.NewTensor(c.Add(larger, c.Log(c.Add(c.Exp(c.Sub(a, larger)), c.Exp(c.Sub(b, larger))))));
}

Abstract LowerAtan2(Call& c) {
  Value* y = c.X("x1");
  Value* x = c.X("x2");
  return c.NewTensor(c.failed() ? nullptr : Atan2(c, y, x));
}

Abstract LowerFma(Call& c) { return c.NewTensor(c.Add(c.Mul(c.X("x1"), c.X("x2")), c.X("x3"))); }

Abstract LowerEyeLike(Call& c) {
  Value* x = c.X("x");
  if (c.failed()) return Poison();
  const DType dtype = c.Type("dtype", c.dtype(x));
  Value* zeros = c.Full(c.Shape(x), 0, dtype);
  return c.NewTensor(c.Op("EyeLike", {zeros}, {{"k", c.Int("k")}}));
}

Abstract LowerWrapParam(Call& c) {
  Value* x = c.X("data");
  const DType dtype = c.Type("dtype", DType::kF32);
  return c.NewTensor(c.failed() ? nullptr : c.Cast(x, dtype));
}

// Where a value lies, and what a pass may do with it, is nothing that a graph says.
Abstract LowerSame(Call& c) { return c.NewTensor(c.X(c.target())); }
Abstract LowerDevice(Call& c) { return c.NewTuple({}); }

}  // namespace

std::span<const LoweringRow> IndexingRows() {
  static constexpr LoweringRow kRows[] = {
      {"atan2", LowerAtan2},
      {"bucketize", LowerBucketize},
      {"builtin.stop_lift_params", LowerSame, "x"},
      {"device", LowerDevice},
      {"dynamic_strided_slice", LowerDynamicSlice},
      {"ewise_fma", LowerFma},
      {"eye_like", LowerEyeLike},
      {"grad.end_checkpoint", LowerSame, "input"},
      {"grad.no_grad", LowerSame, "input"},
      {"grad.start_checkpoint", LowerSame, "input"},
      {"hint_on_device", LowerSame, "data"},
      {"index_put", LowerIndexPut},
      {"index_tensor", LowerIndexTensor},
      {"log_add_exp", LowerLogAddExp},
      {"masked_fill", LowerMaskedFill},
      {"memory.ensure_zero_offset", LowerSame, "data"},
      {"meshgrid", LowerMeshgrid},
      {"one_hot", LowerOneHot},
      {"outer", LowerOuter},
      {"slice_scatter", LowerSliceScatter},
      {"to_vdevice", LowerSame, "data"},
      {"unique", LowerUnique},
      {"wrap_param", LowerWrapParam},
  };
  return kRows;
}

}  // namespace dragoman::tvmscript
