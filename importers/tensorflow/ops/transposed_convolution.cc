// SPDX-License-Identifier: Apache-2.0
// Conv2DBackpropInput and its kin, AvgPoolGrad among them. Their result has the sizes that an
// operand states: pads follow from these where inference knows how both sizes relate; else what the
// operator gives without pads is cut at run time.
#include "importers/tensorflow/ops/op_rows.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/inference.h"
#include "importers/tensorflow/ops/convolution.h"

namespace dragoman::tf {
namespace {

// The sizes that the result is to have.
struct StatedSizes {
  Value* vector = nullptr;
  Elements elements;      // as far as they are known; none if not even their number is
  std::size_t first = 0;  // the entry of the first spatial axis

  Dim Known(std::size_t i) const {
    return first + i < elements.size() ? elements[first + i] : Dim::Unknown();
  }
  Value* At(Call& c, std::size_t i) const {
    return c.Cast(c.Select(vector, 0, static_cast<std::int64_t>(first + i)), DType::kI64);
  }
};

StatedSizes TakeStatedSizes(Call& c, const Layout& layout) {
  StatedSizes sizes{c.Tensor(0), {}, static_cast<std::size_t>(layout.spatial_axis(0))};
  if (c.failed()) return sizes;
  if (const std::optional<Ints> known = c.builder().KnownInts(sizes.vector)) {
    sizes.elements.assign(known->begin(), known->end());
  } else {
    sizes.elements = c.builder().inference().Know(sizes.vector).elements.value_or(Elements());
  }
  const std::optional<std::int64_t> count = c.KnownSize(sizes.vector, 0);
  // Newer writers give the spatial sizes only.
  if (count == layout.spatial) sizes.first = 0;
  return sizes;
}

// One spatial axis of the node. `extent` is that of the dilated kernel, less explicit pads.
struct Axis {
  int axis = 0;  // of the operand
  std::int64_t extent = 1;
  std::int64_t stride = 1;
  bool same = false;  // the surplus is divided among both ends
  Dim wanted;
};

// Pads and output padding of one axis; or where the result is cut, if run time decides.
struct TransposedAxis {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t extra = 0;
  Value* cut = nullptr;     // the first element that is wanted
  Value* length = nullptr;  // how many are
};

// The size of the operand: one that inference does not know follows from what the result is to
// have, and is checked when the program runs.
Dim SizeBefore(Call& c, Value* x, const Axis& axis) {
  const Dim& size = (*x->type().shape())[static_cast<std::size_t>(axis.axis)];
  if (!axis.wanted.known() || size.known()) return size;
  const std::int64_t places = axis.wanted.value() - (axis.same ? 0 : axis.extent - 1);
  if (places < 1) return size;
  const std::int64_t count = (places - 1) / axis.stride + 1;
  c.Assert(c.Equal(c.Size(x, axis.axis), c.Int(count)),
           "the size of axis " + std::to_string(axis.axis) + " of the operand of '" +
               c.node().name() + "' is not " + std::to_string(count));
  return Dim(count);
}

// `total`: what the operator gives without pads, less what is wanted.
std::optional<TransposedAxis> FitAxis(const Axis& axis, std::int64_t total) {
  if (axis.same && total >= 0) return TransposedAxis{total / 2, total - total / 2, 0};
  if (total > 0 || total <= -std::max<std::int64_t>(axis.stride, 1)) return std::nullopt;
  return TransposedAxis{0, 0, -total};
}

// Output padding for the largest result; elements from `cut` on are wanted.
TransposedAxis CutAxis(Call& c, Value* x, const Axis& axis, Value* wanted) {
  Value* size = c.Size(x, axis.axis);
  Value* whole = c.Add(c.Mul(c.Sub(size, 1), c.Int(axis.stride)), c.Int(axis.extent));
  Value* total = c.Sub(whole, wanted);
  // A convolution of what is wanted has as many places as the operand has elements.
  Value* missing = axis.same ? c.Sub(c.Mul(size, c.Int(axis.stride)), wanted) : c.Neg(total);
  c.Assert(c.And(c.GreaterOrEqual(missing, 0), c.Less(missing, c.Int(axis.stride))),
           "the size of axis " + std::to_string(axis.axis) + " of the operand of '" +
               c.node().name() + "' does not fit what the result is to have");
  Value* cut = axis.same ? c.Div(c.Max(total, 0), 2) : c.Int(0);
  return TransposedAxis{0, 0, axis.stride - 1, cut, wanted};
}

// Whether each channel has filters of its own.
enum class Filters { kOfAllChannels, kOfEachChannel };

Filter TakeFilter(Call& c, const Layout& layout, Value* x, Value* filter, Filters filters) {
  Filter weight{nullptr, 1};
  if (filters == Filters::kOfEachChannel) {
    weight = DepthwiseFilter(c, filter);
  } else {
    weight.weight = FilterFirst(c, filter, layout.spatial);
  }
  if (c.failed()) return weight;
  const std::optional<std::int64_t> channels = c.KnownSize(x, 1);
  const std::optional<std::int64_t> given = c.KnownSize(weight.weight, 0);
  if (channels && given && *channels != *given)
    c.Fail(InvalidInput("the filter gives other channels than the operand has"));
  return weight;
}

// What the windows of a convolution, of attributes strides, dilations and padding, read of each
// place, if place for place `x` times the filter is added to what they read. `x` and the result
// have their channels at axis 1.
Value* SpreadOverWindows(Call& c, const Layout& layout, const StatedSizes& sizes, Value* x,
                         const Filter& filter, const Ints& kernel) {
  const Ints strides = SpatialAttribute(c, layout, "strides");
  const Ints dilations = SpatialAttribute(c, layout, "dilations");
  const std::string padding = c.TextAttribute("padding");
  if (c.failed()) return nullptr;
  const auto count = static_cast<std::size_t>(layout.spatial);
  const Shape* shape = x->type().shape();
  if (shape == nullptr || shape->size() != count + 2)
    return c.Fail("the sizes of the operand are not known; state the inputs' sizes with --shape");
  const WindowPads given = padding == "EXPLICIT"
                               ? TakePads(c, layout, x, kernel, strides, dilations)
                               : WindowPads{Ints(2 * count, 0)};
  Ints pads = given.pads;
  Ints extra(count, 0);
  std::vector<std::pair<Value*, Value*>> cuts(count);  // the first element and how many
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t extent = (kernel[i] - 1) * dilations[i] + 1;
    const Axis axis{static_cast<int>(i) + 2, extent - given.pads[i] - given.pads[i + count],
                    strides[i], padding == "SAME", sizes.Known(i)};
    const Dim size = SizeBefore(c, x, axis);
    const Dim total = (size - Dim(1)) * Dim(axis.stride) + Dim(axis.extent) - axis.wanted;
    const auto placed =
        total.known() ? FitAxis(axis, total.value()) : CutAxis(c, x, axis, sizes.At(c, i));
    if (!placed) return c.Fail(InvalidInput("the operand's size does not fit that of the result"));
    pads[i] += placed->begin;
    pads[i + count] += placed->end;
    extra[i] = placed->extra;
    cuts[i] = {placed->cut, placed->length};
  }
  Value* y = c.Op("ConvTranspose", {x, filter.weight},
                  {{"dilations", dilations},
                   {"group", filter.groups},
                   {"kernel_shape", kernel},
                   {"output_padding", extra},
                   {"pads", pads},
                   {"strides", strides}});
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [first, length] = cuts[i];
    if (first != nullptr)
      y = c.Slice(y, static_cast<int>(i) + 2, c.Vector(first), c.Vector(c.Add(first, length)),
                  c.Ints({1}));
  }
  return y;
}

