// SPDX-License-Identifier: Apache-2.0
// Images: crops, areas, colours. Tensors have their channels last.
#include "importers/tensorflow/ops/op_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/lowering/math.h"
#include "core/lowering/rounding.h"
#include "importers/tensorflow/ops/convolution.h"

namespace dragoman::tf {
namespace {

// Where the pixels of crops lie along one axis of the image: (boxes, pixels), float32.
struct Places {
  Value* at = nullptr;
  Value* inside = nullptr;
  Value* first = nullptr;  // the pixels on both sides, int64, within the image
  Value* second = nullptr;
  Value* weight = nullptr;  // of the second
};

// `count` places from one end to the other, or the one in the middle.
Value* Spread(Call& c, Value* from, Value* to, Value* last, Value* count) {
  const std::optional<std::int64_t> known = c.KnownNumber(count);
  Value* middle = c.Unsqueeze(c.Mul(c.Mul(c.Add(from, to), 0.5), last), {1});
  if (known && *known <= 1) return middle;
  Value* gaps = known ? c.Number(static_cast<double>(*known - 1), DType::kF32)
                      : c.Cast(c.Max(c.Sub(count, 1), 1), DType::kF32);
  Value* step = c.Div(c.Mul(c.Sub(to, from), last), gaps);
  Value* number = c.Cast(c.Iota(count), DType::kF32);
  Value* all = c.Add(c.Unsqueeze(c.Mul(from, last), {1}), c.Mul(number, c.Unsqueeze(step, {1})));
  return known ? all : c.Where(c.Greater(count, 1), all, middle);
}

Places FindPlaces(Call& c, Value* from, Value* to, Value* size, Value* count) {
  Value* last = c.Cast(c.Sub(size, 1), DType::kF32);
  Places places;
  places.at = Spread(c, from, to, last, count);
  places.inside = c.And(c.GreaterOrEqual(places.at, 0), c.LessOrEqual(places.at, last));
  Value* within = c.Where(places.inside, places.at, 0);
  Value* low = c.Floor(within);
  places.first = c.Cast(low, DType::kI64);
  places.second = c.Cast(c.Op("Ceil", {within}), DType::kI64);
  places.weight = c.Sub(within, low);
  return places;
}

Value* Nearest(Call& c, const Places& places) {
  return c.Cast(RoundHalvesAway(c, c.Where(places.inside, places.at, 0)), DType::kI64);
}

// Elements of the image at (box, y, x), which broadcast to one another.
Value* Pixels(Call& c, Value* image, Value* box, Value* y, Value* x, Value* sizes) {
  std::vector<Value*> columns;
  for (Value* part : {box, y, x}) columns.push_back(c.Unsqueeze(c.Expand(part, sizes), {3}));
  return c.Op("GatherND", {image, c.Concat(std::move(columns), 3)});
}

// Boxes (y1, x1, y2, x2), as shares of the image's sizes less one.
Value* LowerCropAndResize(Call& c) {
  Value* image = c.Tensor(0);
  Value* boxes = c.Tensor(1);
  Value* box = c.Index(2);
  Value* size = c.Index(3);
  const std::optional<Ints> known = c.MaybeKnownInts(3);
  const std::string method = c.TextAttribute("method");
  if (c.failed()) return nullptr;
  if (known && (known->size() != 2 || (*known)[0] < 1 || (*known)[1] < 1))
    return c.Fail(InvalidInput("crop_size is not two positive sizes"));
  if (!known) {
    c.Assert(c.GreaterOrEqual(c.ReduceAll("ReduceMin", size), 1),
             "crop_size of '" + c.node().name() + "' is not positive");
  }
  const auto edge = [&](std::int64_t i) { return c.Select(boxes, 1, i); };
  const Places ys = FindPlaces(c, edge(0), edge(2), c.Size(image, 1), c.Select(size, 0, 0));
  const Places xs = FindPlaces(c, edge(1), edge(3), c.Size(image, 2), c.Select(size, 0, 1));
  const auto along_y = [&](Value* value) { return c.Unsqueeze(value, {2}); };
  const auto along_x = [&](Value* value) { return c.Unsqueeze(value, {1}); };
  Value* sizes = c.ConcatSizes({c.SizeVector(boxes, 0, 1), size});
  Value* number = c.Unsqueeze(box, {1, 2});
  const auto pixels = [&](Value* y, Value* x) {
    return c.Cast(Pixels(c, image, number, along_y(y), along_x(x), sizes), DType::kF32);
  };
  Value* crops = nullptr;
  if (method == "nearest") {
    crops = pixels(Nearest(c, ys), Nearest(c, xs));
  } else {
    Value* weight_x = c.Unsqueeze(along_x(xs.weight), {3});
    const auto row = [&](Value* y) {
      Value* left = pixels(y, xs.first);
      return c.Add(left, c.Mul(c.Sub(pixels(y, xs.second), left), weight_x));
    };
    Value* top = row(ys.first);
    Value* weight_y = c.Unsqueeze(along_y(ys.weight), {3});
    crops = c.Add(top, c.Mul(c.Sub(row(ys.second), top), weight_y));
  }
  Value* inside = c.Unsqueeze(c.And(along_y(ys.inside), along_x(xs.inside)), {3});
  return c.Where(inside, crops, c.FloatAttribute("extrapolation_value"));
}

// Which share of each pixel lies in each pixel of the result: a matrix (result, operand).
dragoman::Tensor Shares(std::int64_t from, std::int64_t to, float scale) {
  std::vector<float> shares(static_cast<std::size_t>(from * to), 0.0F);
  for (std::int64_t i = 0; i < to; ++i) {
    const float begin = static_cast<float>(i) * scale;
    const float end = static_cast<float>(i + 1) * scale;
    const auto first = static_cast<std::int64_t>(std::floor(begin));
    const auto last = static_cast<std::int64_t>(std::ceil(end));
    for (std::int64_t k = first; k < last; ++k) {
      const auto low = std::max(begin, static_cast<float>(k));
      const auto high = std::min(end, static_cast<float>(k + 1));
      // Pixels beyond the border are those at it.
      const std::int64_t at = std::clamp<std::int64_t>(k, 0, from - 1);
      shares[static_cast<std::size_t>(i * from + at)] += (high - low) / scale;
    }
  }
  return dragoman::Tensor::Of<float>({to, from}, shares);
}

// The entries of a matrix of shares: a file states sizes that it need not hold.
constexpr std::int64_t kMaxShares = std::int64_t{1} << 23;

// The mean over the area of the operand that a pixel of the result covers.
Value* LowerResizeArea(Call& c) {
  const Layout layout{2, true};
  Value* x = ToChannelsFirst(c, layout, c.Cast(c.Tensor(0), DType::kF32));
  const Ints size = c.KnownInts(1, "the size of the result");
  const bool corners = c.BoolAttribute("align_corners");
  const std::optional<std::int64_t> height = c.KnownSize(x, 2);
  const std::optional<std::int64_t> width = c.KnownSize(x, 3);
  if (c.failed()) return nullptr;
  if (!height || !width)
    return c.Fail("the sizes of the operand are not known; state them with --shape");
  if (size.size() != 2 || size[0] < 1 || size[1] < 1 || *height < 1 || *width < 1)
    return c.Fail(InvalidInput("sizes of an image that are not positive"));
  if (size[0] > kMaxShares / *height || size[1] > kMaxShares / *width)
    return c.Fail("images of this size are not supported");
  const auto shares = [&](std::int64_t from, std::int64_t to) {
    const bool spread = corners && to > 1;
    const auto scale =
        static_cast<float>(spread ? from - 1 : from) / static_cast<float>(spread ? to - 1 : to);
    return c.builder().Constant(Shares(from, to, scale));
  };
  Value* rows = c.Op("MatMul", {shares(*height, size[0]), x});
  Value* columns = c.Transpose(shares(*width, size[1]), {1, 0});
  return FromChannelsFirst(c, layout, c.Op("MatMul", {rows, columns}));
}

// The maxima, and where each lies in the operand: (y · width + x) · channels + channel.
std::vector<Value*> LowerMaxPoolWithArgmax(Call& c) {
  const Layout layout{2, true};
  Value* x = ToChannelsFirst(c, layout, c.Tensor(0));
  const Window window{SpatialAttribute(c, layout, "ksize"), SpatialAttribute(c, layout, "strides"),
                      Ints(2, 1)};
  const bool counts_batch = c.BoolAttribute("include_batch_in_index");
  const DType index = c.TypeAttribute("Targmax");
  const DType type = c.dtype(x);
  if (c.failed()) return {};
  if (!IsFloating(type) && type != DType::kU8 && type != DType::kI8) x = c.Cast(x, DType::kF64);
  const std::vector<Value*> pooled = MaximaOfWindows(c, layout, x, window, 2);
  Value* area = c.Mul(c.Size(x, 2), c.Size(x, 3));
  Value* channels = c.Size(x, 1);
  // The common dialect counts with channels first.
  Value* place = c.Op("Mod", {pooled[1], area});
  Value* channel = c.Unsqueeze(c.Iota(channels), {1, 2});
  place = c.Add(c.Mul(place, channels), channel);
  if (counts_batch) {
    Value* image = c.Unsqueeze(c.Iota(c.Size(x, 0)), {1, 2, 3});
    place = c.Add(place, c.Mul(image, c.Mul(area, channels)));
  }
  return {FromChannelsFirst(c, layout, c.Cast(pooled[0], type)),
          FromChannelsFirst(c, layout, c.Cast(place, index))};
}

// (batch, channels, y, kernel y, x, kernel x, …); what lies outside is `outside`.
Value* PatchesOf(Call& c, Value* x, const Window& patches, double outside) {
  x = PaddedForWindow(c, x, patches, c.Number(outside, x)).x;
  for (std::size_t i = 0; i < patches.kernel.size() && !c.failed(); ++i) {
    const int axis = 2 * static_cast<int>(i) + 2;
    Value* room = c.Sub(c.Size(x, axis), c.Int(patches.extent(i)));
    Value* count = c.Add(FloorQuotient(c, room, c.Int(patches.strides[i])), 1);
    Value* starts = c.Mul(c.Iota(c.Max(count, 0)), c.Int(patches.strides[i]));
    Value* within = c.Mul(c.Iota(c.Int(patches.kernel[i])), c.Int(patches.dilations[i]));
    x = c.Gather(x, c.Add(c.Unsqueeze(starts, {1}), within), axis);
  }
  return x;
}

// Of what is left over after the last patch of a volume, TensorFlow has half in front of the first.
Value* FromFirstPatch(Call& c, Value* x, const Window& patches) {
  if (c.TextAttribute("padding") != "SAME") return x;
  for (std::size_t i = 0; i < patches.kernel.size(); ++i) {
    if (patches.strides[i] <= patches.extent(i) + 1) continue;
    const int axis = static_cast<int>(i) + 2;
    Value* behind = c.Max(c.Neg(Overhang(c, x, patches, i)), 0);
    x = c.Slice(x, axis, c.Vector(c.Div(behind, 2)), c.Vector(c.Size(x, axis)), c.Ints({1}));
  }
  return x;
}

// Patches of images or volumes, one after the other along the channels: (rows, columns, channel).
Value* LowerExtractPatches(Call& c, int spatial) {
  const Layout layout{spatial, true};
  Value* x = ToChannelsFirst(c, layout, c.Tensor(0));
  const Window patches{SpatialAttribute(c, layout, "ksizes"),
                       SpatialAttribute(c, layout, "strides"),
                       SpatialAttribute(c, layout, "rates")};
  if (c.failed()) return nullptr;
  if (spatial == 3) x = FromFirstPatch(c, x, patches);
  Ints order = {0};
  for (int offset : {2, 3}) {  // places, then elements within patches
    for (int i = 0; i < spatial; ++i) order.push_back(2 * i + offset);
  }
  order.push_back(1);
  Value* parts = c.Transpose(PatchesOf(c, x, patches, 0), std::move(order));
  Value* depth = c.Size(x, 1);
  for (const std::int64_t size : patches.kernel) depth = c.Mul(depth, c.Int(size));
  return c.Reshape(parts, c.ConcatSizes({c.SizeVector(parts, 0, spatial + 1), c.Vector(depth)}));
}

// The maximum of a patch plus the filter.
Value* LowerDilation2D(Call& c) {
  const Layout layout{2, true};
  Value* x = ToChannelsFirst(c, layout, c.Tensor(0));
  Value* filter = c.Tensor(1);
  Window patches{
      {1, 1}, SpatialAttribute(c, layout, "strides"), SpatialAttribute(c, layout, "rates")};
  const std::optional<std::int64_t> height = c.KnownSize(filter, 0);
  const std::optional<std::int64_t> width = c.KnownSize(filter, 1);
  if (c.failed()) return nullptr;
  if (!height || !width || !IsFloating(c.dtype(x)))
    return c.Fail("a filter of unknown sizes, or integers");
  patches.kernel = {*height, *width};
  if (!AreExtents(patches.kernel, 1)) return c.Fail(InvalidInput("a filter has too many elements"));
  Value* parts = PatchesOf(c, x, patches, -std::numeric_limits<double>::infinity());
  // (channels, 1, kernel y, 1, kernel x)
  Value* added = c.Unsqueeze(c.Transpose(filter, {2, 0, 1}), {1, 3});
  return FromChannelsFirst(c, layout, c.Reduce("ReduceMax", c.Add(parts, added), {3, 5}, false));
}

struct Colour {
  Value* red = nullptr;
  Value* green = nullptr;
  Value* blue = nullptr;
};

Colour ChannelsOf(Call& c, Value* image) {
  const auto channel = [&](std::int64_t i) {
    return c.Op("Gather", {image, c.Int(i)}, {{"axis", std::int64_t{-1}}});
  };
  return {channel(0), channel(1), channel(2)};
}

Value* JoinChannels(Call& c, const Colour& colour) {
  std::vector<Value*> parts;
  for (Value* channel : {colour.red, colour.green, colour.blue})
    parts.push_back(c.Op("Unsqueeze", {channel, c.Ints({-1})}));
  return c.Concat(std::move(parts), -1);
}

// Hue, saturation and value in the places of red, green and blue, all of [0, 1].
Colour ToHsv(Call& c, const Colour& rgb) {
  Value* value = c.Max(c.Max(rgb.red, rgb.green), rgb.blue);
  Value* range = c.Sub(value, c.Min(c.Min(rgb.red, rgb.green), rgb.blue));
  Value* positive = c.Greater(value, 0);
  Value* saturation = c.Where(positive, c.Div(range, c.Where(positive, value, 1)), 0);
  Value* grey = c.LessOrEqual(range, 0);
  Value* norm = c.Div(c.Div(c.Number(1, range), 6), c.Where(grey, 1, range));
  Value* of_red = c.Mul(norm, c.Sub(rgb.green, rgb.blue));
  Value* of_green = c.Add(c.Mul(norm, c.Sub(rgb.blue, rgb.red)), 2.0 / 6.0);
  Value* of_blue = c.Add(c.Mul(norm, c.Sub(rgb.red, rgb.green)), 4.0 / 6.0);
  Value* hue = c.Where(c.Equal(rgb.red, value), of_red,
                       c.Where(c.Equal(rgb.green, value), of_green, of_blue));
  hue = c.Where(grey, 0, hue);
  return {c.Where(c.Less(hue, 0), c.Add(hue, 1), hue), saturation, value};
}

// The colour of `hue` whose least channel is `least`, and whose largest is `range` more.
Colour OfHue(Call& c, Value* hue, Value* least, Value* range) {
  const auto mixed = [&](Value* share) {
    return c.Add(least, c.Mul(range, c.Min(c.Max(share, 0), 1)));
  };
  Value* six = c.Mul(hue, 6);
  return {mixed(c.Sub(c.Abs(c.Sub(six, 3)), 1)), mixed(c.Sub(2, c.Abs(c.Sub(six, 2)))),
          mixed(c.Sub(2, c.Abs(c.Sub(six, 4))))};
}

Colour ToRgb(Call& c, const Colour& hsv) {
  const auto& [hue, saturation, value] = hsv;
  return OfHue(c, hue, c.Mul(c.Sub(1, saturation), value), c.Mul(saturation, value));
}

Value* LowerRgbToHsv(Call& c) { return JoinChannels(c, ToHsv(c, ChannelsOf(c, c.Tensor(0)))); }
Value* LowerHsvToRgb(Call& c) { return JoinChannels(c, ToRgb(c, ChannelsOf(c, c.Tensor(0)))); }

// Away from the mean of each channel of each image.
Value* LowerAdjustContrast(Call& c) {
  Value* x = c.Tensor(0);
  const int rank = c.Rank(x);
  if (c.failed()) return nullptr;
  if (rank < 3) return c.Fail(InvalidInput("an image of rank " + std::to_string(rank)));
  Value* mean = c.ReduceMean(x, {rank - 3, rank - 2}, true);
  return c.Add(c.Mul(c.Sub(x, mean), c.CastLike(c.Tensor(1), x)), mean);
}

Value* LowerAdjustSaturation(Call& c) {
  Value* x = c.Tensor(0);
  Colour hsv = ToHsv(c, ChannelsOf(c, x));
  hsv.green = c.Min(c.Max(c.Mul(hsv.green, c.CastLike(c.Tensor(1), x)), 0), 1);
  return JoinChannels(c, ToRgb(c, hsv));
}

// Colours that no saturation and value have, of channels below 0, keep their least channel, too.
Value* LowerAdjustHue(Call& c) {
  Value* x = c.Tensor(0);
  const Colour rgb = ChannelsOf(c, x);
  const Colour hsv = ToHsv(c, rgb);
  Value* hue = c.Add(hsv.red, c.CastLike(c.Tensor(1), x));
  Value* least = c.Min(c.Min(rgb.red, rgb.green), rgb.blue);
  return JoinChannels(c, OfHue(c, c.Sub(hue, c.Floor(hue)), least, c.Sub(hsv.blue, least)));
}

}  // namespace

std::span<const OpRow> ImagesRows() {
  static constexpr OpRow kRows[] = {
      {"AdjustContrastv2", LowerAdjustContrast},
      {"AdjustHue", LowerAdjustHue},
      {"AdjustSaturation", LowerAdjustSaturation},
      {"CropAndResize", LowerCropAndResize},
      {"Dilation2D", LowerDilation2D},
      {"ExtractImagePatches", With<LowerExtractPatches, 2>},
      {"ExtractVolumePatches", With<LowerExtractPatches, 3>},
      {"HSVToRGB", LowerHsvToRgb},
      {"MaxPoolWithArgmax", LowerMaxPoolWithArgmax},
      {"RGBToHSV", LowerRgbToHsv},
      {"ResizeArea", LowerResizeArea},
  };
  return kRows;
}

}  // namespace dragoman::tf
