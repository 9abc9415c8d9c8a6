// SPDX-License-Identifier: Apache-2.0
// Normalisations of channels and of groups of them, as exporters spell them.
#include <algorithm>

#include <fmt/format.h>

#include "tests/unit/drawn_rewrites/patterns.h"

namespace dragoman::drawn {
namespace {

std::string Filled(Drawing& d, const Sizes& sizes, double number) {
  return d.Constant("f32", sizes, [number] { return number; });
}

// A scale of ones or a bias of zeros, seldom of other numbers.
std::string Plain(Drawing& d, std::int64_t count, double number) {
  return Filled(d, {count}, d.Chance(90) ? number : 0.5);
}

// A LayerNormalization along all axes from `axis` on, without factors.
std::string LayerNorm(Drawing& d, const std::string& x, const Sizes& sizes, std::int64_t axis) {
  Sizes own(sizes.begin() + axis, sizes.end());
  std::ranges::replace_if(
      own, [](std::int64_t size) { return size < 0; }, 1);
  if (d.Chance(40)) axis -= std::ssize(sizes);
  return d.Node("LayerNormalization", {x, Filled(d, own, d.Chance(90) ? 1 : 2)},
                fmt::format("axis = {}, epsilon = {}", axis, d.Of({"1e-05", "0.001"})));
}

std::string InstanceNorm(Drawing& d, const std::string& x, std::int64_t channels) {
  return d.Node("InstanceNormalization", {x, Plain(d, channels, 1), Plain(d, channels, 0)},
                d.Of({"", "epsilon = 0.001"}));
}

void Planes(Drawing& d) {
  const Sizes sizes = d.KnownSizes(3, 5);
  d.MaybeRead(LayerNorm(d, d.Input("f32", sizes), sizes, d.Chance(85) ? 2 : 1));
}

void ChannelFactors(Drawing& d) {
  const std::int64_t channels = 2 * d.Between(1, 2);
  Sizes sizes = {d.Chance(70) ? d.Between(1, 2) : kN, channels, d.Between(2, 3)};
  if (d.Chance(60)) sizes.push_back(d.Chance(80) ? 2 : kM);
  const std::string x = d.Input("f32", sizes);
  std::string y;
  switch (d.Between(0, 2)) {
    case 0:
      y = InstanceNorm(d, x, channels);
      break;
    case 1:
      y = LayerNorm(d, x, sizes, 2);
      break;
    default:
      y = d.Node("GroupNormalization", {x, Plain(d, channels, 1), Plain(d, channels, 0)},
                 "num_groups = 2");
  }
  Sizes own(sizes.size() - 1, 1);
  own[d.Chance(92) ? 0 : own.size() - 1] = channels;
  if (d.Chance(30)) own.insert(own.begin(), 1);
  if (d.Chance(70)) y = d.Node("Mul", {y, d.Weight("f32", own)});
  if (d.Chance(70)) {
    Names operands = {d.Weight("f32", own), y};
    if (d.Chance(50)) std::swap(operands[0], operands[1]);
    y = d.Node("Add", operands);
  }
  d.MaybeRead(y);
}

// Groups of a batch of open size, in few cases of something else.
void OpenGroups(Drawing& d) {
  const std::int64_t channels = 2 * d.Between(1, 2);
  const Sizes sizes = {kN, channels, d.Chance(50) ? 3 : kM};
  const std::string x = d.Input("f32", sizes);
  const std::int64_t groups = d.Chance(80) ? 2 : channels;
  Sizes inner = {d.Chance(80) ? 0 : -1, groups, -1};
  if (inner[0] == -1) inner[2] = channels / groups * (d.Chance(70) ? 3 : 1);
  const std::string flat = d.Node("Reshape", {x, d.Ints(inner)});
  const std::string y =
      d.Chance(50) ? InstanceNorm(d, flat, groups) : LayerNorm(d, flat, {kN, groups, 1}, 2);
  const std::string back =
      d.Chance(70) ? d.Node("Shape", {x}) : d.Ints({d.Chance(80) ? -1 : 1, channels, 3});
  d.MaybeRead(d.Node("Reshape", {y, back}));
}

void Groups(Drawing& d) {
  if (d.Chance(40)) return OpenGroups(d);
  const std::int64_t batch = d.Between(1, 3), channels = 2 * d.Between(1, 2), pixels = 3;
  const Sizes sizes = {batch, channels, pixels, 2};
  const std::string x = d.Input("f32", sizes);
  Sizes inner;
  switch (d.Between(0, 3)) {
    case 0:
      inner = {1, batch * channels, pixels, 2};
      break;
    case 1:
      inner = {batch, 2, channels / 2 * pixels * 2};
      break;
    case 2:
      inner = {1, batch * 2, channels * pixels};
      break;
    default:
      inner = {channels, batch, pixels * 2};
  }
  const std::string flat = d.Node("Reshape", {x, d.Ints(inner)});
  std::string y;
  if (d.Chance(35)) {
    y = LayerNorm(d, flat, inner, 2);
  } else if (d.Chance(50)) {
    y = InstanceNorm(d, flat, inner[1]);
  } else {
    const std::int64_t period = d.Chance(70) ? channels : inner[1];
    std::int64_t at = 0;
    const std::string scale = d.Constant(
        "f32", {inner[1]}, [&] { return 1.0 + 0.5 * static_cast<double>(at++ % period); });
    y = d.Node("InstanceNormalization", {flat, scale, Plain(d, inner[1], 0)});
  }
  d.MaybeRead(d.Node("Reshape", {y, d.Ints(d.Chance(92) ? sizes : Sizes{-1, 2})}));
}

void SingleChannels(Drawing& d) {
  const std::int64_t channels = 2 * d.Between(1, 2);
  Sizes sizes = {d.Between(1, 2), channels, d.Between(2, 3)};
  if (d.Chance(30)) sizes.push_back(2);
  d.MaybeRead(
      d.Node("GroupNormalization",
             {d.Input("f32", sizes), d.Weight("f32", {channels}), d.Weight("f32", {channels})},
             fmt::format("num_groups = {}{}", d.Chance(80) ? channels : 1,
                         d.Of({"", ", epsilon = 0.01"}))));
}

// A BatchNormalization of which batch and channels are one axis.
void FlatBatches(Drawing& d) {
  const std::int64_t batch = d.Between(1, 3), channels = d.Between(1, 3);
  Sizes sizes = {batch, channels, d.Between(1, 2)};
  if (d.Chance(50)) sizes.push_back(2);
  const std::int64_t first = d.Chance(92) ? 1 : batch;
  Sizes flat = {first, batch * channels / first};
  flat.insert(flat.end(), sizes.begin() + 2, sizes.end());
  const std::string x = d.Node("Reshape", {d.Input("f32", sizes), d.Ints(flat)});
  Names operands = {x};
  for (int i = 0; i < 4; ++i) {
    const std::int64_t period = d.Chance(92) ? channels : flat[1];
    std::int64_t at = 0;
    operands.push_back(d.Constant(
        "f32", {flat[1]}, [&, period] { return 1.0 + 0.5 * static_cast<double>(at++ % period); }));
  }
  const std::string y = d.Node("BatchNormalization", operands, d.Of({"", "epsilon = 0.01"}));
  d.MaybeRead(d.Node("Reshape", {y, d.Ints(d.Chance(92) ? sizes : Sizes{-1})}));
}

}  // namespace

std::span<const DrawnPattern> DrawnChannelNorms() {
  static constexpr DrawnPattern kDrawn[] = {
      {"normalize-planes", Planes, Exactness::kRounded},
      {"fuse-channel-factor", ChannelFactors, Exactness::kRounded},
      {"normalize-groups", Groups, Exactness::kRounded},
      {"normalize-singles", SingleChannels, Exactness::kRounded},
      {"normalize-batch", FlatBatches},
  };
  return kDrawn;
}

}  // namespace dragoman::drawn
