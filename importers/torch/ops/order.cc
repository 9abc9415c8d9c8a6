// SPDX-License-Identifier: Apache-2.0
// Extremes, sorting and what is read off sorted elements.
#include "importers/torch/ops/op_rows.h"

#include <cmath>
#include <utility>

#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"
#include "importers/torch/ops/reduced_axes.h"

namespace dragoman::torch {
namespace {

struct Sorted {
  Value* values;
  Value* indices;
};

// The `count` (int64, rank 1) first elements along `axis` in order.
Sorted TakeFirst(Composer& c, Value* x, Value* count, int axis, bool descending) {
  const DType type = c.dtype(x);
  if (c.MaybeRank(x) == 0) return {x, c.Int(0)};
  const DType computed = type == DType::kBF16   ? DType::kF32
                         : type == DType::kBool ? DType::kU8
                                                : type;
  const std::vector<Value*> results =
      c.Ops("TopK", {c.Cast(x, computed), count},
            {{"axis", std::int64_t{axis}}, {"largest", std::int64_t{descending}}}, 2);
  return {c.Cast(results[0], type), results[1]};
}

Sorted Sort(Composer& c, Value* x, int axis, bool descending) {
  Value* count = c.MaybeRank(x) == 0 ? nullptr : c.SizeVector(x, axis, 1);
  return TakeFirst(c, x, count, axis, descending);
}

// Element `place` (int64, rank 0) of each row of both.
Sorted Pick(Composer& c, const Sorted& sorted, Value* place, int axis, bool keep) {
  if (c.MaybeRank(sorted.values) == 0) return sorted;
  const auto pick = [&](Value* value) {
    Value* picked = c.Gather(value, place, axis);
    return keep ? c.Unsqueeze(picked, {axis}) : picked;
  };
  return {pick(sorted.values), pick(sorted.indices)};
}

// ArgMax or ArgMin; of bool too.
Value* ArgExtreme(Composer& c, std::string_view type, Value* x, int axis, bool keep) {
  if (c.dtype(x) == DType::kBool) x = c.Cast(x, DType::kU8);
  if (c.MaybeRank(x) == 0) return c.Mul(c.Shape(c.Unsqueeze(x, {0})), 0);
  return c.Op(type, {x}, {{"axis", std::int64_t{axis}}, {"keepdims", std::int64_t{keep ? 1 : 0}}});
}

struct ExtremeTypes {
  std::string_view reduce;
  std::string_view arg;
};
constexpr ExtremeTypes kLargest = {"ReduceMax", "ArgMax"};
constexpr ExtremeTypes kSmallest = {"ReduceMin", "ArgMin"};

// All elements, two tensors, or along an axis with indices, as the overload says.
Result<Results> LowerExtreme(Call& call, const ExtremeTypes& extreme) {
  CallComposer c(call);
  if (call.Declares("other")) {
    const std::vector<Value*> x = c.Promoted({"self", "other"});
    return c.Done({extreme.arg == "ArgMax" ? Maximum(c, x[0], x[1]) : Minimum(c, x[0], x[1])});
  }
  Value* x = c.Tensor("self");
  if (!call.Declares("dim")) return c.Done({c.ReduceAll(extreme.reduce, x)});
  const int axis = c.AxisArgument("dim", x);
  const bool keep = c.Bool("keepdim");
  if (c.MaybeRank(x) == 0) return c.Done({x, c.Int(0)});
  Value* values = c.Reduce(extreme.reduce, x, {axis}, keep);
  return c.Done({values, ArgExtreme(c, extreme.arg, x, axis, keep)});
}

Result<Value*> LowerArg(Call& call, std::string_view type) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  const bool keep = c.Bool("keepdim");
  if (c.MaybeRank(x) == 0) return c.Done(c.Int(0));
  if (c.Has("dim")) return c.Done(ArgExtreme(c, type, x, c.AxisArgument("dim", x), keep));
  Value* place = ArgExtreme(c, type, c.Flatten(x), 0, false);
  if (!keep) return c.Done(place);
  return c.Done(
      c.Reshape(place, std::vector<std::int64_t>(static_cast<std::size_t>(c.Rank(x)), 1)));
}

Result<Value*> LowerExtremes(Call& call, std::string_view type) {
  CallComposer c(call);
  const ReducedAxes axes = TakeAxes(c, c.Tensor("self"));
  return c.Done(c.Reduce(type, axes.of, axes.axes, axes.keep));
}

// The middle element, the lower one of two; NaN if there is one.
Result<Results> LowerMiddle(Call& call, bool skip_nan) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  const bool along = call.Declares("dim");
  if (!along) x = c.Flatten(x);
  const int axis = along ? c.AxisArgument("dim", x) : 0;
  const bool keep = c.BoolOr("keepdim", false);
  const Sorted sorted = Sort(c, x, axis, false);
  if (c.MaybeRank(x) == 0) return c.Done({sorted.values, sorted.indices});
  if (skip_nan && IsFloating(c.dtype(x))) {
    Value* missing = c.ReduceSum(c.Cast(IsNaN(c, x), DType::kI64), {axis}, true);
    Value* last = c.Sub(c.Sub(c.Size(x, axis), missing), 1);
    Value* place = c.Div(c.Max(last, 0), c.Int(2));
    const auto at = [&](Value* from) {
      Value* y = c.Op("GatherElements", {from, place}, {{"axis", std::int64_t{axis}}});
      return keep ? y : c.Squeeze(y, {axis});
    };
    if (!along) return c.Done({at(sorted.values)});
    return c.Done({at(sorted.values), at(sorted.indices)});
  }
  Value* place = c.Div(c.Sub(c.Size(x, axis), 1), c.Int(2));
  Sorted middle = Pick(c, sorted, place, axis, keep);
  if (IsFloating(c.dtype(x))) {
    Value* missing = c.Reduce("ReduceMax", IsNaN(c, x), {axis}, keep);
    middle.values = c.Where(missing, NAN, middle.values);
    Value* first = ArgExtreme(c, "ArgMax", IsNaN(c, x), axis, keep);
    middle.indices = c.Where(missing, first, middle.indices);
  }
  if (!along) return c.Done({middle.values});
  return c.Done({middle.values, middle.indices});
}

