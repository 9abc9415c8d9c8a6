// SPDX-License-Identifier: Apache-2.0
// Operators behind a Transpose that makes channels the last axis, and the like.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "tests/unit/drawn_rewrites/patterns.h"

namespace dragoman::drawn {
namespace {

// Channels made the last axis, mostly as a convolution of one axis or more leaves them, on the way
// through operators that may follow.
struct Image {
  std::string value;
  Sizes sizes;
  std::vector<std::int64_t> perm;
  Sizes first;  // of what is transposed
};

Image ChannelsLast(Drawing& d, bool of_floats = false) {
  const auto rank = static_cast<std::size_t>(d.Between(3, 5));
  Sizes first = d.KnownSizes(static_cast<int>(rank), static_cast<int>(rank));
  if (d.Chance(20)) first.front() = kN;
  std::string x = d.Input(of_floats || rank == 3 ? "f32" : d.NumberType(), first);
  if (rank == 3 || d.Chance(15)) {
    Sizes weight(rank, 1);
    weight[0] = weight[1] = first[1];
    x = d.Node("Conv", {x, d.Numbers("f32", weight)});
    if (d.Chance(30)) x = d.Node("Abs", {x});
  }
  Image image{"", {}, {0}, first};
  for (std::size_t i = 2; i < rank; ++i) image.perm.push_back(static_cast<std::int64_t>(i));
  image.perm.push_back(1);
  if (d.Chance(10)) std::swap(image.perm[0], image.perm[static_cast<std::size_t>(d.Between(1, 2))]);
  for (std::size_t i = 0; d.Chance(25) && i < rank; ++i)
    std::swap(image.perm[i],
              image.perm[static_cast<std::size_t>(d.Between(0, std::ssize(first) - 1))]);
  for (const std::int64_t axis : image.perm)
    image.sizes.push_back(first[static_cast<std::size_t>(axis)]);
  image.value = d.Node("Transpose", {x}, fmt::format("perm = [{}]", List(image.perm)));
  return image;
}

// Another one, of the same kind.
std::string Like(Drawing& d, const Image& x) {
  std::string other = d.Input("f32", x.first);
  if (x.perm.size() == 3) {
    Sizes weight(3, 1);
    weight[0] = weight[1] = x.first[1];
    other = d.Node("Conv", {other, d.Numbers("f32", weight)});
  }
  return d.Node("Transpose", {other}, fmt::format("perm = [{}]", List(x.perm)));
}

void UnaryOfChannelsLast(Drawing& d) {
  const Image x = ChannelsLast(d);
  const std::string type = d.Of({"Abs", "Relu", "Neg", "Sign", "Clip", "Identity"});
  if (type != "Clip") {
    d.MaybeRead(d.Node(type, {x.value}));
    return;
  }
  d.MaybeRead(d.Node("Clip", {x.value, d.Numbers("f32", d.Chance(20) ? Sizes{1} : Sizes{}), ""}));
}

void PlacesOfChannelsLast(Drawing& d) {
  const Image x = ChannelsLast(d);
  const Sizes sizes = d.Chance(50) ? Sizes{} : d.Chance(75) ? Sizes{2} : Sizes{1, 2};
  const std::string places = d.Chance(70)
                                 ? d.Constant("i64", sizes, [&] { return d.Between(-1, 0); })
                                 : d.Input("i64", sizes, {.low = 0, .high = 0});
  d.MaybeRead(
      d.Node("Gather", {x.value, places}, fmt::format("axis = {}", d.Axis(x.sizes.size()))));
}

// With the like, with numbers, vectors of channels, images of constants and of one pixel.
void SumOfChannelsLast(Drawing& d) {
  const Image x = ChannelsLast(d, true);
  const std::string& a = x.value;
  const std::string type = d.Of({"Add", "Sub", "Mul", "Max", "Greater"});
  Sizes sizes = x.sizes;
  std::string b;
  switch (d.Between(0, 5)) {
    case 0:
      b = Like(d, x);
      break;
    case 1:
      b = d.Weight("f32", {});
      break;
    case 2:
      b = d.Weight("f32", {sizes.back()});
      break;
    case 3:
      for (std::size_t i = 0; i + 1 < sizes.size(); ++i) sizes[i] = i == 0 ? sizes[i] : 1;
      b = d.Input("f32", sizes);
      break;
    case 4:
      for (std::int64_t& size : sizes) size = size < 0 || d.Chance(30) ? 1 : size;
      if (d.Chance(30)) sizes.erase(sizes.begin());
      b = d.Weight("f32", sizes);
      break;
    default:
      b = d.Input("f32", sizes);
      break;
  }
  d.MaybeRead(d.Chance(50) ? d.Node(type, {a, b}) : d.Node(type, {b, a}));
}

void JoinOfChannelsLast(Drawing& d) {
  const Image x = ChannelsLast(d, true);
  Names parts = {x.value, Like(d, x)};
  if (d.Chance(30)) parts.push_back(x.value);
  if (d.Chance(15)) parts.push_back(d.Input("f32", x.sizes));
  const std::int64_t axis = d.Axis(x.sizes.size());
  d.MaybeRead(d.Node("Concat", parts, fmt::format("axis = {}", axis)));
}

void AxisOfChannelsLast(Drawing& d) {
  const Image x = ChannelsLast(d, true);
  const std::int64_t axis = d.Axis(x.sizes.size());
  const std::string along = fmt::format("axis = {}", axis);
  const auto at = static_cast<std::size_t>(axis < 0 ? axis + std::ssize(x.sizes) : axis);
  switch (d.Between(0, 3)) {
    case 0:
      d.MaybeRead(d.Node(d.Of({"Softmax", "LogSoftmax"}), {x.value}, d.Chance(20) ? "" : along));
      break;
    case 3: {
      const std::string type = d.Of({"ArgMax", "ArgMin", "Hardmax", "LpNormalization"});
      const bool drops_axis = type.starts_with("Arg") && d.Chance(40);
      d.Node(type, {x.value}, along + (drops_axis ? ", keepdims = 0" : ""));
      break;
    }
    case 1: {
      const std::int64_t count = d.Between(1, 2);
      d.Nodes("Split", {x.value}, fmt::format("{}, num_outputs = {}", along, count),
              static_cast<std::size_t>(count));
      break;
    }
    default: {
      const bool whole = d.Chance(40) || x.sizes[at] < 0;
      const Sizes sizes = whole ? Sizes{} : Sizes{x.sizes[at]};
      const std::string scale =
          d.Constant("f32", sizes, [&] { return 0.25 * static_cast<double>(d.Between(1, 4)); });
      const std::string zero =
          d.Constant("u8", sizes, [&] { return static_cast<double>(d.Between(0, 200)); });
      const std::string stored = d.Node("QuantizeLinear", {x.value, scale, zero}, along);
      d.MaybeRead(d.Node("DequantizeLinear", {stored, scale, zero}, along));
    }
  }
}

void AxesOfChannelsLast(Drawing& d) {
  const Image x = ChannelsLast(d);
  std::vector<std::int64_t> axes;
  const auto rank = std::ssize(x.sizes);
  const bool squeezes = d.Chance(30);
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    const bool one = x.sizes[static_cast<std::size_t>(axis)] == 1;
    if (squeezes ? one : d.Chance(45)) axes.push_back(d.Chance(25) ? axis - rank : axis);
  }
  if (d.Chance(20)) std::ranges::reverse(axes);
  if (squeezes) {
    d.MaybeRead(d.Node("Squeeze", {x.value, d.Ints(axes)}));
    return;
  }
  const std::string keeps = d.Of({"keepdims = 0", "keepdims = 1", ""});
  d.MaybeRead(d.Node(d.Of({"ReduceMax", "ReduceMin"}), {x.value, d.Ints(axes)}, keeps));
}

void PadOfChannelsLast(Drawing& d) {
  const Image x = ChannelsLast(d);
  std::vector<std::int64_t> pads(2 * x.sizes.size());
  for (std::int64_t& pad : pads) pad = d.Chance(60) ? 0 : d.Between(0, 2);
  d.MaybeRead(d.Node("Pad", {x.value, d.Ints(pads)}, d.Of({"", "mode = \"edge\""})));
}

void SliceOfChannelsLast(Drawing& d) {
  const Image x = ChannelsLast(d);
  std::vector<std::int64_t> begins, ends, axes, steps;
  for (std::int64_t axis = 0; axis < std::ssize(x.sizes); ++axis) {
    if (d.Chance(50)) continue;
    const bool back = d.Chance(25);
    axes.push_back(d.Chance(25) ? axis - std::ssize(x.sizes) : axis);
    begins.push_back(back ? -1 : d.Between(0, 1));
    ends.push_back(back ? -kFar : d.Chance(50) ? kFar : d.Between(1, 3));
    steps.push_back(back ? -1 : d.Between(1, 2));
  }
  if (d.Chance(15)) {
    d.MaybeRead(d.Node("Slice", {x.value, d.Ints(begins), d.Ints(ends)}));
    return;
  }
  d.MaybeRead(
      d.Node("Slice", {x.value, d.Ints(begins), d.Ints(ends), d.Ints(axes), d.Ints(steps)}));
}

// A convolution of padded images with channels last, or with the axes in any other order.
void ConvOfPadded(Drawing& d) {
  const auto rank = static_cast<std::size_t>(d.Between(3, 5));
  const Sizes sizes = d.KnownSizes(static_cast<int>(rank), static_cast<int>(rank));
  std::vector<std::int64_t> pads(2 * rank);
  for (std::int64_t& pad : pads) pad = d.Chance(60) ? 0 : d.Between(0, 2);
  std::vector<std::int64_t> perm(rank);
  std::iota(perm.begin(), perm.end(), 0);
  std::rotate(perm.begin() + 1, perm.end() - 1, perm.end());
  if (d.Chance(15)) std::swap(perm[0], perm[static_cast<std::size_t>(d.Between(1, 2))]);
  const auto channel = static_cast<std::size_t>(perm[1]);
  const std::string x = d.Input("f32", sizes);
  const std::string padded = d.Node("Pad", {x, d.Ints(pads)}, d.Of({"", "mode = \"edge\""}));
  const std::string image = d.Node("Transpose", {padded}, fmt::format("perm = [{}]", List(perm)));
  Sizes weight(rank, 1);
  weight[1] = sizes[channel] + pads[channel] + pads[channel + rank];
  d.MaybeRead(d.Node("Conv", {image, d.Numbers("f32", weight)}));
  if (d.Chance(20)) d.MaybeRead(padded);
}

}  // namespace

