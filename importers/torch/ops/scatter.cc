// SPDX-License-Identifier: Apache-2.0
// Writing elements by index or mask: scatter, index_add, masked_fill, fill…
#include "importers/torch/ops/op_rows.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/lowering/indices.h"
#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/indexing.h"
#include "importers/torch/ops/math.h"

namespace dragoman::torch {
namespace {

// A 0-d tensor counts as a vector of one element.
struct Vectorized {
  Value* x;
  bool was_scalar;
};

Vectorized AsVector(Composer& c, Value* x) {
  const bool scalar = c.MaybeRank(x) == 0;
  return {scalar ? c.Unsqueeze(x, {0}) : x, scalar};
}

// `y`, which is of self's sizes but for that.
Value* AsSelf(Composer& c, const Vectorized& self, Value* y) {
  return self.was_scalar ? c.Squeeze(y, {0}) : y;
}

// Arguments self, index and dim.
struct Places {
  Vectorized self;
  Value* index;
  int axis;
};

Places TakePlaces(CallComposer& c) {
  const Vectorized self = AsVector(c, c.Tensor("self"));
  Value* index = AsVector(c, c.Cast(c.Tensor("index"), DType::kI64)).x;
  return {self, index, c.AxisArgument("dim", self.x)};
}

// Argument `src`, of which torch uses the corner that the index covers, or `value` everywhere.
Value* Source(CallComposer& c, Value* index, DType dtype) {
  if (c.call().Declares("value")) return c.Expand(c.As("value", dtype), c.Shape(index));
  Value* source = AsVector(c, c.Tensor("src")).x;
  const int rank = c.Rank(index);
  for (int axis = 0; axis < rank && !c.failed(); ++axis) {
    const std::optional<std::int64_t> size = c.KnownSize(source, axis);
    if (size && size == c.KnownSize(index, axis)) continue;
    source = c.Slice(source, axis, c.Ints({0}), c.SizeVector(index, axis, 1), c.Ints({1}));
  }
  return source;
}

struct Writes {
  Value* index;  // of the sizes of `source`
  Value* source;
  std::int64_t axis;
  bool widens;  // sums and products of halves are rounded once, not at each step
};

// `x` with what is written to a place and what is there taken together.
Value* Accumulate(Composer& c, Value* x, const Writes& writes, const std::string& reduction) {
  const auto taken = [&](Value* value) { return writes.widens ? c.Widen(value) : value; };
  Value* y = c.Op("ScatterElements", {taken(x), writes.index, taken(writes.source)},
                  {{"axis", writes.axis}, {"reduction", reduction}});
  return c.CastLike(y, x);
}

Value* Scatter(CallComposer& c, std::string_view reduction) {
  const auto [self, index, axis] = TakePlaces(c);
  if (HasNoElements(c, index)) return AsSelf(c, self, self.x);
  Value* source = Source(c, index, c.dtype(self.x));
  Value* places = WithoutRaising(c, index, self.x, axis);
  Value* y = reduction.empty()
                 ? c.Op("ScatterElements", {self.x, places, source}, {{"axis", axis}})
                 : Accumulate(c, self.x, {places, source, axis, true}, std::string(reduction));
  return AsSelf(c, self, y);
}

// How often each place is written to, with those that keep what was there counted if `with_self`.
Value* CountWrites(Composer& c, Value* x, Writes writes, bool with_self) {
  Value* start = c.Full(c.Shape(x), with_self ? 1 : 0, c.dtype(x));
  writes.source = c.Full(c.Shape(writes.index), 1, c.dtype(x));
  return Accumulate(c, start, writes, "add");
}

// What a reduction starts with, of element type `dtype`.
Value* Neutral(Composer& c, const std::string& reduction, DType dtype) {
  if (reduction == "mul" || reduction == "add") return c.Number(reduction == "mul" ? 1 : 0, dtype);
  const bool least = reduction == "max";
  if (IsFloating(dtype)) return c.Number(least ? -INFINITY : INFINITY, dtype);
  const int bits = Info(dtype).bits;
  if (!Info(dtype).is_signed)
    return c.Cast(c.Int(least ? 0 : (std::int64_t{1} << bits) - 1), dtype);
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() >> (64 - bits);
  return c.Cast(c.Int(least ? -most - 1 : most), dtype);
}

std::string ReductionName(const std::string& torch) {
  if (torch == "sum" || torch == "mean" || torch == "add") return "add";
  if (torch == "prod" || torch == "multiply") return "mul";
  if (torch == "amax") return "max";
  return torch == "amin" ? "min" : "";
}

// Arguments `reduce` and `include_self`: `x` with what is written to a place taken together.
Value* ReduceAt(CallComposer& c, Value* x, const Writes& writes) {
  const std::string mode = c.Text("reduce");
  const std::string reduction = ReductionName(mode);
  if (c.failed() || reduction.empty()) return c.Fail(InvalidInput("the reduction is unknown"));
  const bool with_self = c.BoolOr("include_self", true);
  Value* start = x;
  if (!with_self) {
    Value* neutral = c.Expand(Neutral(c, reduction, c.dtype(x)), c.Shape(writes.index));
    start = c.Op("ScatterElements", {x, writes.index, neutral}, {{"axis", writes.axis}});
  }
  Value* y = Accumulate(c, start, writes, reduction);
  if (mode != "mean") return y;
  Value* count = c.Widen(CountWrites(c, x, writes, with_self));
  Value* divisor = c.CastLike(c.Max(count, 1), y);
  return IsFloating(c.dtype(y)) ? c.Div(y, divisor) : FloorQuotient(c, y, divisor);
}

// An index of rank 1 along `axis`, and otherwise every place.
AdvancedIndex IndexAt(Value* index, int axis) {
  AdvancedIndex all;
  all.indices.assign(static_cast<std::size_t>(axis), nullptr);
  all.indices.push_back(index);
  return all;
}

// scatter, with or without `reduce`
Value* LowerScatter(CallComposer& c) {
  if (!c.Has("reduce")) return Scatter(c, "");
  const std::string reduction = ReductionName(c.Text("reduce"));
  if (reduction.empty()) return c.Fail(c.call().Invalid("the reduction is unknown"));
  return Scatter(c, reduction);
}

Value* LowerScatterAdd(CallComposer& c) { return Scatter(c, "add"); }

Value* LowerScatterReduce(CallComposer& c) {
  const auto [self, index, axis] = TakePlaces(c);
  if (HasNoElements(c, index)) return AsSelf(c, self, self.x);
  Value* y = ReduceAt(c, self.x, {index, Source(c, index, c.dtype(self.x)), axis, true});
  return AsSelf(c, self, y);
}

// Whole slices of the source, to places along an axis.
Value* LowerIndexReduce(CallComposer& c) {
  const auto [self, index, axis] = TakePlaces(c);
  Value* source = AsVector(c, c.Tensor("source")).x;
  Value* places = c.Expand(AlongAxis(c, index, axis, c.Rank(source)), c.Shape(source));
  Value* y = ReduceAt(c, self.x, {places, source, axis, false});
  return AsSelf(c, self, y);
}

Value* LowerIndexAdd(CallComposer& c) {
  const auto [self, index, axis] = TakePlaces(c);
  Value* source = AsVector(c, c.Tensor("source")).x;
  const Number alpha = c.Take(c.call().Scalar("alpha"));
  const bool scales = !alpha.known() || alpha.AsComplex() != 1.0;
  if (scales) {
    Value* factor = c.Take(c.call().NumberValue(alpha, c.dtype(source)));
    source = c.dtype(source) == DType::kBool ? c.And(source, factor) : c.Mul(source, factor);
  }
  // PyTorch calls scatter_add here, which rounds sums of halves once.
  const int rank = c.Rank(self.x);
  const bool widens = !scales && rank > 1 && (axis == 0 || axis + 1 == rank);
  if (widens) source = c.Widen(source);
  Value* x = widens ? c.Widen(self.x) : self.x;
  Value* y = c.CastLike(IndexWrite(c, x, IndexAt(index, axis), source, true), self.x);
  return AsSelf(c, self, y);
}

Value* LowerIndexCopy(CallComposer& c) {
  const auto [self, index, axis] = TakePlaces(c);
  Value* source = AsVector(c, c.Tensor("source")).x;
  Value* y = IndexWrite(c, self.x, IndexAt(index, axis), source, false);
  return AsSelf(c, self, y);
}

Value* LowerIndexFill(CallComposer& c) {
  const auto [self, index, axis] = TakePlaces(c);
  Value* value = c.As("value", c.dtype(self.x));
  Value* y = IndexWrite(c, self.x, IndexAt(index, axis), value, false);
  return AsSelf(c, self, y);
}

// By places in the flattened tensor.
Value* LowerPut(CallComposer& c) {
  Value* x = c.Tensor("self");
  Value* index = c.Flatten(c.Tensor("index"));
  AdvancedIndex places;
  places.indices = {index};
  Value* source = c.Flatten(c.Tensor("source"));
  Value* written = IndexWrite(c, c.Flatten(x), places, source, c.BoolOr("accumulate", false));
  return c.Reshape(written, c.Shape(x));
}

Value* LowerMaskedFill(CallComposer& c) {
  Value* x = c.Tensor("self");
  Value* mask = IsTrue(c, c.Tensor("mask"));
  return c.Where(mask, c.As("value", c.dtype(x)), x);
}

// Where the mask is true, the elements of the source in their order. Elsewhere an element that is
// put in front of them: the source may have none.
Value* LowerMaskedScatter(CallComposer& c) {
  Value* x = c.Tensor("self");
  Value* mask = c.And(IsTrue(c, c.Tensor("mask")), c.Full(c.Shape(x), 1, DType::kBool));
  Value* chosen = c.Cast(mask, DType::kI64);
  Value* counted = c.Op("CumSum", {c.Flatten(chosen), c.Int(0)});
  Value* places = c.Mul(c.Reshape(counted, c.Shape(mask)), chosen);
  Value* source = c.Tensor("source");
  Value* padded = c.Concat({c.Full(c.Ints({1}), 0, c.dtype(source)), c.Flatten(source)}, 0);
  return c.Where(mask, c.Gather(padded, places, 0), x);
}

// fill, copy: sizes and element type of self.
Result<Value*> LowerFill(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  Value* value = c.As(call.Declares("src") ? "src" : "value", c.dtype(x));
  return c.Done(c.Expand(value, c.Shape(x)));
}

Result<Value*> LowerZero(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  return c.Done(c.Full(c.Shape(x), 0, c.dtype(x)));
}

// fill_diagonal: where all places are equal; with `wrap` the diagonal of a tall matrix begins anew
// after one row.
Value* LowerFillDiagonal(CallComposer& c) {
  Value* x = c.Tensor("self");
  const int rank = c.Rank(x);
  if (rank < 2) return c.Fail(c.call().Invalid("expected a matrix at least"));
  Value* last = c.Iota(c.Size(x, rank - 1));
  Value* on_diagonal = nullptr;
  for (int axis = 0; axis + 1 < rank && !c.failed(); ++axis) {
    Value* place = c.Iota(c.Size(x, axis));
    if (rank == 2 && c.BoolOr("wrap", false)) place = c.Op("Mod", {place, c.Add(c.Size(x, 1), 1)});
    Value* equal = c.Equal(AlongAxis(c, place, axis, rank), last);
    on_diagonal = on_diagonal == nullptr ? equal : c.And(on_diagonal, equal);
  }
  return c.Where(on_diagonal, c.As("fill_value", c.dtype(x)), x);
}

}  // namespace

std::span<const OpRow> ScatterRows() {
  static constexpr OpRow kRows[] = {
      {"aten.copy", LowerFill, {.complex = true}},
      {"aten.fill", LowerFill, {.complex = true}},
      {"aten.fill_diagonal", LowerFillDiagonal, {.complex = true}},
      {"aten.index_add", LowerIndexAdd, {.complex = true, .index = 2}},
      {"aten.index_copy", LowerIndexCopy, {.complex = true}},
      {"aten.index_fill", LowerIndexFill, {.complex = true}},
      {"aten.index_reduce", LowerIndexReduce},
      {"aten.masked_fill", LowerMaskedFill, {.complex = true}},
      {"aten.masked_scatter", LowerMaskedScatter, {.complex = true}},
      {"aten.put", LowerPut, {.complex = true}},
      {"aten.scatter", LowerScatter, {.complex = true, .index = 2}},
      {"aten.scatter_add", LowerScatterAdd, {.complex = true, .index = 2}},
      {"aten.scatter_reduce", LowerScatterReduce},
      {"aten.zero", LowerZero, {.complex = true}},
  };
  return kRows;
}

}  // namespace dragoman::torch
