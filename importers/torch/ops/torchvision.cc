// SPDX-License-Identifier: Apache-2.0
// torchvision's own operators: detection, and convolution at displaced places.
#include "importers/torch/ops/op_rows.h"

#include <algorithm>
#include <numbers>
#include <utility>
#include <vector>

#include "core/lowering/rounding.h"
#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"

namespace dragoman::torch {
namespace {

// The places (N, points · oh, ow) along one axis of the image that a deformable convolution reads,
// scaled as GridSample wants them: (2 p + 1) / size - 1.
struct Displacement {
  Value* offsets;                  // (N, points, oh, ow)
  int image_axis;                  // of the image: 2 or 3
  std::vector<std::int64_t> taps;  // of each point, before dilation
  std::int64_t stride;
  std::int64_t padding;
  std::int64_t dilation;
};

Value* PlacesAlong(Composer& c, Value* image, const Displacement& d) {
  std::vector<std::int64_t> starts;
  for (const std::int64_t tap : d.taps) starts.push_back(tap * d.dilation - d.padding);
  const auto points = static_cast<std::int64_t>(starts.size());
  Value* first = c.Reshape(c.Cast(c.Ints(starts), DType::kF32), {1, points, 1, 1});
  Value* steps = c.Mul(c.Cast(c.Iota(c.Size(d.offsets, d.image_axis)), DType::kF32),
                       static_cast<double>(d.stride));
  const std::vector<std::int64_t> alone = d.image_axis == 2
                                              ? std::vector<std::int64_t>{1, 1, -1, 1}
                                              : std::vector<std::int64_t>{1, 1, 1, -1};
  Value* base = c.CastLike(c.Add(first, c.Reshape(steps, alone)), d.offsets);
  Value* places = c.Add(d.offsets, base);
  Value* size = c.CastLike(c.Size(image, d.image_axis), places);
  return c.Sub(c.Div(c.Add(c.Mul(places, 2), 1), size), 1);
}

// (N, points, oh, ow) -> (N, points · oh, ow)
Value* JoinPoints(Composer& c, Value* value) {
  Value* shape = c.ConcatSizes(
      {c.SizeVector(value, 0, 1), MergedSize(c, value, 1, 2), c.SizeVector(value, 3, 1)});
  return c.Reshape(value, shape);
}

class DeformableConv {
 public:
  explicit DeformableConv(CallComposer& c) : c_(c) {
    image_ = c.Tensor("input");
    offset_ = c.Tensor("offset");
    weight_ = c.Tensor("weight");
    offset_groups_ = c.Int("offset_groups");
    if (c.failed()) return;
    const auto sizes = c.KnownSizes(weight_);
    if (!sizes.has_value() || sizes->size() != 4 || offset_groups_ < 1) {
      c.Fail("weights whose sizes are known only at run time");
      return;
    }
    weight_sizes_ = *sizes;
    for (std::int64_t y = 0; y < weight_sizes_[2]; ++y) {
      for (std::int64_t x = 0; x < weight_sizes_[3]; ++x) {
        rows_.push_back(y);
        columns_.push_back(x);
      }
    }
  }

  Value* Run() {
    if (c_.failed()) return nullptr;
    std::vector<Value*> groups;
    const std::int64_t channels = weight_sizes_[1] * c_.Int("groups") / offset_groups_;
    for (std::int64_t group = 0; group < offset_groups_; ++group) {
      groups.push_back(Sampled(group, channels));
    }
    // (N, channels, points · oh, ow) -> (N, channels · points, oh, ow)
    Value* columns = groups.size() == 1 ? groups[0] : c_.Concat(std::move(groups), 1);
    const std::int64_t points = weight_sizes_[2] * weight_sizes_[3];
    Value* shape =
        c_.ConcatSizes({c_.SizeVector(image_, 0, 1), c_.Ints({channels * offset_groups_ * points}),
                        c_.SizeVector(offset_, 2, 2)});
    Value* weight = c_.Reshape(weight_, {weight_sizes_[0], weight_sizes_[1] * points, 1, 1});
    return c_.Op("Conv", {c_.Reshape(columns, shape), weight, c_.OptionalTensor("bias")},
                 {{"group", c_.Int("groups")}});
  }

