// SPDX-License-Identifier: Apache-2.0
// Gradients of layers, which models that train themselves contain: of the filters of convolutions,
// of the scales and offsets of normalisations, of what windows and pads read.
#include "importers/tensorflow/ops/op_rows.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/lowering/math.h"
#include "importers/tensorflow/ops/convolution.h"
#include "importers/tensorflow/ops/lowerings.h"

namespace dragoman::tf {
namespace {

// The sizes of the gradient, those of the filter: spatial axes, channels that it reads, and that it
// gives or, of depthwise convolutions, how many it gives of each.
std::optional<Ints> TakeFilterSizes(Call& c, int spatial) {
  Ints sizes = c.KnownInts(1, "filter_sizes");
  if (c.failed()) return std::nullopt;
  if (sizes.size() == static_cast<std::size_t>(spatial) + 2 && AreExtents(sizes, 1)) return sizes;
  c.Fail(InvalidInput("filter_sizes are not the sizes of a filter"));
  return std::nullopt;
}

// From (batch, channels, places…) to (channels of a group, groups · batch, places…).
Value* BatchAsChannels(Call& c, Value* x, std::int64_t groups, std::int64_t of_group, int spatial) {
  if (groups == 1) return c.SwapAxes(x, 0, 1);
  Value* places = c.SizeVector(x, 2, spatial);
  Value* batch = c.SizeVector(x, 0, 1);
  x = c.Reshape(x, c.ConcatSizes({batch, c.Ints({groups, of_group}), places}));
  Ints order = {2, 1, 0};
  for (int i = 0; i < spatial; ++i) order.push_back(i + 3);
  x = c.Transpose(x, std::move(order));
  return c.Reshape(x, c.ConcatSizes({c.Ints({of_group, -1}), places}));
}

// An element of the filter has met every `stride`th place of the operand, from its own place on:
// the operand is convolved with the gradient, with strides and dilations in exchanged roles, and
// the samples of the batch in the role of channels.
Value* LowerConvBackpropFilter(Call& c, int spatial, bool depthwise) {
  const Layout layout = TakeLayout(c, spatial);
  Value* x = ToChannelsFirst(c, layout, c.Tensor(0));
  const std::optional<Ints> sizes = TakeFilterSizes(c, spatial);
  Value* dy = ToChannelsFirst(c, layout, c.Tensor(2));
  const Ints strides = SpatialAttribute(c, layout, "strides");
  const Ints dilations = SpatialAttribute(c, layout, "dilations");
  if (c.failed()) return nullptr;
  const Ints kernel(sizes->begin(), sizes->begin() + spatial);
  const std::int64_t of_group = depthwise ? 1 : (*sizes)[static_cast<std::size_t>(spatial)];
  const std::optional<std::int64_t> channels = c.KnownSize(x, 1);
  if (!channels) return c.Fail("the number of channels is not known; state it with --shape");
  if (*channels % of_group != 0) return c.Fail(InvalidInput("the filter reads other channels"));
  const WindowPads pads = TakePads(c, layout, x, kernel, strides, dilations);
  if (pads.same) return c.Fail("pads of sizes that are not known; state them with --shape");
  const std::int64_t groups = *channels / of_group;
  std::vector<NamedAttribute> attributes = {
      {"dilations", strides}, {"group", groups}, {"strides", dilations}};
  AddPads(pads, attributes);
  Value* met =
      c.Op("Conv", {BatchAsChannels(c, x, groups, of_group, spatial), c.SwapAxes(dy, 0, 1)},
           std::move(attributes));
  // Places that lie beyond the filter, as the strides leave some of the operand unread.
  for (int i = 0; i < spatial; ++i)
    met = c.Slice(met, i + 2, 0, kernel[static_cast<std::size_t>(i)]);
  Ints order;
  for (int i = 0; i < spatial; ++i) order.push_back(i + 2);
  order.insert(order.end(), {0, 1});
  return c.Reshape(c.Transpose(met, std::move(order)), *sizes);
}

// Of the gradient, the operand, the scale, and the mean and the variance that normalised: the
// gradients of the operand, of the scale and of the offset. In training mean and variance follow
// from the operand.
std::vector<Value*> LowerFusedBatchNormGrad(Call& c) {
  std::vector<Value*> results(c.num_results(), nullptr);
  Value* given = c.Tensor(0);
  const int rank = c.Rank(given);
  const bool training = c.BoolAttribute("is_training");
  const double epsilon = c.FloatAttribute("epsilon");
  if (c.failed()) return results;
  const int channel_axis = TakeLayout(c, rank - 2).channel_axis();
  Ints others = AllAxes(rank);
  others.erase(others.begin() + channel_axis);
  const auto along = [&](Value* vector) { return AlongAxis(c, vector, channel_axis, rank); };
  Value* dy = c.Widen(given);
  Value* centred = c.Sub(c.Widen(c.Tensor(1)), along(c.Tensor(3)));
  Value* inverse = c.Div(1, c.Sqrt(c.Add(c.Tensor(4), epsilon)));
  Value* product = c.Mul(dy, centred);
  Value* rest = dy;
  if (training) {
    Value* slope = c.Mul(c.ReduceMean(product, others), c.Mul(inverse, inverse));
    rest = c.Sub(c.Sub(dy, along(c.ReduceMean(dy, others))), c.Mul(centred, along(slope)));
  }
  results[0] = c.CastLike(c.Mul(rest, along(c.Mul(c.Tensor(2), inverse))), given);
  results[1] = c.Mul(c.ReduceSum(product, others), inverse);
  results[2] = c.ReduceSum(dy, others);
  for (std::size_t i = 3; i < results.size(); ++i) results[i] = c.Number(0, DType::kF32);
  return results;
}

// A tensor of `sizes` whose elements are the sums of those of `dy` that `places`, of as many
// elements, names: numbers of its elements in row-major order.
Value* SumAtPlaces(Call& c, Value* places, Value* dy, Value* sizes) {
  Value* zeros = c.Full(c.Vector(c.ReduceAll("ReduceProd", sizes)), 0, c.dtype(dy));
  Value* sums = c.Op("ScatterElements", {zeros, c.Flatten(places), c.Flatten(dy)},
                     {{"axis", std::int64_t{0}}, {"reduction", "add"}});
  return c.Reshape(sums, sizes);
}

// Of the operand of MaxPool, its result and the gradient of that: the latter at the first largest
// element of each window.
Value* LowerMaxPoolGrad(Call& c, int spatial) {
  const Layout layout = TakeLayout(c, spatial);
  Value* x = ToChannelsFirst(c, layout, c.Tensor(0));
  Value* dy = ToChannelsFirst(c, layout, c.Tensor(2));
  const Window window{PerSpatialAxis(c, layout, "ksize", 3),
                      PerSpatialAxis(c, layout, "strides", 4),
                      Ints(static_cast<std::size_t>(spatial), 1)};
  if (c.failed()) return nullptr;
  if (!IsFloating(c.dtype(x))) return c.Fail("elements of type " + std::string(Name(c.dtype(x))));
  Value* places = MaximaOfWindows(c, layout, x, window, 2)[1];
  return FromChannelsFirst(c, layout, SumAtPlaces(c, places, dy, c.Shape(x)));
}

// Each element was read once in its own place and once for each mirror image.
Value* LowerMirrorPadGrad(Call& c) {
  Value* dy = c.Tensor(0);
  Value* pads = c.Index(1);
  Value* sizes = c.Sub(c.Shape(dy), c.Reduce("ReduceSum", pads, {1}, false));
  Value* elements = c.Reshape(c.Iota(c.ReduceAll("ReduceProd", sizes)), sizes);
  return SumAtPlaces(c, Mirrored(c, elements, 1, c.TextAttribute("mode")), dy, sizes);
}

// Of each channel the sum over those at most `radius` away.
Value* SumOfNeighbours(Call& c, Value* x, std::int64_t radius) {
  Value* padded = c.Op("Pad", {x, c.Ints({0, radius, 0, 0, 0, radius, 0, 0})});
  Value* sum = nullptr;
  for (std::int64_t i = 0; i <= 2 * radius && !c.failed(); ++i) {
    Value* shifted = c.Slice(padded, 1, i, i == 2 * radius ? kEnd : i - 2 * radius);
    sum = sum == nullptr ? shifted : c.Add(sum, shifted);
  }
  return sum;
}

// y = x / norm^beta, where norm = bias + alpha · the sum of the neighbours' squares.
Value* LowerLocalResponseNormalizationGrad(Call& c) {
  constexpr std::int64_t kMost = 256;
  const Layout layout{2, true};
  Value* dy = ToChannelsFirst(c, layout, c.Tensor(0));
  Value* x = ToChannelsFirst(c, layout, c.Tensor(1));
  Value* y = ToChannelsFirst(c, layout, c.Tensor(2));
  const std::int64_t radius = c.IntAttribute("depth_radius");
  const double alpha = c.FloatAttribute("alpha");
  const double beta = c.FloatAttribute("beta");
  if (c.failed()) return nullptr;
  if (radius < 0 || radius > kMost)
    return c.Fail("a depth_radius that is not from 0 to " + std::to_string(kMost));
  Value* squares = SumOfNeighbours(c, c.Mul(x, x), radius);
  Value* norm = c.Add(c.Mul(squares, alpha), c.FloatAttribute("bias"));
  Value* through_norm = SumOfNeighbours(c, c.Div(c.Mul(dy, y), norm), radius);
  Value* dx = c.Sub(c.Mul(dy, c.Pow(norm, -beta)), c.Mul(c.Mul(x, 2 * alpha * beta), through_norm));
  return FromChannelsFirst(c, layout, dx);
}

}  // namespace

std::span<const OpRow> LayerGradientsRows() {
  static constexpr OpRow kRows[] = {
      {"Conv2DBackpropFilter", With<LowerConvBackpropFilter, 2, false>},
      {"Conv3DBackpropFilterV2", With<LowerConvBackpropFilter, 3, false>},
      {"DepthwiseConv2dNativeBackpropFilter", With<LowerConvBackpropFilter, 2, true>},
      {"FusedBatchNormGrad", LowerFusedBatchNormGrad},
      {"FusedBatchNormGradV2", LowerFusedBatchNormGrad},
      {"FusedBatchNormGradV3", LowerFusedBatchNormGrad},
      {"LRNGrad", LowerLocalResponseNormalizationGrad},
      {"MaxPool3DGrad", With<LowerMaxPoolGrad, 3>},
      {"MaxPoolGrad", With<LowerMaxPoolGrad, 2>},
      {"MaxPoolGradV2", With<LowerMaxPoolGrad, 2>},
      {"MirrorPadGrad", LowerMirrorPadGrad},
  };
  return kRows;
}

}  // namespace dragoman::tf
