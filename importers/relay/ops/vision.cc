// SPDX-License-Identifier: Apache-2.0
// Regions of images and the boxes of detectors.
#include "importers/relay/ops/op_rows.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "importers/relay/ops/layout.h"
#include "importers/relay/ops/suppression.h"
#include "importers/tvm/sampling.h"

namespace dragoman::relay {
namespace {

Value* LowerRoiAlign(Call& c) {
  const std::string layout = c.Text("layout", "NCHW");
  c.ExpectText("mode", {"avg", "max"});
  Value* x = ToLayout(c, c.Tensor(0), layout, "NCHW");
  Value* y = tvm::RoiAlign(c, x, c.Tensor(1),
                           {.size = c.RequiredInts("pooled_size"),
                            .scale = c.Float("spatial_scale", 1),
                            .samples = c.Int("sample_ratio", -1),
                            .takes_max = c.Text("mode", "avg") == "max"});
  return ToLayout(c, y, "NCHW", layout);
}

Value* LowerRoiPool(Call& c) {
  const Ints size = c.RequiredInts("pooled_size");
  const double scale = c.Float("spatial_scale", 1);
  const std::string layout = c.Text("layout", "NCHW");
  if (c.failed()) return nullptr;
  if (size.empty() || size.size() > 2) return c.Fail(InvalidInput("pooled_size is not a pair"));
  Value* x = ToLayout(c, c.Tensor(0), layout, "NCHW");
  Value* y = c.Op("MaxRoiPool", {x, c.Tensor(1)},
                  {{"pooled_shape", Ints{size.front(), size.back()}},
                   {"spatial_scale", static_cast<float>(scale)}});
  return ToLayout(c, y, "NCHW", layout);
}

// As many rows as there are candidates, and how many of them count; zeros stand after them.
std::vector<Value*> LowerAllClassNms(Call& c) {
  c.ExpectText("output_format", {"onnx"});
  Value* scores = c.Tensor(1);
  Value* most = c.Vector(c.Index(2));
  Value* overlap = c.Vector(c.Tensor(3));
  Value* least = c.Vector(c.Tensor(4));
  Value* rows = c.Op("NonMaxSuppression", {c.Tensor(0), scores, most, overlap, least});
  Value* count = c.SizeVector(rows, 0, 1);
  Value* missing = c.Sub(c.Vector(c.NumElements(scores)), count);
  if (c.failed()) return {nullptr, nullptr};
  Value* pads = c.Concat({c.Ints({0, 0}), missing, c.Ints({0})}, 0);
  return {c.Op("Pad", {rows, pads}), count};
}

// Boxes of some sizes and ratios around the centre of each element.
Value* LowerMultiboxPrior(Call& c) {
  Value* x = c.Tensor(0);
  const std::vector<double> sizes = c.Floats("sizes", {1});
  const std::vector<double> ratios = c.Floats("ratios", {1});
  const std::vector<double> steps = c.Floats("steps", {-1, -1});
  const std::vector<double> offsets = c.Floats("offsets", {0.5, 0.5});
  const bool clip = c.Bool("clip", false);
  const std::optional<Ints> known = c.KnownSizes(x);
  if (c.failed()) return nullptr;
  if (!known || known->size() != 4) return c.Fail("an image whose sizes are not known");
  if (sizes.empty() || ratios.empty() || steps.size() != 2 || offsets.size() != 2)
    return c.Fail(InvalidInput("sizes, ratios, steps or offsets have too few entries"));
  const auto height = static_cast<double>((*known)[2]);
  const auto width = static_cast<double>((*known)[3]);
  const double step_y = steps[0] > 0 ? steps[0] : 1 / height;
  const double step_x = steps[1] > 0 ? steps[1] : 1 / width;
  const std::size_t kinds = sizes.size() + ratios.size() - 1;
  std::vector<float> boxes;
  for (std::int64_t i = 0; i < (*known)[2]; ++i) {
    for (std::int64_t j = 0; j < (*known)[3]; ++j) {
      const double y = (static_cast<double>(i) + offsets[0]) * step_y;
      const double across = (static_cast<double>(j) + offsets[1]) * step_x;
      for (std::size_t kind = 0; kind < kinds; ++kind) {
        const bool sized = kind < sizes.size();
        const double size = sized ? sizes[kind] : sizes[0];
        const double root = sized ? 1 : std::sqrt(ratios[kind - sizes.size() + 1]);
        const double half_width = size * height / width * root / 2;
        const double half_height = size / root / 2;
        for (double end :
             {across - half_width, y - half_height, across + half_width, y + half_height})
          boxes.push_back(static_cast<float>(clip ? std::clamp(end, 0.0, 1.0) : end));
      }
    }
  }
  const auto count = static_cast<std::int64_t>(boxes.size() / 4);
  return c.builder().Constant(Tensor::Of<float>({1, count, 4}, boxes));
}

// The boxes that `moves` (images, boxes, 4) makes of `anchors` (1, boxes, 4): ends along x and y.
Value* MovedBoxes(Call& c, Value* anchors, Value* moves, const std::vector<double>& variances,
                  bool clip) {
  const auto part = [&](Value* of, int i) { return c.Slice(of, 2, i, i + 1); };
  Value* centres[2];
  Value* halves[2];
  for (int axis = 0; axis < 2; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    Value* size = c.Sub(part(anchors, axis + 2), part(anchors, axis));
    Value* centre = c.Div(c.Add(part(anchors, axis), part(anchors, axis + 2)), 2);
    Value* offset = c.Mul(c.Mul(part(moves, axis), variances[at]), size);
    centres[axis] = c.Add(offset, centre);
    Value* scale = c.Exp(c.Mul(part(moves, axis + 2), variances[at + 2]));
    halves[axis] = c.Div(c.Mul(scale, size), 2);
  }
  Value* boxes = c.Concat({c.Sub(centres[0], halves[0]), c.Sub(centres[1], halves[1]),
                           c.Add(centres[0], halves[0]), c.Add(centres[1], halves[1])},
                          2);
  return clip ? c.Max(c.Min(boxes, 1), 0) : boxes;
}

// (rows of class, score and box; how many of an image): what is not a background, moved to the
// front.
std::vector<Value*> LowerMultiboxTransformLoc(Call& c) {
  const bool clip = c.Bool("clip", true);
  const double threshold = c.Float("threshold", 0.01);
  const std::vector<double> variances = c.Floats("variances", {0.1, 0.1, 0.2, 0.2});
  if (c.Bool("keep_background", false)) c.Fail("keep_background=True is not supported");
  if (variances.size() != 4) c.Fail(InvalidInput("variances has another number of entries"));
  Value* classes = c.Slice(c.Tensor(0), 1, 1, kEnd);
  Value* moves = c.Tensor(1);
  moves = c.Reshape(moves, c.ConcatSizes({c.SizeVector(moves, 0, 1), c.Ints({-1, 4})}));
  Value* anchors = c.Tensor(2);
  if (c.failed()) return {};
  Value* score = c.Reduce("ReduceMax", classes, {1}, false);
  Value* id = c.Op("ArgMax", {classes}, {{"axis", std::int64_t{1}}, {"keepdims", std::int64_t{0}}});
  Value* keep = c.And(c.GreaterOrEqual(score, static_cast<float>(threshold)), c.Greater(score, -1));
  Value* boxes = MovedBoxes(c, anchors, moves, variances, clip);
  Value* rows = c.Concat(
      {c.Unsqueeze(c.CastLike(id, boxes), {2}), c.Unsqueeze(c.CastLike(score, boxes), {2}), boxes},
      2);
  const Compacted result = Compact(c, rows, keep);
  return {result.rows, c.Cast(result.count, DType::kI32)};
}

// Squares of elements become channels, as Darknet orders them.
Value* LowerYoloReorg(Call& c) {
  Value* x = c.Tensor(0);
  const std::int64_t stride = c.Int("stride", 1);
  const std::optional<Ints> sizes = c.KnownSizes(x);
  if (c.failed()) return nullptr;
  if (!sizes || sizes->size() != 4) return c.Fail("an image whose sizes are not known");
  const Ints& s = *sizes;
  const std::int64_t square = stride * stride;
  if (stride < 1 || s[1] % square != 0 || s[2] % stride != 0 || s[3] % stride != 0)
    return c.Fail(InvalidInput("channels or sizes that stride does not divide"));
  Value* parts = c.Reshape(x, {s[0], s[1] / square, s[2], stride, s[3], stride});
  Value* moved = c.Transpose(parts, {0, 3, 5, 1, 2, 4});
  return c.Reshape(moved, {s[0], s[1] * square, s[2] / stride, s[3] / stride});
}

}  // namespace

std::span<const OpRow> VisionRows() {
  static constexpr OpRow kRows[] = {
      {"vision.all_class_non_max_suppression", LowerAllClassNms},
      {"vision.multibox_prior", LowerMultiboxPrior},
      {"vision.multibox_transform_loc", LowerMultiboxTransformLoc},
      {"vision.roi_align", LowerRoiAlign},
      {"vision.roi_pool", LowerRoiPool},
      {"vision.yolo_reorg", LowerYoloReorg},
  };
  return kRows;
}

}  // namespace dragoman::relay