Value* LowerConvBackpropInput(Call& c, int spatial, Filters filters) {
  const Layout layout = TakeLayout(c, spatial);
  const StatedSizes sizes = TakeStatedSizes(c, layout);
  Value* given = c.Tensor(1);
  Value* x = ToChannelsFirst(c, layout, c.Tensor(2));
  const Ints kernel = KernelOf(c, given, layout.spatial);
  const Filter filter = TakeFilter(c, layout, x, given, filters);
  return FromChannelsFirst(c, layout, SpreadOverWindows(c, layout, sizes, x, filter, kernel));
}

// How many elements of an operand of `sizes` each window has: (1, 1, places…), of float32.
Value* ElementsInWindows(Call& c, const Layout& layout, const StatedSizes& sizes, Value* filter,
                         const Ints& kernel) {
  std::vector<Value*> all = {c.Ints({1, 1})};
  for (int i = 0; i < layout.spatial; ++i)
    all.push_back(c.Vector(sizes.At(c, static_cast<std::size_t>(i))));
  Value* ones = c.Full(c.ConcatSizes(std::move(all)), 1, DType::kF32);
  const Ints strides = SpatialAttribute(c, layout, "strides");
  const Ints dilations(kernel.size(), 1);
  if (c.failed()) return nullptr;
  std::vector<NamedAttribute> attributes = {{"kernel_shape", kernel}, {"strides", strides}};
  AddPads(TakePads(c, layout, ones, kernel, strides, dilations), attributes);
  return c.Op("Conv", {ones, filter}, std::move(attributes));
}

