// SPDX-License-Identifier: Apache-2.0
// Images of other sizes, by the nearest pixels or by those around.
#include "importers/tensorflow/ops/lowerings.h"
#include "importers/tensorflow/ops/op_rows.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/lowering/math.h"
#include "importers/tensorflow/ops/convolution.h"

namespace dragoman::tf {
namespace {

// Where the pixels of the result lie in the operand.
enum class Coordinates { kPlain, kCorners, kMiddles };

Coordinates TakeCoordinates(Call& c) {
  const bool corners = c.BoolAttribute("align_corners");
  const bool middles = c.BoolOr("half_pixel_centers", false);
  if (corners && middles)
    c.Fail(InvalidInput("align_corners and half_pixel_centers exclude each other"));
  if (corners) return Coordinates::kCorners;
  return middles ? Coordinates::kMiddles : Coordinates::kPlain;
}

// floor(scale · i), rounded to half away from zero, and the middles of pixels. `x` and the result
// have their channels at axis 1.
Value* Resize(Call& c, std::string_view mode, Coordinates coordinates, Value* x, Value* size) {
  const bool plain = coordinates == Coordinates::kPlain;
  const bool middles = coordinates == Coordinates::kMiddles;
  const char* transformation = plain ? "asymmetric" : middles ? "half_pixel" : "align_corners";
  std::vector<NamedAttribute> attributes = {{"coordinate_transformation_mode", transformation},
                                            {"mode", std::string(mode)}};
  if (mode == "nearest") {
    attributes.push_back({"nearest_mode", plain ? "floor" : "round_prefer_ceil"});
  } else if (mode == "cubic") {
    attributes.push_back({"cubic_coeff_a", middles ? -0.5F : -0.75F});
    attributes.push_back({"exclude_outside", std::int64_t{middles}});
  }
  // Their number is known, though the file may not state it.
  if (!c.failed() && !c.KnownSize(size, 0)) size = c.Reshape(size, {2});
  Value* sizes = c.ConcatSizes({c.SizeVector(x, 0, 2), size});
  return c.Op("Resize", {x, nullptr, nullptr, sizes}, std::move(attributes));
}

// Which of `from` pixels each of `to` is, by TensorFlow's kernel: in float32, so that one whose
// place is between two pixels by fractions alone may be either.
Ints NearestPixels(Coordinates coordinates, std::int64_t from, std::int64_t to) {
  const bool spread = coordinates == Coordinates::kCorners && to > 1;
  const float scale =
      static_cast<float>(spread ? from - 1 : from) / static_cast<float>(spread ? to - 1 : to);
  Ints pixels;
  for (std::int64_t i = 0; i < to; ++i) {
    const auto at = static_cast<float>(i);
    const float place = coordinates == Coordinates::kMiddles ? (at + 0.5F) * scale : at * scale;
    const float whole =
        coordinates == Coordinates::kCorners ? std::round(place) : std::floor(place);
    pixels.push_back(std::min(static_cast<std::int64_t>(whole), from - 1));
  }
  return pixels;
}

// The same by fractions, as Resize has it.
Ints NearestPixelsExactly(Coordinates coordinates, std::int64_t from, std::int64_t to) {
  Ints pixels;
  for (std::int64_t i = 0; i < to; ++i) {
    std::int64_t pixel = i * from / to;
    if (coordinates == Coordinates::kMiddles) pixel = (2 * i + 1) * from / (2 * to);
    if (coordinates == Coordinates::kCorners && to > 1)
      pixel = (2 * i * (from - 1) + to - 1) / (2 * (to - 1));
    pixels.push_back(std::min(pixel, from - 1));
  }
  return pixels;
}

// Sizes of an axis of an image, before and after; with them no product above is beyond 64 bits.
struct AxisSizes {
  std::int64_t from = 0;
  std::int64_t to = 0;
};

std::optional<AxisSizes> KnownAxis(Call& c, Value* x, int axis, const std::optional<Ints>& size) {
  constexpr std::int64_t kMost = 1 << 20;
  const std::optional<std::int64_t> from = c.failed() ? std::nullopt : c.KnownSize(x, axis);
  if (!from || !size || size->size() != 2) return std::nullopt;
  const std::int64_t to = (*size)[static_cast<std::size_t>(axis) - 2];
  if (*from < 1 || *from > kMost || to < 1 || to > kMost) return std::nullopt;
  return AxisSizes{*from, to};
}

// By Resize, but along axes on which TensorFlow takes other pixels. `known`: `size`, if it is.
Value* ResizeNearest(Call& c, Coordinates coordinates, Value* x, Value* size,
                     const std::optional<Ints>& known) {
  int left = 2;
  for (int axis = 2; axis < 4; ++axis) {
    const std::optional<AxisSizes> sizes = KnownAxis(c, x, axis, known);
    if (!sizes) continue;
    Ints pixels = NearestPixels(coordinates, sizes->from, sizes->to);
    if (pixels == NearestPixelsExactly(coordinates, sizes->from, sizes->to)) continue;
    x = c.Gather(x, c.Ints(std::move(pixels)), axis);
    --left;
  }
  return left > 0 ? Resize(c, "nearest", coordinates, x, size) : x;
}

Value* LowerResizeNearest(Call& c) {
  const Layout layout{2, true};
  const Coordinates coordinates = TakeCoordinates(c);
  Value* x = ToChannelsFirst(c, layout, c.Tensor(0));
  Value* size = c.Index(1);
  const std::optional<Ints> known = c.MaybeKnownInts(1);
  if (c.failed()) return nullptr;
  return FromChannelsFirst(c, layout, ResizeNearest(c, coordinates, x, size, known));
}

// Where along `from` pixels of an axis each of `to` lies, before half a pixel is taken off; by
// TensorFlow's kernel in float32.
Value* PlacesAlong(Call& c, Coordinates coordinates, Value* from, Value* to) {
  const auto real = [&](Value* number) { return c.Cast(number, DType::kF32); };
  Value* scale = c.Div(real(from), real(to));
  if (coordinates == Coordinates::kCorners) {
    Value* spread = c.Div(real(c.Sub(from, 1)), real(c.Max(c.Sub(to, 1), 1)));
    scale = c.Where(c.Greater(to, 1), spread, scale);
  }
  Value* pixel = real(c.Iota(to));
  return c.Mul(coordinates == Coordinates::kMiddles ? c.Add(pixel, 0.5) : pixel, scale);
}

// Of each pixel of the result a pixel of the image along an axis, and how much it had of it:
// nullptr for all.
struct Source {
  Value* pixel = nullptr;
  Value* share = nullptr;
};

std::vector<Source> SourcesAlong(Call& c, Coordinates coordinates, Value* from, Value* to) {
  Value* place = PlacesAlong(c, coordinates, from, to);
  Value* last = c.Sub(from, 1);
  const auto pixel = [&](Value* whole) {
    return c.Max(c.Min(c.Cast(whole, DType::kI64), last), 0);
  };
  if (c.target() == "nearest") {
    Value* whole = c.Floor(place);
    Value* is_far = c.GreaterOrEqual(c.Sub(place, whole), 0.5);
    if (coordinates == Coordinates::kCorners) whole = c.Add(whole, c.CastLike(is_far, whole));
    return {{pixel(whole), nullptr}};
  }
  if (coordinates == Coordinates::kMiddles) place = c.Sub(place, 0.5);
  Value* below = c.Floor(place);
  Value* share = c.Sub(place, below);
  return {{pixel(below), c.Sub(1, share)}, {pixel(c.Op("Ceil", {place})), share}};
}

// Each pixel gets of the gradient what it had of the resized image. Operand 1 is the image that was
// resized, or its height and width.
Value* LowerResizeGrad(Call& c) {
  const Coordinates coordinates = TakeCoordinates(c);
  Value* dy = c.Transpose(c.Tensor(0), {1, 2, 0, 3});
  Value* given = c.Tensor(1);
  if (c.failed()) return nullptr;
  const bool nearest = c.target() == "nearest";
  const DType type = c.dtype(nearest ? dy : given);
  if (!IsFloating(type)) return c.Fail("elements of type " + std::string(Name(type)));
  const auto size = [&](int axis) {
    return nearest ? c.Select(c.Cast(given, DType::kI64), 0, axis) : c.Size(given, axis + 1);
  };
  Value* height = size(0);
  Value* width = size(1);
  Value* images = c.SizeVector(dy, 2, 2);
  Value* count = c.Vector(c.Mul(c.Size(dy, 0), c.Size(dy, 1)));
  Value* dx = c.Full(c.ConcatSizes({c.Vector(c.Mul(height, width)), images}), 0, c.dtype(dy));
  const std::vector<Source> columns = SourcesAlong(c, coordinates, width, c.Size(dy, 1));
  for (const Source& row : SourcesAlong(c, coordinates, height, c.Size(dy, 0))) {
    for (const Source& column : columns) {
      Value* places = c.Add(c.Mul(c.Unsqueeze(row.pixel, {1}), width), column.pixel);
      Value* part = dy;
      if (!nearest)
        part =
            c.Mul(dy, c.Mul(c.Unsqueeze(row.share, {1, 2, 3}), c.Unsqueeze(column.share, {1, 2})));
      part = c.Reshape(part, c.ConcatSizes({count, images}));
      dx = c.Op("ScatterND", {dx, c.Unsqueeze(c.Flatten(places), {1}), part},
                {{"reduction", "add"}});
    }
  }
  dx = c.Reshape(dx, c.ConcatSizes({c.Vector(height), c.Vector(width), images}));
  return c.Cast(c.Transpose(dx, {2, 0, 1, 3}), type);
}

}  // namespace

// Bilinear and bicubic results are float32, whatever the operand.
Value* LowerResize(Call& c) {
  const Layout layout{2, true};
  const Coordinates coordinates = TakeCoordinates(c);
  Value* x = ToChannelsFirst(c, layout, c.Cast(c.Tensor(0), DType::kF32));
  return FromChannelsFirst(c, layout, Resize(c, c.target(), coordinates, x, c.Index(1)));
}

std::span<const OpRow> ResizingRows() {
  static constexpr OpRow kRows[] = {
      {"ResizeBilinear", LowerResize, "linear"},
      {"ResizeBilinearGrad", LowerResizeGrad, "linear"},
      {"ResizeNearestNeighbor", LowerResizeNearest},
      {"ResizeNearestNeighborGrad", LowerResizeGrad, "nearest"},
  };
  return kRows;
}

}  // namespace dragoman::tf