 private:
  Value* Sampled(std::int64_t group, std::int64_t channels) {
    const auto points = static_cast<std::int64_t>(rows_.size());
    Value* image = c_.Slice(image_, 1, group * channels, (group + 1) * channels);
    const std::int64_t first = group * points * 2;
    Value* vertical = c_.Slice(offset_, 1, first, first + 2 * points, 2);
    Value* horizontal = c_.Slice(offset_, 1, first + 1, first + 2 * points, 2);
    Value* y = PlacesAlong(
        c_, image, {vertical, 2, rows_, c_.Int("stride_h"), c_.Int("pad_h"), c_.Int("dilation_h")});
    Value* x = PlacesAlong(
        c_, image,
        {horizontal, 3, columns_, c_.Int("stride_w"), c_.Int("pad_w"), c_.Int("dilation_w")});
    Value* grid =
        c_.Concat({c_.Unsqueeze(JoinPoints(c_, x), {3}), c_.Unsqueeze(JoinPoints(c_, y), {3})}, 3);
    Value* samples = c_.Op("GridSample", {image, grid});
    if (!c_.Bool("use_mask")) return samples;
    Value* mask = c_.Slice(c_.Tensor("mask"), 1, group * points, (group + 1) * points);
    return c_.Mul(samples, c_.Unsqueeze(JoinPoints(c_, mask), {1}));
  }

