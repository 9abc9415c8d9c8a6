// SPDX-License-Identifier: Apache-2.0
// Counts, quantiles and differences of the elements of tensors.
#include "importers/torch/ops/op_rows.h"

#include <cmath>
#include <string>
#include <utility>

#include "core/lowering/complex.h"
#include "importers/torch/ops/math.h"
#include "importers/torch/ops/matrices.h"
#include "importers/torch/ops/promotion.h"

namespace dragoman::torch {
namespace {

Value* Conjugated(Composer& c, Value* x) { return IsComplex(c.dtype(x)) ? Conjugate(c, x) : x; }

// Rows are variables, columns observations.
Value* TakeObservations(CallComposer& c) {
  Value* x = c.Floating("self");
  return c.Rank(x) < 2 ? c.Reshape(x, {1, -1}) : x;
}

// Whether there is one variable: then the result is a number.
bool IsOfOne(CallComposer& c, const Value* observations) {
  return c.KnownSize(observations, 0) == 1;
}

// Argument fweights times aweights; nullptr if neither is given.
Value* TakeWeights(CallComposer& c, DType dtype) {
  Value* weights = nullptr;
  for (std::string_view name : {"fweights", "aweights"}) {
    if (!c.Has(name)) continue;
    Value* value = c.Cast(c.Tensor(name), dtype);
    weights = weights == nullptr ? value : c.Mul(weights, value);
  }
  return weights;
}

Value* Covariance(CallComposer& c, Value* x, double correction) {
  const DType dtype = RealPart(c.dtype(x));
  Value* weights = TakeWeights(c, dtype);
  if (weights == nullptr) {
    Value* deviation = c.Sub(x, c.ReduceMean(x, {1}, true));
    Value* divisor = c.Max(c.Sub(c.Cast(c.Size(x, 1), dtype), correction), 0);
    Value* product = MatMul(c, deviation, Conjugated(c, c.SwapAxes(deviation, 0, 1)));
    return c.Div(product, c.CastLike(divisor, product));
  }
  Value* total = c.ReduceSum(weights, {0});
  Value* typed = c.CastLike(weights, x);
  Value* mean = c.Div(c.ReduceSum(c.Mul(x, typed), {1}, true), c.CastLike(total, x));
  Value* deviation = c.Sub(x, mean);
  Value* lost = c.Mul(total, 0);
  if (c.Has("aweights")) {
    Value* squares = c.ReduceSum(c.Mul(weights, c.Cast(c.Tensor("aweights"), dtype)), {0});
    lost = c.Div(c.Mul(squares, correction), total);
  } else {
    lost = c.Add(lost, correction);
  }
  Value* weighted = c.Mul(deviation, typed);
  Value* product = MatMul(c, weighted, Conjugated(c, c.SwapAxes(deviation, 0, 1)));
  return c.Div(product, c.CastLike(c.Max(c.Sub(total, lost), 0), product));
}

// How many elements fall into each of `bins` (0-d); `places` of int64 outside of them do not count.
Value* CountPlaces(Composer& c, Value* places, Value* amounts, Value* bins) {
  Value* outside = c.Or(c.Less(places, 0), c.GreaterOrEqual(places, bins));
  Value* safe = c.Where(outside, bins, places);
  Value* zeros = c.Full(c.Vector(c.Add(bins, 1)), 0, c.dtype(amounts));
  Value* counts = c.Op("ScatterElements", {zeros, safe, amounts}, {{"reduction", "add"}});
  return c.Slice(counts, 0, c.Ints({0}), c.Vector(bins), c.Ints({1}));
}

struct BinRange {
  Value* low;
  Value* high;
};

// The range from low to high, or where these are equal, of the data, or `margin` to both sides of
// its only value.
BinRange RangeOf(Composer& c, Value* x, double low, double high, double margin) {
  if (low != high) return {c.Number(low, c.dtype(x)), c.Number(high, c.dtype(x))};
  Value* least = c.ReduceAll("ReduceMin", x);
  Value* most = c.ReduceAll("ReduceMax", x);
  Value* same = c.Equal(least, most);
  return {c.Where(same, c.Sub(least, margin), least), c.Where(same, c.Add(most, margin), most)};
}

// Two numbers for each of so many axes, as argument `range` says; zeros, which stand for the range
// of the data, if it does not.
std::vector<double> TakeRanges(CallComposer& c, std::size_t axes) {
  if (!c.Has("range")) return std::vector<double>(2 * axes, 0);
  std::vector<double> stated = c.Take(c.call().FloatList("range"));
  if (!c.failed() && stated.size() != 2 * axes)
    c.Fail(InvalidInput("range is not two numbers for each axis"));
  stated.resize(2 * axes);
  return stated;
}

// The edges of `count` bins of equal width.
Value* EdgesOf(Composer& c, Value* x, std::int64_t count, const std::vector<double>& stated) {
  const BinRange range = RangeOf(c, x, stated[0], stated[1], 0.5);
  Value* i = c.Cast(c.Iota(c.Int(count + 1)), DType::kF64);
  Value* low = c.Cast(range.low, DType::kF64);
  Value* width = c.Sub(c.Cast(range.high, DType::kF64), low);
  Value* inner = c.Add(low, c.Div(c.Mul(i, width), static_cast<double>(count)));
  Value* last = c.Equal(i, static_cast<double>(count));
  return c.CastLike(c.Where(last, c.Cast(range.high, DType::kF64), inner), x);
}

// The bin of each element, of `count`; others where it lies in none. The last has its upper edge.
Value* PlacesIn(Composer& c, Value* x, Value* edges, Value* count) {
  Value* passed = c.Cast(c.GreaterOrEqual(c.Unsqueeze(x, {1}), edges), DType::kI64);
  Value* place = c.Sub(c.ReduceSum(passed, {1}), 1);
  Value* top = c.Slice(edges, 0, -1, kEnd);
  return c.Where(c.Equal(x, top), c.Sub(count, 1), place);
}

Value* TakeAmounts(CallComposer& c, Value* x) {
  return c.Has("weight") ? c.Flatten(c.Tensor("weight")) : c.Full(c.Shape(x), 1, c.dtype(x));
}

// Shares of the sum by the extent of each bin, along one axis for each of `edges`.
Value* Density(Composer& c, Value* counts, const std::vector<Value*>& edges) {
  counts = c.Div(counts, c.ReduceAll("ReduceSum", counts));
  const int rank = static_cast<int>(edges.size());
  for (int i = 0; i < rank; ++i) {
    Value* of = edges[static_cast<std::size_t>(i)];
    Value* widths = c.Sub(c.Slice(of, 0, 1, kEnd), c.Slice(of, 0, 0, -1));
    counts = c.Div(counts, AlongAxis(c, widths, i, rank));
  }
  return counts;
}

// The elements in rising order along the last axis; NaN last.
Value* SortedLast(Composer& c, Value* x) {
  return c.Ops("TopK", {x, c.SizeVector(x, c.Rank(x) - 1, 1)}, {{"largest", std::int64_t{0}}},
               2)[0];
}

// `axis` moved to the end.
Value* WithLast(Composer& c, Value* x, int axis) {
  std::vector<std::int64_t> permutation = AllAxes(c.Rank(x));
  std::erase(permutation, axis);
  permutation.push_back(axis);
  return c.failed() ? nullptr : c.Transpose(x, std::move(permutation));
}

Value* At(Composer& c, Value* sorted, Value* ranks) {
  return c.Op("GatherElements", {sorted, c.Cast(ranks, DType::kI64)},
              {{"axis", std::int64_t{c.Rank(sorted) - 1}}});
}

// What lies at `ranks`, which may fall between two elements.
Value* Interpolated(CallComposer& c, Value* sorted, Value* ranks) {
  const std::string mode = c.Has("interpolation") ? c.Text("interpolation") : "linear";
  if (mode == "lower") return At(c, sorted, c.Floor(ranks));
  if (mode == "higher") return At(c, sorted, c.Op("Ceil", {ranks}));
  if (mode == "nearest") return At(c, sorted, c.Op("Round", {ranks}));
  Value* below = At(c, sorted, c.Floor(ranks));
  Value* above = At(c, sorted, c.Op("Ceil", {ranks}));
  if (mode == "midpoint") return c.Mul(c.Add(below, above), 0.5);
  if (mode != "linear") return c.Fail(InvalidInput("interpolation '" + mode + "' is unknown"));
  Value* share = c.CastLike(c.Sub(ranks, c.Floor(ranks)), below);
  Value* between = c.Add(below, c.Mul(share, c.Sub(above, below)));
  return c.Where(c.Equal(share, 0), below, between);
}

// Elements [start, end) of an axis; negative bounds count from its end.
Value* Part(Composer& c, Value* x, int axis, std::int64_t start, std::int64_t end) {
  return c.Slice(x, axis, start, end);
}

// Slopes along `axis` of values whose neighbours lie `step` apart, a number or a tensor of
// distances between neighbours.
Value* Slopes(Composer& c, Value* x, int axis, Value* distances, bool second_order) {
  Value* before = Part(c, distances, axis, 0, -1);
  Value* after = Part(c, distances, axis, 1, kEnd);
  Value* left = Part(c, x, axis, 0, -2);
  Value* middle = Part(c, x, axis, 1, -1);
  Value* right = Part(c, x, axis, 2, kEnd);
  const auto difference = [&](Value* a, Value* b, Value* by) { return c.Div(c.Sub(a, b), by); };
  Value* slope_left = difference(middle, left, before);
  Value* slope_right = difference(right, middle, after);
  Value* sum = c.Add(before, after);
  Value* inner = c.Div(c.Add(c.Mul(slope_left, after), c.Mul(slope_right, before)), sum);
  Value* first =
      difference(Part(c, x, axis, 1, 2), Part(c, x, axis, 0, 1), Part(c, distances, axis, 0, 1));
  Value* last = difference(Part(c, x, axis, -1, kEnd), Part(c, x, axis, -2, -1),
                           Part(c, distances, axis, -1, kEnd));
  if (second_order) {
    // The slope of the parabola through the three outermost points.
    first = c.Sub(c.Mul(first, 2), Part(c, inner, axis, 0, 1));
    last = c.Sub(c.Mul(last, 2), Part(c, inner, axis, -1, kEnd));
  }
  return c.Concat({first, inner, last}, axis);
}

Value* LowerCov(CallComposer& c) {
  Value* x = TakeObservations(c);
  Value* covariance = Covariance(c, x, static_cast<double>(c.IntOr("correction", 1)));
  return IsOfOne(c, x) ? c.Reshape(covariance, c.Ints({})) : covariance;
}

Value* LowerCorrcoef(CallComposer& c) {
  Value* x = TakeObservations(c);
  Value* covariance = Covariance(c, x, 1);
  Value* deviation = c.Sqrt(PartsOf(c, DiagonalOf(c, covariance)).re);
  Value* scaled = c.Div(c.Div(covariance, c.Unsqueeze(deviation, {1})), deviation);
  const auto bounded = [&](Value* part) { return c.Max(c.Min(part, 1), -1); };
  if (c.failed() || !IsComplex(c.dtype(scaled))) {
    scaled = bounded(scaled);
  } else {
    const Parts parts = PartsOf(c, scaled);
    scaled = FromParts(c, {bounded(parts.re), bounded(parts.im)});
  }
  return IsOfOne(c, x) ? c.Reshape(scaled, c.Ints({})) : scaled;
}

Value* LowerHistc(CallComposer& c) {
  Value* given = c.Tensor("self");
  Value* x = c.Widen(c.Flatten(given));
  const std::int64_t bins = c.IntOr("bins", 100);
  const BinRange range = RangeOf(c, x, c.FloatOr("min", 0), c.FloatOr("max", 0), 1);
  Value* width = c.Sub(range.high, range.low);
  Value* place = c.Div(c.Mul(c.Sub(x, range.low), static_cast<double>(bins)), width);
  Value* inside = c.And(c.GreaterOrEqual(x, range.low), c.LessOrEqual(x, range.high));
  Value* count = c.Int(bins);
  Value* index = c.Min(c.Cast(c.Floor(c.Where(inside, place, 0)), DType::kI64), c.Sub(count, 1));
  index = c.Where(inside, index, c.Int(-1));
  Value* counts = CountPlaces(c, index, c.Full(c.Shape(x), 1, c.dtype(x)), count);
  return c.CastLike(counts, given);
}

Value* LowerBincount(CallComposer& c) {
  Value* x = c.Cast(c.Tensor("self"), DType::kI64);
  Value* least = c.Sub(c.Take(c.call().IntListValue("minlength")), 1);
  Value* bins = c.Add(c.ReduceAll("ReduceMax", c.Concat({x, least}, 0)), 1);
  Value* amounts = c.Full(c.Shape(x), 1, DType::kI64);
  if (c.Has("weights")) {
    Value* weights = c.Tensor("weights");
    amounts = c.dtype(weights) == DType::kF32 ? weights : c.Cast(weights, DType::kF64);
  }
  return CountPlaces(c, x, amounts, bins);
}

// histogram: counts, and the edges of the bins.
Result<Results> LowerHistogram(Call& call) {
  CallComposer c(call);
  Value* x = c.Flatten(c.Tensor("self"));
  const Abstract bins = c.Take(call.Argument("bins"));
  Value* edges = nullptr;
  if (bins.Is<TensorRef>()) {
    edges = c.Tensor("bins");
  } else {
    const std::vector<double> range = TakeRanges(c, 1);
    edges = EdgesOf(c, x, c.Int("bins"), range);
  }
  Value* count = c.Sub(c.Size(edges, 0), 1);
  Value* counts = CountPlaces(c, PlacesIn(c, x, edges, count), TakeAmounts(c, x), count);
  if (c.BoolOr("density", false)) counts = Density(c, counts, {edges});
  return c.Done({counts, edges});
}

// histogramdd: rows are points; the counts of the bins along all axes, and a list of their edges.
Result<Results> LowerHistogramOfPoints(Call& call) {
  CallComposer c(call);
  Value* points = c.Tensor("self");
  const int rank = c.Rank(points);
  const std::optional<std::int64_t> known = c.KnownSize(points, rank - 1);
  if (c.failed() || !known) return call.Unsupported("points of an unknown number of axes");
  const auto axes = static_cast<std::size_t>(*known);
  points = c.Reshape(points, {-1, *known});
  const bool given = call.op().overload == "TensorList_bins";
  std::vector<Value*> edges = given ? c.Tensors("bins") : std::vector<Value*>();
  const std::vector<double> ranges = TakeRanges(c, axes);
  const Ints bins = given ? Ints(axes) : c.Take(call.IntList("bins", axes));
  if (c.failed() || bins.size() != axes || (given && edges.size() != axes))
    return call.Invalid("there is not a number of bins for each axis");
  Value* place = nullptr;
  Value* all = nullptr;
  std::vector<Value*> sizes;
  for (std::size_t i = 0; i < axes; ++i) {
    Value* x = c.Select(points, 1, static_cast<std::int64_t>(i));
    if (!given) edges.push_back(EdgesOf(c, x, bins[i], {ranges[2 * i], ranges[2 * i + 1]}));
    Value* count = c.Sub(c.Size(edges[i], 0), 1);
    Value* here = PlacesIn(c, x, edges[i], count);
    Value* outside = c.Or(c.Less(here, 0), c.GreaterOrEqual(here, count));
    if (place != nullptr) {
      outside = c.Or(outside, c.Less(place, 0));
      here = c.Add(c.Mul(place, count), here);
    }
    place = c.Where(outside, -1, here);
    all = all == nullptr ? count : c.Mul(all, count);
    sizes.push_back(c.Vector(count));
  }
  Value* first = c.Select(points, 1, 0);
  Value* counts = CountPlaces(c, place, TakeAmounts(c, first), all);
  counts = c.Reshape(counts, c.ConcatSizes(std::move(sizes)));
  if (c.BoolOr("density", false)) counts = Density(c, counts, edges);
  DRAGOMAN_TRY(c.status());
  return Results{call.NewTensor(counts), call.NewTensorList(edges)};
}

// quantile, nanquantile: for each of q a slice of the result, in front, unless q is one number.
Value* LowerQuantile(CallComposer& c) {
  Value* given = c.Tensor("self");
  Value* q = c.As("q", c.dtype(given));
  const bool whole = !c.Has("dim");
  const int axis = whole ? 0 : c.AxisArgument("dim", given);
  Value* x = whole || c.Rank(given) == 0 ? c.Flatten(given) : given;
  Value* sorted = SortedLast(c, WithLast(c, x, axis));
  const int last = c.Rank(sorted) - 1;
  Value* nan = c.Cast(IsNaN(c, sorted), DType::kI64);
  const bool skips = c.call().op().type == "nanquantile";
  Value* missing = c.ReduceSum(nan, {last}, true);
  Value* count = c.Size(sorted, last);
  Value* highest = skips ? c.Max(c.Sub(c.Sub(count, missing), 1), 0) : c.Sub(count, 1);
  Value* points = c.Rank(q) == 0 ? c.Unsqueeze(q, {0}) : q;
  Value* ranks = c.Mul(c.CastLike(highest, given), points);
  Value* rows = last > 0 ? c.SizeVector(sorted, 0, last) : nullptr;
  Value* width = c.SizeVector(points, 0, 1);
  ranks = c.Expand(ranks, rows != nullptr ? c.ConcatSizes({rows, width}) : width);
  Value* result = Interpolated(c, sorted, ranks);
  if (!skips) result = c.Where(c.Greater(missing, 0), NAN, result);
  std::vector<std::int64_t> permutation = {last};
  for (int i = 0; i < last; ++i) permutation.push_back(i);
  result = c.Transpose(result, std::move(permutation));
  if (c.BoolOr("keepdim", false)) {
    std::vector<std::int64_t> added;
    for (int i = 0; whole && i < c.Rank(given); ++i) added.push_back(i + 1);
    if (!whole && c.Rank(given) > 0) added.push_back(axis + 1);
    result = c.Unsqueeze(result, added);
  }
  return c.Rank(q) == 0 ? c.Squeeze(result, {0}) : result;
}

// The most frequent value, the least one of several, and where it stands last.
Result<Results> LowerMode(Call& call) {
  CallComposer c(call);
  Value* given = c.Tensor("self");
  if (c.Rank(given) == 0) return c.Done({c.Op("Identity", {given}), c.Int(0)});
  const int axis = c.AxisArgument("dim", given);
  Value* x = WithLast(c, given, axis);
  const int last = c.Rank(x) - 1;
  Value* same = c.Equal(c.Unsqueeze(x, {last + 1}), c.Unsqueeze(x, {last}));
  Value* counts = c.ReduceSum(c.Cast(same, DType::kI64), {last + 1});
  Value* most = c.Equal(counts, c.Reduce("ReduceMax", counts, {last}, true));
  Value* sorted = c.dtype(x) == DType::kBool ? c.Cast(x, DType::kI32) : x;
  Value* largest = c.Reduce("ReduceMax", sorted, {last}, true);
  Value* mode = c.Reduce("ReduceMin", c.Where(most, sorted, largest), {last}, true);
  Value* places = c.Where(c.Equal(sorted, mode), c.Iota(c.Size(x, last)), c.Int(0));
  Value* place = c.Reduce("ReduceMax", places, {last}, true);
  mode = c.CastLike(mode, x);
  if (!c.BoolOr("keepdim", false))
    return c.Done({c.Squeeze(mode, {last}), c.Squeeze(place, {last})});
  return c.Done({c.SwapAxes(mode, axis, last), c.SwapAxes(place, axis, last)});
}

// Slopes along each axis: of distances that are one number, a number an axis, or places an axis.
Result<Results> LowerGradient(Call& call) {
  CallComposer c(call);
  Value* x = c.Floating("self");
  const int rank = c.Rank(x);
  std::vector<std::int64_t> axes = AllAxes(rank);
  if (c.Has("dim")) {
    axes.clear();
    for (std::int64_t axis : c.Take(call.IntList("dim"))) axes.push_back(c.Axis(axis, rank));
  }
  const bool second = c.IntOr("edge_order", 1) == 2;
  const Abstract spacing =
      c.Has("spacing") ? c.Take(call.Argument("spacing")) : Abstract(Number::Int(1));
  std::vector<Value*> slopes;
  for (std::size_t i = 0; i < axes.size() && !c.failed(); ++i) {
    const int axis = static_cast<int>(axes[i]);
    Value* places = nullptr;
    if (const auto* step = spacing.As<Number>()) {
      Value* typed = c.Take(call.NumberValue(*step, c.dtype(x)));
      places = c.Mul(c.Cast(c.Iota(c.Size(x, axis)), c.dtype(x)), typed);
    } else if (call.op().overload.starts_with("tensor")) {
      const std::vector<Value*> given = c.Tensors("spacing");
      if (i >= given.size()) return call.Invalid("there are fewer distances than axes");
      places = c.Cast(given[i], c.dtype(x));
    } else {
      const std::vector<Number> steps = c.Take(call.Scalars("spacing"));
      if (i >= steps.size()) return call.Invalid("there are fewer distances than axes");
      Value* step = c.Take(call.NumberValue(steps[i], c.dtype(x)));
      places = c.Mul(c.Cast(c.Iota(c.Size(x, axis)), c.dtype(x)), step);
    }
    places = AlongAxis(c, places, axis, rank);
    Value* distances = c.Sub(Part(c, places, axis, 1, kEnd), Part(c, places, axis, 0, -1));
    slopes.push_back(Slopes(c, x, axis, distances, second));
  }
  return c.DoneList(slopes);
}

// Slices along an axis whose norm is above `maxnorm` are scaled down to it.
Value* LowerRenorm(CallComposer& c) {
  Value* given = c.Tensor("self");
  Value* x = c.Widen(given);
  std::vector<std::int64_t> axes = AllAxes(c.Rank(x));
  std::erase(axes, c.AxisArgument("dim", x));
  Value* norm = VectorNorm(c, x, c.Float("p"), axes, true);
  const double most = c.Float("maxnorm");
  Value* factor = c.Div(most, c.Add(norm, 1e-7));
  return c.CastLike(c.Mul(x, c.Where(c.Greater(norm, most), factor, 1)), given);
}

// The first of each run of equal elements, or equal slices along an axis, the run of each, and the
// lengths of runs.
Result<Results> LowerUniqueConsecutive(Call& call) {
  CallComposer c(call);
  Value* given = c.Tensor("self");
  const bool along = c.Has("dim");
  Value* x = along ? given : c.Flatten(given);
  const int axis = along ? c.AxisArgument("dim", x) : 0;
  Value* one = c.Ints({1});
  Value* count = c.SizeVector(x, axis, 1);
  Value* moves = c.NotEqual(Part(c, x, axis, 1, kEnd), Part(c, x, axis, 0, -1));
  std::vector<std::int64_t> others = AllAxes(c.Rank(x));
  std::erase(others, axis);
  moves = c.Reduce("ReduceMax", moves, others, false);
  Value* starts = c.Concat({c.Full(one, 1, DType::kBool), moves}, 0);
  starts = c.Slice(starts, 0, c.Ints({0}), count, one);
  Value* values = c.Op("Compress", {c.Widen(x), starts}, {{"axis", std::int64_t{axis}}});
  values = c.CastLike(values, x);
  Value* runs = c.Sub(c.Op("CumSum", {c.Cast(starts, DType::kI64), c.Int(0)}), 1);
  Value* places = c.Squeeze(c.Op("NonZero", {starts}), {0});
  Value* ends = c.Concat({Part(c, places, 0, 1, kEnd), count}, 0);
  ends = c.Slice(ends, 0, c.Ints({0}), c.SizeVector(places, 0, 1), one);
  Value* nothing = c.Full(c.Ints({0}), 0, DType::kI64);
  const bool inverse = c.BoolOr("return_inverse", false);
  const bool counts = c.BoolOr("return_counts", false);
  if (!along) runs = c.Reshape(runs, c.Shape(given));
  return c.Done({values, inverse ? runs : nothing, counts ? c.Sub(ends, places) : nothing});
}

// The places of the first `size` elements that are not zero, and fill_value where there are fewer.
Value* LowerNonzeroStatic(CallComposer& c) {
  Value* x = c.Tensor("self");
  // Of no axes, ONNX counts one.
  Value* read = c.Rank(x) == 0 ? c.Vector(x) : x;
  Value* places = c.SwapAxes(c.Op("NonZero", {IsTrue(c, read)}), 0, 1);
  if (read != x) places = c.Slice(places, 1, 0, 0);
  Value* size = c.Vector(c.Take(c.call().IntValue("size")));
  Value* fill = c.Full(c.ConcatSizes({size, c.Ints({c.Rank(x)})}),
                       static_cast<double>(c.IntOr("fill_value", -1)), DType::kI64);
  Value* whole = c.Concat({places, fill}, 0);
  return c.Slice(whole, 0, c.Ints({0}), size, c.Ints({1}));
}

}  // namespace

std::span<const OpRow> StatisticsRows() {
  static constexpr OpRow kRows[] = {
      {"aten.bincount", LowerBincount, {.index = 0}},
      {"aten.corrcoef", LowerCorrcoef, {.complex = true}},
      {"aten.cov", LowerCov, {.complex = true}},
      {"aten.gradient", LowerGradient, {.complex = true}},
      {"aten.histc", LowerHistc},
      {"aten.histogram", LowerHistogram},
      {"aten.histogramdd", LowerHistogramOfPoints},
      {"aten.mode", LowerMode},
      {"aten.nanquantile", LowerQuantile, {.order = ResultOrder::kUnknown}},
      {"aten.nonzero_static", LowerNonzeroStatic, {.complex = true}},
      {"aten.quantile", LowerQuantile, {.order = ResultOrder::kUnknown}},
      {"aten.renorm", LowerRenorm},
      {"aten.unique_consecutive", LowerUniqueConsecutive, {.order = ResultOrder::kUnknown}},
  };
  return kRows;
}

}  // namespace dragoman::torch