Result<Results> LowerMax(Call& call) { return LowerExtreme(call, kLargest); }
Result<Results> LowerMin(Call& call) { return LowerExtreme(call, kSmallest); }
Result<Value*> LowerAmax(Call& call) { return LowerExtremes(call, "ReduceMax"); }
Result<Value*> LowerAmin(Call& call) { return LowerExtremes(call, "ReduceMin"); }
Result<Value*> LowerArgmax(Call& call) { return LowerArg(call, "ArgMax"); }
Result<Value*> LowerArgmin(Call& call) { return LowerArg(call, "ArgMin"); }
Result<Results> LowerMedian(Call& call) { return LowerMiddle(call, false); }
Result<Results> LowerNanMedian(Call& call) { return LowerMiddle(call, true); }

Result<Results> LowerAminmax(Call& call) {
  CallComposer c(call);
  const ReducedAxes axes = TakeAxes(c, c.Tensor("self"));
  Value* least = c.Reduce("ReduceMin", axes.of, axes.axes, axes.keep);
  return c.Done({least, c.Reduce("ReduceMax", axes.of, axes.axes, axes.keep)});
}

Result<Results> LowerTopK(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  const int axis = c.AxisArgument("dim", x);
  Value* count = c.Take(call.IntListValue("k"));
  const Sorted first = TakeFirst(c, x, count, axis, c.Bool("largest"));
  return c.Done({first.values, first.indices});
}

Result<Results> LowerSort(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  const int axis = c.AxisArgument("dim", x);
  const Sorted sorted = Sort(c, x, axis, c.Bool("descending"));
  return c.Done({sorted.values, sorted.indices});
}

