// Reductions, scans and sorting.
#include <utility>

#include "core/lowering/math.h"
#include "importers/relay/ops/lowerings.h"

namespace dragoman::relay {
namespace {

// Element type of indices, as the attribute states it.
Value* AsIndices(Call& c, Value* indices, DType dtype) { return c.Cast(indices, dtype); }

// All elements of an axis in order: values and their places.
std::vector<Value*> Sorted(Call& c) {
  Value* x = c.Tensor(0);
  const int axis = c.Axis(c.Int("axis", -1), c.Rank(x));
  const bool ascending = c.Bool("is_ascend", true);
  Value* count = c.failed() ? nullptr : c.Vector(c.Size(x, axis));
  return c.Ops("TopK", {x, count},
               {{"axis", std::int64_t{axis}}, {"largest", std::int64_t{!ascending}}}, 2);
}

}  // namespace

Value* LowerReduce(Call& c) {
  Value* x = c.Tensor(0);
  const bool keep = c.Bool("keepdims", false);
  Ints axes = c.ReducedAxes(x);
  if (c.failed()) return nullptr;
  const bool logic = c.target() == "all" || c.target() == "any";
  if (!logic) return c.Reduce(c.target(), x, std::move(axes), keep);
  Value* number = c.Cast(x, DType::kI32);
  const std::string_view op = c.target() == "all" ? "ReduceMin" : "ReduceMax";
  return c.Cast(c.Reduce(op, number, std::move(axes), keep), DType::kBool);
}

// The mean, with its axes kept, is an operand.
Value* LowerVariance(Call& c) {
  Value* x = c.Tensor(0);
  Value* mean = c.Tensor(1);
  const bool keep = c.Bool("keepdims", false);
  const bool unbiased = c.Bool("unbiased", false);
  const Ints axes = c.ReducedAxes(x);
  if (c.failed()) return nullptr;
  Value* difference = c.Sub(x, mean);
  Value* square = c.Mul(difference, difference);
  if (!unbiased) return c.ReduceMean(square, axes, keep);
  Value* count = c.Int(1);
  for (std::int64_t axis : axes) count = c.Mul(count, c.Size(x, static_cast<int>(axis)));
  return c.Div(c.ReduceSum(square, axes, keep), c.CastLike(c.Sub(count, 1), x));
}

Value* LowerArgReduce(Call& c) {
  Value* x = c.Tensor(0);
  const std::optional<Ints> axis = c.MaybeInts("axis");
  const bool keep = c.Bool("keepdims", false);
  const bool last = c.Bool("select_last_index", false);
  if (c.Bool("exclude", false)) return c.Fail("exclude=True is not supported");
  const int rank = c.Rank(x);
  if (c.failed()) return nullptr;
  const auto reduce = [&](Value* value, std::int64_t along, bool keepdims) {
    Value* index = c.Op(c.target(), {value},
                        {{"axis", along},
                         {"keepdims", std::int64_t{keepdims}},
                         {"select_last_index", std::int64_t{last}}});
    return c.Cast(index, DType::kI32);
  };
  if (axis && axis->size() == 1) return reduce(x, c.Axis(axis->front(), rank), keep);
  if (axis && axis->size() != static_cast<std::size_t>(rank))
    return c.Fail("an index over several axes is not supported");
  Value* index = reduce(c.Flatten(x), 0, false);
  return keep ? c.Reshape(index, Ints(static_cast<std::size_t>(rank), 1)) : index;
}

Value* LowerCumulative(Call& c) {
  Value* x = c.Tensor(0);
  const DType dtype = c.Type("dtype", c.dtype(x));
  const std::optional<std::int64_t> axis = c.MaybeInt("axis");
  const Attribute* given = c.Get("exclusive");
  const bool exclusive =
      given != nullptr && given->kind() != Attribute::Kind::kNone && c.Bool("exclusive", false);
  if (c.failed()) return nullptr;
  x = c.Cast(x, dtype == DType::kBool ? DType::kI32 : dtype);
  if (!axis) x = c.Flatten(x);
  const int along = axis ? c.Axis(*axis, c.Rank(x)) : 0;
  return c.Op("CumSum", {x, c.Int(along)}, {{"exclusive", std::int64_t{exclusive}}});
}

Value* LowerSort(Call& c) {
  c.Ignore({"dtype"});
  return Sorted(c)[0];
}

Value* LowerArgSort(Call& c) {
  const DType dtype = c.Type("dtype", DType::kI32);
  return AsIndices(c, Sorted(c)[1], dtype);
}

std::vector<Value*> LowerTopK(Call& c) {
  Value* x = c.Tensor(0);
  Value* k = nullptr;
  if (c.target() == "dyn") {
    k = c.Index(1);
    c.Ignore({"k"});
    if (!c.failed()) k = c.Reshape(k, {1});
  } else {
    const std::int64_t count = c.RequiredInt("k");
    const int axis = c.Axis(c.Int("axis", -1), c.Rank(x));
    // None or less than 1: all of them.
    k = count > 0 ? c.Ints({count}) : c.failed() ? nullptr : c.Vector(c.Size(x, axis));
  }
  const int axis = c.Axis(c.Int("axis", -1), c.Rank(x));
  const bool ascending = c.Bool("is_ascend", false);
  const DType dtype = c.Type("dtype", DType::kI32);
  c.ExpectText("ret_type", {"both"});
  std::vector<Value*> results = c.Ops(
      "TopK", {x, k}, {{"axis", std::int64_t{axis}}, {"largest", std::int64_t{!ascending}}}, 2);
  results[1] = AsIndices(c, results[1], dtype);
  return results;
}

}  // namespace dragoman::relay
