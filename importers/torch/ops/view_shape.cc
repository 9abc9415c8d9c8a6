// Views with other sizes of the same elements in the same order: view, reshape, flatten, squeeze…
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/lowerings.h"
#include "importers/torch/ops/view.h"

namespace dragoman::torch {
namespace {

// A view through `get`, which keeps the order of elements.
View Reshaping(std::function<Value*(Composer&, Value*)> get) {
  View view;
  view.get = std::move(get);
  view.put = [](Composer& c, Value* base, Value* value) { return c.Reshape(value, c.Shape(base)); };
  view.contiguous = true;
  return view;
}

View ReshapingTo(Value* sizes) {
  return Reshaping([sizes](Composer& c, Value* base) { return c.Reshape(base, sizes); });
}

// Sizes of axes [first, first + count) with others in their place.
Value* ReplaceSizes(Composer& c, Value* x, int first, int count, Value* with) {
  const int rank = c.Rank(x);
  std::vector<Value*> parts;
  if (first > 0) parts.push_back(c.SizeVector(x, 0, first));
  parts.push_back(with);
  const int rest = first + count;
  if (rest < rank) parts.push_back(c.SizeVector(x, rest, rank - rest));
  return c.ConcatSizes(std::move(parts));
}

// Whether each axis becomes one or more of the new ones, so that no two have to become one.
bool KeepsAxesApart(const Shape& from, const Shape& to) {
  auto next = to.begin();
  for (const Dim& size : from) {
    if (size == Dim(1)) continue;
    Dim product = 1;
    while (Equal(product, size) != Truth::kYes && next != to.end()) product = product * *next++;
    if (Equal(product, size) != Truth::kYes) return false;
  }
  return std::all_of(next, to.end(), [](const Dim& size) { return size == Dim(1); });
}

// A copy, unless the elements lie in order or axes are at most parted, which holds for all strides.
Result<Results> ReshapeTo(CallComposer& c, Value* sizes) {
  if (IsContiguous(c)) return LowerView(c, ReshapingTo(sizes));
  const Value* x = c.Tensor("self");
  Value* copy = c.Reshape(c.Tensor("self"), sizes);
  const bool is_known =
      !c.failed() && x->type().shape() != nullptr && copy->type().shape() != nullptr;
  if (is_known && KeepsAxesApart(*x->type().shape(), *copy->type().shape()))
    return LowerView(c, ReshapingTo(sizes));
  return c.Done({copy});
}

Value* ProductOf(Composer& c, Value* x, int first, int count) {
  std::int64_t known = 1;
  for (int axis = first; axis < first + count; ++axis) {
    const std::optional<std::int64_t> size = c.KnownSize(x, axis);
    if (!size) return c.Ints({-1});
    known *= *size;
  }
  return c.Ints({known});
}

}  // namespace

// The bits of integers as those of others of the same size, which casts keep.
Result<Results> LowerViewAsType(CallComposer& c) {
  const DType from = c.dtype(c.Tensor("self")), to = c.DTypeOr("dtype", DType::kUnknown);
  if (c.failed() || from == to) return LowerAlias(c);
  if (!IsInteger(from) || !IsInteger(to) || Info(from).bits != Info(to).bits) {
    return c.call().Unsupported("the bits of " + std::string(Name(from)) + " as " +
                                std::string(Name(to)));
  }
  View view;
  view.get = [to](Composer& c, Value* base) { return c.Cast(base, to); };
  view.put = [from](Composer& c, Value*, Value* value) { return c.Cast(value, from); };
  view.contiguous = true;
  return LowerView(c, view);
}

// view, _unsafe_view
Result<Results> LowerViewSizes(Call& call) {
  CallComposer c(call);
  if (call.Declares("dtype")) return LowerViewAsType(c);
  return LowerView(c, ReshapingTo(c.Take(call.IntListValue("size"))));
}

Result<Results> LowerReshape(Call& call) {
  CallComposer c(call);
  return ReshapeTo(c, c.Take(call.IntListValue(call.Declares("shape") ? "shape" : "size")));
}

Result<Results> LowerViewAs(Call& call) {
  CallComposer c(call);
  return LowerView(c, ReshapingTo(c.Shape(c.Tensor("other"))));
}

Result<Results> LowerReshapeAs(Call& call) {
  CallComposer c(call);
  return ReshapeTo(c, c.Shape(c.Tensor("other")));
}

Result<Results> LowerFlatten(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  const int rank = c.Rank(x);
  const int first = c.AxisArgument("start_dim", x);
  const int last = c.AxisArgument("end_dim", x);
  if (rank == 0) return LowerView(c, ReshapingTo(c.Ints({1})));
  if (first == last) return LowerAlias(c);
  if (first > last) return call.Invalid("start_dim is behind end_dim");
  const int count = last - first + 1;
  return ReshapeTo(c, ReplaceSizes(c, x, first, count, ProductOf(c, x, first, count)));
}

Result<Results> LowerRavel(Call& call) {
  CallComposer c(call);
  return ReshapeTo(c, c.Ints({-1}));
}

Result<Results> LowerUnflatten(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  const int axis = c.AxisArgument("dim", x);
  Value* sizes = c.Take(call.IntListValue("sizes"));
  return LowerView(c, ReshapingTo(ReplaceSizes(c, x, axis, 1, sizes)));
}

Result<Results> LowerUnsqueeze(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  std::int64_t axis = c.Int("dim");
  if (const std::optional<int> rank = c.MaybeRank(x)) axis = c.Axis(axis, *rank + 1);
  return LowerView(
      c, Reshaping([axis](Composer& inner, Value* base) { return inner.Unsqueeze(base, {axis}); }));
}

namespace {

// The sizes of x without that of `axis` if it is 1; both may be told by run time only.
Value* SizesWithoutOne(Composer& c, Value* x, std::int64_t axis) {
  Value* sizes = c.Shape(x);
  Value* at = c.Ints({axis});
  Value* last = axis == -1 ? c.Shape(sizes) : c.Ints({axis + 1});
  Value* is_one = c.Equal(c.Gather(sizes, at, 0), c.Ints({1}));
  Value* skipped = c.Add(at, c.Cast(is_one, DType::kI64));
  if (axis == -1) skipped = c.Add(skipped, last);
  Value* step = c.Ints({1});
  Value* kept = c.Slice(sizes, 0, skipped, last, step);
  Value* rest = c.Slice(sizes, 0, last, c.Ints({kEnd}), step);
  return c.ConcatSizes({c.Slice(sizes, 0, c.Ints({0}), at, step), kept, rest});
}

Result<Results> SqueezeOfUnknownRank(CallComposer& c) {
  const std::int64_t axis = c.Int("dim");
  return LowerView(c, Reshaping([axis](Composer& inner, Value* base) {
                     return inner.Reshape(base, SizesWithoutOne(inner, base, axis));
                   }));
}

}  // namespace

// Of the axes named (all, if none are), those of size 1 vanish.
Result<Results> LowerSqueeze(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  if (!c.failed() && !c.MaybeRank(x) && call.op().overload == "dim") return SqueezeOfUnknownRank(c);
  const int rank = c.Rank(x);
  std::vector<std::int64_t> axes = AllAxes(rank);
  if (call.Declares("dim")) axes = c.Take(call.IntList("dim"));
  std::vector<std::int64_t> ones;
  for (std::int64_t given : axes) {
    const int axis = c.Axis(given, rank);
    if (rank == 0 || c.failed()) continue;
    const std::optional<std::int64_t> size = c.KnownSize(x, axis);
    if (!size) {
      return call.Unsupported("whether the size of axis " + std::to_string(axis) +
                              " is 1 is not known; state the inputs' sizes with --shape");
    }
    if (*size == 1) ones.push_back(axis);
  }
  return LowerView(
      c, Reshaping([ones](Composer& inner, Value* base) { return inner.Squeeze(base, ones); }));
}

namespace {

// The axes that a tensor of `rank` lacks to have as many as `wanted`.
std::vector<std::int64_t> AddedAxes(int rank, int wanted) {
  if (rank >= wanted) return {};
  if (wanted == 3 && rank == 2) return {2};
  if (wanted == 3 && rank == 1) return {0, 2};
  return AllAxes(wanted - rank);
}

}  // namespace

// atleast_1d, atleast_2d, atleast_3d
Result<Results> LowerAtLeast(Call& call) {
  CallComposer c(call);
  const int wanted = call.op().type[sizeof("atleast_") - 1] - '0';
  if (!call.Declares("self")) {
    std::vector<Value*> values = c.Tensors("tensors");
    for (Value*& value : values) value = c.Unsqueeze(value, AddedAxes(c.Rank(value), wanted));
    return c.DoneList(values);
  }
  const int rank = c.Rank(c.Tensor("self"));
  if (rank >= wanted) return LowerAlias(c);
  std::vector<std::int64_t> axes = AddedAxes(rank, wanted);
  return LowerView(
      c, Reshaping([axes](Composer& inner, Value* base) { return inner.Unsqueeze(base, axes); }));
}

// contiguous: a copy only where elements do not lie in order.
Result<Results> LowerContiguous(Call& call) {
  CallComposer c(call);
  if (IsContiguous(c)) return LowerAlias(c);
  return c.Done({c.Tensor("self")});
}

// detach, alias and what has no meaning at inference.
Result<Results> LowerSelf(Call& call) {
  CallComposer c(call);
  return LowerAlias(c);
}

}  // namespace dragoman::torch
