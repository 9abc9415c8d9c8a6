// SPDX-License-Identifier: Apache-2.0
// Convolutions and pools of one to three spatial axes.
#include "codegen/relay/ops/op_rows.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "codegen/relay/nd_array.h"
#include "codegen/relay/ops/extreme.h"
#include "codegen/relay/ops/sizes.h"
#include "codegen/relay/ops/unary.h"
#include "codegen/relay/ops/window.h"
#include "core/ir/axes.h"

namespace dragoman::relay::emit {

Result<std::int64_t> SpatialAxes(const RelayOp& op) {
  DRAGOMAN_ASSIGN(const std::int64_t rank, op.rank());
  if (rank < 3 || rank > 5) return op.Refuse("only one to three spatial axes");
  return rank - 2;
}

Result<Ints> PadsOf(const RelayOp& op, std::int64_t spatial, const Ints& kernel) {
  std::optional<Ints> pads = tvm::WindowPads(op.node, spatial, kernel);
  if (!pads) return op.Refuse("automatic padding of a size that is known at run time only");
  return *std::move(pads);
}

namespace {

std::string Name(std::string_view base, std::int64_t spatial, std::string_view end = "") {
  return std::string(base) + std::to_string(spatial) + "d" + std::string(end);
}

Result<Ints> KernelOf(const RelayOp& op, std::int64_t spatial) {
  Ints kernel = op.Ints("kernel_shape");
  if (!kernel.empty()) return kernel;
  DRAGOMAN_ASSIGN(const Shape weight, op.shape(1));
  if (static_cast<std::int64_t>(weight.size()) != spatial + 2)
    return op.Refuse("a kernel of another rank");
  return op.KnownSizes(Shape(weight.begin() + 2, weight.end()));
}

Attribute Channels(const Dim& size) { return size.known() ? Attribute(size.value()) : Attribute(); }

Value* WithBias(RelayOp& op, Value* y) {
  if (!op.has(2)) return y;
  return op.Do("nn.bias_add", {y, op.arg(2)}, {{"axis", std::int64_t{1}}});
}

// What stands for the fields of a convolution or a pool; ceil: where rounding up makes a
// difference.
struct Window {
  std::int64_t spatial = 0;
  Ints kernel, strides, pads, dilations;
  Value* weight = nullptr;  // of a convolution
  bool ceil = false;
};

// The pads with which windows end where those of the result do, where rounding up goes beyond.
Status EndAtResult(const RelayOp& op, Window& window) {
  DRAGOMAN_ASSIGN(const Shape from, op.shape(0));
  DRAGOMAN_ASSIGN(const Shape to, op.result_shape());
  const auto n = static_cast<std::size_t>(window.spatial);
  for (std::size_t i = 0; i < n; ++i) {
    if (!from[i + 2].known() || !to[i + 2].known())
      return op.Refuse("a pool that rounds a size up that is known at run time only");
    const std::int64_t span = (window.kernel[i] - 1) * window.dilations[i] + 1;
    const std::int64_t reach = (to[i + 2].value() - 1) * window.strides[i] + span;
    const std::int64_t end =
        std::max<std::int64_t>(reach - from[i + 2].value() - window.pads[i], 0);
    window.ceil = window.ceil || end > window.pads[i + n];
    window.pads[i + n] = end;
  }
  return {};
}

// TVM 0.19 computes open sizes of windows over two axes alone.
Status CheckOpenSizes(const RelayOp& op, std::int64_t spatial) {
  if (spatial == 3 && HasOpenSizes(op.node))
    return op.Refuse("windows over three axes of open sizes");
  return {};
}

Result<Window> WindowOf(const RelayOp& op) {
  Window window;
  DRAGOMAN_ASSIGN(window.spatial, SpatialAxes(op));
  window.kernel = op.Ints("kernel_shape");
  window.strides = OrFill(op.Ints("strides"), window.spatial, 1);
  window.dilations = OrFill(op.Ints("dilations"), window.spatial, 1);
  DRAGOMAN_ASSIGN(window.pads, PadsOf(op, window.spatial, window.kernel));
  DRAGOMAN_TRY(CheckOpenSizes(op, window.spatial));
  const bool dilated = std::ranges::any_of(window.dilations, [](std::int64_t d) { return d > 1; });
  if (dilated && HasOpenSizes(op.node)) return op.Refuse("a dilated pool of open sizes");
  const bool same = op.String("auto_pad", "NOTSET").starts_with("SAME");
  if (!same && op.Int("ceil_mode") != 0) DRAGOMAN_TRY(EndAtResult(op, window));
  return window;
}

Attribute::Dict PoolAttributes(const Window& window) {
  return {{"pool_size", window.kernel},
          {"strides", window.strides},
          {"dilation", window.dilations},
          {"padding", window.pads}};
}

// `y` of `window` over `x`, which is a call of an operator for `spatial` axes. A row of open sizes
// is an image of height 1.
template <class Call>
Value* Windowed(RelayOp& op, Value* x, Window window, Call call) {
  if (window.spatial != 1 || !HasOpenSizes(op.node)) return call(x, window);
  const auto image = [&](Value* row) {
    return op.Do("expand_dims", {row}, {{"axis", std::int64_t{2}}});
  };
  window.spatial = 2;
  window.pads = {0, window.pads[0], 0, window.pads[1]};
  for (Ints* row : {&window.kernel, &window.strides, &window.dilations})
    row->insert(row->begin(), 1);
  if (window.weight != nullptr) window.weight = image(window.weight);
  return op.Do("squeeze", {call(image(x), window)}, {{"axis", Ints{2}}});
}

Value* Pool(RelayOp& op, std::string_view name, Value* x, const Window& window,
            const Attribute::Dict& further = {}) {
  return Windowed(op, x, window, [&](Value* image, const Window& over) {
    Attribute::Dict attributes = PoolAttributes(over);
    attributes.insert(attributes.end(), further.begin(), further.end());
    return op.Do(Name(name, over.spatial), {image}, std::move(attributes));
  });
}

// Whether a size of operand 0 after batch and channels is known at run time only.
bool HasOpenImage(const RelayOp& op) {
  const Shape* shape = op.type().shape();
  return shape == nullptr || !KnownShape(Shape(shape->begin() + 2, shape->end())).has_value();
}

// Whether pads differ at the two ends of an axis. TVM 0.19 takes the first for both where it
// computes open sizes of convolutions.
bool PadsMayBeLost(const RelayOp& op, const Ints& pads) {
  const auto ends = pads.begin() + static_cast<std::ptrdiff_t>(pads.size() / 2);
  return HasOpenSizes(op.node) && !std::equal(pads.begin(), ends, ends, pads.end());
}

// `x` with the pads, and in their place none.
Value* PaddedBefore(RelayOp& op, Value* x, Ints& pads) {
  const std::size_t spatial = pads.size() / 2;
  Attribute::List widths(2, Attribute(Ints{0, 0}));
  for (std::size_t i = 0; i < spatial; ++i) widths.emplace_back(Ints{pads[i], pads[i + spatial]});
  pads.assign(pads.size(), 0);
  return op.Do("nn.pad", {x, op.Number(0)}, {{"pad_width", std::move(widths)}});
}

// `y` of a transposed convolution without the pads.
Value* WithoutPads(RelayOp& op, Value* y, const Ints& pads) {
  const std::size_t spatial = pads.size() / 2;
  Ints end;
  for (std::size_t i = 0; i < spatial; ++i) {
    const std::int64_t after = pads[i + spatial];
    end.push_back(after > 0 ? -after : std::numeric_limits<std::int32_t>::max());
  }
  return op.Do("strided_slice", {y},
               {{"begin", Ints(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(spatial))},
                {"end", std::move(end)},
                {"strides", Ints(spatial, 1)},
                {"axes", AxesFrom(2, static_cast<std::int64_t>(spatial) + 2)}});
}

// Calls `convolution` on the part of `x` and `taps` of each group, one after the other.
template <class Convolution>
Value* ByGroup(RelayOp& op, std::int64_t groups, Value* x, Value* taps, Convolution convolution) {
  const auto parts = [&](Value* whole, std::int64_t axis) {
    return op.Do("split", {whole}, {{"indices_or_sections", groups}, {"axis", axis}});
  };
  Value* inputs = parts(x, 1);
  Value* weights = parts(taps, 0);
  Values results;
  for (std::int64_t i = 0; i < groups; ++i) {
    const auto at = static_cast<std::size_t>(i);
    results.push_back(convolution(op.builder.Element(inputs, at), op.builder.Element(weights, at)));
  }
  return op.Do("concatenate", {op.builder.Tuple(std::move(results))}, {{"axis", std::int64_t{1}}});
}

// TVM 0.19 computes groups over axes of open sizes if channels are last.
Value* WithChannelsLast(RelayOp& op, Value* x, Value* weight, Attribute::Dict attributes) {
  attributes.emplace_back("data_layout", "NHWC");
  attributes.emplace_back("kernel_layout", "HWIO");
  Value* y =
      op.Do("nn.conv2d", {Transpose(op, x, {0, 2, 3, 1}), Transpose(op, weight, {2, 3, 1, 0})},
            std::move(attributes));
  return Transpose(op, y, {0, 3, 1, 2});
}

Value* Convolution(RelayOp& op, Value* x, const Window& window, std::int64_t groups,
                   const Dim& channels) {
  return Windowed(op, x, window, [&](Value* image, const Window& over) {
    Attribute::Dict attributes = {{"strides", over.strides},        {"padding", over.pads},
                                  {"dilation", over.dilations},     {"groups", groups},
                                  {"channels", Channels(channels)}, {"kernel_size", over.kernel}};
    if (groups > 1 && HasOpenImage(op))
      return WithChannelsLast(op, image, over.weight, std::move(attributes));
    return op.Do(Name("nn.conv", over.spatial), {image, over.weight}, std::move(attributes));
  });
}

Emitted EmitConv(RelayOp& op) {
  DRAGOMAN_ASSIGN(const std::int64_t spatial, SpatialAxes(op));
  DRAGOMAN_TRY(CheckOpenSizes(op, spatial));
  DRAGOMAN_ASSIGN(Ints kernel, KernelOf(op, spatial));
  DRAGOMAN_ASSIGN(Ints pads, PadsOf(op, spatial, kernel));
  DRAGOMAN_ASSIGN(const Shape weight, op.shape(1));
  Value* x = PadsMayBeLost(op, pads) ? PaddedBefore(op, op.arg(0), pads) : op.arg(0);
  const Window window = {.spatial = spatial,
                         .kernel = std::move(kernel),
                         .strides = OrFill(op.Ints("strides"), spatial, 1),
                         .pads = std::move(pads),
                         .dilations = OrFill(op.Ints("dilations"), spatial, 1),
                         .weight = op.arg(1)};
  return One(WithBias(op, Convolution(op, x, window, op.Int("group"), weight.front())));
}

// Taps [channels of x, channels of a group of y, kernel…] of a transposed convolution as those
// [channels of y, channels of a group of x, kernel…] of a convolution, from the last to the first.
Value* Mirrored(RelayOp& op, Value* taps, const Ints& kernel, Ints sizes, std::int64_t groups) {
  std::copy(kernel.begin(), kernel.end(), sizes.begin() + 2);
  const auto rank = static_cast<std::int64_t>(sizes.size());
  Ints order = AxesFrom(0, rank + 1);
  std::swap(order[1], order[2]);
  Ints parts = sizes;
  parts.insert(parts.begin(), groups);
  parts[1] /= groups;
  Ints joined = sizes;
  joined[0] = sizes[1] * groups;
  joined[1] = sizes[0] / groups;
  Value* weight = op.Do("reshape", {taps}, {{"newshape", std::move(parts)}});
  weight = Transpose(op, weight, std::move(order));
  weight = op.Do("reshape", {weight}, {{"newshape", std::move(joined)}});
  for (std::int64_t axis = 2; axis < rank; ++axis)
    weight = op.Do("reverse", {weight}, {{"axis", axis}});
  return weight;
}

// A transposed convolution without pads: the convolution of elements with zeros between and around
// them. TVM 0.19 compiles no other over axes of open sizes.
Value* OverZeros(RelayOp& op, Value* weight, const Ints& kernel, const Ints& strides,
                 const Ints& extra, const Dim& channels) {
  const std::size_t n = kernel.size();
  Ints apart = {1, 1};
  apart.insert(apart.end(), strides.begin(), strides.end());
  Value* x = op.Do("nn.dilate", {op.arg(0)}, {{"strides", std::move(apart)}});
  Ints pads(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    pads[i] = kernel[i] - 1;
    pads[i + n] = kernel[i] - 1 + extra[i];
  }
  x = PaddedBefore(op, x, pads);
  const Window window = {.spatial = static_cast<std::int64_t>(n),
                         .kernel = kernel,
                         .strides = Ints(n, 1),
                         .pads = std::move(pads),
                         .dilations = Ints(n, 1),
                         .weight = weight};
  return Convolution(op, x, window, op.Int("group"), channels);
}

// The fields of a transposed convolution.
struct Transposed {
  std::int64_t spatial = 0;
  std::int64_t groups = 1;
  Ints kernel, strides, dilations, pads;
  Ints extra;    // output_padding
  Ints beyond;   // zeros after each axis, where no tap of the kernel reaches; none: there are none
  Dim channels;  // of a group of the result
  Value* taps = nullptr;
};

// The pads with which the result has the size that is stated.
Status FitResult(const RelayOp& op, std::string_view mode, Transposed& layer) {
  DRAGOMAN_ASSIGN(const Shape from, op.shape(0));
  DRAGOMAN_ASSIGN(const Shape to, op.result_shape());
  const auto n = static_cast<std::size_t>(layer.spatial);
  for (std::size_t i = 0; i < n; ++i) {
    if (!from[i + 2].known() || !to[i + 2].known())
      return op.Refuse("padding of a size that is known at run time only");
    const std::int64_t full = (from[i + 2].value() - 1) * layer.strides[i] + layer.extra[i] +
                              (layer.kernel[i] - 1) * layer.dilations[i] + 1;
    const std::int64_t total = std::max<std::int64_t>(0, full - to[i + 2].value());
    layer.pads[i] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
    layer.pads[i + n] = total - layer.pads[i];
    layer.beyond.push_back(to[i + 2].value() + total - full);
  }
  if (std::ranges::all_of(layer.beyond, [](std::int64_t zeros) { return zeros <= 0; }))
    layer.beyond.clear();
  return {};
}

// TVM's schedules have no dilated kernels: zeros are put between the taps.
void DilateTaps(RelayOp& op, Transposed& layer) {
  if (std::ranges::none_of(layer.dilations, [](std::int64_t d) { return d > 1; })) return;
  Ints apart = {1, 1};
  apart.insert(apart.end(), layer.dilations.begin(), layer.dilations.end());
  layer.taps = op.Do("nn.dilate", {layer.taps}, {{"strides", std::move(apart)}});
  for (std::size_t i = 0; i < layer.kernel.size(); ++i)
    layer.kernel[i] = (layer.kernel[i] - 1) * layer.dilations[i] + 1;
}

Result<Transposed> TransposedOf(RelayOp& op) {
  Transposed layer;
  DRAGOMAN_ASSIGN(layer.spatial, SpatialAxes(op));
  DRAGOMAN_TRY(CheckOpenSizes(op, layer.spatial));
  DRAGOMAN_ASSIGN(layer.kernel, KernelOf(op, layer.spatial));
  layer.groups = op.Int("group");
  layer.strides = OrFill(op.Ints("strides"), layer.spatial, 1);
  layer.dilations = OrFill(op.Ints("dilations"), layer.spatial, 1);
  layer.extra = OrFill(op.Ints("output_padding"), layer.spatial, 0);
  const std::string mode = op.String("auto_pad", "NOTSET");
  layer.pads = OrFill(mode == "VALID" ? Ints() : op.Ints("pads"), 2 * layer.spatial, 0);
  for (std::size_t i = 0; i < layer.extra.size(); ++i) {
    if (layer.extra[i] >= layer.strides[i] && layer.extra[i] > 0)
      return op.Refuse("output_padding that is not below the stride");
  }
  if (!op.Ints("output_shape").empty() || mode.starts_with("SAME"))
    DRAGOMAN_TRY(FitResult(op, mode, layer));
  DRAGOMAN_ASSIGN(const Shape weight, op.shape(1));
  layer.channels = weight[1];
  layer.taps = op.arg(1);
  DilateTaps(op, layer);
  return layer;
}

Value* CallTransposed(RelayOp& op, const Transposed& layer, std::int64_t groups, Value* x,
                      Value* taps) {
  return op.Do(Name("nn.conv", layer.spatial, "_transpose"), {x, taps},
               {{"channels", Channels(layer.channels * Dim(groups))},
                {"kernel_size", layer.kernel},
                {"strides", layer.strides},
                {"output_padding", layer.extra},
                {"padding", layer.pads},
                {"dilation", Ints(layer.kernel.size(), 1)},
                {"groups", groups}});
}

Emitted EmitConvTranspose(RelayOp& op) {
  DRAGOMAN_ASSIGN(Transposed layer, TransposedOf(op));
  const bool is_open = HasOpenImage(op);
  Ints cut;
  if (is_open || PadsMayBeLost(op, layer.pads))
    cut = std::exchange(layer.pads, Ints(layer.pads.size(), 0));
  // TVM 0.19 has no groups over three axes, and leaves them out where it computes open sizes.
  const bool one_by_one = layer.groups > 1 && (layer.spatial == 3 || HasOpenSizes(op.node));
  Value* y = nullptr;
  if (is_open) {
    DRAGOMAN_ASSIGN(const Shape weight, op.shape(1));
    DRAGOMAN_ASSIGN(Ints sizes, op.KnownSizes(weight));
    Value* mirrored = Mirrored(op, layer.taps, layer.kernel, std::move(sizes), layer.groups);
    y = OverZeros(op, mirrored, layer.kernel, layer.strides, layer.extra,
                  layer.channels * Dim(layer.groups));
  } else if (one_by_one) {
    y = ByGroup(op, layer.groups, op.arg(0), layer.taps,
                [&](Value* x, Value* taps) { return CallTransposed(op, layer, 1, x, taps); });
  } else {
    y = CallTransposed(op, layer, layer.groups, op.arg(0), layer.taps);
  }
  if (!cut.empty()) y = WithoutPads(op, y, cut);
  if (!layer.beyond.empty()) {
    Attribute::List widths(2, Attribute(Ints{0, 0}));
    for (const std::int64_t zeros : layer.beyond) widths.emplace_back(Ints{0, zeros});
    y = op.Do("nn.pad", {y, op.Number(0)}, {{"pad_width", std::move(widths)}});
  }
  return One(WithBias(op, y));
}

Emitted EmitMaxPool(RelayOp& op) {
  if (op.node.result(1) != nullptr && op.node.result(1)->used())
    return op.Refuse("the Indices of a pool");
  DRAGOMAN_ASSIGN(const Window window, WindowOf(op));
  Value* y = Extreme(op, true, [&](Value* x) { return Pool(op, "nn.max_pool", x, window); });
  return Values{y, y};
}

Emitted EmitAveragePool(RelayOp& op) {
  DRAGOMAN_ASSIGN(const Window window, WindowOf(op));
  const bool counts = op.Int("count_include_pad") != 0;
  if (window.ceil && counts)
    return op.Refuse("a mean that counts padding, but not what rounding up adds");
  Attribute::Dict further;
  if (counts) further.emplace_back("count_include_pad", true);
  return One(Pool(op, "nn.avg_pool", op.arg(0), window, further));
}

Emitted EmitGlobalPool(RelayOp& op) {
  DRAGOMAN_ASSIGN(const std::int64_t rank, op.rank());
  const Ints axes = AxesFrom(2, rank);
  if (axes.empty()) return op.Refuse("a pool over no axes");
  const auto pooled = [&](Value* x) {
    if (rank == 4) return op.Do("nn.global_" + std::string(op.target) + "_pool2d", {x});
    return op.Do(op.target == "avg" ? "mean" : "max", {x}, {{"axis", axes}, {"keepdims", true}});
  };
  return One(op.target == "max" ? Extreme(op, true, pooled) : pooled(op.arg(0)));
}

// |x|^p summed by the mean of a window, which counts padding.
Emitted EmitLpPool(RelayOp& op) {
  DRAGOMAN_ASSIGN(const Window window, WindowOf(op));
  if (window.ceil) return op.Refuse("a pool that rounds a size up");
  const std::int64_t p = op.Int("p");
  double taps = 1;
  for (const std::int64_t size : window.kernel) taps *= static_cast<double>(size);
  Value* x = Unary(op, "abs", op.arg(0), op.dtype());
  if (p != 1) x = op.Do("power", {x, op.Number(static_cast<double>(p))});
  Value* mean = Pool(op, "nn.avg_pool", x, window, {{"count_include_pad", true}});
  Value* norm = op.Do("multiply", {mean, op.Number(taps)});
  if (p != 1) norm = op.Do("power", {norm, op.Number(1 / static_cast<double>(p))});
  return One(norm);
}

// Of open sizes by reshapes: -4 divides a size in two, -3 joins two, -2 leaves the rest.
Emitted EmitDepthToSpace(RelayOp& op) {
  const bool by_column = op.String("mode", "DCR") == "CRD";
  const std::int64_t block = op.Int("blocksize");
  if (!HasOpenSizes(op.node)) {
    return One(op.Do("nn.depth_to_space", {op.arg(0)},
                     {{"block_size", block}, {"mode", by_column ? "CDR" : "DCR"}}));
  }
  const Ints first = by_column ? Ints{0, -4, -1, block, -2} : Ints{0, -4, block, -1, -2};
  const Ints second = by_column ? first : Ints{0, 0, -4, block, -1, -2};
  Value* x = op.Do("reshape", {op.arg(0)}, {{"newshape", first}});
  x = op.Do("reshape", {x}, {{"newshape", second}});
  x = Transpose(op, x, by_column ? Ints{0, 1, 4, 2, 5, 3} : Ints{0, 3, 4, 1, 5, 2});
  return One(op.Do("reshape", {x}, {{"newshape", Ints{0, 0, -3, -3}}}));
}

Emitted EmitSpaceToDepth(RelayOp& op) {
  const std::int64_t block = op.Int("blocksize");
  if (!HasOpenSizes(op.node))
    return One(op.Do("nn.space_to_depth", {op.arg(0)}, {{"block_size", block}}));
  Value* x =
      op.Do("reshape", {op.arg(0)}, {{"newshape", Ints{0, 0, -4, -1, block, -4, -1, block}}});
  x = Transpose(op, x, {0, 3, 5, 1, 2, 4});
  x = op.Do("reshape", {x}, {{"newshape", Ints{0, -3, -2}}});
  return One(op.Do("reshape", {x}, {{"newshape", Ints{0, -3, -2}}}));
}

}  // namespace

std::span<const Row> ConvolutionRows() {
  static constexpr Row kRows[] = {
      {"AveragePool", EmitAveragePool},
      {"Conv", EmitConv},
      {"ConvTranspose", EmitConvTranspose},
      {"DepthToSpace", EmitDepthToSpace},
      {"GlobalAveragePool", EmitGlobalPool, "avg"},
      {"GlobalMaxPool", EmitGlobalPool, "max"},
      {.label = "LpPool", .emit = EmitLpPool, .takes = tvm::IsOfWideFloats},
      {"MaxPool", EmitMaxPool},
      {"SpaceToDepth", EmitSpaceToDepth},
  };
  return kRows;
}

}  // namespace dragoman::relay::emit
