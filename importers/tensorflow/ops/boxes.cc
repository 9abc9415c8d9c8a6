// SPDX-License-Identifier: Apache-2.0
// Selection of boxes.
#include "importers/tensorflow/ops/op_rows.h"

#include <limits>
#include <optional>
#include <vector>

#include "importers/tensorflow/ops/suppression.h"

namespace dragoman::tf {
namespace {

// The boxes that are kept, and their scores.
KeptBoxes Keep(Call& c) {
  const std::size_t count = c.num_operands();
  Value* boxes = c.Cast(c.Tensor(0), DType::kF32);
  Value* scores = c.Cast(c.Tensor(1), DType::kF32);
  Value* most = c.IndexNumber(2);
  Value* overlap = nullptr;
  if (count > 3) {
    overlap = c.Reshape(c.Cast(c.Tensor(3), DType::kF32), Ints());
  } else {
    overlap = c.Number(static_cast<float>(c.FloatAttribute("iou_threshold")), DType::kF32);
  }
  Value* least = count > 4 ? c.Reshape(c.Cast(c.Tensor(4), DType::kF32), Ints()) : nullptr;
  if (count > 5 && !c.failed() && c.KnownFloat(5) != 0.0) {
    Value* sigma = c.Reshape(c.Cast(c.Tensor(5), DType::kF32), Ints());
    return SuppressSoftly(c, {boxes, scores, most, overlap, least, sigma});
  }
  std::vector<Value*> operands = {c.Unsqueeze(boxes, {0}), c.Unsqueeze(scores, {0, 1}),
                                  c.Vector(most), c.Vector(overlap)};
  // None is left out below the least score that there is.
  const std::optional<double> known = least != nullptr ? c.KnownFloat(4) : std::nullopt;
  if (least != nullptr && (!known || *known > -std::numeric_limits<float>::max()))
    operands.push_back(c.Vector(least));
  Value* kept = c.Select(c.Op("NonMaxSuppression", operands), 1, 2);
  return {kept, c.Gather(scores, kept, 0)};
}

// `kept` with zeros after, up to as many as operand 2 says.
Value* PadKept(Call& c, Value* kept) {
  Value* missing = c.Sub(c.Index(2), c.Size(kept, 0));
  return c.Op("Pad", {kept, c.ConcatSizes({c.Ints({0}), c.Vector(missing)})});
}

Value* LowerNonMaxSuppression(Call& c) { return c.Cast(Keep(c).places, DType::kI32); }

// Padded, and how many there are.
std::vector<Value*> LowerNonMaxSuppressionV4(Call& c) {
  Value* kept = Keep(c).places;
  Value* count = c.Size(kept, 0);
  if (c.BoolAttribute("pad_to_max_output_size")) kept = PadKept(c, kept);
  return {c.Cast(kept, DType::kI32), c.Cast(count, DType::kI32)};
}

// The same with scores.
std::vector<Value*> LowerNonMaxSuppressionV5(Call& c) {
  auto [kept, scores] = Keep(c);
  Value* count = c.Size(kept, 0);
  if (c.BoolAttribute("pad_to_max_output_size")) {
    scores = PadKept(c, scores);
    kept = PadKept(c, kept);
  }
  return {c.Cast(kept, DType::kI32), c.CastLike(scores, c.Tensor(1)), c.Cast(count, DType::kI32)};
}

// What is kept of each image: a score for each class and box, -inf for those that are not kept.
Value* KeptScores(Call& c, Value* boxes, Value* scores, Value* most, Value* overlap, Value* least) {
  // Each class of each image is an image of its own: (images · classes, boxes, 4).
  Value* flat_scores =
      c.Reshape(scores, c.ConcatSizes({c.Ints({-1, 1}), c.SizeVector(scores, 2, 1)}));
  Value* flat_boxes =
      c.Reshape(boxes, c.ConcatSizes({c.Ints({-1}), c.SizeVector(scores, 2, 1), c.Ints({4})}));
  Value* kept = c.Op("NonMaxSuppression",
                     {flat_boxes, flat_scores, c.Vector(most), c.Vector(overlap), c.Vector(least)});
  Value* nothing =
      c.Full(c.Shape(flat_scores), -std::numeric_limits<double>::infinity(), c.dtype(scores));
  Value* values = c.Op("GatherND", {flat_scores, kept});
  return c.Reshape(c.Op("ScatterND", {nothing, kept, values}), c.Shape(scores));
}

// The first `count` of `rows` along axis 1, with zeros after if there are fewer.
Value* PadRows(Call& c, Value* rows, Value* missing) {
  const auto rank = static_cast<std::size_t>(c.Rank(rows));
  if (c.failed()) return nullptr;
  if (rank < 2) return c.Fail(InvalidInput("boxes or scores of too low rank"));
  std::vector<Value*> pads(2 * rank, c.Ints({0}));
  pads[rank + 1] = c.Vector(missing);
  return c.Op("Pad", {rows, c.ConcatSizes(pads)});
}

// Boxes (images, boxes, classes or 1, 4), scores (images, boxes, classes): boxes, scores and
// classes of the best of all classes, and how many there are.
std::vector<Value*> LowerCombinedNonMaxSuppression(Call& c) {
  Value* boxes = c.Tensor(0);
  Value* scores = c.Transpose(c.Tensor(1), {0, 2, 1});
  Value* per_class = c.IndexNumber(2);
  Value* total = c.IndexNumber(3);
  if (c.failed()) return {};
  if (c.BoolAttribute("pad_per_class")) total = c.Min(total, c.Mul(per_class, c.Size(scores, 1)));
  Value* of_class = c.Transpose(boxes, {0, 2, 1, 3});
  Value* sizes = c.ConcatSizes({c.SizeVector(scores, 0, 3), c.Ints({4})});
  Value* all = c.Expand(of_class, sizes);
  Value* kept = KeptScores(c, all, scores, per_class, c.Reshape(c.Tensor(4), Ints()),
                           c.Reshape(c.Tensor(5), Ints()));
  // (images, classes · boxes)
  Value* flat = c.Reshape(kept, c.ConcatSizes({c.SizeVector(kept, 0, 1), c.Ints({-1})}));
  Value* count = c.Min(total, c.Size(flat, 1));
  const std::vector<Value*> best = c.Ops(
      "TopK", {flat, c.Vector(count)},
      {{"axis", std::int64_t{1}}, {"largest", std::int64_t{1}}, {"sorted", std::int64_t{1}}}, 2);
  Value* valid = c.Greater(best[0], -std::numeric_limits<double>::infinity());
  Value* rows = c.Reshape(all, c.ConcatSizes({c.SizeVector(kept, 0, 1), c.Ints({-1, 4})}));
  Value* found =
      c.Op("GatherND", {rows, c.Unsqueeze(best[1], {2})}, {{"batch_dims", std::int64_t{1}}});
  if (c.BoolAttribute("clip_boxes")) found = c.Max(c.Min(found, 1), 0);
  Value* missing = c.Sub(total, count);
  Value* number = c.Cast(c.Div(best[1], c.Size(kept, 2)), DType::kF32);
  return {PadRows(c, c.Where(c.Unsqueeze(valid, {2}), found, 0), missing),
          PadRows(c, c.Where(valid, best[0], 0), missing),
          PadRows(c, c.Where(valid, number, 0), missing),
          c.ReduceSum(c.Cast(valid, DType::kI32), {1})};
}

}  // namespace

std::span<const OpRow> BoxesRows() {
  static constexpr OpRow kRows[] = {
      {"CombinedNonMaxSuppression", LowerCombinedNonMaxSuppression},
      {"NonMaxSuppression", LowerNonMaxSuppression},
      {"NonMaxSuppressionV2", LowerNonMaxSuppression},
      {"NonMaxSuppressionV3", LowerNonMaxSuppression},
      {"NonMaxSuppressionV4", LowerNonMaxSuppressionV4},
      {"NonMaxSuppressionV5", LowerNonMaxSuppressionV5},
  };
  return kRows;
}

}  // namespace dragoman::tf
