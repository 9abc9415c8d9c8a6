// SPDX-License-Identifier: Apache-2.0
// Operands that can be written in several ways: bounds, axes, fills, biases, parts.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "tests/unit/drawn_rewrites/patterns.h"

namespace dragoman::drawn {
namespace {

void Bounds(Drawing& d) {
  const Sizes sizes = d.AnySizes(1, 3);
  std::vector<std::int64_t> begins, ends, axes, steps;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (!axes.empty() && d.Chance(40)) continue;
    axes.push_back(static_cast<std::int64_t>(i) - (d.Chance(30) ? std::ssize(sizes) : 0));
    steps.push_back(d.Chance(85) ? 1 : d.Chance(50) ? 2 : -1);
    begins.push_back(steps.back() < 0 ? d.Between(-1, 3) : d.Between(-4, 3));
    ends.push_back(d.Chance(40) ? kFar : d.Between(-4, 5));
  }
  if (d.Chance(30)) {
    for (auto* numbers : {&begins, &ends, &axes, &steps}) std::ranges::reverse(*numbers);
  }
  Names operands = {d.Input(d.NumberType(), sizes), d.Ints(begins), d.Ints(ends)};
  if (axes.size() < sizes.size() || d.Chance(80)) {
    operands.push_back(d.Ints(axes));
    if (d.Chance(60)) operands.push_back(d.Ints(steps));
  }
  d.MaybeRead(d.Node("Slice", operands));
}

void Fills(Drawing& d) {
  const std::string dtype = d.NumberType();
  const double number = d.Chance(75) ? 0 : 2;
  const std::string fill =
      d.Chance(85) ? d.Constant(dtype, {}, [number] { return number; }) : d.Input(dtype, {});
  Names operands = {d.Input(dtype, {d.Size(), 3}), d.Ints({0, 1, 0, d.Between(0, 2)}), fill};
  if (d.Chance(40)) operands.push_back(d.Ints({0, 1}));
  d.MaybeRead(d.Node("Pad", operands, d.Of({"", "", "mode = \"edge\"", "mode = \"reflect\""})));
}

// Max, Min, Relu and Clip with numbers, often several in a row.
void BoundsOfValues(Drawing& d) {
  const std::string dtype = d.NumberType();
  std::string y = d.Input(dtype, d.AnySizes(0, 3));
  const auto number = [&](double value) {
    if (dtype.starts_with("f") && d.Chance(10))
      value = (d.Chance(50) ? 1 : -1) * std::numeric_limits<double>::infinity();
    const Sizes own = d.Chance(80) ? Sizes() : d.Chance(50) ? Sizes{1} : Sizes{1, 1, 1, 1};
    return d.Chance(95) ? d.Constant(dtype, own, [value] { return value; }) : d.Input(dtype, own);
  };
  for (std::int64_t i = d.Between(1, 3); i > 0; --i) {
    const auto low = static_cast<double>(d.Between(-2, 1)), high = low + 1;
    Names operands = {y, number(d.Chance(50) ? low : high)};
    switch (d.Between(0, 3)) {
      case 0:
        y = d.Node("Relu", {y});
        break;
      case 1:
        y = d.Node("Clip", {y, d.Chance(70) ? number(low) : "", number(high)});
        break;
      default:
        if (d.Chance(40)) std::swap(operands[0], operands[1]);
        y = d.Node(d.Chance(50) ? "Max" : "Min", operands);
    }
  }
  d.MaybeRead(y);
}

void ConstantFirst(Drawing& d) {
  const std::string dtype = d.FloatType();
  const Sizes sizes = d.KnownSizes(0, 2);
  const std::string x = d.Input(dtype, sizes);
  const std::string number = d.Chance(90) ? d.Numbers(dtype, sizes) : d.Input(dtype, sizes);
  d.MaybeRead(d.Node(d.Of({"Add", "Mul", "Max", "Sub", "Div"}), {number, x}));
}

void PaddedAxes(Drawing& d) {
  const std::string dtype = d.NumberType();
  const Sizes sizes = d.AnySizes(1, 3);
  std::vector<std::int64_t> axes, pads;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (d.Chance(25)) continue;
    axes.push_back(static_cast<std::int64_t>(i) - (d.Chance(40) ? std::ssize(sizes) : 0));
  }
  if (d.Chance(40)) std::ranges::reverse(axes);
  const bool all = d.Chance(20);
  const std::size_t count = 2 * (all ? sizes.size() : axes.size());
  for (std::size_t i = 0; i < count; ++i) pads.push_back(d.Between(-1, 2));
  Names operands = {d.Input(dtype, sizes), d.Ints(pads)};
  if (!all || d.Chance(70)) {
    const double number = d.Chance(60) ? 0 : 2;
    operands.push_back(d.Chance(75) ? d.Constant(dtype, {}, [&] { return number; }) : "");
  }
  if (!all) operands.push_back(d.Ints(axes));
  d.MaybeRead(d.Node("Pad", operands, d.Chance(20) ? "mode = \"edge\"" : ""));
}

void ReducedAxes(Drawing& d) {
  const Sizes sizes = d.AnySizes(1, 3);
  std::vector<std::int64_t> axes;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (d.Chance(35)) continue;
    axes.push_back(static_cast<std::int64_t>(i) - (d.Chance(40) ? std::ssize(sizes) : 0));
  }
  if (d.Chance(40)) std::ranges::reverse(axes);
  std::string text = d.Of({"", "keepdims = 0", "keepdims = 1"});
  if (d.Chance(20)) text += (text.empty() ? "" : ", ") + std::string("noop_with_empty_axes = 1");
  d.MaybeRead(d.Node(d.Of({"ReduceSum", "ReduceMean", "ReduceMax", "ReduceL2"}),
                     {d.Input(d.FloatType(), sizes), d.Ints(axes)}, text));
}

