// SPDX-License-Identifier: Apache-2.0
// Convolutions whose windows read where a second operand says.
#include "importers/relay/ops/op_rows.h"

#include <array>
#include <string>
#include <vector>

#include "importers/relay/ops/layout.h"

namespace dragoman::relay {
namespace {

constexpr int kAxes = 2;

// The window of the call, its taps in order of rows.
struct Taps {
  Ints weight;  // its sizes: channels of the result, of a group, rows, columns
  Ints strides, dilations;
  Ints pads;     // begins, then ends
  Ints results;  // rows and columns of the result

  std::int64_t count() const { return weight[2] * weight[3]; }
  std::int64_t area() const { return results[0] * results[1]; }
};

// Where the taps read along `axis`, before they are moved: (taps, rows or 1, 1 or columns).
Value* PlacesOfTaps(Call& c, const Taps& taps, std::size_t axis) {
  Ints places;
  for (std::int64_t tap = 0; tap < taps.count(); ++tap) {
    const std::int64_t at = axis == 0 ? tap / taps.weight[3] : tap % taps.weight[3];
    for (std::int64_t i = 0; i < taps.results[axis]; ++i) {
      places.push_back(i * taps.strides[axis] - taps.pads[axis] + at * taps.dilations[axis]);
    }
  }
  Ints shape = {taps.count(), 1, 1};
  shape[axis + 1] = taps.results[axis];
  return c.Reshape(c.Ints(std::move(places)), std::move(shape));
}

// What is read at `places` (groups, 1, places) along both axes, of `images` (groups, channels,
// elements) of these sizes: between the four elements around a place, of which those
// beyond the image count as zero; and nothing where the place itself lies beyond.
Value* ReadAt(Call& c, Value* images, const std::array<Value*, kAxes>& places,
              const std::array<std::int64_t, kAxes>& sizes) {
  Value* within = nullptr;
  std::array<Value*, kAxes> below = {}, beyond = {};
  for (std::size_t axis = 0; axis < kAxes; ++axis) {
    Value* size = c.Number(static_cast<double>(sizes[axis]), places[axis]);
    Value* inside = c.And(c.GreaterOrEqual(places[axis], 0), c.Less(places[axis], size));
    within = within == nullptr ? inside : c.And(within, inside);
    Value* floor = c.Floor(places[axis]);
    beyond[axis] = c.Sub(places[axis], floor);
    below[axis] = c.Cast(floor, DType::kI64);
  }
  Value* sum = nullptr;
  for (const int corner : {0, 1, 2, 3}) {
    Value* weight = nullptr;
    Value* index = nullptr;
    Value* counts = within;
    for (std::size_t axis = 0; axis < kAxes; ++axis) {
      const bool next = (corner >> axis & 1) != 0;
      const auto last = static_cast<int>(sizes[axis] - 1);
      Value* part = next ? beyond[axis] : c.Sub(1, beyond[axis]);
      Value* at = next ? c.Add(below[axis], 1) : below[axis];
      counts = c.And(counts, c.LessOrEqual(at, last));
      at = c.Max(c.Min(at, last), 0);
      weight = weight == nullptr ? part : c.Mul(weight, part);
      index = index == nullptr ? c.Mul(at, static_cast<int>(sizes[1])) : c.Add(index, at);
    }
    Value* shape = c.ConcatSizes({c.Ints({1}), c.SizeVector(images, 1, 1), c.Ints({1})});
    Value* taken =
        c.Op("GatherElements", {images, c.Expand(index, shape)}, {{"axis", std::int64_t{2}}});
    Value* part = c.Mul(taken, c.Where(counts, weight, 0));
    sum = sum == nullptr ? part : c.Add(sum, part);
  }
  return sum;
}

// The sizes must be numbers: offsets are counted by groups, taps and axes.
Taps TapsOf(Call& c, Value* weight, Value* offset) {
  Taps taps;
  const auto pair = [&](std::string_view name) {
    Ints values = c.IntList(name, {1, 1});
    if (values.size() == 1) values.push_back(values.front());
    if (values.size() != kAxes) c.Fail(InvalidInput(std::string(name) + " is not a pair"));
    return values;
  };
  taps.strides = pair("strides");
  taps.dilations = pair("dilation");
  taps.pads = PadsOf(c, "padding", kAxes);
  const auto sizes = c.KnownSizes(weight);
  const auto offsets = c.KnownSizes(offset);
  if (c.failed()) return taps;
  if (!sizes || !offsets || sizes->size() != 4 || offsets->size() != 4) {
    c.Fail("sizes of a kernel or of offsets that are not known");
    return taps;
  }
  taps.weight = *sizes;
  taps.results = {(*offsets)[2], (*offsets)[3]};
  return taps;
}

// A place is sampled for every tap; a convolution with kernels of one column then adds them up.
Value* LowerDeformableConv(Call& c) {
  const std::string layout = c.Text("data_layout", "NCHW");
  const std::string out_layout = c.Text("out_layout", "");
  Value* x = ToLayout(c, c.Tensor(0), layout, "NCHW");
  Value* offset = ToLayout(c, c.Tensor(1), layout, "NCHW");
  Value* weight = ToLayout(c, c.Tensor(2), c.Text("kernel_layout", "OIHW"), "OIHW");
  const std::int64_t groups = c.Int("groups", 1);
  const std::int64_t fields = c.Int("deformable_groups", 1);
  CheckKernel(c, weight, kAxes);
  const DType dtype = c.Type("out_dtype", c.dtype(x));
  const Taps taps = TapsOf(c, weight, offset);
  const auto sizes = c.KnownSizes(x);
  if (c.failed()) return nullptr;
  if (!sizes || sizes->size() != 4) return c.Fail("an image whose sizes are not known");
  const Ints& image = *sizes;
  if (fields < 1 || image[1] % fields != 0 || c.KnownSize(offset, 1) != 2 * fields * taps.count()) {
    return c.Fail(InvalidInput("there are not two offsets for each tap of each group"));
  }
  Value* moves =
      c.Reshape(offset, {image[0] * fields, taps.count(), 2, taps.results[0], taps.results[1]});
  std::array<Value*, kAxes> places = {};
  for (std::size_t axis = 0; axis < kAxes; ++axis) {
    Value* base = c.CastLike(PlacesOfTaps(c, taps, axis), moves);
    Value* moved = c.Add(c.Select(moves, 2, static_cast<std::int64_t>(axis)), base);
    places[axis] = c.Reshape(moved, {image[0] * fields, 1, taps.count() * taps.area()});
  }
  Value* images = c.Reshape(x, {image[0] * fields, image[1] / fields, image[2] * image[3]});
  Value* samples = ReadAt(c, images, places, {image[2], image[3]});
  samples = c.Cast(c.Reshape(samples, {image[0], image[1], taps.count(), taps.area()}), dtype);
  Value* column =
      c.Cast(c.Reshape(weight, {taps.weight[0], taps.weight[1], taps.count(), 1}), dtype);
  Value* sums = c.Op("Conv", {samples, column}, {{"group", groups}});
  Value* y = c.Reshape(sums, {image[0], taps.weight[0], taps.results[0], taps.results[1]});
  return ToLayout(c, y, "NCHW", out_layout.empty() ? layout : out_layout);
}

}  // namespace

std::span<const OpRow> DeformableRows() {
  static constexpr OpRow kRows[] = {
      {"nn.deformable_conv2d", LowerDeformableConv},
  };
  return kRows;
}

}  // namespace dragoman::relay
