// SPDX-License-Identifier: Apache-2.0
// RoiAlign. torch itself has no operator for it. The weight of a pixel in a mean is that of its row
// times that of its column, so a mean is two products of matrices; the largest neighbour is taken
// along columns, then along rows, since no weight is negative.
#include "exporters/pt2/ops/op_rows.h"

#include "core/ir/wide_float.h"

namespace dragoman::pt2 {
namespace {

// Points at which regions are sampled along one axis of the images.
struct SampledAxis {
  Dim bins;
  Dim samples;   // of a bin, the most of all regions
  Term points;   // region, bin, sample; between the first pixel and the last
  Term counts;   // 1 for each point that counts, or else 0
  Term divisor;  // region, 1: how many points a bin has
};

class RegionPooler {
 public:
  explicit RegionPooler(AtenOp& op)
      : op_(op),
        dtype_(WideFloat(op.dtype())),
        has_centers_(op.String("coordinate_transformation_mode", "half_pixel") == "half_pixel") {}

  Emitted Pool() {
    const Term regions = op_.Cast(op_.arg(1), dtype_);
    const Term images =
        op_.Call("aten.index_select.default",
                 {{"self", op_.Cast(op_.arg(0), dtype_)}, {"dim", 0}, {"index", op_.arg(2)}},
                 {dtype_, {regions.shape[0], op_.shape()[1], op_.shape()[2], op_.shape()[3]}});
    DRAGOMAN_ASSIGN(const SampledAxis rows, Sample(regions, 1, 2, op_.Int("output_height")));
    DRAGOMAN_ASSIGN(const SampledAxis columns, Sample(regions, 0, 3, op_.Int("output_width")));
    const bool takes_largest = op_.String("mode", "avg") == "max";
    DRAGOMAN_ASSIGN(const Term pooled, takes_largest ? LargestOf(images, rows, columns)
                                                     : MeanOf(images, rows, columns));
    return One(op_.Cast(pooled, op_.dtype()));
  }

 private:
  Term Plus(const Term& x, const Term& y) const { return op_.Binary("aten.add.Tensor", x, y); }
  Term Minus(const Term& x, const Term& y) const { return op_.Binary("aten.sub.Tensor", x, y); }
  Term Times(const Term& x, const Term& y) const { return op_.Binary("aten.mul.Tensor", x, y); }
  Term PlusNumber(const Term& x, double y) const { return op_.WithNumber("aten.add.Scalar", x, y); }
  Term TimesNumber(const Term& x, double y) const {
    return op_.WithNumber("aten.mul.Scalar", x, y);
  }

  // Coordinate `i` of the regions, in pixels: region, 1.
  Term Coordinate(const Term& regions, std::int64_t i) const {
    const Term scaled =
        TimesNumber(op_.Slice(regions, 1, i, i + 1, Dim(1)), op_.Float("spatial_scale"));
    return has_centers_ ? PlusNumber(scaled, -0.5) : scaled;
  }

  // Numbers from 0 on.
  Term Places(const Size& count, const Dim& size) const { return op_.Arange(count, size, dtype_); }

  // Sampling of what lies from coordinate `low` to `low` + 2, along an axis of the images.
  Result<SampledAxis> Sample(const Term& regions, std::int64_t low, std::size_t axis,
                             std::int64_t bins) const {
    const Term start = Coordinate(regions, low);
    Term length = Minus(Coordinate(regions, low + 2), start);
    if (!has_centers_) length = op_.Clamp(length, 1, std::nullopt);
    const Term bin = op_.WithNumber("aten.div.Scalar", length, static_cast<double>(bins));
    SampledAxis sampled = {.bins = bins, .samples = op_.Int("sampling_ratio")};
    Size most = op_.Int("sampling_ratio");
    Term drawn;  // region, 1: how many points a bin has
    if (most.number == 0) {
      // One a pixel: as many as the largest bin has, of which smaller ones count the first.
      drawn = op_.Clamp(op_.Unary("aten.ceil.default", bin), 0, std::nullopt);
      DRAGOMAN_ASSIGN(const Term none, op_.Full({Dim(1), Dim(1)}, 0, dtype_));  // of no regions
      const Item item = op_.graph.ItemOf(
          op_.Cast(op_.Extreme(true, op_.Concat({drawn, none}, 0), {0, 1}, false), DType::kI64));
      most = item.size;
      sampled.samples = item.dim;
      sampled.divisor = op_.Clamp(drawn, 1, std::nullopt);
    } else {
      DRAGOMAN_ASSIGN(sampled.divisor,
                      op_.Full({Dim(1), Dim(1)}, static_cast<double>(most.number), dtype_));
      drawn = sampled.divisor;
    }
    const Term places = Places(most, sampled.samples);
    const Term within =
        op_.Binary("aten.div.Tensor", Times(PlusNumber(places, 0.5), bin), sampled.divisor);
    const Term begins = Plus(start, Times(Places(bins, bins), bin));
    const Term points = Plus(op_.Unsqueeze(begins, 2), op_.Unsqueeze(within, 1));
    DRAGOMAN_ASSIGN(const Term last, LastPixel(axis));
    const Term is_inside =
        op_.Binary("aten.logical_and.default", op_.CompareNumber("aten.ge.Scalar", points, -1),
                   op_.Compare("aten.le.Tensor", points, PlusNumber(last, 1)));
    const Term is_drawn = op_.Unsqueeze(op_.Compare("aten.lt.Tensor", places, drawn), 1);
    sampled.counts = op_.Cast(op_.Binary("aten.logical_and.default", is_inside, is_drawn), dtype_);
    sampled.points = op_.Binary("aten.minimum.default", op_.Clamp(points, 0, std::nullopt), last);
    return sampled;
  }