void Biases(Drawing& d) {
  const std::string type = d.Of({"GRU", "LSTM", "RNN"});
  const std::int64_t rows = type == "GRU" ? 6 : type == "LSTM" ? 8 : 2;
  const std::int64_t directions = d.Between(1, 2);
  const bool has_zeros = d.Chance(15);
  const std::string biases = has_zeros
                                 ? d.Constant("f32", {directions, 2 * rows}, [] { return 0.0; })
                                 : d.Weight("f32", {directions, 2 * rows});
  std::string text = "hidden_size = 2";
  if (directions == 2) text += ", direction = \"bidirectional\"";
  if (type == "GRU" && d.Chance(60)) text += ", linear_before_reset = 1";
  d.MaybeRead(d.Nodes(type,
                      {d.Input("f32", {3, 1, 2}), d.Weight("f32", {directions, rows, 2}),
                       d.Weight("f32", {directions, rows, 2}), biases},
                      text, 1)
                  .front());
}

void SlicesOfAll(Drawing& d) {
  const std::int64_t axis = d.Between(0, 1), count = d.Between(2, 4);
  std::vector<std::int64_t> ends = {0};
  for (std::int64_t i = 0; i < count; ++i) ends.push_back(ends.back() + d.Between(1, 2));
  Sizes sizes = {2, 3};
  sizes[static_cast<std::size_t>(axis)] = ends.back() + (d.Chance(10) ? 1 : 0);
  const std::string x = d.Input(d.FloatType(), sizes);
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) order[static_cast<std::size_t>(i)] = i;
  if (d.Chance(40)) std::ranges::reverse(order);
  const auto split = [&] {
    std::vector<std::int64_t> parts;
    for (std::size_t i = 1; i < ends.size(); ++i) parts.push_back(ends[i] - ends[i - 1]);
    for (const std::string& part :
         d.Nodes("Split", {x, d.Ints(parts)},
                 fmt::format("axis = {}", d.Chance(80) ? axis : axis - 2), parts.size()))
      d.MaybeRead(part);
  };
  const std::int64_t place = d.Chance(50) ? d.Between(0, count - 1) : -1;  // of a Split
  for (std::int64_t i : order) {
    if (i == place) split();
    if (place >= 0 && d.Chance(40)) continue;
    const std::int64_t begin = ends[static_cast<std::size_t>(i)];
    const std::int64_t end = ends[static_cast<std::size_t>(i) + 1];
    Names operands = {x, d.Ints({begin}), d.Ints({d.Chance(97) ? end : end + 1}), d.Ints({axis})};
    if (d.Chance(5)) operands.push_back(d.Ints({1}));
    d.MaybeRead(d.Node("Slice", operands));
  }
}

// Axes that are repeated, most of them of size 1.
void RepeatedOnes(Drawing& d) {
  Sizes sizes = d.AnySizes(0, 3);
  std::vector<std::int64_t> times(sizes.size(), 1);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (d.Chance(50)) sizes[i] = 1;
    if (d.Chance(sizes[i] == 1 ? 60 : 10)) times[i] = d.Between(0, 3);
  }
  const bool all_ones = std::ranges::all_of(sizes, [](std::int64_t size) { return size == 1; });
  const std::int64_t rank = std::ssize(times);
  const std::string repeats = all_ones && d.Chance(40)
                                  ? d.Node("Shape", {d.Input("f32", d.AnySizes(rank, rank))})
                                  : d.Ints(times);
  d.MaybeRead(d.Node("Tile", {d.Input(d.NumberType(), sizes), repeats}));
}

// Sizes that Expand is given, 1 for some that it keeps.
void ExpandedSizes(Drawing& d) {
  const Sizes sizes = d.AnySizes(1, 3);
  std::vector<std::int64_t> wanted;
  for (const std::int64_t size : sizes) {
    const bool is_kept = size != 1 || d.Chance(30);
    wanted.push_back(!is_kept ? d.Between(1, 3) : size > 0 && d.Chance(40) ? size : 1);
  }
  if (d.Chance(30)) wanted.insert(wanted.begin(), d.Between(1, 2));
  if (wanted.size() > 1 && wanted.size() == sizes.size() && d.Chance(20))
    wanted.erase(wanted.begin());
  d.MaybeRead(d.Node("Expand", {d.Input(d.NumberType(), sizes), d.Ints(wanted)}));
}

}  // namespace

std::span<const DrawnPattern> DrawnOperands() {
  static constexpr DrawnPattern kDrawn[] = {
      {"unify-bounds", Bounds},
      {"omit-fill", Fills},
      {"spell-bounds", BoundsOfValues},
      {"put-constant-last", ConstantFirst},
      {"unify-reduced-axes", ReducedAxes, Exactness::kRounded},
      {"unify-pads", PaddedAxes},
      {"cut-by-slice", PaddedAxes},
      {"sum-biases", Biases, Exactness::kRounded},
      {"split-slices", SlicesOfAll},
      {"spell-tile", RepeatedOnes},
      {"state-expanded-sizes", ExpandedSizes},
  };
  return kDrawn;
}

}  // namespace dragoman::drawn
