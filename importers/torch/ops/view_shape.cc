// SPDX-License-Identifier: Apache-2.0
// Views with other sizes of the same elements in the same order: view, reshape, flatten, squeeze…
#include "importers/torch/ops/op_rows.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "core/lowering/bits.h"
#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"
#include "importers/torch/ops/script_lowerings.h"
#include "importers/torch/ops/view.h"

namespace dragoman::torch {
namespace {

using StepRule = std::function<std::vector<Dim>(std::vector<Dim>)>;

// A view through `get`, which keeps the order of elements.
View Reshaping(std::function<Value*(Composer&, Value*)> get, StepRule steps = nullptr) {
  View view;
  view.get = std::move(get);
  view.put = [](Composer& c, Value* base, Value* value) { return c.Reshape(value, c.Shape(base)); };
  view.contiguous = true;
  view.steps = std::move(steps);
  return view;
}

// With an axis of size 1 at each of `axes`, which are sorted places of the result.
View Unsqueezing(const std::vector<std::int64_t>& axes) {
  return Reshaping([axes](Composer& c, Value* base) { return c.Unsqueeze(base, axes); },
                   [axes](std::vector<Dim> steps) {
                     for (std::int64_t axis : axes) steps.insert(steps.begin() + axis, Dim());
                     return steps;
                   });
}

// Without `axes`, which are sorted and of size 1.
View Squeezing(const std::vector<std::int64_t>& axes) {
  return Reshaping([axes](Composer& c, Value* base) { return c.Squeeze(base, axes); },
                   [axes](std::vector<Dim> steps) {
                     for (std::size_t i = axes.size(); i-- > 0;)
                       steps.erase(steps.begin() + axes[i]);
                     return steps;
                   });
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

// A view where the distances of the elements allow it, else a copy.
Result<Results> ReshapeTo(CallComposer& c, Value* sizes) {
  const Strides strides = StridesOfSelf(c);
  Value* x = c.Tensor("self");
  if (strides.row_major) return LowerView(c, ReshapeView(c, x, sizes));
  Value* copy = c.Reshape(x, sizes);
  if (c.failed()) return c.Done({copy});
  const Shape* from = x->type().shape();
  const Shape* to = copy->type().shape();
  const bool is_known = from != nullptr && to != nullptr;
  const Truth shares =
      is_known ? Resize(StepsOf(strides, *from), *from, *to).shares : Truth::kUnknown;
  if (shares == Truth::kYes) return LowerView(c, ReshapeView(c, x, sizes));
  if (shares == Truth::kNo) return c.Done({copy});
  return c.DoneWith({CopyOrView(c, copy, Strides::Unknown())});
}

// The last axis holds the parts of elements that are larger, or is made of them.
Value* BitsAlongLastAxis(Composer& c, Value* x, DType to) {
  const DType from = c.dtype(x);
  if (c.failed() || Info(from).bits == Info(to).bits) return BitsAs(c, x, to);
  const int rank = c.Rank(x);
  if (rank < 1) return c.Fail(InvalidInput("a tensor without axes as elements of another size"));
  Value* behind = c.Ints({-1});
  if (Info(from).bits > Info(to).bits) {
    Value* parts = BitsAs(c, x, to);
    return c.Reshape(parts, c.ConcatSizes({c.SizeVector(x, 0, rank - 1), behind}));
  }
  Value* count = c.Ints({Info(to).bits / Info(from).bits});
  return BitsAs(c, c.Reshape(x, c.ConcatSizes({c.SizeVector(x, 0, rank - 1), behind, count})), to);
}

}  // namespace

Result<Results> LowerViewAsType(CallComposer& c) {
  const DType from = c.dtype(c.Tensor("self")), to = c.DTypeOr("dtype", DType::kUnknown);
  if (c.failed() || from == to) return LowerAlias(c);
  View view;
  view.get = [to](Composer& c, Value* base) { return BitsAlongLastAxis(c, base, to); };
  view.put = [from](Composer& c, Value*, Value* value) {
    return BitsAlongLastAxis(c, value, from);
  };
  view.contiguous = true;
  const bool is_same_size = Info(from).bits == Info(to).bits;
  if (is_same_size) view.steps = [](std::vector<Dim> base) { return base; };
  return LowerView(c, view);
}

namespace {

// view, _unsafe_view
Result<Results> LowerViewSizes(Call& call) {
  CallComposer c(call);
  if (call.Declares("dtype")) return LowerViewAsType(c);
  return LowerView(c, ReshapeView(c, c.Tensor("self"), c.Take(call.IntListValue("size"))));
}

Result<Results> LowerReshape(Call& call) {
  CallComposer c(call);
  return ReshapeTo(c, c.Take(call.IntListValue(call.Declares("shape") ? "shape" : "size")));
}

Result<Results> LowerViewAs(Call& call) {
  CallComposer c(call);
  return LowerView(c, ReshapeView(c, c.Tensor("self"), c.Shape(c.Tensor("other"))));
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
  if (rank == 0) return LowerView(c, ReshapeView(c, x, c.Ints({1})));
  if (first == last) return LowerAlias(c);
  if (first > last) return call.Invalid("start_dim is after end_dim");
  const int count = last - first + 1;
  return ReshapeTo(c, ReplaceSizes(c, x, first, count, MergedSize(c, x, first, count)));
}

// A view of a tensor whose elements lie in order, else a copy even where strides could express it.
Result<Results> LowerRavel(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  if (c.failed()) return c.Done({x});
  Value* line = c.Ints({-1});
  const Truth lies_so = IsRowMajor(StridesOfSelf(c), x->type().shape());
  if (lies_so == Truth::kYes) return LowerView(c, ReshapeView(c, x, line));
  Value* copy = c.Reshape(x, line);
  if (lies_so == Truth::kNo) return c.Done({copy});
  return c.DoneWith({CopyOrView(c, copy, Strides())});
}

Result<Results> LowerUnflatten(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  const int axis = c.AxisArgument("dim", x);
  Value* sizes = c.Take(call.IntListValue("sizes"));
  return LowerView(c, ReshapeView(c, x, ReplaceSizes(c, x, axis, 1, sizes)));
}

Result<Results> LowerUnsqueeze(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  std::int64_t axis = c.Int("dim");
  if (const std::optional<int> rank = c.MaybeRank(x)) axis = c.Axis(axis, *rank + 1);
  return LowerView(c, Unsqueezing({axis}));
}

// The sizes of x without that of `axis` if it is 1; both may be known at run time only.
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
  std::sort(ones.begin(), ones.end());
  return LowerView(c, Squeezing(ones));
}

// The axes that a tensor of `rank` lacks to have as many as `wanted`.
std::vector<std::int64_t> AddedAxes(int rank, int wanted) {
  if (rank >= wanted) return {};
  if (wanted == 3 && rank == 2) return {2};
  if (wanted == 3 && rank == 1) return {0, 2};
  return AllAxes(wanted - rank);
}

// atleast_1d, atleast_2d, atleast_3d
Result<Results> LowerAtLeast(Call& call) {
  CallComposer c(call);
  const int wanted = call.op().type[sizeof("atleast_") - 1] - '0';
  const bool of_list = !call.Declares("self");
  const std::vector<Value*> values =
      of_list ? c.Tensors("tensors") : std::vector<Value*>{c.Tensor("self")};
  const Abstract argument = c.Take(call.Argument(of_list ? "tensors" : "self"));
  std::vector<Abstract> results;
  for (std::size_t i = 0; i < values.size() && !c.failed(); ++i) {
    const Abstract& given = of_list ? (*ItemsOf(argument))[i] : argument;
    const std::vector<std::int64_t> axes = AddedAxes(c.Rank(values[i]), wanted);
    results.push_back(axes.empty() ? given : MakeView(c, given, Unsqueezing(axes)));
  }
  return of_list ? c.DoneWith({call.NewList(std::move(results))}) : c.DoneWith(std::move(results));
}

// torch's numbers of memory formats.
enum class MemoryFormat : std::uint8_t { kContiguous, kPreserve, kChannelsLast, kChannelsLast3d };

// As if the second axis were the last.
std::vector<Dim> ChannelsLastSteps(const Shape& sizes) {
  Shape moved = sizes;
  std::rotate(moved.begin() + 1, moved.begin() + 2, moved.end());
  std::vector<Dim> steps = StepsOf(Strides(), moved);
  std::rotate(steps.begin() + 1, steps.end() - 1, steps.end());
  return steps;
}

// contiguous: a copy only where elements do not lie in the order wanted.
Result<Results> LowerContiguous(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  const auto format = static_cast<MemoryFormat>(c.IntOr("memory_format", 0));
  if (c.failed()) return c.Done({x});
  const Strides strides = StridesOfSelf(c);
  const Shape* sizes = x->type().shape();
  Truth lies_so = IsRowMajor(strides, sizes);
  Strides wanted;
  if (format > MemoryFormat::kPreserve) {
    if (sizes == nullptr) return call.Unsupported("a memory format where the rank is not known");
    if (sizes->size() < 4) return call.Invalid("memory_format needs four axes at least");
    wanted = MakeStrides(ChannelsLastSteps(*sizes), *sizes);
    lies_so = SameSteps(StepsOf(strides, *sizes), StepsOf(wanted, *sizes), *sizes);
  }
  if (lies_so == Truth::kYes) return LowerAlias(c);
  if (lies_so == Truth::kNo) return c.DoneWith({call.heap().NewTensor(x, wanted)});
  return c.DoneWith({CopyOrView(c, x, wanted)});
}

// detach, alias and what has no meaning at inference.
Result<Results> LowerSelf(Call& call) {
  CallComposer c(call);
  return LowerAlias(c);
}

// The first elements in the order of the storage under other sizes; torch leaves open what the
// further ones are.
Value* LowerResize(CallComposer& c) {
  const auto format = static_cast<MemoryFormat>(c.IntOr("memory_format", 0));
  if (!StridesOfSelf(c).row_major || format > MemoryFormat::kPreserve)
    c.Fail("of a tensor whose elements do not lie in order");
  Value* flat = c.Flatten(c.Tensor("self"));
  Value* sizes = c.call().Declares("size") ? c.Take(c.call().IntListValue("size"))
                                           : c.Shape(c.Tensor("the_template"));
  Value* count = c.Reduce("ReduceProd", sizes, {0}, /*keep=*/true);
  Value* further = c.Full(count, 0, c.dtype(flat));
  Value* enough = c.Slice(c.Concat({flat, further}, 0), 0, c.Ints({0}), count, c.Ints({1}));
  return c.Reshape(enough, sizes);
}

}  // namespace

std::span<const OpRow> ViewShapeRows() {
  static constexpr OpRow kRows[] = {
      {"aten._reshape_alias", LowerReshape, {.complex = true, .order = ResultOrder::kStated}},
      {"aten._reshape_copy", LowerReshape, {.complex = true}},
      {"aten._unsafe_view", LowerViewSizes, {.complex = true}},
      {"aten.alias", LowerSelf, {.complex = true}},
      {"aten.alias_copy", LowerSelf, {.complex = true}},
      {"aten.atleast_1d", LowerAtLeast, {.complex = true}},
      {"aten.atleast_2d", LowerAtLeast, {.complex = true}},
      {"aten.atleast_3d", LowerAtLeast, {.complex = true}},
      {"aten.contiguous", LowerContiguous, {.complex = true, .order = ResultOrder::kStated}},
      {"aten.cpu", LowerSelf},
      {"aten.cuda", LowerSelf},
      {"aten.detach", LowerSelf, {.complex = true}},
      {"aten.detach_copy", LowerSelf, {.complex = true}},
      {"aten.flatten", LowerFlatten, {.complex = true, .order = ResultOrder::kStated}},
      {"aten.lift", LowerSelf, {.complex = true}},
      {"aten.lift_fresh", LowerSelf, {.complex = true}},
      {"aten.lift_fresh_copy", LowerSelf, {.complex = true}},
      {"aten.pin_memory", LowerSelf},
      {"aten.positive", LowerSelf, {.complex = true}},
      {"aten.ravel", LowerRavel, {.complex = true, .order = ResultOrder::kStated}},
      {"aten.requires_grad_", LowerSelf},
      {"aten.reshape", LowerReshape, {.complex = true, .order = ResultOrder::kStated}},
      {"aten.reshape_as", LowerReshapeAs, {.complex = true, .order = ResultOrder::kStated}},
      {"aten.resize", LowerResize},
      {"aten.resize_as", LowerResize},
      {"aten.resolve_conj", LowerSelf, {.complex = true}},
      {"aten.resolve_neg", LowerSelf, {.complex = true}},
      {"aten.squeeze", LowerSqueeze, {.complex = true}},
      {"aten.squeeze_copy", LowerSqueeze, {.complex = true}},
      {"aten.unflatten", LowerUnflatten, {.complex = true}},
      {"aten.unsqueeze", LowerUnsqueeze, {.complex = true}},
      {"aten.unsqueeze_copy", LowerUnsqueeze, {.complex = true}},
      {"aten.view", LowerViewSizes, {.complex = true}},
      {"aten.view_as", LowerViewAs, {.complex = true}},
      {"aten.view_copy", LowerViewSizes, {.complex = true}},
  };
  return kRows;
}

}  // namespace dragoman::torch