  CallComposer& c_;
  Value* image_ = nullptr;
  Value* offset_ = nullptr;
  Value* weight_ = nullptr;
  std::int64_t offset_groups_ = 1;
  std::vector<std::int64_t> weight_sizes_;  // (out, in / groups, kh, kw)
  std::vector<std::int64_t> rows_;          // of each point of the kernel
  std::vector<std::int64_t> columns_;
};

// RoiAlign; `aligned`: centers of elements are half an element from their corners.
Value* AlignedRegions(CallComposer& c, bool aligned) {
  Value* rois = c.Tensor("rois");
  Value* boxes = c.Slice(rois, 1, 1, 5);
  Value* batch = c.Cast(c.Select(rois, 1, 0), DType::kI64);
  return c.Op("RoiAlign", {c.Tensor("input"), boxes, batch},
              {{"coordinate_transformation_mode", aligned ? "half_pixel" : "output_half_pixel"},
               {"output_height", c.Int("pooled_height")},
               {"output_width", c.Int("pooled_width")},
               {"sampling_ratio", std::max<std::int64_t>(c.Int("sampling_ratio"), 0)},
               {"spatial_scale", static_cast<float>(c.Float("spatial_scale"))}});
}

// Corners (…, points, 2) of convex polygons, with coordinate `axis` kept within ±limit (…, 1): what
// lies outside moves onto the border, where it adds nothing to the area. Of each edge come its
// first corner and the places where it crosses the borders, or an end of it again.
Value* ClipPolygons(Composer& c, Value* corners, Value* limit, std::int64_t axis) {
  const int points = c.Rank(corners) - 2;
  Value* next =
      c.Concat({c.Slice(corners, points, 1, kEnd), c.Slice(corners, points, 0, 1)}, points);
  Value* edge = c.Sub(next, corners);
  const auto along = [&](Value* value) { return c.Select(value, points + 1, axis); };
  const auto crossing = [&](Value* border) {
    Value* length = along(edge);
    Value* place = c.Div(c.Sub(border, along(corners)), c.Where(c.Equal(length, 0), 1, length));
    return c.Min(c.Max(place, 0), 1);
  };
  Value* low = crossing(c.Neg(limit));
  Value* high = crossing(limit);
  const auto point = [&](Value* place) {
    return c.Add(corners, c.Mul(edge, c.Unsqueeze(place, {points + 1})));
  };
  Value* all = c.Concat(
      {c.Unsqueeze(corners, {points + 1}), c.Unsqueeze(point(c.Min(low, high)), {points + 1}),
       c.Unsqueeze(point(c.Max(low, high)), {points + 1})},
      points + 1);
  all = c.Reshape(all, c.ConcatSizes({c.SizeVector(all, 0, points), MergedSize(c, all, points, 2),
                                      c.Ints({2})}));
  Value* kept = c.Select(all, points + 1, 1 - axis);
  Value* moved = c.Max(c.Min(along(all), limit), c.Neg(limit));
  const std::vector<Value*> parts = axis == 0 ? std::vector{moved, kept} : std::vector{kept, moved};
  return c.Concat({c.Unsqueeze(parts[0], {points + 1}), c.Unsqueeze(parts[1], {points + 1})},
                  points + 1);
}

Value* PolygonArea(Composer& c, Value* corners) {
  const int points = c.Rank(corners) - 2;
  Value* next =
      c.Concat({c.Slice(corners, points, 1, kEnd), c.Slice(corners, points, 0, 1)}, points);
  const auto part = [&](Value* value, int axis) { return c.Select(value, points + 1, axis); };
  Value* doubled =
      c.Sub(c.Mul(part(corners, 0), part(next, 1)), c.Mul(part(corners, 1), part(next, 0)));
  return c.Mul(c.Abs(c.ReduceSum(doubled, {points})), 0.5);
}

// Corners (N, M, 4, 2) of the boxes `b` (1, M, 1) as the boxes `a` (N, 1, 1) see them, whose
// centres and sides they take for the axes.
Value* CornersSeenFrom(Composer& c, const std::vector<Value*>& a, const std::vector<Value*>& b) {
  // Angles turn from x to -y: images have y downwards.
  const auto radians = [&](Value* degrees) { return c.Mul(degrees, -std::numbers::pi / 180); };
  Value* turn = radians(a[4]);
  Value* relative = c.Sub(radians(b[4]), turn);
  const auto rotated = [&](Value* x, Value* y, Value* angle) {
    Value* cos = c.Op("Cos", {angle});
    Value* sin = c.Op("Sin", {angle});
    return std::pair(c.Sub(c.Mul(x, cos), c.Mul(y, sin)), c.Add(c.Mul(x, sin), c.Mul(y, cos)));
  };
  const auto [x, y] = rotated(c.Sub(b[0], a[0]), c.Sub(b[1], a[1]), c.Neg(turn));
  const auto signs = [&](std::vector<double> values) {
    std::vector<Value*> items;
    for (const double value : values) items.push_back(c.Vector(c.Number(value, a[0])));
    return c.Concat(std::move(items), 0);
  };
  const auto [u, v] = rotated(c.Mul(b[2], signs({-0.5, 0.5, 0.5, -0.5})),
                              c.Mul(b[3], signs({-0.5, -0.5, 0.5, 0.5})), relative);
  return c.Concat({c.Unsqueeze(c.Add(x, u), {3}), c.Unsqueeze(c.Add(y, v), {3})}, 3);
}

// Of boxes (centre, width, height, angle in degrees): the area that two have in common, of that
// which they cover.
Value* LowerBoxIouRotated(CallComposer& c) {
  Value* first = c.Widen(c.Tensor("boxes1"));
  Value* second = c.Widen(c.Tensor("boxes2"));
  std::vector<Value*> a, b;
  for (int i = 0; i < 5; ++i) {
    a.push_back(c.Unsqueeze(c.Slice(first, 1, i, i + 1), {1}));
    b.push_back(c.Unsqueeze(c.Slice(second, 1, i, i + 1), {0}));
  }
  Value* corners = CornersSeenFrom(c, a, b);
  corners = ClipPolygons(c, corners, c.Mul(a[2], 0.5), 0);
  corners = ClipPolygons(c, corners, c.Mul(a[3], 0.5), 1);
  Value* common = PolygonArea(c, corners);
  const auto area = [&](const std::vector<Value*>& box) {
    return c.Squeeze(c.Mul(box[2], box[3]), {2});
  };
  Value* covered = c.Sub(c.Add(area(a), area(b)), common);
  Value* least = c.Min(area(a), area(b));
  Value* overlap = c.Where(c.Less(least, 1e-14), 0, c.Div(common, covered));
  return c.CastLike(overlap, c.Tensor("boxes1"));
}

Value* LowerDeformConv2d(CallComposer& c) { return DeformableConv(c).Run(); }

Value* LowerNms(CallComposer& c) {
  Value* boxes = c.Unsqueeze(c.Cast(c.Tensor("dets"), DType::kF32), {0});
  Value* scores = c.Unsqueeze(c.Cast(c.Tensor("scores"), DType::kF32), {0, 1});
  Value* limit = c.SizeVector(boxes, 1, 1);
  Value* threshold = c.As("iou_threshold", DType::kF32);
  Value* selected = c.Op("NonMaxSuppression", {boxes, scores, limit, c.Reshape(threshold, {1})});
  return c.Select(selected, 1, 2);
}

Value* LowerRoiAlign(CallComposer& c) { return AlignedRegions(c, c.BoolOr("aligned", false)); }

// Arguments pooled_height and pooled_width: how many places a region has.
std::int64_t PooledPlaces(CallComposer& c) {
  constexpr std::int64_t kMost = 1 << 12;
  const std::int64_t rows = c.Int("pooled_height");
  const std::int64_t columns = c.Int("pooled_width");
  if (!c.failed() && (rows < 1 || columns < 1 || rows > kMost || columns > kMost / rows))
    c.Fail("a pool of this size");
  return c.failed() ? 1 : rows * columns;
}

// Each channel of the result averages one channel of the image for each of its places.
Result<Results> LowerPsRoiAlign(Call& call) {
  CallComposer c(call);
  Value* all = AlignedRegions(c, true);
  const std::int64_t places = PooledPlaces(c);
  if (c.failed()) return c.DoneWith({});
  std::vector<std::int64_t> own;
  for (std::int64_t place = 0; place < places; ++place) own.push_back(place * places + place);
  Value* channels = c.Div(c.SizeVector(all, 1, 1), c.Int(places));
  Value* pairs =
      c.Reshape(all, c.ConcatSizes({c.SizeVector(all, 0, 1), channels, c.Ints({places * places})}));
  Value* chosen = c.Op("Gather", {pairs, c.Ints(own)}, {{"axis", std::int64_t{2}}});
  Value* shape = c.ConcatSizes({c.SizeVector(chosen, 0, 2), c.SizeVector(all, 2, 2)});
  return c.DoneWith({call.NewTensor(c.Reshape(chosen, shape)), Abstract(None())});
}

// Which elements along `axis` of the image lie in each of `count` bins of a region, of (regions,
// count, elements); `start` and `end` of regions are columns. None reaches the last element.
Value* BinsAlong(CallComposer& c, Value* start, Value* end, int axis, std::int64_t count) {
  Value* size = c.Size(c.Tensor("input"), axis);
  start = RoundHalvesAway(c, start);
  Value* side = c.Max(c.Sub(RoundHalvesAway(c, end), start), 1);
  Value* step = c.Div(side, static_cast<double>(count));
  Value* bin = c.CastLike(c.Iota(c.Int(count)), step);
  Value* last = c.CastLike(c.Sub(size, 1), step);
  const auto within = [&](Value* place) {
    return c.Unsqueeze(c.Min(c.Max(c.Add(place, start), 0), last), {2});
  };
  Value* low = within(c.Floor(c.Mul(bin, step)));
  Value* high = within(c.Op("Ceil", {c.Mul(c.Add(bin, 1), step)}));
  Value* place = c.CastLike(c.Iota(size), step);
  return c.And(c.GreaterOrEqual(place, low), c.Less(place, high));
}

// Each channel of the result averages one channel of the image for each of its bins.
Result<Results> LowerPsRoiPool(Call& call) {
  CallComposer c(call);
  Value* image = c.Tensor("input");
  Value* rois = c.Tensor("rois");
  const std::int64_t rows = c.Int("pooled_height");
  const std::int64_t columns = c.Int("pooled_width");
  const std::int64_t places = PooledPlaces(c);
  if (c.failed()) return c.DoneWith({});
  const double scale = c.Float("spatial_scale");
  const auto corner = [&](std::int64_t i) { return c.Mul(c.Slice(rois, 1, i, i + 1), scale); };
  Value* in_rows = BinsAlong(c, corner(2), corner(4), 2, rows);
  Value* in_columns = BinsAlong(c, corner(1), corner(3), 3, columns);
  Value* inside = c.And(c.Unsqueeze(in_rows, {1, 3, 5}), c.Unsqueeze(in_columns, {1, 2, 4}));
  Value* each = c.Gather(image, c.Cast(c.Select(rois, 1, 0), DType::kI64), 0);
  Value* channels = c.Div(c.SizeVector(image, 1, 1), c.Int(places));
  each = c.Reshape(each, c.ConcatSizes({c.SizeVector(each, 0, 1), channels, c.Ints({rows, columns}),
                                        c.SizeVector(each, 2, 2)}));
  Value* sum = c.ReduceSum(c.Where(inside, each, 0), {4, 5});
  Value* area = c.ReduceSum(c.CastLike(inside, each), {4, 5});
  return c.DoneWith({call.NewTensor(c.Div(sum, c.Max(area, 1))), Abstract(None())});
}

Result<Results> LowerRoiPool(Call& call) {
  CallComposer c(call);
  Value* pooled =
      c.Op("MaxRoiPool", {c.Tensor("input"), c.Tensor("rois")},
           {{"pooled_shape", std::vector{c.Int("pooled_height"), c.Int("pooled_width")}},
            {"spatial_scale", static_cast<float>(c.Float("spatial_scale"))}});
  return c.DoneWith({call.NewTensor(pooled), Abstract(None())});
}

}  // namespace

std::span<const OpRow> TorchvisionRows() {
  static constexpr OpRow kRows[] = {
      {"torchvision.box_iou_rotated", LowerBoxIouRotated},
      {"torchvision.deform_conv2d", LowerDeformConv2d},
      {"torchvision.nms", LowerNms},
      {"torchvision.ps_roi_align", LowerPsRoiAlign},
      {"torchvision.ps_roi_pool", LowerPsRoiPool},
      {"torchvision.roi_align", LowerRoiAlign},
      {"torchvision.roi_pool", LowerRoiPool},
  };
  return kRows;
}

}  // namespace dragoman::torch
