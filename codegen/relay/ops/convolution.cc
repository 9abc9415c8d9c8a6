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
#include "codegen/relay/ops/window.h"

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
  Value* y = Windowed(op, x, window, [&](Value* image, const Window& over) {
    return op.Do(Name("nn.conv", over.spatial), {image, over.weight},
                 {{"strides", over.strides},
                  {"padding", over.pads},
                  {"dilation", over.dilations},
                  {"groups", op.Int("group")},
                  {"channels", Channels(weight.front())},
                  {"kernel_size", over.kernel}});
  });
  return One(WithBias(op, y));
}

Emitted EmitConvTranspose(RelayOp& op) {
  DRAGOMAN_ASSIGN(const std::int64_t spatial, SpatialAxes(op));
  DRAGOMAN_TRY(CheckOpenSizes(op, spatial));
  DRAGOMAN_ASSIGN(Ints kernel, KernelOf(op, spatial));
  const Ints strides = OrFill(op.Ints("strides"), spatial, 1);
  const Ints dilations = OrFill(op.Ints("dilations"), spatial, 1);
  const Ints extra = OrFill(op.Ints("output_padding"), spatial, 0);
  const std::string mode = op.String("auto_pad", "NOTSET");
  const auto n = static_cast<std::size_t>(spatial);
  Ints pads = OrFill(mode == "VALID" ? Ints() : op.Ints("pads"), 2 * spatial, 0);
  std::vector<Attribute> beyond;  // zeros after each axis, where no tap of the kernel reaches
  bool extends = false;
  for (std::size_t i = 0; i < n; ++i) {
    if (extra[i] >= strides[i] && extra[i] > 0)
      return op.Refuse("output_padding that is not below the stride");
  }
  if (!op.Ints("output_shape").empty() || mode.starts_with("SAME")) {
    DRAGOMAN_ASSIGN(const Shape from, op.shape(0));
    DRAGOMAN_ASSIGN(const Shape to, op.result_shape());
    for (std::size_t i = 0; i < n; ++i) {
      if (!from[i + 2].known() || !to[i + 2].known())
        return op.Refuse("padding of a size that is known at run time only");
      const std::int64_t full =
          (from[i + 2].value() - 1) * strides[i] + extra[i] + (kernel[i] - 1) * dilations[i] + 1;
      const std::int64_t total = std::max<std::int64_t>(0, full - to[i + 2].value());
      pads[i] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
      pads[i + n] = total - pads[i];
      const std::int64_t zeros = to[i + 2].value() + total - full;
      extends = extends || zeros > 0;
      beyond.emplace_back(Ints{0, zeros});
    }
  }
  DRAGOMAN_ASSIGN(const Shape weight, op.shape(1));
  const std::int64_t groups = op.Int("group");
  // TVM's schedules have no dilated kernels: zeros are put between the taps.
  Value* taps = op.arg(1);
  if (std::ranges::any_of(dilations, [](std::int64_t d) { return d > 1; })) {
    Ints apart = {1, 1};
    apart.insert(apart.end(), dilations.begin(), dilations.end());
    taps = op.Do("nn.dilate", {taps}, {{"strides", std::move(apart)}});
    for (std::size_t i = 0; i < n; ++i) kernel[i] = (kernel[i] - 1) * dilations[i] + 1;
  }
  const Ints cut = PadsMayBeLost(op, pads) ? std::exchange(pads, Ints(2 * n, 0)) : Ints();
  const auto convolution = [&](std::int64_t of_groups, Value* x, Value* weights) {
    return op.Do(Name("nn.conv", spatial, "_transpose"), {x, weights},
                 {{"channels", Channels(weight[1] * Dim(of_groups))},
                  {"kernel_size", kernel},
                  {"strides", strides},
                  {"output_padding", extra},
                  {"padding", pads},
                  {"dilation", Ints(n, 1)},
                  {"groups", of_groups}});
  };
  // TVM 0.19 has no groups over three axes, and leaves them out where it computes open sizes.
  const bool one_by_one = groups > 1 && (spatial == 3 || HasOpenSizes(op.node));
  Value* y = one_by_one ? ByGroup(op, groups, op.arg(0), taps,
                                  [&](Value* x, Value* part) { return convolution(1, x, part); })
                        : convolution(groups, op.arg(0), taps);
  if (!cut.empty()) y = WithoutPads(op, y, cut);
  if (extends) {
    beyond.insert(beyond.begin(), 2, Attribute(Ints{0, 0}));
    y = op.Do("nn.pad", {y, op.Number(0)}, {{"pad_width", Attribute::List(std::move(beyond))}});
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

Emitted EmitDepthToSpace(RelayOp& op) {
  const std::string mode = op.String("mode", "DCR") == "CRD" ? "CDR" : "DCR";
  return One(op.Do("nn.depth_to_space", {op.arg(0)},
                   {{"block_size", op.Int("blocksize")}, {"mode", mode}}));
}

Emitted EmitSpaceToDepth(RelayOp& op) {
  return One(op.Do("nn.space_to_depth", {op.arg(0)}, {{"block_size", op.Int("blocksize")}}));
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
      {"MaxPool", EmitMaxPool},
      {"SpaceToDepth", EmitSpaceToDepth},
  };
  return kRows;
}

}  // namespace dragoman::relay::emit
