// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite's suppression of boxes class by class.
#include "importers/relay/ops/op_rows.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "importers/relay/ops/suppression.h"

namespace dragoman::relay {
namespace {

struct RegularNms {
  Value* boxes = nullptr;   // (images, boxes, 4): ends along y, x, y, x
  Value* scores = nullptr;  // (images, classes, boxes), without the background
  std::int64_t most_of_class = 0;
  std::int64_t most = 0;
  double overlap = 0;
  double least = 0;
};

RegularNms TakeRegularNms(Call& c) {
  RegularNms call;
  call.boxes = c.Tensor(0);
  Value* scores = c.Tensor(1);
  call.most_of_class = c.RequiredInt("max_detections_per_class");
  call.most = c.RequiredInt("max_detections");
  const std::int64_t classes = c.RequiredInt("num_classes");
  call.overlap = c.Float("iou_threshold", 0);
  call.least = c.Float("score_threshold", 0);
  if (c.failed()) return call;
  const std::optional<std::int64_t> columns = c.KnownSize(scores, 2);
  if (!columns) c.Fail("scores of an unknown number of classes");
  if (columns && (classes < 1 || classes > *columns))
    c.Fail(InvalidInput("num_classes is not a number of classes that there are"));
  if (call.most < 1) c.Fail(InvalidInput("max_detections is below 1"));
  if (call.overlap < 0) c.Fail("an iou_threshold below 0");
  if (c.failed()) return call;
  call.scores = c.Transpose(c.Slice(scores, 2, *columns - classes, kEnd), {0, 2, 1});
  return call;
}

// Rows (image, class, box).
Value* SelectedBoxes(Call& c, const RegularNms& call) {
  const auto end = [&](std::int64_t i) { return c.Slice(call.boxes, 2, i, i + 1); };
  // A box whose ends are not in order overlaps none, as an empty one does in ONNX.
  Value* is_box = c.And(c.Less(end(0), end(2)), c.Less(end(1), end(3)));
  Value* boxes = c.Where(is_box, call.boxes, 0);
  // ONNX asks for scores above the threshold.
  const float below =
      std::nextafter(static_cast<float>(call.least), -std::numeric_limits<float>::infinity());
  return c.Op(
      "NonMaxSuppression",
      {c.Cast(boxes, DType::kF32), c.Cast(call.scores, DType::kF32), c.Ints({call.most_of_class}),
       c.Vector(c.Number(call.overlap, DType::kF32)), c.Vector(c.Number(below, DType::kF32))});
}

// (boxes, classes, scores, how many of each image): the best of all classes, 0 after them.
std::vector<Value*> LowerRegularNms(Call& c) {
  const RegularNms call = TakeRegularNms(c);
  if (c.failed()) return {};
  Value* selected = SelectedBoxes(c, call);
  Value* shape = c.Shape(call.scores);
  Value* ones = c.Full(c.SizeVector(selected, 0, 1), 1, DType::kI64);
  Value* zeros = c.Expand(c.Int(0), shape);
  Value* is_selected = c.Cast(c.Op("ScatterND", {zeros, selected, ones}), DType::kBool);
  // Of equal scores the lower class and then the lower box is first, as in a sort class by class.
  Value* key = c.Where(is_selected, call.scores, -std::numeric_limits<double>::infinity());
  Value* images = c.SizeVector(call.scores, 0, 1);
  Value* lines = c.Reshape(key, c.ConcatSizes({images, c.Ints({-1})}));
  Value* room = c.Full(c.ConcatSizes({images, c.Ints({call.most})}),
                       -std::numeric_limits<double>::infinity(), c.dtype(call.scores));
  const std::vector<Value*> sorted = c.Ops(
      "TopK", {c.Concat({lines, room}, 1), c.Ints({call.most})}, {{"axis", std::int64_t{1}}}, 2);
  Value* found = c.ReduceSum(c.Cast(is_selected, DType::kI64), {1, 2});
  Value* count = c.Min(found, c.Int(call.most));
  if (c.failed()) return {};
  Value* is_there = c.Less(c.Iota(c.Int(call.most)), c.Unsqueeze(count, {1}));
  Value* place = c.Where(is_there, sorted[1], 0);
  Value* boxes = c.Size(call.scores, 2);
  Value* rows = RowsAt(c, call.boxes, c.Op("Mod", {place, boxes}));
  Value* classes = c.Cast(c.Op("Div", {place, boxes}), DType::kF32);
  return {c.Where(c.Unsqueeze(is_there, {2}), rows, 0), classes, c.Where(is_there, sorted[0], 0),
          c.Cast(count, DType::kI32)};
}

}  // namespace

std::span<const OpRow> RegularSuppressionRows() {
  static constexpr OpRow kRows[] = {
      {"vision.regular_non_max_suppression", LowerRegularNms},
  };
  return kRows;
}

}  // namespace dragoman::relay