std::span<const DrawnPattern> DrawnChannelsLast() {
  static constexpr DrawnPattern kDrawn[] = {
      {"sink-behind-unary", UnaryOfChannelsLast, Exactness::kRounded},
      {"sink-behind-broadcasting", SumOfChannelsLast, Exactness::kRounded},
      {"sink-behind-concat", JoinOfChannelsLast, Exactness::kRounded},
      {"sink-behind-axis", AxisOfChannelsLast, Exactness::kNearest},
      {"sink-behind-axes", AxesOfChannelsLast, Exactness::kRounded},
      {"sink-behind-pad", PadOfChannelsLast, Exactness::kRounded},
      {"sink-behind-slice", SliceOfChannelsLast, Exactness::kRounded},
      {"sink-any-behind-unary", UnaryOfChannelsLast, Exactness::kRounded},
      {"sink-any-behind-broadcasting", SumOfChannelsLast, Exactness::kRounded},
      {"sink-any-behind-concat", JoinOfChannelsLast, Exactness::kRounded},
      {"sink-any-behind-axis", AxisOfChannelsLast, Exactness::kNearest},
      {"sink-any-behind-axes", AxesOfChannelsLast, Exactness::kRounded},
      {"sink-any-behind-slice", SliceOfChannelsLast, Exactness::kRounded},
      {"sink-any-behind-gather", PlacesOfChannelsLast, Exactness::kRounded},
      {"lift-pad", ConvOfPadded, Exactness::kRounded},
  };
  return kDrawn;
}

}  // namespace dragoman::drawn
