// SPDX-License-Identifier: Apache-2.0
// MaxRoiPool. torch itself has no operator for it. A bin is a range of rows and one of columns, so
// the largest of its pixels is taken along columns, then along rows.
#include "exporters/pt2/ops/op_rows.h"

#include <limits>

#include "core/ir/wide_float.h"

namespace dragoman::pt2 {
namespace {

class RegionMaximum {
 public:
  explicit RegionMaximum(AtenOp& op)
      : op_(op), dtype_(WideFloat(op.dtype())), regions_(op.Cast(op.arg(1), dtype_)) {}

  Emitted Pool() const {
    const Ints bins = op_.IntList("pooled_shape");
    DRAGOMAN_ASSIGN(const Term in_rows, PixelsOfBins(2, 2, bins[0]));
    DRAGOMAN_ASSIGN(const Term in_columns, PixelsOfBins(1, 3, bins[1]));
    const Term images =
        op_.Call("aten.index_select.default",
                 {{"self", op_.Cast(op_.arg(0), dtype_)},
                  {"dim", 0},
                  {"index", op_.Cast(op_.Select(regions_, 1, 0), DType::kI64)}},
                 {dtype_, {regions_.shape[0], op_.shape()[1], op_.shape()[2], op_.shape()[3]}});
    // Region, channel, row, bin, column; then region, channel, bin, row, bin.
    const Term lines =
        LargestWithin(op_.Unsqueeze(op_.Unsqueeze(in_columns, 1), 1), op_.Unsqueeze(images, 3), 4);
    const Term pooled =
        LargestWithin(op_.Unsqueeze(op_.Unsqueeze(in_rows, 1), 4), op_.Unsqueeze(lines, 2), 3);
    const Term has_pixels = op_.Binary("aten.logical_and.default",
                                       op_.Unsqueeze(op_.Unsqueeze(AnyPixel(in_rows), 1), 3),
                                       op_.Unsqueeze(op_.Unsqueeze(AnyPixel(in_columns), 1), 1));
    return One(op_.Cast(op_.Where(has_pixels, pooled, op_.Scalar(0, dtype_)), op_.dtype()));
  }

 private:
  // Halves away from zero.
  Term Rounded(const Term& x) const {
    const Term whole = op_.Unary("aten.trunc.default", x);
    const Term rest = op_.Binary("aten.sub.Tensor", x, whole);
    return op_.Binary("aten.add.Tensor", whole,
                      op_.Unary("aten.trunc.default", op_.WithNumber("aten.mul.Scalar", rest, 2)));
  }

  // Number `i` of the regions, in pixels: region, 1.
  Term Corner(std::int64_t i) const {
    return Rounded(op_.WithNumber("aten.mul.Scalar", op_.Slice(regions_, 1, i, i + 1, Dim(1)),
                                  op_.Float("spatial_scale")));
  }

  // Which pixels along `axis` of the images the bins have, of regions from number `low` to `low` +
  // 2: region, bin, pixel.
  Result<Term> PixelsOfBins(std::int64_t low, std::size_t axis, std::int64_t bins) const {
    const Term start = Corner(low);
    const Term length =
        op_.WithNumber("aten.add.Scalar", op_.Binary("aten.sub.Tensor", Corner(low + 2), start), 1);
    const Term bin = op_.WithNumber("aten.div.Scalar", op_.Clamp(length, 1, std::nullopt),
                                    static_cast<double>(bins));
    const Term places = op_.Arange(bins, bins, dtype_);
    const auto border = [&](const Term& place, std::string_view rounding) {
      const Term offset = op_.Unary(rounding, op_.Binary("aten.mul.Tensor", place, bin));
      return op_.Unsqueeze(op_.Binary("aten.add.Tensor", start, offset), 2);
    };
    const Dim& size = op_.shape()[axis];
    DRAGOMAN_ASSIGN(const Sizes sizes, op_.SizesOf({size}));
    const Term pixels = op_.Arange(sizes.front(), size, dtype_);
    return op_.Binary(
        "aten.logical_and.default",
        op_.Compare("aten.ge.Tensor", pixels, border(places, "aten.floor.default")),
        op_.Compare("aten.lt.Tensor", pixels,
                    border(op_.WithNumber("aten.add.Scalar", places, 1), "aten.ceil.default")));
  }

  // The largest along `axis` of what `within` marks.
  Term LargestWithin(const Term& within, const Term& x, std::int64_t axis) const {
    const Term lowest = op_.Scalar(-std::numeric_limits<double>::infinity(), dtype_);
    return op_.Extreme(true, op_.Where(within, x, lowest), {axis}, false);
  }

  Term AnyPixel(const Term& within) const {
    return op_.Call("aten.any.dim", {{"self", within}, {"dim", 2}},
                    {DType::kBool, ReducedShape(within.shape, {2}, false)});
  }

  AtenOp& op_;
  DType dtype_;
  Term regions_;
};

Emitted EmitMaxRoiPool(AtenOp& op) { return RegionMaximum(op).Pool(); }

}  // namespace

std::span<const Row> MaxRoiPoolRows() {
  static constexpr Row kRows[] = {
      {"MaxRoiPool", EmitMaxRoiPool},
  };
  return kRows;
}

}  // namespace dragoman::pt2