// Each element of a window gets an equal share of the gradient.
Value* LowerAveragePoolGrad(Call& c, int spatial) {
  const Layout layout = TakeLayout(c, spatial);
  const StatedSizes sizes = TakeStatedSizes(c, layout);
  Value* dy = ToChannelsFirst(c, layout, c.Tensor(1));
  const Ints kernel = SpatialAttribute(c, layout, "ksize");
  if (c.failed()) return nullptr;
  Ints filter_sizes = {1, 1};
  filter_sizes.insert(filter_sizes.end(), kernel.begin(), kernel.end());
  const auto filter = [&](DType dtype) { return c.Full(c.Ints(filter_sizes), 1, dtype); };
  Value* wide = c.Widen(dy);
  Value* count = ElementsInWindows(c, layout, sizes, filter(DType::kF32), kernel);
  Value* share = c.Div(wide, c.CastLike(count, wide));
  // Channels one by one, as if they were images of the batch.
  Value* places = c.SizeVector(share, 2, layout.spatial);
  Value* apart = c.Reshape(share, c.ConcatSizes({c.Ints({-1, 1}), places}));
  if (c.failed()) return nullptr;
  Value* dx = SpreadOverWindows(c, layout, sizes, apart, {filter(c.dtype(wide)), 1}, kernel);
  dx = c.Reshape(dx, c.ConcatSizes({c.SizeVector(dy, 0, 2), c.SizeVector(dx, 2, layout.spatial)}));
  return FromChannelsFirst(c, layout, c.CastLike(dx, dy));
}

}  // namespace

std::span<const OpRow> TransposedConvolutionRows() {
  static constexpr OpRow kRows[] = {
      {"AvgPool3DGrad", With<LowerAveragePoolGrad, 3>},
      {"AvgPoolGrad", With<LowerAveragePoolGrad, 2>},
      {"Conv2DBackpropInput", With<LowerConvBackpropInput, 2, Filters::kOfAllChannels>},
      {"Conv3DBackpropInputV2", With<LowerConvBackpropInput, 3, Filters::kOfAllChannels>},
      {"DepthwiseConv2dNativeBackpropInput",
       With<LowerConvBackpropInput, 2, Filters::kOfEachChannel>},
  };
  return kRows;
}

}  // namespace dragoman::tf
