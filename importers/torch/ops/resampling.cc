// SPDX-License-Identifier: Apache-2.0
// Interpolation to other sizes, and sampling at the points of a grid.
#include "importers/torch/ops/op_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"
#include "importers/torch/ops/pooling.h"
#include "importers/torch/ops/weighted_resampling.h"

namespace dragoman::torch {
namespace {

// How the operators called `…name…` interpolate.
struct Mode {
  std::string_view name;
  std::string_view resize;
  std::string_view nearest;      // rounding, of mode "nearest"
  std::string_view coordinates;  // where corners are not aligned
};

constexpr auto kModes = std::to_array<Mode>({
    {"nearest_exact", "nearest", "round_prefer_ceil", "half_pixel"},
    {"nearest", "nearest", "floor", "asymmetric"},
    {"bilinear", "linear", "", "half_pixel"},
    {"trilinear", "linear", "", "half_pixel"},
    {"linear", "linear", "", "half_pixel"},
    {"bicubic", "cubic", "", "half_pixel"},
});

const Mode* FindMode(std::string_view name) {
  for (const Mode& mode : kModes) {
    if (name.find(mode.name) != std::string_view::npos) return &mode;
  }
  return nullptr;
}

// The factors that the call gives, if it gives them all.
std::vector<double> TakeScales(CallComposer& c, std::size_t spatial) {
  if (c.Has("scale_factors")) return c.Take(c.call().FloatList("scale_factors"));
  constexpr std::array<std::array<std::string_view, 3>, 3> kNames = {
      {{"scales"}, {"scales_h", "scales_w"}, {"scales_d", "scales_h", "scales_w"}}};
  std::vector<double> scales;
  for (std::size_t i = 0; i < spatial; ++i) {
    const std::string_view name = kNames[spatial - 1][i];
    if (c.Has(name)) scales.push_back(c.Float(name));
  }
  if (scales.size() != spatial) scales.clear();
  return scales;
}

// The sizes that factors lead to, if the operand's are known and the factors are exactly the
// quotients: then sizes say it without rounding. With aligned corners factors count for nothing
// else, so that the quotients are rounded down.
std::optional<std::vector<std::int64_t>> ExactSizes(const Composer& c, const Value* x,
                                                    const std::vector<double>& scales,
                                                    bool align_corners) {
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < scales.size(); ++i) {
    const std::optional<std::int64_t> in = c.KnownSize(x, static_cast<int>(i) + 2);
    if (!in) return std::nullopt;
    const double size = static_cast<double>(*in) * scales[i];
    if (size != std::floor(size) && !align_corners) return std::nullopt;
    sizes.push_back(static_cast<std::int64_t>(std::floor(size)));
  }
  return sizes;
}

// Whether common Resize, whose factors are of float32, comes to the sizes that torch does, and that
// the call states.
bool Agree(CallComposer& c, Value* x, const std::vector<double>& scales) {
  std::vector<Number> stated;
  if (c.Has("output_size")) stated = c.Take(c.call().Scalars("output_size"));
  for (std::size_t i = 0; i < scales.size(); ++i) {
    const std::optional<std::int64_t> in = c.KnownSize(x, static_cast<int>(i) + 2);
    if (!in) continue;
    const double size = static_cast<double>(*in);
    const double wanted = std::floor(size * scales[i]);
    const double reached = std::floor(size * static_cast<double>(static_cast<float>(scales[i])));
    if (wanted != size * scales[i] && wanted != reached) return false;
    if (i < stated.size() && stated[i].known() &&
        static_cast<double>(stated[i].AsInt()) != wanted) {
      return false;
    }
  }
  return true;
}

std::vector<NamedAttribute> Attributes(const Mode& mode, bool align_corners, bool antialias) {
  const std::string coordinates(align_corners ? "align_corners" : mode.coordinates);
  std::vector<NamedAttribute> attributes = {{"coordinate_transformation_mode", coordinates},
                                            {"mode", std::string(mode.resize)}};
  if (!mode.nearest.empty()) attributes.push_back({"nearest_mode", std::string(mode.nearest)});
  if (mode.resize == "cubic") attributes.push_back({"cubic_coeff_a", antialias ? -0.5f : -0.75f});
  if (antialias) {
    attributes.push_back({"antialias", std::int64_t{1}});
    attributes.push_back({"exclude_outside", std::int64_t{1}});
  }
  return attributes;
}

// Axis 2 + i of `x` and of the result, if both sizes are known.
std::optional<ResampledAxis> KnownAxis(CallComposer& c, const Value* x, std::size_t i,
                                       const std::vector<double>& scales) {
  const std::optional<std::int64_t> in = c.KnownSize(x, static_cast<int>(i) + 2);
  if (!in) return std::nullopt;
  const double scale = i < scales.size() ? scales[i] : 0;
  if (!c.Has("output_size"))
    return ResampledAxis{*in, static_cast<std::int64_t>(static_cast<double>(*in) * scale), scale};
  const std::vector<Number> stated = c.Take(c.call().Scalars("output_size"));
  if (i >= stated.size() || !stated[i].known()) return std::nullopt;
  return ResampledAxis{*in, stated[i].AsInt(), scale};
}

// Of bytes, or with aligned corners and antialiasing, which common Resize has not as torch has it.
Value* UpsampleByWeights(CallComposer& c, Value* x, const Resampling& how,
                         const std::vector<double>& scales) {
  constexpr std::int64_t kMostWeights = std::int64_t{1} << 26;
  std::array<ResampledAxis, 2> axes;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::optional<ResampledAxis> known = KnownAxis(c, x, i, scales);
    if (!known) return c.Fail("this interpolation needs known sizes; give --shape");
    axes[i] = *known;
    if (known->in < 1 || known->out < 1 || known->in > kMostWeights / known->out)
      return c.Fail("interpolation from or to such sizes");
  }
  return Resample(c, x, how, axes[0], axes[1]);
}