Value* LowerArgsort(CallComposer& c) {
  Value* x = c.Tensor("self");
  const int axis = c.AxisArgument("dim", x);
  return Sort(c, x, axis, c.Bool("descending")).indices;
}

Value* LowerMsort(CallComposer& c) { return Sort(c, c.Tensor("self"), 0, false).values; }

Result<Results> LowerKthValue(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  const int axis = c.AxisArgument("dim", x);
  Value* k = c.Take(call.IntValue("k"));
  const Sorted first = TakeFirst(c, x, c.Vector(k), axis, false);
  const Sorted picked = Pick(c, first, c.Sub(k, 1), axis, c.Bool("keepdim"));
  return c.Done({picked.values, picked.indices});
}

// searchsorted, bucketize: how many boundaries lie before each element.
Value* LowerSearchSorted(CallComposer& c) {
  const bool buckets = c.call().Declares("boundaries");
  Value* boundaries = c.Tensor(buckets ? "boundaries" : "sorted_sequence");
  Value* x = c.Tensor("self");
  if (c.Has("sorter")) {
    const std::int64_t last = c.Rank(boundaries) - 1;
    boundaries = c.Op("GatherElements", {boundaries, c.Tensor("sorter")}, {{"axis", last}});
  }
  bool right = c.Bool("right");
  if (c.Has("side")) right = right || c.Text("side") == "right";
  const DType type =
      IsFloating(c.dtype(x)) || IsFloating(c.dtype(boundaries)) ? DType::kF64 : DType::kI64;
  Value* element = c.Unsqueeze(c.Cast(x, type), {-1});
  Value* row = c.Cast(boundaries, type);
  if (c.Rank(boundaries) > 1) row = c.Unsqueeze(row, {-2});
  // NaN lies after all others.
  Value* before = c.Not(right ? c.Greater(row, element) : c.GreaterOrEqual(row, element));
  const int last = c.Rank(before) - 1;
  Value* count = c.ReduceSum(c.Cast(before, DType::kI64), {last});
  return c.Bool("out_int32") ? c.Cast(count, DType::kI32) : count;
}

// _unique2, unique_dim: values in order, where each element went, and how often each occurs.
Result<Results> LowerUnique(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  std::vector<NamedAttribute> attributes;
  const bool along = call.Declares("dim") && c.Has("dim");
  if (along) attributes.push_back({"axis", std::int64_t{c.AxisArgument("dim", x)}});
  const std::vector<Value*> results = c.Ops("Unique", {c.Widen(x)}, std::move(attributes), 4);
  Value* inverse = along ? results[2] : c.Reshape(results[2], c.Shape(x));
  return c.Done({c.CastLike(results[0], x), inverse, results[3]});
}

}  // namespace

std::span<const OpRow> OrderRows() {
  static constexpr OpRow kRows[] = {
      {"aten._aminmax", LowerAminmax},
      {"aten._unique2", LowerUnique, {.order = ResultOrder::kUnknown}},
      {"aten.amax", LowerAmax},
      {"aten.amin", LowerAmin},
      {"aten.aminmax", LowerAminmax},
      {"aten.argmax", LowerArgmax},
      {"aten.argmin", LowerArgmin},
      {"aten.argsort", LowerArgsort},
      {"aten.bucketize", LowerSearchSorted},
      {"aten.kthvalue", LowerKthValue},
      {"aten.max", LowerMax},
      {"aten.median", LowerMedian},
      {"aten.min", LowerMin},
      {"aten.msort", LowerMsort},
      {"aten.nanmedian", LowerNanMedian},
      {"aten.searchsorted", LowerSearchSorted},
      {"aten.sort", LowerSort},
      {"aten.topk", LowerTopK},
      {"aten.unique_dim", LowerUnique, {.order = ResultOrder::kUnknown}},
  };
  return kRows;
}

}  // namespace dragoman::torch
