// Rows of a table by index, and sums of such rows.
#include <cmath>

#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/lowerings.h"

namespace dragoman::torch {
namespace {

enum BagMode { kSumOfBag = 0, kMeanOfBag = 1, kMaxOfBag = 2 };

// For each index the bag that it is in: the number of offsets up to its place, less one.
Value* BagOf(Composer& c, Value* count, Value* offsets) {
  Value* places = c.Unsqueeze(c.Iota(count), {1});
  Value* begun = c.Cast(c.LessOrEqual(offsets, places), DType::kI64);
  return c.Sub(c.ReduceSum(begun, {1}), 1);
}

}  // namespace

Result<Value*> LowerEmbedding(Call& call) {
  CallComposer c(call);
  Value* weight = c.Tensor("weight");
  return c.Done(c.Gather(weight, c.Tensor("indices"), 0));
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
Result<Value*> LowerOneHot(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  const std::int64_t classes = c.Int("num_classes");
  Value* depth = classes >= 0 ? c.Int(classes) : c.Add(c.ReduceAll("ReduceMax", x), 1);
  return c.Done(c.Op("OneHot", {x, depth, c.Ints({0, 1})}));
}

}  // namespace dragoman::torch