// -1 … 1 over `size` points: of the corners, or of the middles of cells.
Value* UnitInterval(Composer& c, Value* size, bool align_corners, DType dtype) {
  Value* steps = c.Cast(c.Iota(size), dtype);
  Value* count = c.Cast(size, dtype);
  if (!align_corners) return c.Sub(c.Div(c.Add(c.Mul(steps, 2), 1), count), 1);
  Value* intervals = c.Max(c.Sub(count, 1), 1);
  Value* spread = c.Sub(c.Div(c.Mul(steps, 2), intervals), 1);
  return c.Where(c.LessOrEqual(count, 1), 0, spread);
}

// upsample_*, _upsample_*: to given sizes, or by given factors.
Value* LowerUpsample(CallComposer& c) {
  const std::string& name = c.call().op().type;
  const Mode* mode = FindMode(name);
  if (mode == nullptr) return c.Refuse("this kind of interpolation");
  const auto spatial = static_cast<std::size_t>(SpatialAxes(c.call().op()));
  Value* x = c.Tensor(c.call().Declares("input") ? "input" : "self");
  const bool antialias = name.ends_with("_aa");
  const bool align = c.BoolOr("align_corners", false);
  std::vector<NamedAttribute> attributes = Attributes(*mode, align, antialias);
  const DType type = c.dtype(x);
  const std::vector<double> scales = TakeScales(c, spatial);
  const bool is_bytes = type == DType::kU8 && spatial == 2 && mode->resize != "nearest";
  if (is_bytes || (antialias && align)) {
    const Resampling how{mode->resize == "cubic", antialias, align};
    return UpsampleByWeights(c, x, how, scales);
  }
  Value* wide = c.Widen(x);
  std::optional<std::vector<std::int64_t>> exact;
  if (!scales.empty()) exact = ExactSizes(c, x, scales, align);
  if (!Agree(c, x, scales))
    return c.Refuse("scale factors that do not lead to the sizes that torch gives");
  if (!c.failed() && !scales.empty() && !exact) {
    const bool whole = std::all_of(scales.begin(), scales.end(),
                                   [](double scale) { return scale == std::floor(scale); });
    if (align && !whole)
      return c.Refuse("aligned corners, a factor and sizes not known; give --shape");
    std::vector<float> factors = {1, 1};
    for (double scale : scales) factors.push_back(static_cast<float>(scale));
    const auto count = static_cast<std::int64_t>(factors.size());
    Value* operand = c.builder().Constant(Tensor::Of<float>({count}, factors));
    return c.Cast(c.Op("Resize", {wide, nullptr, operand}, std::move(attributes)), type);
  }
  Value* spatial_sizes = exact ? c.Ints(*exact) : c.Take(c.call().IntListValue("output_size"));
  Value* sizes = c.ConcatSizes({c.SizeVector(x, 0, 2), spatial_sizes});
  return c.Cast(c.Op("Resize", {wide, nullptr, nullptr, sizes}, std::move(attributes)), type);
}

