// SPDX-License-Identifier: Apache-2.0
// Rows of a table by index, and sums of such rows.
#include "importers/torch/ops/op_rows.h"

#include <cmath>

#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"

namespace dragoman::torch {
namespace {

enum BagMode { kSumOfBag = 0, kMeanOfBag = 1, kMaxOfBag = 2 };

// For each index the bag that it is in: the number of offsets up to its place, less one.
Value* BagOf(Composer& c, Value* count, Value* offsets) {
  Value* places = c.Unsqueeze(c.Iota(count), {1});
  Value* begun = c.Cast(c.LessOrEqual(offsets, places), DType::kI64);
  return c.Sub(c.ReduceSum(begun, {1}), 1);
}

Value* LowerEmbedding(CallComposer& c) {
  Value* weight = c.Tensor("weight");
  return c.Gather(weight, c.Tensor("indices"), 0);
}

// The table, of which no row that `indices` name has a larger norm than `max_norm`.
Value* LowerEmbeddingRenorm(CallComposer& c) {
  Value* weight = c.Tensor("self");
  Value* indices = c.Flatten(c.Cast(c.Tensor("indices"), DType::kI64));
  const double most = c.Float("max_norm");
  Value* none = c.Full(c.SizeVector(weight, 0, 1), 0, DType::kI64);
  Value* ones = c.Full(c.Shape(indices), 1, DType::kI64);
  Value* named = c.Op("ScatterElements", {none, indices, ones});
  Value* wide = c.Widen(weight);
  Value* norms = VectorNorm(c, wide, c.Float("norm_type"), {1}, true);
  Value* shrinks = c.And(c.Unsqueeze(c.Equal(named, 1), {1}), c.Greater(norms, most));
  constexpr double kEps = 1e-7;
  Value* factors = c.Where(shrinks, c.Div(most, c.Add(norms, kEps)), 1);
  return c.CastLike(c.Mul(wide, factors), weight);
}

// The reduced rows; of the further results, which serve training, the bag of each index and the
// sizes of bags, not the places of maxima.
Result<Results> LowerEmbeddingBag(Call& call) {
  CallComposer c(call);
  Value* weight = c.Tensor("weight");
  Value* indices = c.Cast(c.Tensor("indices"), DType::kI64);
  Value* offsets = c.Cast(c.Tensor("offsets"), DType::kI64);
  const std::int64_t mode = c.Int("mode");
  if (c.BoolOr("include_last_offset", false)) offsets = c.Slice(offsets, 0, 0, -1);
  Value* bag = BagOf(c, c.Size(indices, 0), offsets);
  Value* bags = c.Unsqueeze(c.Iota(c.Size(offsets, 0)), {1});
  Value* member = c.Equal(bags, bag);
  // The decomposed forms have -1 for none.
  const bool has_padding =
      c.Has("padding_idx") && (!call.op().type.starts_with('_') || c.Int("padding_idx") >= 0);
  if (has_padding) {
    Value* padding = c.Int(c.Int("padding_idx"));
    padding = c.Where(c.Less(padding, 0), c.Add(padding, c.Size(weight, 0)), padding);
    member = c.And(member, c.NotEqual(indices, padding));
  }
  Value* sizes = c.ReduceSum(c.Cast(member, DType::kI64), {1});
  Value* rows = c.Gather(weight, indices, 0);
  Value* y = nullptr;
  if (mode == kMaxOfBag) {
    Value* candidates =
        c.Where(c.Unsqueeze(member, {2}), c.Unsqueeze(rows, {0}), c.Number(-INFINITY, rows));
    Value* largest = c.Reduce("ReduceMax", candidates, {1}, false);
    y = c.Where(c.Unsqueeze(c.Equal(sizes, 0), {1}), 0, largest);
  } else {
    Value* wide = c.Widen(rows);
    Value* factors = c.CastLike(member, wide);
    if (Value* weights = c.OptionalTensor("per_sample_weights"))
      factors = c.Mul(factors, c.CastLike(weights, wide));
    y = c.Op("MatMul", {factors, wide});
    if (mode == kMeanOfBag) y = c.Div(y, c.CastLike(c.Unsqueeze(c.Max(sizes, 1), {1}), y));
    y = c.CastLike(y, rows);
  }
  if (c.failed()) return c.Done({});
  return Results{call.NewTensor(y), call.NewTensor(bag), call.NewTensor(sizes), None()};
}

// Rows of class indices: 1 at the class, 0 elsewhere.
Value* LowerOneHot(CallComposer& c) {
  Value* x = c.Tensor("self");
  const std::int64_t classes = c.Int("num_classes");
  Value* depth = classes >= 0 ? c.Int(classes) : c.Add(c.ReduceAll("ReduceMax", x), 1);
  if (c.MaybeRank(x) != 0) return c.Op("OneHot", {x, depth, c.Ints({0, 1})});
  // Of one class ONNX has the rows of a list of one.
  return c.Squeeze(c.Op("OneHot", {c.Vector(x), depth, c.Ints({0, 1})}), {0});
}

}  // namespace

std::span<const OpRow> EmbeddingRows() {
  static constexpr OpRow kRows[] = {
      {"aten._embedding_bag", LowerEmbeddingBag},
      {"aten._embedding_bag_forward_only", LowerEmbeddingBag},
      {"aten.embedding",
       LowerEmbedding,
       {.complex = true, .index = 1, .order = ResultOrder::kStated}},
      {"aten.embedding_bag", LowerEmbeddingBag, {.index = 1}},
      {"aten.embedding_renorm", LowerEmbeddingRenorm, {.index = 1}},
      {"aten.one_hot", LowerOneHot, {.index = 0}},
  };
  return kRows;
}

}  // namespace dragoman::torch
