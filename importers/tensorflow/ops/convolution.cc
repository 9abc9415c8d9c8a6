// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/ops/lowerings.h"
#include "importers/tensorflow/ops/op_rows.h"

#include "importers/tensorflow/ops/convolution.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/analysis/inference.h"
#include "core/lowering/math.h"
#include "core/support/count_elements.h"
#include "importers/tensorflow/ops/extremes.h"
#include "importers/tensorflow/ops/fused.h"

namespace dragoman::tf {
namespace {

std::optional<Ints> KernelIfKnown(Call& c, const Value* filter, int spatial) {
  Ints kernel;
  for (int i = 0; i < spatial; ++i) {
    const std::optional<std::int64_t> size = c.KnownSize(filter, i);
    if (!size) return std::nullopt;
    kernel.push_back(*size);
  }
  if (!AreExtents(kernel, 0)) c.Fail(InvalidInput("a filter has too many elements"));
  return kernel;
}

}  // namespace

Ints KernelOf(Call& c, const Value* filter, int spatial) {
  std::optional<Ints> kernel = KernelIfKnown(c, filter, spatial);
  if (!kernel && !c.failed()) c.Fail("a filter whose sizes are not known");
  return std::move(kernel).value_or(Ints(static_cast<std::size_t>(spatial), 1));
}

Value* FilterFirst(Call& c, Value* filter, int spatial) {
  Ints order = {spatial + 1, spatial};
  for (int i = 0; i < spatial; ++i) order.push_back(i);
  return c.Transpose(filter, std::move(order));
}

Filter DepthwiseFilter(Call& c, Value* filter) {
  const std::optional<std::int64_t> channels = c.KnownSize(filter, 2);
  const std::optional<std::int64_t> multiplier = c.KnownSize(filter, 3);
  if (!channels || !multiplier) {
    c.Fail("a filter whose numbers of channels are not known");
    return {};
  }
  const std::optional<std::int64_t> outputs = CountElements(Ints{*channels, *multiplier});
  if (!outputs) {
    c.Fail(InvalidInput("a filter has too many elements"));
    return {};
  }
  Value* weight = c.Transpose(filter, {2, 3, 0, 1});
  Value* sizes = c.ConcatSizes({c.Ints({*outputs, 1}), c.SizeVector(filter, 0, 2)});
  return {c.Reshape(weight, sizes), *channels};
}

namespace {

Filter PlainFilter(Call& c, const Layout& layout, Value* x, Value* filter) {
  Filter result{FilterFirst(c, filter, layout.spatial), 1};
  const std::optional<std::int64_t> channels = c.KnownSize(x, 1);
  const std::optional<std::int64_t> of_group = c.KnownSize(filter, layout.spatial);
  if (!channels || !of_group || *of_group == 0) return result;
  if (*channels % *of_group != 0) {
    c.Fail(InvalidInput(fmt::format("{} channels, but the filter reads {}", *channels, *of_group)));
  }
  result.groups = *channels / *of_group;
  return result;
}

// Without `kernel`, the sizes of the filter are known only at run time.
Value* Convolve(Call& c, const Layout& layout, Value* x, const Filter& filter,
                const std::optional<Ints>& kernel, const IntegerZeros& zeros) {
  const Ints strides = SpatialAttribute(c, layout, "strides");
  const Ints dilations = SpatialAttribute(c, layout, "dilations");
  if (c.failed()) return nullptr;
  std::vector<NamedAttribute> attributes = {{"dilations", dilations}, {"group", filter.groups}};
  if (kernel) attributes.emplace_back("kernel_shape", *kernel);
  attributes.emplace_back("strides", strides);
  const Ints extents = kernel.value_or(Ints(strides.size(), 1));
  WindowPads pads = TakePads(c, layout, x, extents, strides, dilations);
  pads.same = pads.same || (!kernel && c.TextAttribute("padding") == "SAME");
  AddPads(pads, attributes);
  Value* y = zeros.x == nullptr ? c.Op("Conv", {x, filter.weight}, std::move(attributes))
                                : c.Op("ConvInteger", {x, filter.weight, zeros.x, zeros.filter},
                                       std::move(attributes));
  return FromChannelsFirst(c, layout, y);
}

Value* ConvolveOperands(Call& c, const Layout& layout, Value* given, Value* filter, bool depthwise,
                        const IntegerZeros& zeros = {}) {
  Value* x = ToChannelsFirst(c, layout, given);
  const std::optional<Ints> kernel = KernelIfKnown(c, filter, layout.spatial);
  if (c.failed()) return nullptr;
  const Filter weight = depthwise ? DepthwiseFilter(c, filter) : PlainFilter(c, layout, x, filter);
  return Convolve(c, layout, x, weight, kernel, zeros);
}

Value* ConvolveInputs(Call& c, const Layout& layout, bool depthwise) {
  Value* x = c.Tensor(0);
  Value* filter = c.Tensor(1);
  if (c.dtype(x) != DType::kI32) return ConvolveOperands(c, layout, x, filter, depthwise);
  // Sums of integers are exact in float64 up to 2^53, and wrap.
  Value* y =
      ConvolveOperands(c, layout, c.Cast(x, DType::kF64), c.Cast(filter, DType::kF64), depthwise);
  return c.Cast(c.Cast(y, DType::kI64), DType::kI32);
}

// The spatial ones of one entry per axis.
Ints SpatialEntries(Call& c, const Layout& layout, std::string_view name, const Ints& per_axis) {
  const auto count = static_cast<std::size_t>(layout.spatial);
  if (per_axis.size() != count + 2) {
    if (!c.failed())
      c.Fail(InvalidInput(
          fmt::format("{} has {} entries, expected {}", name, per_axis.size(), count + 2)));
    return Ints(count, 1);
  }
  if (per_axis[0] != 1 || per_axis[static_cast<std::size_t>(layout.channel_axis())] != 1)
    c.Fail(fmt::format("{} over the batch or the channels are not supported", name));
  Ints spatial = layout.Spatial(per_axis);
  if (!AreExtents(spatial, 1))
    c.Fail(InvalidInput(fmt::format("{} below 1 or above {}", name, kMaxExtent - 1)));
  return spatial;
}

}  // namespace

bool AreExtents(const Ints& values, std::int64_t least) {
  return std::all_of(values.begin(), values.end(),
                     [&](std::int64_t v) { return v >= least && v < kMaxExtent; });
}

Ints Layout::Spatial(const Ints& per_axis) const {
  const auto first = per_axis.begin() + spatial_axis(0);
  return {first, first + spatial};
}

Layout TakeLayout(Call& c, int spatial) {
  const std::string format = c.Has("data_format") ? c.TextAttribute("data_format") : "NHWC";
  Layout layout{spatial, true};
  if (format == "NCHW" || format == "NCDHW") layout.channels_last = false;
  if (layout.channels_last && format != "NHWC" && format != "NDHWC")
    c.Fail("data_format " + format + " is not supported");
  return layout;
}

Ints SpatialAttribute(Call& c, const Layout& layout, std::string_view name) {
  // Operators without dilations, which some call rates, have none.
  const bool dilates = name == "dilations" || name == "rates";
  const Ints per_axis = dilates && !c.Has(name) ? Ints() : c.IntsAttribute(name);
  if (per_axis.empty() && dilates) return Ints(static_cast<std::size_t>(layout.spatial), 1);
  return SpatialEntries(c, layout, name, per_axis);
}

Value* ToChannelsFirst(Composer& c, const Layout& layout, Value* x) {
  if (!layout.channels_last) return x;
  Ints order = {0, layout.spatial + 1};
  for (int i = 1; i <= layout.spatial; ++i) order.push_back(i);
  return c.Transpose(x, std::move(order));
}

Value* FromChannelsFirst(Composer& c, const Layout& layout, Value* x) {
  if (!layout.channels_last) return x;
  Ints order = {0};
  for (int i = 2; i <= layout.spatial + 1; ++i) order.push_back(i);
  order.push_back(1);
  return c.Transpose(x, std::move(order));
}

WindowPads TakePads(Call& c, const Layout& layout, Value* x, const Ints& kernel,
                    const Ints& strides, const Ints& dilations) {
  const auto count = static_cast<std::size_t>(layout.spatial);
  WindowPads result{Ints(2 * count, 0), false};
  const std::string padding = c.TextAttribute("padding");
  if (padding == "VALID" || c.failed()) return result;
  if (padding == "EXPLICIT") {
    const Ints all = c.IntsAttribute("explicit_paddings");
    if (all.size() != 2 * (count + 2)) {
      c.Fail(InvalidInput("explicit_paddings does not have two entries an axis"));
      return result;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const auto axis = static_cast<std::size_t>(layout.spatial_axis(static_cast<int>(i)));
      result.pads[i] = all[2 * axis];
      result.pads[i + count] = all[2 * axis + 1];
    }
    if (!AreExtents(result.pads, 0)) {
      c.Fail(InvalidInput("explicit_paddings has an entry that is not a number of elements"));
      result.pads.assign(2 * count, 0);
    }
    return result;
  }
  if (padding != "SAME") {
    c.Fail(InvalidInput("padding is '" + padding + "'"));
    return result;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t extent = (kernel[i] - 1) * dilations[i] + 1;
    std::int64_t total = extent - 1;
    if (strides[i] != 1 && extent > 1) {
      const std::optional<std::int64_t> size = c.KnownSize(x, static_cast<int>(i) + 2);
      if (!size) {
        result.same = true;
        return result;
      }
      // How far after the beginning of the last window the operand ends.
      const std::int64_t rest = *size == 0 ? strides[i] : (*size - 1) % strides[i] + 1;
      total = std::max<std::int64_t>(extent - rest, 0);
    }
    result.pads[i] = total / 2;
    result.pads[i + count] = total - total / 2;
  }
  return result;
}

void AddPads(const WindowPads& pads, std::vector<NamedAttribute>& attributes) {
  if (pads.same) {
    attributes.push_back({"auto_pad", "SAME_UPPER"});
  } else {
    attributes.push_back({"pads", pads.pads});
  }
}

Value* Overhang(Call& c, Value* x, const Window& window, std::size_t i) {
  Value* size = c.Size(x, static_cast<int>(i) + 2);
  Value* stride = c.Int(window.strides[i]);
  Value* last = c.Mul(FloorQuotient(c, c.Sub(size, 1), stride), stride);
  return c.Sub(c.Add(last, c.Int(window.extent(i))), size);
}

namespace {

// As many elements around axis `i` of the spatial ones as padding SAME asks for where sizes are
// known at run time only: how many before it, and after it.
std::array<Value*, 2> PadsAtRunTime(Call& c, Value* x, const Window& window, std::size_t i) {
  Value* total = c.Max(Overhang(c, x, window, i), 0);
  Value* before = c.Div(total, 2);
  return {before, c.Sub(total, before)};
}

}  // namespace

PaddedOperand PaddedForWindow(Call& c, Value* x, const Window& window, Value* outside) {
  const std::size_t spatial = window.kernel.size();
  const Layout layout{static_cast<int>(spatial), true};
  const WindowPads pads = TakePads(c, layout, x, window.kernel, window.strides, window.dilations);
  PaddedOperand padded{x, {}};
  if (c.failed()) return padded;
  std::vector<Value*> begins = {c.Ints({0, 0})};
  std::vector<Value*> ends = begins;
  for (std::size_t i = 0; i < spatial; ++i) {
    const auto [before, after] =
        pads.same ? PadsAtRunTime(c, x, window, i)
                  : std::array{c.Int(pads.pads[i]), c.Int(pads.pads[i + spatial])};
    padded.before.push_back(before);
    begins.push_back(c.Vector(before));
    ends.push_back(c.Vector(after));
  }
  const bool reads_beyond =
      std::any_of(pads.pads.begin(), pads.pads.end(), [](auto pad) { return pad != 0; });
  if (!pads.same && !reads_beyond) return padded;
  begins.insert(begins.end(), ends.begin(), ends.end());
  padded.x = c.Op("Pad", {x, c.ConcatSizes(std::move(begins)), outside});
  return padded;
}

namespace {

// Attributes of a pool; nothing where pads are to be elements of its operand: the numbers of pads
// are known at run time only, and windows may end before the next begins, where runtimes take the
// formula of ONNX, which then gives negative ones, in different ways.
std::optional<std::vector<NamedAttribute>> PoolAttributes(Call& c, const Layout& layout, Value* x,
                                                          const Window& window) {
  const WindowPads pads = TakePads(c, layout, x, window.kernel, window.strides, window.dilations);
  for (std::size_t i = 0; pads.same && i < window.strides.size(); ++i) {
    if (window.strides[i] > window.extent(i)) return std::nullopt;
  }
  std::vector<NamedAttribute> attributes = {{"kernel_shape", window.kernel},
                                            {"strides", window.strides}};
  AddPads(pads, attributes);
  return attributes;
}

// Of what lies within the operand.
Value* MeansOfWindows(Call& c, const Layout& layout, Value* x, const Window& window) {
  if (auto attributes = PoolAttributes(c, layout, x, window))
    return c.Op("AveragePool", {x}, *std::move(attributes));
  Value* sizes = c.ConcatSizes({c.Ints({1, 1}), c.SizeVector(x, 2, layout.spatial)});
  const auto mean = [&](Value* value) {
    return c.Op("AveragePool", {PaddedForWindow(c, value, window, c.Number(0, value)).x},
                {{"kernel_shape", window.kernel}, {"strides", window.strides}});
  };
  return c.Div(mean(x), mean(c.Full(sizes, 1, c.dtype(x))));
}

}  // namespace

std::vector<Value*> MaximaOfWindows(Call& c, const Layout& layout, Value* x, const Window& window,
                                    std::size_t results) {
  if (auto attributes = PoolAttributes(c, layout, x, window))
    return c.Ops("MaxPool", {x}, *std::move(attributes), results);
  const PaddedOperand padded = PaddedForWindow(c, x, window, BeyondType(c, c.dtype(x), false));
  std::vector<Value*> pooled =
      c.Ops("MaxPool", {padded.x}, {{"kernel_shape", window.kernel}, {"strides", window.strides}},
            results);
  if (results == 1 || c.failed()) return pooled;
  // Places in the padded operand as those in `x`, axis by axis. In a window of nothing but the
  // least number, the first place may lie in front of `x`: the nearest one within is meant.
  Value* rest = pooled[1];
  Value* place = c.Int(0);
  Value* step = c.Int(1);
  for (int i = layout.spatial - 1; i >= 0; --i) {
    Value* size = c.Size(padded.x, i + 2);
    Value* at = c.Sub(c.Op("Mod", {rest, size}), padded.before[static_cast<std::size_t>(i)]);
    place = c.Add(place, c.Mul(c.Max(at, 0), step));
    rest = c.Div(rest, size);
    step = c.Mul(step, c.Size(x, i + 2));
  }
  return {pooled[0], c.Add(place, c.Mul(rest, step))};
}

Value* Convolution2D(Call& c, const Layout& layout, Value* x, Value* filter,
                     const IntegerZeros& zeros, bool depthwise) {
  return ConvolveOperands(c, layout, x, filter, depthwise, zeros);
}

namespace {

Value* LowerConv2D(Call& c) { return ConvolveInputs(c, TakeLayout(c, 2), false); }
Value* LowerConv3D(Call& c) { return ConvolveInputs(c, TakeLayout(c, 3), false); }
Value* LowerDepthwiseConv2D(Call& c) { return ConvolveInputs(c, TakeLayout(c, 2), true); }

Value* LowerFusedConv2D(Call& c, bool depthwise) {
  const Layout layout = TakeLayout(c, 2);
  Value* y = ConvolveInputs(c, layout, depthwise);
  return ApplyFused(c, y, {.first_argument = 2, .channel_axis = layout.channel_axis()});
}

}  // namespace

Ints PerSpatialAxis(Call& c, const Layout& layout, std::string_view name, std::size_t operand) {
  if (!c.node().op().type.ends_with("V2")) return SpatialAttribute(c, layout, name);
  return SpatialEntries(c, layout, name, c.KnownInts(operand, name));
}

Value* LowerPool(Call& c) {
  const bool average = c.target() == "AveragePool";
  const Layout layout = TakeLayout(c, c.node().op().type.ends_with("3D") ? 3 : 2);
  Value* source = c.Tensor(0);
  Value* x = ToChannelsFirst(c, layout, source);
  const Window window{PerSpatialAxis(c, layout, "ksize", 1),
                      PerSpatialAxis(c, layout, "strides", 2),
                      Ints(static_cast<std::size_t>(layout.spatial), 1)};
  if (c.failed()) return nullptr;
  const DType type = c.dtype(x);
  // Sums of bytes are exact in float32, and the maximum of other integers in float64 up to 2^53.
  const bool is_byte = type == DType::kU8 || type == DType::kI8;
  if (!IsFloating(type) && (average || !is_byte))
    x = c.Cast(x, is_byte ? DType::kF32 : DType::kF64);
  Value* y = c.Cast(
      average ? MeansOfWindows(c, layout, x, window) : MaximaOfWindows(c, layout, x, window, 1)[0],
      type);
  return FromChannelsFirst(c, layout, y);
}

namespace {

Value* LowerBiasAdd(Call& c) {
  Value* x = c.Tensor(0);
  const std::string format = c.Has("data_format") ? c.TextAttribute("data_format") : "NHWC";
  if (format != "NCHW") return c.Add(x, c.Tensor(1));
  return AddBias(c, x, c.Tensor(1), 1);
}

// y, batch_mean, batch_variance and what gradients are computed from, which is the latter again.
std::vector<Value*> LowerFusedBatchNorm(Call& c) {
  std::vector<Value*> results(c.num_results(), nullptr);
  Value* source = c.Tensor(0);
  // As many axes as data_format names, where inference does not know.
  const int named =
      c.Has("data_format") ? static_cast<int>(c.TextAttribute("data_format").size()) : 4;
  const Layout layout = TakeLayout(c, std::max(c.MaybeRank(source).value_or(named) - 2, 1));
  Value* scale = c.Tensor(1);
  Value* offset = c.Tensor(2);
  Value* mean = c.Tensor(3);
  Value* variance = c.Tensor(4);
  const auto epsilon = static_cast<float>(c.FloatAttribute("epsilon"));
  const bool training = c.BoolAttribute("is_training");
  if (c.failed()) return results;
  Value* x = ToChannelsFirst(c, layout, source);
  Value* returned = variance;
  if (training) {
    Ints axes = AllAxes(layout.spatial + 2);
    axes.erase(axes.begin() + 1);
    Value* wide = c.Widen(x);
    mean = c.ReduceMean(wide, axes);
    Value* centred = c.Sub(wide, AlongAxis(c, mean, 1, layout.spatial + 2));
    variance = c.ReduceMean(c.Mul(centred, centred), axes);
    // What is returned is the estimate of the whole population's.
    Value* count = c.Cast(c.Div(c.NumElements(x), c.Size(x, 1)), c.dtype(variance));
    returned = c.Mul(variance, c.Div(count, c.Max(c.Sub(count, 1), 1)));
    if (c.Has("exponential_avg_factor") && c.FloatAttribute("exponential_avg_factor") != 1.0)
      c.Fail("exponential_avg_factor other than 1 in training is not supported");
  }
  Value* y = c.Op("BatchNormalization", {x, scale, offset, mean, variance}, {{"epsilon", epsilon}});
  if (c.Has("num_side_inputs") && c.IntAttribute("num_side_inputs") > 0)
    y = c.Add(y, ToChannelsFirst(c, layout, c.Tensor(5)));
  if (c.Has("activation_mode")) y = Activate(c, c.TextAttribute("activation_mode"), y);
  results[0] = FromChannelsFirst(c, layout, y);
  const std::vector<Value*> rest = {mean, returned, mean, variance};
  for (std::size_t i = 1; i < results.size(); ++i)
    results[i] = i <= rest.size() ? rest[i - 1] : c.Number(0, c.dtype(scale));
  return results;
}

Value* LowerLocalResponseNormalization(Call& c) {
  const std::int64_t radius = c.IntAttribute("depth_radius");
  if (!AreExtents({radius}, 0)) return c.Fail(InvalidInput("depth_radius is not a radius"));
  const std::int64_t size = 2 * radius + 1;
  const double alpha = c.FloatAttribute("alpha") * static_cast<double>(size);
  const Layout layout{2, true};
  Value* x = ToChannelsFirst(c, layout, c.Tensor(0));
  Value* y = c.Op("LRN", {x},
                  {{"alpha", static_cast<float>(alpha)},
                   {"beta", static_cast<float>(c.FloatAttribute("beta"))},
                   {"bias", static_cast<float>(c.FloatAttribute("bias"))},
                   {"size", size}});
  return FromChannelsFirst(c, layout, y);
}

Value* LowerDepthToSpace(Call& c) {
  const Layout layout = TakeLayout(c, 2);
  const std::int64_t block = c.IntAttribute("block_size");
  Value* x = ToChannelsFirst(c, layout, c.Tensor(0));
  return FromChannelsFirst(c, layout, c.Op(c.target(), {x}, {{"blocksize", block}}));
}

}  // namespace

std::span<const OpRow> ConvolutionRows() {
  static constexpr OpRow kRows[] = {
      {"AvgPool", LowerPool, "AveragePool"},
      {"AvgPool3D", LowerPool, "AveragePool"},
      {"BiasAdd", LowerBiasAdd},
      {"BiasAddV1", LowerBiasAdd},
      {"Conv2D", LowerConv2D},
      {"Conv3D", LowerConv3D},
      {"DepthToSpace", LowerDepthToSpace, "DepthToSpace"},
      {"DepthwiseConv2dNative", LowerDepthwiseConv2D},
      {"FusedBatchNorm", LowerFusedBatchNorm},
      {"FusedBatchNormV2", LowerFusedBatchNorm},
      {"FusedBatchNormV3", LowerFusedBatchNorm},
      {"FusedDepthwiseConv2dNative", With<LowerFusedConv2D, true>},
      {"LRN", LowerLocalResponseNormalization},
      {"MaxPool", LowerPool, "MaxPool"},
      {"MaxPool3D", LowerPool, "MaxPool"},
      {"MaxPoolV2", LowerPool, "MaxPool"},
      {"SpaceToDepth", LowerDepthToSpace, "SpaceToDepth"},
      {"_FusedBatchNormEx", LowerFusedBatchNorm},
      {"_FusedConv2D", With<LowerFusedConv2D, false>},
      {"_FusedDepthwiseConv2dNative", With<LowerFusedConv2D, true>},
  };
  return kRows;
}

}  // namespace dragoman::tf