  // The place of the last pixel along an axis of the images.
  Result<Term> LastPixel(std::size_t axis) const {
    const Dim& size = op_.shape()[axis];
    if (size.known()) return op_.Scalar(static_cast<double>(size.value() - 1), dtype_);
    DRAGOMAN_ASSIGN(const Sizes sizes, op_.SizesOf({size}));
    const Term count = op_.Call("aten.scalar_tensor.default",
                                {{"s", sizes[0]}, Kw("dtype", dtype_)}, {dtype_, {}});
    return PlusNumber(count, -1);
  }

  // What each pixel along `axis` weighs in the mean of a bin: region, bin, pixel.
  Result<Term> WeightsOf(const SampledAxis& sampled, std::size_t axis) const {
    const Dim& size = op_.shape()[axis];
    DRAGOMAN_ASSIGN(const Sizes sizes, op_.SizesOf({size}));
    const Term apart = op_.Unary(
        "aten.abs.default", Minus(op_.Unsqueeze(sampled.points, 3), Places(sizes.front(), size)));
    const Term near =
        op_.Clamp(PlusNumber(op_.Unary("aten.neg.default", apart), 1), 0, std::nullopt);
    const Term sums = op_.Sum(Times(near, op_.Unsqueeze(sampled.counts, 3)), {2}, false);
    return op_.Binary("aten.div.Tensor", sums, op_.Unsqueeze(sampled.divisor, 2));
  }

  Result<Term> MeanOf(const Term& images, const SampledAxis& rows,
                      const SampledAxis& columns) const {
    DRAGOMAN_ASSIGN(const Term of_rows, WeightsOf(rows, 2));
    DRAGOMAN_ASSIGN(const Term of_columns, WeightsOf(columns, 3));
    const Term lines =
        op_.Call("aten.matmul.default", {{"self", op_.Unsqueeze(of_rows, 1)}, {"other", images}},
                 {dtype_, {images.shape[0], images.shape[1], rows.bins, images.shape[3]}});
    return op_.Call("aten.matmul.default",
                    {{"self", lines}, {"other", op_.SwapAxes(op_.Unsqueeze(of_columns, 1), 2, 3)}},
                    {dtype_, {images.shape[0], images.shape[1], rows.bins, columns.bins}});
  }

  // The larger of the two weighted neighbours of each point along `axis` of `x`.
  Result<Term> LargerNeighbour(const Term& x, const SampledAxis& sampled, std::size_t axis) const {
    const Dim count = sampled.bins * sampled.samples;
    const auto in_line = [&](const Term& of_points) -> Result<Term> {
      DRAGOMAN_ASSIGN(const Term flat, op_.Reshape(of_points, {of_points.shape[0], count}));
      return op_.Unsqueeze(op_.Unsqueeze(flat, 1), axis == 2 ? 3 : 2);
    };
    Shape shape = x.shape;
    shape[axis] = count;
    DRAGOMAN_ASSIGN(const Term last, LastPixel(axis));
    const Term low = op_.Unary("aten.floor.default", sampled.points);
    const Term high = op_.Binary("aten.minimum.default", PlusNumber(low, 1), last);
    const Term share = Minus(sampled.points, low);
    const auto weighted = [&](const Term& place, const Term& weight) -> Result<Term> {
      DRAGOMAN_ASSIGN(const Term places, in_line(op_.Cast(place, DType::kI64)));
      DRAGOMAN_ASSIGN(const Term index, op_.Expand(places, shape));
      DRAGOMAN_ASSIGN(const Term factor, in_line(Times(weight, sampled.counts)));
      return Times(
          op_.Call("aten.gather.default",
                   {{"self", x}, {"dim", static_cast<std::int64_t>(axis)}, {"index", index}},
                   {dtype_, shape}),
          factor);
    };
    DRAGOMAN_ASSIGN(const Term first,
                    weighted(low, PlusNumber(op_.Unary("aten.neg.default", share), 1)));
    DRAGOMAN_ASSIGN(const Term second, weighted(high, share));
    return op_.Binary("aten.maximum.default", first, second);
  }

  Result<Term> LargestOf(const Term& images, const SampledAxis& rows,
                         const SampledAxis& columns) const {
    if (op_.Int("sampling_ratio") == 0)
      return op_.Refuse("the largest of points whose number each region decides");
    DRAGOMAN_ASSIGN(const Term along, LargerNeighbour(images, columns, 3));
    DRAGOMAN_ASSIGN(const Term both, LargerNeighbour(along, rows, 2));
    DRAGOMAN_ASSIGN(const Term parts,
                    op_.Reshape(both, {images.shape[0], images.shape[1], rows.bins, rows.samples,
                                       columns.bins, columns.samples}));
    return op_.Extreme(true, parts, {3, 5}, false);
  }

  AtenOp& op_;
  DType dtype_;
  bool has_centers_;
};

Emitted EmitRoiAlign(AtenOp& op) { return RegionPooler(op).Pool(); }

}  // namespace

std::span<const Row> RoiAlignRows() {
  static constexpr Row kRows[] = {
      {"RoiAlign", EmitRoiAlign},
  };
  return kRows;
}

}  // namespace dragoman::pt2
