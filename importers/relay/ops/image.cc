// SPDX-License-Identifier: Apache-2.0
// Images: resizing and sampling.
#include "importers/relay/ops/op_rows.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "importers/relay/ops/layout.h"
#include "importers/tvm/sampling.h"

namespace dragoman::relay {
namespace {

constexpr std::string_view kImageData[] = {"", "NCW", "NCHW", "NCDHW"};

// Operand 0 as NC…, and the layout that it came in.
struct Image {
  Value* x = nullptr;
  std::string layout;
  int spatial = 0;  // axes

  Value* Back(Call& c, Value* y) const { return ToLayout(c, y, kImageData[spatial], layout); }
};

Image ImageOf(Call& c, int spatial) {
  Image image;
  image.spatial = spatial;
  image.layout = c.Text("layout", kImageData[image.spatial]);
  image.x = ToLayout(c, c.Tensor(0), image.layout, kImageData[image.spatial]);
  return image;
}

struct Resizing {
  std::string method;  // nearest_neighbor, linear, cubic
  std::string coordinates;
  std::string rounding;
  double cubic = -0.5;
  bool exclude = false;
};

// Versions before 0.8 called methods by the number of axes.
std::string MethodOf(Call& c, std::string_view otherwise) {
  const std::string method = c.Text("method", otherwise);
  if (method == "bilinear" || method == "trilinear") return "linear";
  return method == "bicubic" ? "cubic" : method;
}

// Of images TVM takes the element in front for the nearest one, whatever rounding is asked for,
// where asymmetric coordinates go to a multiple of the size. It divides by 0 where corners are
// aligned in a single element.
void CheckSizes(Call& c, const Value* x, Value* spatial_sizes, const Resizing& how) {
  const std::optional<Ints> to = c.failed() ? std::nullopt : c.builder().KnownInts(spatial_sizes);
  for (std::size_t i = 0; to && i < to->size(); ++i) {
    const std::optional<std::int64_t> from = c.KnownSize(x, static_cast<int>(i) + 2);
    const bool is_multiple = from && *from > 0 && (*to)[i] > *from && (*to)[i] % *from == 0;
    const bool in_front = how.rounding == "floor" || how.rounding.empty();
    if (is_multiple && to->size() == 2 && how.method == "nearest_neighbor" &&
        how.coordinates == "asymmetric" && !in_front)
      c.Fail("asymmetric coordinates to a multiple of the size with rounding \"" + how.rounding +
             "\" are not supported");
    if ((*to)[i] == 1 && how.coordinates == "align_corners")
      c.Fail("aligned corners of a single element are not supported");
  }
}

Value* Resize(Call& c, Value* x, Value* spatial_sizes, const Resizing& how) {
  CheckSizes(c, x, spatial_sizes, how);
  if (c.failed()) return nullptr;
  static constexpr std::string_view kCoordinates[] = {"half_pixel", "align_corners", "asymmetric",
                                                      "pytorch_half_pixel", "tf_half_pixel_for_nn"};
  if (std::find(std::begin(kCoordinates), std::end(kCoordinates), how.coordinates) ==
      std::end(kCoordinates))
    return c.Fail("coordinate_transformation_mode=\"" + how.coordinates + "\" is not supported");
  std::vector<NamedAttribute> attributes = {{"coordinate_transformation_mode", how.coordinates}};
  const bool nearest = how.method == "nearest_neighbor";
  if (nearest) {
    std::string rounding = how.rounding;
    if (rounding.empty()) rounding = how.coordinates == "align_corners" ? "round" : "floor";
    if (rounding == "round") rounding = "round_prefer_ceil";
    attributes.emplace_back("mode", "nearest");
    attributes.emplace_back("nearest_mode", rounding);
  } else if (how.method == "linear" || how.method == "cubic") {
    if (!IsFloating(c.dtype(x))) return c.Fail("method \"" + how.method + "\" of integers");
    attributes.emplace_back("mode", how.method);
    if (how.method == "cubic") {
      attributes.emplace_back("cubic_coeff_a", static_cast<float>(how.cubic));
      attributes.emplace_back("exclude_outside", std::int64_t{how.exclude});
    }
  } else {
    return c.Fail("method \"" + how.method + "\" is not supported");
  }
  Value* sizes = c.ConcatSizes({c.SizeVector(x, 0, 2), spatial_sizes});
  return c.Op("Resize", {x, nullptr, nullptr, sizes}, std::move(attributes));
}

enum class Release { kBefore08, kNew };

Value* LowerResize(Call& c, int spatial, Release release, Given given) {
  const bool dynamic = given == Given::kAsOperand;
  const bool old = release == Release::kBefore08;
  const Image image = ImageOf(c, spatial);
  Resizing how;
  how.method = MethodOf(c, "linear");
  how.coordinates = c.Text("coordinate_transformation_mode", "half_pixel");
  // So version 0.6 said it.
  if (old && c.Get("align_corners") != nullptr)
    how.coordinates = c.Bool("align_corners", false) ? "align_corners" : "asymmetric";
  how.rounding = c.Text("rounding_method", old ? "" : "round");
  how.cubic = c.Float(old ? "bicubic_alpha" : "cubic_alpha", -0.5);
  how.exclude = c.Int(old ? "bicubic_exclude" : "cubic_exclude", 0) != 0;
  const DType dtype = c.Type("out_dtype", c.dtype(image.x));
  // They count for the cropping mode only, which is refused.
  c.Ignore({"roi", "extrapolation_value"});
  Value* sizes = nullptr;
  if (dynamic) {
    c.Ignore({"size"});
    sizes = c.Index(1);
  } else {
    Ints stated = c.RequiredInts("size");
    if (stated.size() == 1) stated = Ints(static_cast<std::size_t>(image.spatial), stated.front());
    if (!c.failed() && stated.size() != static_cast<std::size_t>(image.spatial))
      return c.Fail(InvalidInput("size has another number of entries"));
    sizes = c.Ints(std::move(stated));
  }
  return image.Back(c, c.Cast(Resize(c, image.x, sizes, how), dtype));
}

Value* LowerUpsampling(Call& c, int spatial, Given given) {
  const bool dynamic = given == Given::kAsOperand;
  const Image image = ImageOf(c, spatial);
  Resizing how;
  how.method = MethodOf(c, "nearest_neighbor");
  how.coordinates = c.Bool("align_corners", false) ? "align_corners" : "asymmetric";
  if (image.spatial == 3) how.coordinates = c.Text("coordinate_transformation_mode", "half_pixel");
  std::vector<Value*> sizes;
  for (std::string_view name : {"scale_d", "scale_h", "scale_w"}) {
    if (image.spatial == 2 && name == "scale_d") continue;
    const int axis = 2 + static_cast<int>(sizes.size());
    const std::size_t operand = 1 + sizes.size();
    const std::optional<double> given = dynamic ? c.KnownFloat(operand) : c.Float(name, 1);
    if (dynamic) c.Ignore({name});
    if (c.failed()) return nullptr;
    if (!given) {
      // The size that comes of it, rounded.
      Value* factor = c.Vector(c.Cast(c.Tensor(operand), DType::kF32));
      Value* scaled = c.Mul(c.Cast(c.SizeVector(image.x, axis, 1), DType::kF32), factor);
      sizes.push_back(c.Cast(c.Floor(c.Add(scaled, 0.5)), DType::kI64));
      continue;
    }
    const double scale = *given;
    if (const std::optional<std::int64_t> size = c.KnownSize(image.x, axis)) {
      sizes.push_back(
          c.Ints({static_cast<std::int64_t>(static_cast<double>(*size) * scale + 0.5)}));
    } else if (scale == static_cast<double>(static_cast<std::int64_t>(scale))) {
      sizes.push_back(
          c.Mul(c.SizeVector(image.x, axis, 1), c.Ints({static_cast<std::int64_t>(scale)})));
    } else {
      return c.Fail("a scale that is not a whole number of a size that is not known");
    }
  }
  return image.Back(c, Resize(c, image.x, c.ConcatSizes(std::move(sizes)), how));
}

Value* LowerGridSample(Call& c) {
  c.ExpectText("layout", {"NCHW", "NCDHW"});
  return tvm::GridSample(c, c.Tensor(0), c.Tensor(1),
                         {.method = c.Text("method", "bilinear"),
                          .padding = c.Text("padding_mode", "zeros"),
                          .align_corners = c.Bool("align_corners", true)});
}

// How much each element of an axis counts at places between them (boxes, places): (boxes, places,
// elements). `nearest`: the element at the place, else those on both sides.
Value* WeightsAt(Call& c, Value* places, Value* size, bool nearest) {
  Value* elements = c.CastLike(c.Iota(size), places);
  Value* at = c.Unsqueeze(nearest ? c.Floor(c.Add(places, 0.5)) : places, {2});
  if (nearest) return c.CastLike(c.Equal(at, elements), places);
  return c.Max(c.Sub(1, c.Abs(c.Sub(at, elements))), 0);
}

struct Cropping {
  Value* weights = nullptr;  // (boxes, places, elements)
  Value* inside = nullptr;   // (boxes, places)
};

// Along one axis of `size` elements, by ends of boxes from 0 to 1.
Cropping CropAxis(Call& c, Value* first, Value* last, Value* size, std::int64_t count,
                  bool nearest) {
  Value* most = c.CastLike(c.Sub(size, 1), first);
  Value* places = nullptr;
  if (count > 1) {
    Value* step = c.Div(c.Mul(c.Sub(last, first), most), static_cast<double>(count - 1));
    Value* numbers = c.CastLike(c.Iota(c.Int(count)), first);
    places = c.Add(c.Mul(first, most), c.Mul(numbers, step));
  } else {
    places = c.Mul(c.Mul(c.Add(first, last), 0.5), most);
  }
  return {WeightsAt(c, places, size, nearest),
          c.And(c.GreaterOrEqual(places, 0), c.LessOrEqual(places, most))};
}

// A part of an image for each box, as a product with the weights of rows and of columns.
Value* LowerCropAndResize(Call& c) {
  const std::string layout = c.Text("layout", "NCHW");
  const std::string method = c.Text("method", "bilinear");
  const Ints size = c.RequiredInts("crop_size");
  const double outside = c.Float("extrapolation_value", 0);
  c.ExpectText("method", {"bilinear", "nearest_neighbor"});
  Value* x = ToLayout(c, c.Tensor(0), layout, kImageData[2]);
  const DType dtype = c.Type("out_dtype", c.dtype(x));
  if (c.failed()) return nullptr;
  if (size.size() != 2 || size[0] < 1 || size[1] < 1)
    return c.Fail(InvalidInput("crop_size is not a pair of sizes"));
  const bool nearest = method == "nearest_neighbor";
  Value* boxes = c.Cast(c.Tensor(1), DType::kF32);
  const auto end = [&](int i) { return c.Slice(boxes, 1, i, i + 1); };
  const Cropping rows = CropAxis(c, end(0), end(2), c.Size(x, 2), size[0], nearest);
  const Cropping columns = CropAxis(c, end(1), end(3), c.Size(x, 3), size[1], nearest);
  Value* images = c.Cast(c.Gather(x, c.Index(2), 0), DType::kF32);
  Value* across =
      c.Op("MatMul", {images, c.Unsqueeze(c.Transpose(columns.weights, {0, 2, 1}), {1})});
  Value* y = c.Op("MatMul", {c.Unsqueeze(rows.weights, {1}), across});
  Value* inside = c.And(c.Unsqueeze(rows.inside, {2}), c.Unsqueeze(columns.inside, {1}));
  y = c.Where(c.Unsqueeze(inside, {1}), y, outside);
  return ToLayout(c, c.Cast(y, dtype), kImageData[2], layout);
}

// Where each element of the target comes from, from -1 to 1 along both axes: (images, 2, H, W).
Value* LowerAffineGrid(Call& c) {
  Value* theta = c.Tensor(0);
  return tvm::AffineGrid(c, theta, c.RequiredInts("target_shape"));
}

// The largest sum of a window and the kernel. What pads is 0.
Value* LowerDilation2D(Call& c) {
  const std::string layout = c.Text("data_layout", "NCHW");
  const std::string kernel_layout = c.Text("kernel_layout", "IHW");
  const Ints strides = c.IntList("strides", {1, 1});
  const Ints dilations = c.IntList("dilations", {1, 1});
  const Ints pads = PadsOf(c, "padding", 2);
  Value* x = ToLayout(c, c.Tensor(0), layout, kImageData[2]);
  Value* kernel = ToLayout(c, c.Tensor(1), kernel_layout, "IHW");
  const DType dtype = c.Type("out_dtype", c.dtype(x));
  const std::optional<Ints> window = c.KnownSizes(kernel);
  const std::optional<Ints> sizes = c.KnownSizes(x);
  if (c.failed()) return nullptr;
  if (!window || !sizes) return c.Fail("a dilation of sizes that are not known");
  if (strides.size() != 2 || dilations.size() != 2) return c.Fail(InvalidInput("no pairs"));
  x = c.Op("Pad", {x, c.Ints({0, 0, pads[0], pads[1], 0, 0, pads[2], pads[3]})});
  Value* y = nullptr;
  const auto window_of = [&](Value* of, int axis, std::int64_t at) {
    const auto i = static_cast<std::size_t>(axis);
    const std::int64_t size = (*sizes)[i + 2] + pads[i] + pads[i + 2];
    const std::int64_t extent = ((*window)[i + 1] - 1) * dilations[i] + 1;
    const std::int64_t begin = at * dilations[i];
    return c.Slice(of, axis + 2, begin, begin + size - extent + 1, strides[i]);
  };
  for (std::int64_t i = 0; i < (*window)[1]; ++i) {
    for (std::int64_t j = 0; j < (*window)[2]; ++j) {
      Value* part = c.Cast(window_of(window_of(x, 0, i), 1, j), dtype);
      Value* tap = c.Slice(c.Slice(kernel, 1, i, i + 1), 2, j, j + 1);
      Value* sum = c.Add(part, c.Cast(tap, dtype));
      y = y == nullptr ? sum : c.Max(y, sum);
    }
  }
  return ToLayout(c, y, kImageData[2], layout);
}

}  // namespace

std::span<const OpRow> ImageRows() {
  static constexpr OpRow kRows[] = {
      {"dyn.image.resize", With<LowerResize, 2, Release::kBefore08, Given::kAsOperand>},
      {"dyn.image.resize2d", With<LowerResize, 2, Release::kNew, Given::kAsOperand>},
      {"dyn.nn.upsampling", With<LowerUpsampling, 2, Given::kAsOperand>},
      {"dyn.nn.upsampling3d", With<LowerUpsampling, 3, Given::kAsOperand>},
      {"image.affine_grid", LowerAffineGrid},
      {"image.crop_and_resize", LowerCropAndResize},
      {"image.dilation2d", LowerDilation2D},
      {"image.grid_sample", LowerGridSample},
      {"image.resize", With<LowerResize, 2, Release::kBefore08, Given::kAsAttribute>},
      {"image.resize1d", With<LowerResize, 1, Release::kNew, Given::kAsAttribute>},
      {"image.resize2d", With<LowerResize, 2, Release::kNew, Given::kAsAttribute>},
      {"image.resize3d", With<LowerResize, 3, Release::kNew, Given::kAsAttribute>},
      {"nn.upsampling", With<LowerUpsampling, 2, Given::kAsAttribute>},
      {"nn.upsampling3d", With<LowerUpsampling, 3, Given::kAsAttribute>},
  };
  return kRows;
}

}  // namespace dragoman::relay
