// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/ops/op_rows.h"

#include "importers/torch/ops/distance.h"

#include <algorithm>
#include <optional>

#include "importers/torch/ops/math.h"

namespace dragoman::torch {
namespace {

// Distances of each row of `a` to each of `b`.
Value* AllDistances(Composer& c, Value* a, Value* b, double p) {
  const int rank_a = c.Rank(a);
  const int rank_b = c.Rank(b);
  Value* difference = c.Sub(c.Unsqueeze(a, {rank_a - 1}), c.Unsqueeze(b, {rank_b - 2}));
  return VectorNorm(c, difference, p, {std::max(rank_a, rank_b)}, false);
}

}  // namespace

Value* PairwiseDistance(Composer& c, Value* a, Value* b, double p, double eps, bool keep) {
  Value* difference = c.Sub(a, b);
  const bool floating = IsFloating(c.dtype(difference)) || IsComplex(c.dtype(difference));
  if (!floating) difference = c.Cast(difference, DType::kF32);
  difference = c.Add(difference, eps);
  const int rank = c.Rank(difference);
  if (rank == 0) return VectorNorm(c, c.Vector(difference), p, {0}, false);
  return VectorNorm(c, difference, p, {rank - 1}, keep);
}

namespace {

Value* LowerPairwiseDistance(CallComposer& c) {
  const std::vector<Value*> x = c.Promoted({"x1", "x2"});
  const double p = c.Float("p");
  const double eps = c.Float("eps");
  return PairwiseDistance(c, x[0], x[1], p, eps, c.Bool("keepdim"));
}

Value* LowerCdist(CallComposer& c) {
  Value* a = c.Tensor("x1");
  Value* b = c.Tensor("x2");
  return AllDistances(c, a, b, c.Float("p"));
}

Value* LowerEuclideanDistances(CallComposer& c) {
  return AllDistances(c, c.Tensor("x1"), c.Tensor("x2"), 2);
}

// The distances of each row to those after it.
Value* LowerPdist(CallComposer& c) {
  Value* x = c.Tensor("self");
  const std::optional<std::int64_t> rows = c.KnownSize(x, 0);
  if (!rows) {
    Value* row = c.Iota(c.Size(x, 0));
    Value* is_after = c.Less(c.Unsqueeze(row, {1}), row);
    Value* all = AllDistances(c, x, x, c.Float("p"));
    return c.Op("Compress", {c.Flatten(all), c.Flatten(is_after)});
  }
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < *rows; ++i) {
    for (std::int64_t j = i + 1; j < *rows; ++j) places.push_back(i * *rows + j);
  }
  Value* all = AllDistances(c, x, x, c.Float("p"));
  return c.Gather(c.Flatten(all), c.Ints(std::move(places)), 0);
}

// Each vector is divided by its length, which counts as `eps` at least.
Value* LowerCosineSimilarity(CallComposer& c) {
  std::vector<Value*> x = c.Promoted({"x1", "x2"}, true);
  const double eps = c.Float("eps");
  Value* product = c.Mul(x[0], x[1]);
  if (c.MaybeRank(product) == 0) {
    for (Value*& one : x) one = c.Vector(one);
    product = c.Vector(product);
  }
  const int axis = c.AxisArgument("dim", product);
  Value* shape = c.Shape(product);
  const auto unit = [&](Value* value) {
    Value* wide = c.Expand(value, shape);
    return c.Div(wide, c.Max(c.Reduce("ReduceL2", wide, {axis}, true), eps));
  };
  return c.ReduceSum(c.Mul(unit(x[0]), unit(x[1])), {axis});
}

// cross, linalg_cross: of vectors of three elements.
Value* LowerCross(CallComposer& c) {
  const std::vector<Value*> x = c.Promoted({"self", "other"});
  Value* sample = c.Add(x[0], x[1]);
  int axis = 0;
  if (c.Has("dim")) {
    axis = c.AxisArgument("dim", sample);
  } else {
    while (axis < c.Rank(sample) && c.KnownSize(sample, axis) != 3) ++axis;
    if (axis == c.Rank(sample)) return c.Refuse("no axis is known to have three elements");
  }
  const auto turned = [&](Value* value, std::vector<std::int64_t> order) {
    return c.Gather(c.Expand(value, c.Shape(sample)), c.Ints(std::move(order)), axis);
  };
  Value* first = c.Mul(turned(x[0], {1, 2, 0}), turned(x[1], {2, 0, 1}));
  Value* second = c.Mul(turned(x[0], {2, 0, 1}), turned(x[1], {1, 2, 0}));
  return c.Sub(first, second);
}

}  // namespace

std::span<const OpRow> DistanceRows() {
  static constexpr OpRow kRows[] = {
      {"aten._cdist_forward", LowerCdist},
      {"aten._euclidean_dist", LowerEuclideanDistances},
      {"aten._pdist_forward", LowerPdist},
      {"aten.cdist", LowerCdist},
      {"aten.cosine_similarity", LowerCosineSimilarity},
      {"aten.cross", LowerCross, {.complex = true}},
      {"aten.linalg_cross", LowerCross, {.complex = true}},
      {"aten.pairwise_distance", LowerPairwiseDistance},
      {"aten.pdist", LowerPdist},
  };
  return kRows;
}

}  // namespace dragoman::torch
