// Images: resizing, sampling, regions.
#include <algorithm>
#include <string>
#include <utility>

#include "importers/relay/ops/layout.h"
#include "importers/relay/ops/lowerings.h"

namespace dragoman::relay {
namespace {

constexpr std::string_view kData[] = {"", "NCW", "NCHW", "NCDHW"};

// Operand 0 as NC…, and the layout that it came in.
struct Image {
  Value* x = nullptr;
  std::string layout;
  int spatial = 0;  // axes; the target begins with their number

  Value* Back(Call& c, Value* y) const { return ToLayout(c, y, kData[spatial], layout); }
};

Image ImageOf(Call& c) {
  Image image;
  image.spatial = c.target().front() - '0';
  image.layout = c.Text("layout", kData[image.spatial]);
  image.x = ToLayout(c, c.Tensor(0), image.layout, kData[image.spatial]);
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

}  // namespace

Value* LowerResize(Call& c) {
  const bool dynamic = c.target().ends_with("dyn");
  const Image image = ImageOf(c);
  Resizing how;
  how.method = MethodOf(c, "linear");
  how.coordinates = c.Text("coordinate_transformation_mode", "half_pixel");
  how.rounding = c.Text("rounding_method", "round");
  how.cubic = c.Float("cubic_alpha", -0.5);
  how.exclude = c.Int("cubic_exclude", 0) != 0;
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

Value* LowerUpsampling(Call& c) {
  const Image image = ImageOf(c);
  Resizing how;
  how.method = MethodOf(c, "nearest_neighbor");
  how.coordinates = c.Bool("align_corners", false) ? "align_corners" : "asymmetric";
  if (image.spatial == 3) how.coordinates = c.Text("coordinate_transformation_mode", "half_pixel");
  std::vector<Value*> sizes;
  for (std::string_view name : {"scale_d", "scale_h", "scale_w"}) {
    if (image.spatial == 2 && name == "scale_d") continue;
    const double scale = c.Float(name, 1);
    const int axis = 2 + static_cast<int>(sizes.size());
    if (const std::optional<std::int64_t> size = c.KnownSize(image.x, axis)) {
      sizes.push_back(
          c.Ints({static_cast<std::int64_t>(static_cast<double>(*size) * scale + 0.5)}));
    } else if (scale == static_cast<double>(static_cast<std::int64_t>(scale))) {
      sizes.push_back(
          c.Mul(c.SizeVector(image.x, axis, 1), c.Ints({static_cast<std::int64_t>(scale)})));
    } else {
      return c.Fail("a scale that is no whole number of a size that is not known");
    }
  }
  return image.Back(c, Resize(c, image.x, c.ConcatSizes(std::move(sizes)), how));
}

Value* LowerGridSample(Call& c) {
  const std::string layout = c.Text("layout", "NCHW");
  std::string mode = c.Text("method", "bilinear");
  if (mode == "bilinear") mode = "linear";
  if (mode == "bicubic") mode = "cubic";
  const std::string padding = c.Text("padding_mode", "zeros");
  const bool corners = c.Bool("align_corners", true);
  if (layout != "NCHW") return c.Fail("layout=\"" + layout + "\" is not supported");
  Value* grid = c.Transpose(c.Tensor(1), {0, 2, 3, 1});
  return c.Op(
      "GridSample", {c.Tensor(0), grid},
      {{"align_corners", std::int64_t{corners}}, {"mode", mode}, {"padding_mode", padding}});
}

Value* LowerRoiAlign(Call& c) {
  const Ints size = c.RequiredInts("pooled_size");
  const double scale = c.Float("spatial_scale", 1);
  const std::int64_t ratio = c.Int("sample_ratio", -1);
  const std::string mode = c.Text("mode", "avg");
  const std::string layout = c.Text("layout", "NCHW");
  if (c.failed()) return nullptr;
  if (mode != "avg") return c.Fail("mode=\"" + mode + "\" is not supported");
  if (size.empty() || size.size() > 2) return c.Fail(InvalidInput("pooled_size is no pair"));
  Value* x = ToLayout(c, c.Tensor(0), layout, "NCHW");
  Value* regions = c.Tensor(1);
  Value* batch = c.Cast(c.Select(regions, 1, 0), DType::kI64);
  Value* boxes = c.Slice(regions, 1, 1, 5);
  Value* y = c.Op("RoiAlign", {x, boxes, batch},
                  {{"coordinate_transformation_mode", "output_half_pixel"},
                   {"mode", mode},
                   {"output_height", size.front()},
                   {"output_width", size.back()},
                   {"sampling_ratio", std::max<std::int64_t>(ratio, 0)},
                   {"spatial_scale", static_cast<float>(scale)}});
  return ToLayout(c, y, "NCHW", layout);
}

// As many rows as there are candidates, and how many of them count; zeros stand behind them.
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

}  // namespace dragoman::relay