// grid_sampler, grid_sampler_2d, grid_sampler_3d
Value* LowerGridSampler(CallComposer& c) {
  constexpr std::array kInterpolations = {"linear", "nearest", "cubic"};
  constexpr std::array kPaddings = {"zeros", "border", "reflection"};
  Value* x = c.Tensor("input");
  Value* grid = c.Tensor("grid");
  const auto interpolation = static_cast<std::size_t>(c.Int("interpolation_mode"));
  const auto padding = static_cast<std::size_t>(c.Int("padding_mode"));
  if (interpolation >= kInterpolations.size() || padding >= kPaddings.size())
    return c.Fail(c.call().Invalid("the mode is unknown"));
  return c.Op("GridSample", {x, grid},
              {{"align_corners", std::int64_t{c.Bool("align_corners")}},
               {"mode", kInterpolations[interpolation]},
               {"padding_mode", kPaddings[padding]}});
}

// Of 2 or 3 spatial axes: points (x, y[, z], 1) of a regular grid, times theta.
Value* LowerAffineGrid(CallComposer& c) {
  Value* theta = c.Tensor("theta");
  const bool align = c.Bool("align_corners");
  std::vector<Number> sizes = c.Take(c.call().Scalars("size"));
  if (c.failed() || sizes.size() < 4) return c.Fail("sizes without two spatial axes");
  const int spatial = static_cast<int>(sizes.size()) - 2;
  const std::vector<Number> extent(sizes.begin() + 2, sizes.end());
  Value* shape = c.ConcatSizes({c.Take(c.call().NumberList(extent)), c.Ints({1})});
  std::vector<Value*> coordinates;
  for (int axis = spatial - 1; axis >= 0; --axis) {
    Value* size = c.Take(c.call().NumberValue(extent[static_cast<std::size_t>(axis)], DType::kI64));
    Value* points = UnitInterval(c, size, align, c.dtype(theta));
    coordinates.push_back(c.Expand(AlongAxis(c, points, axis, spatial + 1), shape));
  }
  coordinates.push_back(c.Expand(c.Number(1, theta), shape));
  Value* grid = c.Reshape(c.Concat(std::move(coordinates), spatial),
                          std::vector<std::int64_t>{-1, spatial + 1});
  Value* moved = c.Op("MatMul", {grid, c.SwapAxes(theta, 1, 2)});
  std::vector<Number> wanted = {sizes[0]};
  wanted.insert(wanted.end(), extent.begin(), extent.end());
  wanted.push_back(Number::Int(spatial));
  return c.Reshape(moved, c.Take(c.call().NumberList(wanted)));
}

}  // namespace

std::span<const OpRow> ResamplingRows() {
  static constexpr OpRow kRows[] = {
      {"aten._upsample_bicubic2d_aa", LowerUpsample},
      {"aten._upsample_bilinear2d_aa", LowerUpsample},
      {"aten._upsample_nearest_exact1d", LowerUpsample, {.grid = kOperandGrid}},
      {"aten._upsample_nearest_exact2d", LowerUpsample, {.grid = kOperandGrid}},
      {"aten._upsample_nearest_exact3d", LowerUpsample, {.grid = kOperandGrid}},
      {"aten.affine_grid_generator", LowerAffineGrid},
      {"aten.grid_sampler", LowerGridSampler},
      {"aten.grid_sampler_2d", LowerGridSampler},
      {"aten.grid_sampler_3d", LowerGridSampler},
      {"aten.upsample_bicubic2d", LowerUpsample, {.grid = kOperandGrid}},
      {"aten.upsample_bilinear2d", LowerUpsample, {.grid = kOperandGrid}},
      {"aten.upsample_linear1d", LowerUpsample, {.grid = kOperandGrid}},
      {"aten.upsample_nearest1d", LowerUpsample, {.grid = kOperandGrid}},
      {"aten.upsample_nearest2d", LowerUpsample, {.grid = kOperandGrid}},
      {"aten.upsample_nearest3d", LowerUpsample, {.grid = kOperandGrid}},
      {"aten.upsample_trilinear3d", LowerUpsample},
  };
  return kRows;
}

}  // namespace dragoman::torch
