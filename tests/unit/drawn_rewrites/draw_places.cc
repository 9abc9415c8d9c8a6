// SPDX-License-Identifier: Apache-2.0
// Places along axes of open sizes, and tensors that are filled to such sizes.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/unit/drawn_rewrites/patterns.h"

namespace dragoman::drawn {
namespace {

std::string Unsqueezed(Drawing& d, const std::string& x, const std::vector<std::int64_t>& axes) {
  return axes.empty() ? x : d.Node("Unsqueeze", {x, d.Ints(axes)});
}

std::string SizeOf(Drawing& d, const std::string& x, std::int64_t axis) {
  return d.Node("Gather", {d.Node("Shape", {x}), d.Int(axis)});
}

// Places along `axis` of `x`: all of them, or some.
std::string PlacesAlong(Drawing& d, const std::string& x, const Sizes& sizes, std::int64_t axis) {
  if (d.Chance(25)) return d.Input("i64", {d.Chance(50) ? kM : 2}, {.low = -1, .high = 0});
  const std::int64_t size = sizes[static_cast<std::size_t>(axis)];
  const std::string end = size < 0 || d.Chance(50) ? SizeOf(d, x, axis) : d.Int(size);
  return d.Node("Range", {d.Int(d.Chance(85) ? 0 : 1), end, d.Int(d.Chance(90) ? 1 : 2)});
}

void Gathers(Drawing& d) {
  const Sizes sizes = d.AnySizes(1, 3);
  const std::string given = d.Input(d.NumberType(), sizes);
  const std::int64_t axis = d.Between(0, std::ssize(sizes) - 1);
  std::string places = PlacesAlong(d, given, sizes, axis);
  std::string x = given;
  std::int64_t shift = 0;
  if (d.Chance(60)) {
    const std::int64_t at = d.Between(0, std::ssize(sizes));
    x = Unsqueezed(d, x, {at});
    shift = at <= axis ? 1 : 0;
  }
  if (d.Chance(40)) places = Unsqueezed(d, places, d.Chance(50) ? Sizes{1} : Sizes{0, 2});
  const std::int64_t wanted = d.Chance(90) ? axis + shift : 0;
  d.MaybeRead(d.Node("Gather", {x, places}, fmt::format("axis = {}", wanted)));
}

void PlacesFromBehind(Drawing& d) {
  const Sizes sizes = d.AnySizes(1, 3);
  const std::string dtype = d.NumberType();
  const std::string x = d.Input(dtype, sizes);
  const std::int64_t rank = std::ssize(sizes), axis = d.Between(0, rank - 1);
  const std::string along = fmt::format("axis = {}", d.Chance(70) ? axis : axis - rank);
  const std::int64_t size = std::max<std::int64_t>(sizes[static_cast<std::size_t>(axis)], 1);
  const auto place = [&] { return static_cast<double>(d.Between(-size, size - 1)); };
  const std::string type = d.Of({"Gather", "GatherElements", "ScatterElements"});
  const Sizes own = type == "Gather" ? d.KnownSizes(0, 2) : Sizes(sizes.size(), 1);
  Names operands = {x, d.Constant(d.Chance(70) ? "i64" : "i32", own, place)};
  if (type == "ScatterElements") operands.push_back(d.Input(dtype, own));
  d.MaybeRead(d.Node(type, operands, along));
}

// As x[i[:, None], j[None, :]] is written: places along each axis, expanded to a grid.
void GridOfOpenPlaces(Drawing& d) {
  const std::int64_t depth = d.Between(1, 3);
  const Sizes sizes = d.AnySizes(static_cast<int>(depth), 4);
  const std::string x = d.Input(d.NumberType(), sizes);
  const std::int64_t rank = depth + d.Between(0, 1);
  std::vector<std::int64_t> axes;  // of the grid, along which the places lie
  for (std::int64_t axis = 0; axis < rank; ++axis) axes.push_back(axis);
  if (rank > depth) axes.erase(axes.begin() + d.Between(0, depth));
  if (d.Chance(10)) std::swap(axes.front(), axes.back());
  Names lines;
  for (std::int64_t i = 0; i < depth; ++i) {
    std::vector<std::int64_t> added;
    for (std::int64_t axis = 0; axis < rank; ++axis) {
      if (axis != axes[static_cast<std::size_t>(i)]) added.push_back(axis);
    }
    lines.push_back(Unsqueezed(d, PlacesAlong(d, x, sizes, i), added));
  }
  std::string all = lines.front();
  for (std::size_t i = 1; i < lines.size(); ++i) all = d.Node("Max", {all, lines[i]});
  const std::string shape = d.Node("Shape", {all});
  Names parts;
  for (const std::string& line : lines)
    parts.push_back(Unsqueezed(d, d.Node("Expand", {line, shape}), {d.Chance(95) ? rank : 0}));
  d.MaybeRead(d.Node("GatherND", {x, d.Node("Concat", parts, fmt::format("axis = {}", rank))}));
}

void Filled(Drawing& d) {
  const Sizes sizes = d.AnySizes(1, 3);
  const std::string x = d.Input("f32", sizes);
  const std::string fill = d.Node("ConstantOfShape", {d.Node("Shape", {x})});
  const std::int64_t axis = d.Between(0, std::ssize(sizes));
  switch (d.Between(0, 2)) {
    case 0:
      d.MaybeRead(Unsqueezed(d, fill, {axis}));
      break;
    case 1:
      d.MaybeRead(
          d.Node("Squeeze", {Unsqueezed(d, fill, {axis}), d.Ints({d.Chance(80) ? axis : 0})}));
      break;
    default:
      d.MaybeRead(d.Node("Expand", {fill, d.Ints({d.Between(1, 2), 1, 1, 1})}));
  }
}

// Reshape to sizes of which one is inferred or copied, Expand to some of which are kept.
void PartlyComputed(Drawing& d) {
  const bool expands = d.Chance(50);
  Sizes sizes = d.AnySizes(2, 3);
  sizes.front() = kN;
  const std::string x = d.Input("f32", sizes);
  Names parts;
  const auto rank = std::ssize(sizes);
  const std::int64_t open = d.Between(0, rank - 1);
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    const bool is_open = axis == open || d.Chance(10);
    parts.push_back(is_open ? d.Ints({expands        ? 1
                                      : d.Chance(70) ? -1
                                                     : 0})
                            : Unsqueezed(d, SizeOf(d, x, axis), {0}));
  }
  Sizes own = sizes;
  if (expands) own[static_cast<std::size_t>(d.Chance(80) ? (open + 1) % rank : open)] = 1;
  const std::string y = own == sizes ? x : d.Input("f32", own);
  d.MaybeRead(d.Node(expands ? "Expand" : "Reshape", {y, d.Node("Concat", parts, "axis = 0")},
                     !expands && d.Chance(15) ? "allowzero = 1" : ""));
}

void InferredSize(Drawing& d) {
  const Sizes sizes = d.AnySizes(2, 4);
  std::vector<std::int64_t> stated(sizes.begin(), sizes.end());
  for (std::int64_t& size : stated) size = size < 0 || d.Chance(20) ? 0 : size;
  stated[static_cast<std::size_t>(d.Between(0, std::ssize(sizes) - 1))] = -1;
  if (d.Chance(30)) stated.push_back(1);
  if (d.Chance(15)) std::swap(stated.front(), stated.back());
  d.MaybeRead(d.Node("Reshape", {d.Input("f32", sizes), d.Ints(stated)},
                     d.Chance(15) ? "allowzero = 1" : ""));
}

}  // namespace

std::span<const DrawnPattern> DrawnPlaces() {
  // In a grid without elements, no place is looked at.
  static constexpr DrawnPattern kDrawn[] = {
      {"take-whole-axis", Gathers},
      {"count-from-front", PlacesFromBehind},
      {"take-before-unsqueezing", Gathers},
      {"take-of-narrower", Gathers},
      {"take-along-axes", GridOfOpenPlaces, Exactness::kExact, 1},
      {"refer-to-sizes", PartlyComputed, Exactness::kExact, 1},
      {"fill-at-once", Filled},
      {"state-computed-sizes", PartlyComputed, Exactness::kExact, 1},
      {"copy-inferred-size", InferredSize, Exactness::kExact, 1},
  };
  return kDrawn;
}

}  // namespace dragoman::drawn
