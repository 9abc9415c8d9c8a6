// SPDX-License-Identifier: Apache-2.0
// What can be said in several ways.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "tests/unit/drawn_rewrites/patterns.h"

namespace dragoman::drawn {
namespace {

void IdleAttributes(Drawing& d) {
  const std::string dtype = d.FloatType();
  switch (d.Between(0, 4)) {
    case 0:
      d.MaybeRead(d.Node("AveragePool", {d.Input(dtype, {1, 2, 4, 4})},
                         "kernel_shape = [2, 2], count_include_pad = 1" +
                             d.Of({"", ", pads = [0, 0, 0, 0]", ", pads = [1, 0, 0, 0]",
                                   ", ceil_mode = 1", ", auto_pad = \"SAME_UPPER\""})));
      return;
    case 1:
      d.MaybeRead(d.Node("ConvTranspose", {d.Input(dtype, {1, 2, 3}), d.Weight(dtype, {2, 1, 2})},
                         "strides = [2], output_padding = " + d.Of({"[0]", "[0]", "[1]"})));
      return;
    case 2:
      d.MaybeRead(d.Node(
          "Resize", {d.Input(dtype, {1, 2, 3}), "", d.Constant("f32", {3}, [&] { return 1.5; })},
          "mode = " + d.Of({"\"nearest\"", "\"linear\"", "\"cubic\""}) +
              d.Of({", nearest_mode = \"ceil\"", ", cubic_coeff_a = -0.5"})));
      return;
    case 3: {
      const std::string said =
          d.Of({"input_axes", "input_directions", "output_axes", "output_directions"});
      const std::string attributes =
          "body = graph body(%s: f32[2], %r: f32[2]) -> (%n: f32[2], %n: f32[2]) { "
          "%n = onnx.Add(%s, %r) }, num_scan_inputs = 1, scan_" +
          said + " = " + d.Of({"[0]", "[0]", "[1]"});
      const Names operands = {d.Weight("f32", {2}), d.Input("f32", {2, 2})};
      d.MaybeRead(d.Nodes("Scan", operands, attributes, 2)[1]);
      return;
    }
    default:
      const std::string type = d.Of({"GRU", "LSTM", "RNN"});
      const std::int64_t gates = type == "GRU" ? 3 : type == "LSTM" ? 4 : 1;
      const std::string usual = type == "GRU"    ? "\"Sigmoid\", \"Tanh\""
                                : type == "LSTM" ? "\"Sigmoid\", \"Tanh\", \"Tanh\""
                                                 : "\"Tanh\"";
      const std::string said = d.Chance(80) ? usual : "\"Sigmoid\", \"Sigmoid\", \"Tanh\"";
      d.MaybeRead(d.Nodes(type,
                          {d.Input("f32", {2, 1, 2}), d.Weight("f32", {1, gates * 2, 2}),
                           d.Weight("f32", {1, gates * 2, 2})},
                          "hidden_size = 2, activations = [" + said + "]", 1)
                      .front());
  }
}

void Axes(Drawing& d) {
  const Sizes sizes = d.AnySizes(1, 3);
  const std::string type = d.Of({"Softmax", "LogSoftmax", "Concat", "ArgMax", "Gather", "Hardmax"});
  Names operands = {d.Input("f32", sizes)};
  if (type == "Concat") operands.push_back(operands[0]);
  if (type == "Gather") operands.push_back(d.Ints({0}));
  d.MaybeRead(d.Node(type, operands, fmt::format("axis = {}", d.Axis(sizes.size()))));
}

void Permutations(Drawing& d) {
  const Sizes sizes = d.AnySizes(1, 4);
  d.MaybeRead(d.Node("Transpose", {d.Input("f32", sizes)},
                     sizes.size() == 2 ? d.Of({"", "perm = [1, 0]", "perm = [0, 1]"}) : ""));
}

void AxesOfOperands(Drawing& d) {
  const Sizes sizes = d.AnySizes(1, 3);
  const bool puts = d.Chance(50);
  Sizes squeezed = sizes;
  const auto place = static_cast<std::size_t>(d.Between(0, std::ssize(sizes) - 1));
  squeezed[place] = 1;
  const std::string x = d.Input("f32", puts ? sizes : squeezed);
  const std::int64_t at = static_cast<std::int64_t>(place);
  const std::int64_t axis = d.Chance(30) ? at : at - std::ssize(sizes) - (puts ? 1 : 0);
  d.MaybeRead(
      d.Node(puts ? "Unsqueeze" : "Squeeze", {x, d.Chance(80) ? d.Ints({axis}) : d.Int(axis)}));
}

void Parts(Drawing& d) {
  const std::int64_t part = d.Between(1, 2), count = d.Between(1, 3);
  std::vector<std::int64_t> parts(static_cast<std::size_t>(count), part);
  if (d.Chance(15)) parts.back() += 1;
  std::int64_t total = 0;
  for (std::int64_t size : parts) total += size;
  const bool first = d.Chance(50);
  const std::string x =
      d.Input(d.FloatType(), first ? Sizes{d.Chance(90) ? total : kN, 2} : Sizes{d.Size(), total});
  const Names results =
      d.Nodes("Split", {x, d.Ints(parts)}, first ? d.Of({"", "axis = 0", "axis = -2"}) : "axis = 1",
              parts.size());
  for (const std::string& result : results) d.MaybeRead(result);
}

void Flattened(Drawing& d) {
  const Sizes sizes = d.AnySizes(1, 4);
  const auto rank = static_cast<std::int64_t>(sizes.size());
  d.MaybeRead(d.Node("Flatten", {d.Input(d.FloatType(), sizes)},
                     d.Chance(20) ? "" : fmt::format("axis = {}", d.Between(-rank, rank))));
}

void Resized(Drawing& d) {
  const Sizes sizes = {1, 2, d.Between(1, 3), d.Chance(90) ? d.Between(1, 3) : kN};
  std::vector<std::int64_t> target = {1, 2};
  for (std::size_t i = 2; i < 4; ++i)
    target.push_back(std::max<std::int64_t>(sizes[i], 1) * d.Between(1, 3) +
                     (d.Chance(25) ? 1 : 0));
  std::string text = "mode = " + d.Of({"\"nearest\"", "\"linear\"", "\"cubic\""});
  text += ", coordinate_transformation_mode = " +
          d.Of({"\"asymmetric\"", "\"half_pixel\"", "\"align_corners\"", "\"pytorch_half_pixel\""});
  if (d.Chance(30)) text += ", nearest_mode = " + d.Of({"\"floor\"", "\"ceil\""});
  if (d.Chance(10)) text += ", keep_aspect_ratio_policy = \"not_larger\"";
  d.MaybeRead(d.Node("Resize", {d.Input("f32", sizes), "", "", d.Ints(target)}, text));
}

void MeanOfPlanes(Drawing& d) {
  const std::string dtype = d.FloatType();
  const Sizes sizes = d.AnySizes(3, 5);
  std::vector<std::int64_t> axes;
  for (std::size_t i = d.Chance(90) ? 2 : 1; i < sizes.size(); ++i) {
    const auto axis = static_cast<std::int64_t>(i);
    axes.push_back(d.Chance(30) ? axis - std::ssize(sizes) : axis);
  }
  if (d.Chance(20)) std::ranges::reverse(axes);
  d.MaybeRead(d.Node("ReduceMean", {d.Input(dtype, sizes), d.Ints(axes)},
                     d.Of({"", "keepdims = 1", "keepdims = 0"})));
}

void ZeroBias(Drawing& d) {
  const std::string dtype = d.FloatType();
  const double number = d.Chance(85) ? 0 : 1;
  const std::string bias = d.Constant(dtype, {2}, [number] { return number; });
  switch (d.Between(0, 4)) {
    case 0:
      d.MaybeRead(d.Node("Conv", {d.Input(dtype, {1, 1, 3}), d.Weight(dtype, {2, 1, 2}), bias}));
      return;
    case 1:
      d.MaybeRead(
          d.Node("ConvTranspose", {d.Input(dtype, {1, 1, 3}), d.Weight(dtype, {1, 2, 2}), bias}));
      return;
    case 2:
      d.MaybeRead(
          d.Node("LayerNormalization", {d.Input(dtype, {3, 2}), d.Weight(dtype, {2}), bias}));
      return;
    case 3:
      d.MaybeRead(d.Node("Gemm", {d.Input(dtype, {d.Size(), 3}), d.Weight(dtype, {3, 2}), bias}));
      return;
    default:
      d.MaybeRead(d.Node("dragoman.Linear",
                         {d.Input(dtype, {d.Size(), 3}), d.Weight(dtype, {2, 3}), bias}));
  }
}

void Maxima(Drawing& d) {
  // Places that nothing reads become outputs, mostly.
  for (int i = 0; i < 6; ++i) {
    const Names results = d.Nodes("MaxPool", {d.Input(d.FloatType(), {1, d.KnownSize(), 4})},
                                  "kernel_shape = [2]", d.Chance(15) ? 1 : 2);
    d.MaybeRead(results[0]);
  }
}

void PoolOfSequences(Drawing& d) {
  const std::string dtype = d.FloatType();
  const std::int64_t length = d.Chance(90) ? d.Between(3, 5) : kN;
  const std::string images =
      d.Node("Unsqueeze", {d.Input(dtype, {d.Size(), 2, length}), d.Ints({d.Chance(92) ? 2 : 3})});
  std::string text = d.Chance(92) ? "kernel_shape = [1, 2]" : "kernel_shape = [2, 1]";
  if (d.Chance(50)) text += ", strides = [" + d.Of({"1, 2", "2, 2", "1, 1"}) + "]";
  if (d.Chance(50)) text += ", pads = [" + d.Of({"0, 1, 0, 1", "0, 0, 0, 1", "1, 0, 0, 0"}) + "]";
  const std::string type = d.Of({"AveragePool", "MaxPool", "LpPool", "GlobalAveragePool"});
  if (type == "MaxPool" && d.Chance(20)) text += ", storage_order = 1";
  const bool tells_places = type == "MaxPool" && d.Chance(50);
  const Names pooled =
      d.Nodes(type, {images}, type == "GlobalAveragePool" ? "" : text, tells_places ? 2 : 1);
  if (d.Chance(10)) d.Node("Neg", {pooled.front()});
  for (const std::string& y : pooled)
    d.MaybeRead(d.Node("Squeeze", {y, d.Ints({d.Chance(92) ? 2 : 3})}));
}

// Elements of an axis that are read again before and after it, or nearly so.
void Mirrors(Drawing& d) {
  const std::int64_t size = d.Between(1, 4), axis = d.Chance(90) ? 2 : 1;
  Sizes sizes = {1, 2, 2};
  sizes[static_cast<std::size_t>(axis)] = size;
  const std::int64_t before = d.Between(0, 3), behind = d.Between(0, 3);
  const bool mirrors = d.Chance(60);
  std::vector<std::int64_t> indices;
  for (std::int64_t place = -before; place < size + behind; ++place) {
    std::int64_t index = std::clamp<std::int64_t>(place, 0, size - 1);
    if (mirrors && place < 0) index = std::min(-place, size - 1);
    if (mirrors && place >= size) index = std::max<std::int64_t>(2 * (size - 1) - place, 0);
    indices.push_back(index);
  }
  if (d.Chance(10)) std::swap(indices.front(), indices.back());
  d.MaybeRead(d.Node("Gather", {d.Input(d.NumberType(), sizes), d.Ints(indices)},
                     "axis = " + std::to_string(axis)));
}

void Shuffles(Drawing& d) {
  const std::int64_t b = d.Chance(90) ? 2 : 1, other = d.Chance(90) ? b : 2;
  const std::int64_t n = d.Between(1, 2), c = d.Between(1, 2), h = d.Between(1, 2), w = 2;
  const std::string x = d.Input(d.NumberType(), {n, c * b * other, h, w});
  const std::string blocks = d.Node("Reshape", {x, d.Ints({n, c, b, other, h, w})});
  const std::string order =
      d.Of({"[0, 1, 4, 2, 5, 3]", "[0, 1, 4, 2, 5, 3]", "[0, 1, 4, 3, 5, 2]"});
  const std::string moved = d.Node("Transpose", {blocks}, "perm = " + order);
  const Sizes whole = {n, c, h * b, w * other}, flat = {n, c * h * b, w * other};
  d.MaybeRead(d.Node("Reshape", {moved, d.Ints(d.Chance(90) ? whole : flat)}));
}

// Elements `begin` to `end` of an axis.
std::string Cut(Drawing& d, const std::string& x, std::int64_t begin, std::int64_t end,
                std::int64_t axis) {
  return d.Node("Slice", {x, d.Ints({begin}), d.Ints({end}), d.Ints({axis})});
}

// The ends of an axis joined to its other ends, or nearly so, perhaps cut out of what holds them.
void JoinedEnds(Drawing& d) {
  const Sizes sizes = {d.Between(1, 2), d.Between(3, 4), d.Between(3, 5)};
  const std::int64_t axis = d.Chance(90) ? 2 : 1;
  const std::int64_t size = sizes[static_cast<std::size_t>(axis)];
  const std::string input = d.Input(d.NumberType(), sizes);
  std::string x = input;
  std::int64_t from = 0;
  if (d.Chance(40)) {  // with room before and after
    const std::string room = Cut(d, d.Input("f32", sizes), 0, 1, axis);
    x = d.Node("Concat", {room, x, room}, "axis = " + std::to_string(axis));
    from = 1;
  }
  const std::int64_t before = d.Between(1, size), behind = d.Between(1, size);
  const std::int64_t shift = d.Chance(85) ? 0 : d.Between(-1, 1);
  Names parts;
  if (d.Chance(80)) parts.push_back(Cut(d, x, from + size - before + shift, from + size, axis));
  parts.push_back(from == 0 || d.Chance(30) ? x : Cut(d, x, from, from + size, axis));
  if (d.Chance(80)) parts.push_back(Cut(d, x, from, from + behind + shift, axis));
  d.MaybeRead(d.Node("Concat", parts, "axis = " + std::to_string(axis)));
}

// One Pad, mostly by elements, of some axes or of all.
std::string PadOf(Drawing& d, const std::string& x, std::size_t rank) {
  const bool all = d.Chance(40);
  const std::size_t count = all ? rank : 1;
  std::vector<std::int64_t> pads(2 * count, 0);
  for (std::int64_t& pad : pads) pad = d.Chance(50) ? d.Between(0, 1) : 0;
  Names operands = {x, d.Ints(pads)};
  if (!all) {
    operands.emplace_back("");
    operands.push_back(d.Ints({d.Axis(rank)}));
  }
  return d.Node("Pad", operands,
                "mode = \"" + d.Of({"wrap", "wrap", "reflect", "edge", "edge", "constant"}) + "\"");
}

void PadsOfElements(Drawing& d) {
  const Sizes sizes = {d.Between(2, 3), d.Between(2, 3), d.Between(2, 3)};
  std::string y = PadOf(d, d.Input(d.NumberType(), sizes), sizes.size());
  const bool cuts = d.Chance(50);
  if (cuts) y = Cut(d, y, d.Between(0, 1), d.Between(1, 2), d.Axis(sizes.size()));
  if (!cuts || d.Chance(30)) y = PadOf(d, y, sizes.size());
  d.MaybeRead(y);
}

void IdleOperands(Drawing& d) {
  const std::string x =
      d.Input("f32", {1, 2, d.Between(2, 4), d.Chance(80) ? d.Between(2, 4) : kN});
  switch (d.Between(0, 2)) {
    case 0:
      d.MaybeRead(d.Node("Trilu", {x, d.Int(d.Chance(70) ? 0 : d.Between(-1, 1))},
                         d.Of({"", "upper = 0", "upper = 1"})));
      return;
    case 1:
      d.MaybeRead(d.Node("Slice", {x, d.Ints({0}), d.Ints({2}), d.Ints({d.Axis(4)}),
                                   d.Ints({d.Chance(80) ? 1 : 2})}));
      return;
    default:
      const std::string roi =
          d.Constant("f32", {8}, [n = 0]() mutable { return n++ < 4 ? 0.2 : 0.9; });
      d.MaybeRead(d.Node(
          "Resize",
          {x, roi, d.Constant("f32", {4}, [n = 0]() mutable { return n++ < 2 ? 1.0 : 2.0; })},
          "mode = \"linear\", coordinate_transformation_mode = " +
              d.Of({"\"half_pixel\"", "\"asymmetric\"", "\"tf_crop_and_resize\""})));
  }
}

void CutAxes(Drawing& d) {
  const std::string x = d.Input("f32", {d.Between(1, 3), d.Between(1, 3), d.Chance(80) ? 2 : kN});
  const std::string type = d.Of({"i32", "i64"});
  const bool one = d.Chance(40);
  const auto bounds = [&](std::vector<double> numbers) {
    if (one) numbers.resize(1);
    return d.Constant(type, {static_cast<std::int64_t>(numbers.size())},
                      [numbers, n = std::size_t{0}]() mutable { return numbers[n++]; });
  };
  Names operands = {x, bounds({0, 1}), bounds({2, -1})};
  if (d.Chance(25)) operands.push_back(bounds({1, 0}));
  if (operands.size() == 4 && d.Chance(30)) operands.push_back(bounds({1, 1}));
  d.MaybeRead(d.Node("Slice", operands));
}

void SummedAxes(Drawing& d) {
  const Sizes sizes = d.AnySizes(1, 3);
  const auto axis = static_cast<double>(d.Axis(sizes.size()));
  const std::string at =
      d.Constant(d.Of({"i32", "i64"}), d.Chance(80) ? Sizes{} : Sizes{1}, [axis] { return axis; });
  d.MaybeRead(d.Node("CumSum", {d.Input("f32", sizes), at}, d.Of({"", "reverse = 1"})));
}

// Fourier transforms of pairs along two axes, in either order.
void Transforms(Drawing& d) {
  std::string x = d.Input("f32", {d.Between(1, 2), d.Between(1, 3), d.Between(1, 3), 2});
  const std::int64_t axis = d.Between(0, 2), next = d.Between(0, 2);
  x = d.Node("DFT", {x, d.Chance(92) ? "" : d.Int(2), d.Int(axis)}, d.Of({"", "", "inverse = 1"}));
  if (d.Chance(10)) d.Node("Neg", {x});
  d.MaybeRead(d.Node("DFT", {x, "", d.Int(next)}, d.Of({"", "", "inverse = 1", "onesided = 1"})));
}

void Fills(Drawing& d) {
  const std::string dtype = d.NumberType();
  const Sizes sizes = d.Chance(70) ? Sizes{} : Sizes(static_cast<std::size_t>(d.Between(1, 2)), 1);
  const std::string number = d.Chance(85) ? d.Numbers(dtype, sizes) : d.Input(dtype, sizes);
  d.MaybeRead(d.Node("Expand", {number, d.Ints({d.Between(1, 3), d.Between(1, 3)})}));
}

void WidenedSums(Drawing& d) {
  const Sizes sizes = d.AnySizes(1, 3);
  const auto code = [](const std::string& dtype) {
    return fmt::format("to = {}", TypeNumber(dtype));
  };
  const std::string narrow = d.Of({"i32", "i32", "u32", "i16", "f32"});
  const std::string wide = d.Of({"i64", "i64", "i64", "u64", "i32", "f64"});
  const std::string widened = d.Node("Cast", {d.Input(narrow, sizes)}, code(wide));
  std::string sum = d.Node("CumSum", {widened, d.Int(d.Axis(sizes.size()))},
                           d.Of({"", "", "exclusive = 1", "reverse = 1, exclusive = 1"}));
  d.MaybeRead(d.Node("Cast", {sum}, code(d.Chance(85) ? narrow : "i32")));
}

void SomeSizes(Drawing& d) {
  const Sizes sizes = d.AnySizes(1, 4);
  const auto rank = static_cast<std::int64_t>(sizes.size());
  const std::string all = d.Node("Shape", {d.Input("f32", sizes)}, d.Chance(15) ? "start = 1" : "");
  Names operands = {all, d.Ints({d.Between(-1, rank)}), d.Ints({d.Between(-1, rank + 1)}),
                    d.Ints({0})};
  if (d.Chance(15)) operands.push_back(d.Ints({2}));
  d.MaybeRead(d.Node("Slice", operands));
}

void JoinedSizes(Drawing& d) {
  const Sizes sizes = d.AnySizes(1, 4);
  const std::string x = d.Input("f32", sizes);
  const auto rank = static_cast<std::int64_t>(sizes.size());
  const std::int64_t from = d.Between(0, rank - 1), count = d.Between(1, rank - from);
  Names parts;
  for (std::int64_t axis = from; axis < from + count; ++axis) {
    const std::int64_t read = d.Chance(10) ? d.Between(0, rank - 1) : axis;
    if (d.Chance(30)) {
      parts.push_back(d.Ints({d.Chance(80) ? sizes[static_cast<std::size_t>(read)] : 2}));
    } else {
      const std::string ends =
          "start = " + std::to_string(read) + ", end = " + std::to_string(read + 1);
      parts.push_back(d.Node("Shape", {x}, ends));
    }
  }
  d.MaybeRead(d.Node("Concat", parts, "axis = 0"));
}

void Truths(Drawing& d) {
  const std::string type = d.Chance(20) ? d.Of({"bool", "f64", "u8", "i64"}) : d.NumberType();
  const Sizes sizes = d.AnySizes(0, 3);
  Names operands = {d.Input(type, sizes),
                    d.Constant(type, d.Chance(70) ? Sizes() : Sizes(d.Between(1, 3), 1),
                               [&] { return d.Chance(85) ? 0.0 : 1.0; })};
  if (d.Chance(50)) std::swap(operands[0], operands[1]);
  d.MaybeRead(d.Node("Not", {d.Node("Equal", operands)}));
}

// Numbers of truths, the largest or smallest of them, and whether that is more than nothing; also
// of none.
void Extremes(Drawing& d, const std::string& usual, const std::string& other) {
  const std::string type = d.Chance(85) ? "bool" : "u8", as = d.Of({"2", "2", "3", "7", "1"});
  const std::string numbers = d.Node("Cast", {d.Input(type, {2, d.Between(0, 3)})}, "to = " + as);
  const std::string largest =
      d.Node(d.Chance(90) ? usual : other, {numbers, d.Ints({d.Chance(80) ? 1 : 0})},
             d.Of({"", "keepdims = 0"}));
  if (d.Chance(50)) {
    d.MaybeRead(d.Node("Cast", {largest}, "to = 9"));
    return;
  }
  const std::string dtype = as == "2" ? "u8" : as == "3" ? "i8" : as == "7" ? "i64" : "f32";
  const double least = d.Chance(85) ? 0.0 : 1.0;
  d.MaybeRead(d.Node(d.Chance(92) ? "Greater" : "GreaterOrEqual",
                     {largest, d.Constant(dtype, {}, [&] { return least; })}));
}

void Anys(Drawing& d) { Extremes(d, "ReduceMax", "ReduceMin"); }

void Alls(Drawing& d) { Extremes(d, "ReduceMin", "ReduceMax"); }

// The largest or smallest numbers along an axis, or infinity where that is all that there is.
void GuardedExtremes(Drawing& d) {
  const std::string type = d.Of({"f32", "f32", "f32", "f16", "f64"});
  const bool is_least = d.Chance(50);
  const double bound = is_least != d.Chance(8) ? HUGE_VAL : -HUGE_VAL;
  InputData data;
  for (int i = 0; i < 4; ++i)
    data.fixed.push_back(d.Chance(70) ? bound : d.Of<double>({1, -bound}));
  const std::string x = d.Input(type, {2, 2}, data);
  const std::string infinity = d.Constant(type, {}, [&] { return bound; });
  const std::string axes = d.Ints({d.Chance(85) ? 1 : 0}), keep = d.Of({"", "keepdims = 0"});
  const std::string usual = is_least ? "ReduceMin" : "ReduceMax";
  const std::string other = is_least ? "ReduceMax" : "ReduceMin";
  const auto reduce = [&](const std::string& of) {
    return d.Node(d.Chance(92) ? usual : other, {of, d.Chance(92) ? axes : d.Ints({0})}, keep);
  };
  const std::string is = d.Node("Equal", {x, infinity});
  const std::string extreme = reduce(d.Chance(92) ? x : d.Node("Neg", {x}));
  if (is_least) {
    d.MaybeRead(d.Node("Where", {reduce(is), infinity, extreme}));
    return;
  }
  const std::string number = d.Node("Cast", {is}, "to = 1");
  const std::string one = d.Constant("f32", {}, [&] { return d.Chance(92) ? 1.0 : 2.0; });
  const std::string zero = d.Constant("f32", {}, [] { return 0.0; });
  const std::string any = d.Node("Greater", {reduce(d.Node("Sub", {one, number})), zero});
  d.MaybeRead(d.Node("Where", {any, extreme, infinity}));
}

void Sums(Drawing& d) {
  const std::string type = d.FloatType();
  const Sizes sizes = d.AnySizes(0, 3);
  Names operands = {d.Input(type, sizes), d.Input(type, d.Chance(50) ? sizes : Sizes{})};
  if (d.Chance(20)) operands.push_back(d.Input(type, {}));
  d.MaybeRead(d.Node("Sum", operands));
}

void Swishes(Drawing& d) {
  d.MaybeRead(d.Node("Swish", {d.Input(d.FloatType(), d.AnySizes(0, 3))},
                     d.Of({"", "", "alpha = 1.0", "alpha = 2.0"})));
}

void Squares(Drawing& d) {
  const std::string type = d.Chance(85) ? d.FloatType() : "i64";
  const std::string exponent =
      d.Constant(d.Chance(80) ? type : "i64", d.Chance(60) ? Sizes{} : Sizes(d.Between(1, 3), 1),
                 [&] { return d.Chance(85) ? 2.0 : 3.0; });
  d.MaybeRead(d.Node("Pow", {d.Input(type, d.AnySizes(0, 2)), exponent}));
}

void Roots(Drawing& d) {
  const std::string x = d.Input(d.Chance(85) ? "f32" : "f64", d.AnySizes(1, 3));
  std::string square = d.Node("Mul", {x, d.Chance(92) ? x : d.Node("Neg", {x})});
  if (d.Chance(90)) square = d.Node(d.Of({"ReduceSum", "ReduceMean"}), {square, d.Ints({-1})});
  const std::string exponent =
      d.Constant("f32", d.Chance(80) ? Sizes{} : Sizes{1}, [&] { return d.Chance(90) ? 0.5 : 2; });
  d.MaybeRead(d.Node("Pow", {square, exponent}));
}

// Reductions that keep the axes or not, and what puts them back; a sum divided by some number, and
// a mean multiplied by it.
void Reductions(Drawing& d) {
  const Sizes sizes = d.AnySizes(1, 3);
  const auto rank = std::ssize(sizes);
  std::vector<std::int64_t> axes = {d.Axis(sizes.size())};
  if (rank > 1 && d.Chance(40)) axes = {0, rank - 1};
  Names operands = {d.Input("f32", sizes)};
  const bool all = d.Chance(15);
  if (!all) operands.push_back(d.Ints(axes));
  std::string y = d.Node(d.Of({"ReduceSum", "ReduceSum", "ReduceMean", "ReduceMax"}), operands,
                         d.Of({"keepdims = 0", "keepdims = 0", "keepdims = 1", ""}));
  std::int64_t count = 1;
  for (const std::int64_t axis : axes)
    count *= sizes[static_cast<std::size_t>((axis + rank) % rank)];
  if (all)
    count = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
  if (d.Chance(40)) {
    const double number = static_cast<double>(d.Chance(85) ? count : 2);
    y = d.Node(
        d.Of({"Div", "Div", "Mul"}),
        {y, d.Constant("f32", d.Chance(85) ? Sizes{} : Sizes{1, 1}, [=] { return number; })});
  }
  if (d.Chance(10)) d.Node("Neg", {y});
  if (d.Chance(65)) y = d.Node("Unsqueeze", {y, d.Ints(d.Chance(90) ? axes : Sizes{0})});
  d.MaybeRead(y);
}

// Sums that are divided before their axes come back, by a number or by numbers of more axes.
void DividedSums(Drawing& d) {
  const Sizes sizes = d.AnySizes(1, 3);
  const std::string axis = d.Ints({d.Axis(sizes.size())});
  const std::string sum =
      d.Node(d.Of({"ReduceSum", "ReduceSum", "ReduceMax"}), {d.Input("f32", sizes), axis},
             d.Chance(85) ? "keepdims = 0" : "keepdims = 1");
  const Sizes of_divisor = d.Of<Sizes>({{}, {}, {}, {1}, {1, 1}});
  const std::string divisor = d.Constant("f32", of_divisor, [] { return 7.0; });
  const std::string quotient = d.Node("Div", {d.MaybeRead(sum), divisor});
  d.MaybeRead(d.Node("Unsqueeze", {quotient, d.Chance(80) ? axis : d.Ints({0})}));
}

}  // namespace

std::span<const DrawnPattern> DrawnSpellings() {
  static constexpr DrawnPattern kDrawn[] = {
      {"omit-idle-attribute", IdleAttributes},
      {"count-axis-from-front", Axes},
      {"state-permutation", Permutations},
      {"count-axes-from-front", AxesOfOperands},
      {"split-evenly", Parts},
      {"spell-flatten", Flattened},
      {"resize-by-scales", Resized, Exactness::kRounded},
      {"spell-mean-of-planes", MeanOfPlanes, Exactness::kRounded},
      {"omit-zero-bias", ZeroBias, Exactness::kRounded},
      {"omit-places", Maxima},
      {"omit-idle-operand", IdleOperands},
      {"state-cut-axes", CutAxes},
      {"count-summed-axis", SummedAxes},
      {"order-transforms", Transforms, Exactness::kRounded},
      {"spell-fill", Fills},
      {"narrow-sum", WidenedSums},
      {"read-some-sizes", SomeSizes},
      {"join-sizes", JoinedSizes},
      {"read-truth", Truths},
      {"read-any", Anys},
      {"read-all", Alls},
      {"read-extreme", GuardedExtremes},
      {"spell-sum", Sums},
      {"spell-swish", Swishes, Exactness::kRounded},
      {"spell-square", Squares, Exactness::kRounded},
      {"spell-root", Roots, Exactness::kRounded},
      {"spell-mean", Reductions, Exactness::kRounded},
      {"keep-reduced-axes", Reductions},
      {"keep-divided-axes", DividedSums},
      {"pool-sequences", PoolOfSequences},
      {"read-depth-to-space", Shuffles},
      {"read-wrap", JoinedEnds},
      {"read-mirror", Mirrors},
      {"pad-all-axes", PadsOfElements},
      {"cut-before-pad", PadsOfElements},
      {"merge-pads", PadsOfElements},
  };
  return kDrawn;
}

}  // namespace dragoman::drawn
