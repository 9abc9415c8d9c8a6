// SPDX-License-Identifier: Apache-2.0
// vision.proposal: the regions that a network proposes, from scores and moves of anchors.
#include "importers/relay/ops/op_rows.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "importers/relay/ops/suppression.h"

namespace dragoman::relay {
namespace {

struct Proposal {
  std::vector<double> scales;
  std::vector<double> ratios;
  double threshold = 0;     // of overlaps
  std::int64_t before = 0;  // how many boxes are compared, and given
  std::int64_t after = 0;
  std::int64_t least = 0;  // the extent of a box
  bool by_ends = false;    // moves are of ends, not of centre and extent
};

struct Field {
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t anchors = 0;  // an element
  std::int64_t stride = 0;

  std::int64_t size() const { return height * width * anchors; }
};

// Left, top, right and bottom of all anchors: (4, anchors), rows of elements first.
std::vector<float> Anchors(const Field& field, const std::vector<double>& scales,
                           const std::vector<double>& ratios) {
  const auto stride = static_cast<double>(field.stride);
  const double centre = 0.5 * (stride - 1);
  std::vector<float> ends(static_cast<std::size_t>(4 * field.size()));
  std::size_t at = 0;
  for (std::int64_t place = 0; place < field.height * field.width; ++place) {
    for (double ratio : ratios) {
      for (double scale : scales) {
        const double width = std::floor(std::sqrt(std::floor(stride * stride / ratio)) + 0.5);
        const double height = std::floor(width * ratio + 0.5);
        const double half[] = {0.5 * (width * scale - 1), 0.5 * (height * scale - 1)};
        const double from[] = {static_cast<double>(place % field.width) * stride,
                               static_cast<double>(place / field.width) * stride};
        for (std::size_t i = 0; i < 4; ++i) {
          const double end = centre + (i < 2 ? -half[i] : half[i - 2]) + from[i % 2];
          ends[i * static_cast<std::size_t>(field.size()) + at] = static_cast<float>(end);
        }
        ++at;
      }
    }
  }
  return ends;
}

// (images, kinds · channels, H, W) as (images, H · W · kinds, channels).
Value* ByAnchor(Call& c, Value* x, const Field& field, std::int64_t channels) {
  Value* parts = c.Reshape(x, {-1, field.anchors, channels, field.height, field.width});
  return c.Reshape(c.Transpose(parts, {0, 3, 4, 1, 2}), {-1, field.size(), channels});
}

// Ends along one axis (0: x) of anchors that were moved, within the image of `size`.
struct BoxEnds {
  Value* first = nullptr;
  Value* last = nullptr;
};
BoxEnds MovedEnds(Call& c, Value* anchors, Value* moves, int axis, Value* size, bool by_ends) {
  const auto end = [&](int i) { return c.Slice(anchors, 0, i, i + 1); };
  const auto move = [&](int i) { return c.Select(moves, 2, i); };
  Value* first = end(axis);
  Value* last = end(axis + 2);
  if (by_ends) {
    first = c.Add(first, move(axis));
    last = c.Add(last, move(axis + 2));
  } else {
    Value* extent = c.Add(c.Sub(last, first), 1);
    Value* centre = c.Add(first, c.Mul(c.Sub(extent, 1), 0.5));
    centre = c.Add(c.Mul(move(axis), extent), centre);
    Value* half = c.Mul(c.Sub(c.Mul(c.Exp(move(axis + 2)), extent), 1), 0.5);
    first = c.Sub(centre, half);
    last = c.Add(centre, half);
  }
  Value* most = c.Sub(size, 1);
  return {c.Max(c.Min(first, most), 0), c.Max(c.Min(last, most), 0)};
}

// Whether each anchor lies beyond the rows, or columns, that an image of `size` fills.
Value* Beyond(Call& c, const Field& field, bool rows, Value* size) {
  std::vector<float> places;
  for (std::int64_t i = 0; i < field.size(); ++i) {
    const std::int64_t place = i / field.anchors;
    places.push_back(static_cast<float>(rows ? place / field.width : place % field.width));
  }
  Value* numbers = c.builder().Constant(Tensor::Of<float>({1, field.size()}, places));
  Value* count = c.Floor(c.Div(size, static_cast<double>(field.stride)));
  return c.GreaterOrEqual(numbers, count);
}

// The moved boxes, and the scores of those that count; -1 for the others.
struct ScoredBoxes {
  Boxes boxes;
  Value* scores = nullptr;
};
ScoredBoxes MovedBoxes(Call& c, const Proposal& proposal, const Field& field) {
  Value* scores = c.Slice(c.Tensor(0), 1, field.anchors, 2 * field.anchors);
  scores = c.Squeeze(ByAnchor(c, scores, field, 1), {2});
  Value* moves = ByAnchor(c, c.Tensor(1), field, 4);
  Value* info = c.Tensor(2);
  Value* height = c.Slice(info, 1, 0, 1);
  Value* width = c.Slice(info, 1, 1, 2);
  Value* anchors = c.builder().Constant(
      Tensor::Of<float>({4, field.size()}, Anchors(field, proposal.scales, proposal.ratios)));
  const BoxEnds x = MovedEnds(c, anchors, moves, 0, width, proposal.by_ends);
  const BoxEnds y = MovedEnds(c, anchors, moves, 1, height, proposal.by_ends);
  Value* smallest = c.Mul(c.Slice(info, 1, 2, 3), static_cast<double>(proposal.least));
  const auto is_small = [&](const BoxEnds& ends) {
    return c.Less(c.Add(c.Sub(ends.last, ends.first), 1), smallest);
  };
  Value* small = c.Or(is_small(x), is_small(y));
  Value* more = c.Where(small, c.Div(smallest, 2), 0);
  const Boxes boxes = {c.Sub(x.first, more), c.Sub(y.first, more), c.Add(x.last, more),
                       c.Add(y.last, more)};
  Value* outside = c.Or(Beyond(c, field, true, height), Beyond(c, field, false, width));
  return {boxes, c.Where(c.Or(outside, small), -1, scores)};
}

// The boxes (images, boxes, 4) of the best scores that no better one suppresses.
Compacted KeptBoxes(Call& c, const ScoredBoxes& scored, std::int64_t count, double threshold) {
  Value* order = c.Ops("TopK", {scored.scores, c.Ints({count})}, {{"axis", std::int64_t{1}}}, 2)[1];
  const auto sorted = [&](Value* ends) { return RowsAt(c, ends, order); };
  const Boxes best = {sorted(scored.boxes.left), sorted(scored.boxes.top),
                      sorted(scored.boxes.right), sorted(scored.boxes.bottom)};
  Value* over = c.Greater(Overlaps(c, best, 1), static_cast<float>(threshold));
  Value* places = c.Iota(c.Int(count));
  over = c.And(over, c.Less(places, c.Unsqueeze(places, {1})));
  Value* all = c.Cast(c.Full(c.Shape(order), 1, DType::kI64), DType::kBool);
  Value* alive = Survivors(c, {over, all, all, nullptr});
  std::vector<Value*> columns;
  for (Value* ends : {best.left, best.top, best.right, best.bottom})
    columns.push_back(c.Unsqueeze(ends, {2}));
  return Compact(c, c.Concat(std::move(columns), 2), alive);
}

// (regions, 5): the image and the box of as many regions an image as are asked for; where fewer are
// left, from the first again.
Value* LowerProposal(Call& c) {
  const Proposal proposal = {.scales = c.Floats("scales", {4, 8, 16, 32}),
                             .ratios = c.Floats("ratios", {0.5, 1, 2}),
                             .threshold = c.Float("threshold", 0.7),
                             .before = c.Int("rpn_pre_nms_top_n", 6000),
                             .after = c.Int("rpn_post_nms_top_n", 300),
                             .least = c.Int("rpn_min_size", 16),
                             .by_ends = c.Bool("iou_loss", false)};
  Field field;
  field.stride = c.Int("feature_stride", 16);
  field.anchors = static_cast<std::int64_t>(proposal.scales.size() * proposal.ratios.size());
  const std::optional<Ints> sizes = c.KnownSizes(c.Tensor(0));
  if (c.failed()) return nullptr;
  if (!sizes || sizes->size() != 4) return c.Fail("an image whose sizes are not known");
  field.height = (*sizes)[2];
  field.width = (*sizes)[3];
  if ((*sizes)[1] != 2 * field.anchors || field.stride < 1 || proposal.after < 1)
    return c.Fail(InvalidInput("scores of another number of anchors"));

  const ScoredBoxes scored = MovedBoxes(c, proposal, field);
  const std::int64_t count =
      proposal.before > 0 ? std::min(proposal.before, field.size()) : field.size();
  const Compacted kept = KeptBoxes(c, scored, count, proposal.threshold);
  Value* wanted = c.Unsqueeze(c.Iota(c.Int(proposal.after)), {0});
  Value* index = c.Op("Mod", {wanted, c.Unsqueeze(kept.count, {1})});
  Value* regions =
      c.Op("GatherElements", {kept.rows, c.Expand(c.Unsqueeze(index, {2}), c.Ints({1, 1, 4}))},
           {{"axis", std::int64_t{1}}});
  Value* image = c.CastLike(c.Iota(c.Size(regions, 0)), regions);
  Value* numbers = c.Expand(c.Reshape(image, {-1, 1, 1}), c.Ints({1, proposal.after, 1}));
  return c.Reshape(c.Concat({numbers, regions}, 2), {-1, 5});
}

}  // namespace

std::span<const OpRow> ProposalRows() {
  static constexpr OpRow kRows[] = {
      {"vision.proposal", LowerProposal},
  };
  return kRows;
}

}  // namespace dragoman::relay
