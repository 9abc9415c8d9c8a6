// SPDX-License-Identifier: Apache-2.0
// Bicubic resizing by the weights of TensorFlow's kernel, which reads them from a table of 1,024
// steps between two pixels.
#include "importers/tensorflow/ops/lowerings.h"
#include "importers/tensorflow/ops/op_rows.h"

#include <cmath>
#include <optional>
#include <vector>

#include "importers/tensorflow/ops/convolution.h"

namespace dragoman::tf {
namespace {

constexpr double kSteps = 1024;

// How an axis of the operand (of `from` pixels) becomes one of the result (of `to`), 0-d float32.
struct AxisSizes {
  Value* from = nullptr;
  Value* to = nullptr;
};

// The coefficient a of cubic convolution: that of R. G. Keys with half_pixel_centers.
double Coefficient(bool middles) { return middles ? -0.5 : -0.75; }

// Of pixels at distances up to 1, and from 1 to 2, as the table holds them.
Value* Near(Call& c, Value* x, double a) {
  Value* line = c.Sub(c.Mul(x, a + 2), a + 3);
  return c.Add(c.Mul(c.Mul(line, x), x), 1);
}
Value* Far(Call& c, Value* x, double a) {
  Value* line = c.Sub(c.Mul(x, a), 5 * a);
  return c.Sub(c.Mul(c.Add(c.Mul(line, x), 8 * a), x), 4 * a);
}

// The pixels that the axis is read at, float32 (to).
Value* TapPlaces(Call& c, const AxisSizes& axis, bool corners, bool middles) {
  Value* scale = c.Div(axis.from, axis.to);
  if (corners) {
    Value* spread = c.Div(c.Sub(axis.from, 1), c.Max(c.Sub(axis.to, 1), 1));
    scale = c.Where(c.Greater(axis.to, 1), spread, scale);
  }
  Value* number = c.Cast(c.Iota(c.Cast(axis.to, DType::kI64)), DType::kF32);
  return middles ? c.Sub(c.Mul(c.Add(number, 0.5), scale), 0.5) : c.Mul(number, scale);
}

// The share of each pixel of the operand in each of the result: a matrix (to, from).
Value* Shares(Call& c, const AxisSizes& axis, bool corners, bool middles) {
  const double a = Coefficient(middles);
  Value* at = TapPlaces(c, axis, corners, middles);
  Value* first = c.Floor(at);
  Value* step = c.Div(c.Op("Round", {c.Mul(c.Sub(at, first), kSteps)}), kSteps);
  Value* back = c.Sub(1, step);
  const std::vector<Value*> weights = {Far(c, c.Add(step, 1), a), Near(c, step, a),
                                       Near(c, back, a), Far(c, c.Add(back, 1), a)};
  Value* pixel = c.Cast(c.Iota(c.Cast(axis.from, DType::kI64)), DType::kF32);
  Value* last = c.Sub(axis.from, 1);
  Value* shares = nullptr;
  for (int i = 0; i < 4; ++i) {
    Value* place = c.Add(first, i - 1);
    // Beyond the border are the pixels at it, or, with half_pixel_centers, none.
    if (!middles) place = c.Min(c.Max(place, 0), last);
    Value* here = c.Equal(c.Unsqueeze(place, {1}), pixel);
    Value* share = c.Where(here, c.Unsqueeze(weights[static_cast<std::size_t>(i)], {1}), 0);
    shares = shares == nullptr ? share : c.Add(shares, share);
  }
  if (!middles) return shares;
  Value* sum = c.ReduceSum(shares, {1}, true);
  Value* none = c.Equal(sum, 0);
  return c.Div(shares, c.Where(none, 1, sum));
}

// Whether all places of an axis lie on steps of the table, so that exact weights are those of it.
bool AreOnSteps(std::optional<std::int64_t> from, std::optional<std::int64_t> to, bool corners,
                bool middles) {
  if (!from || !to || *from < 1 || *to < 1 || *to > (std::int64_t{1} << 20)) return false;
  const bool spread = corners && *to > 1;
  const auto scale =
      static_cast<float>(spread ? *from - 1 : *from) / static_cast<float>(spread ? *to - 1 : *to);
  for (std::int64_t i = 0; i < *to; ++i) {
    const auto number = static_cast<float>(i);
    const double at = middles ? (static_cast<double>(number) + 0.5) * scale - 0.5
                              : static_cast<double>(number) * scale;
    if (std::floor(at * kSteps) != at * kSteps) return false;
  }
  return true;
}

Value* LowerResizeBicubic(Call& c) {
  const Layout layout{2, true};
  const bool corners = c.BoolAttribute("align_corners");
  const bool middles = c.BoolOr("half_pixel_centers", false);
  Value* size = c.Index(1);
  Value* x = ToChannelsFirst(c, layout, c.Cast(c.Tensor(0), DType::kF32));
  const std::optional<Ints> sizes = c.MaybeKnownInts(1);
  if (c.failed()) return nullptr;
  const bool told = sizes && sizes->size() == 2;
  const auto on_steps = [&](int axis) {
    return told && AreOnSteps(c.KnownSize(x, axis + 2), (*sizes)[static_cast<std::size_t>(axis)],
                              corners, middles);
  };
  if ((corners && middles) || (on_steps(0) && on_steps(1))) return LowerResize(c);
  const auto shares = [&](int axis) {
    const AxisSizes along{c.Cast(c.Size(x, axis + 2), DType::kF32),
                          c.Cast(c.Select(size, 0, axis), DType::kF32)};
    return Shares(c, along, corners, middles);
  };
  Value* rows = c.Op("MatMul", {shares(0), x});
  Value* columns = c.Transpose(shares(1), {1, 0});
  return FromChannelsFirst(c, layout, c.Op("MatMul", {rows, columns}));
}

}  // namespace

std::span<const OpRow> BicubicRows() {
  static constexpr OpRow kRows[] = {
      {"ResizeBicubic", LowerResizeBicubic, "cubic"},
  };
  return kRows;
}

}  // namespace dragoman::tf
