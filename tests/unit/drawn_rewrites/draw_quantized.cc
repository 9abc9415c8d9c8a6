// SPDX-License-Identifier: Apache-2.0
// Operators between quantised tensors.
#include <algorithm>

#include <fmt/format.h>

#include "tests/unit/drawn_rewrites/patterns.h"

namespace dragoman::drawn {
namespace {

// A scale and a zero point.
struct Grid {
  std::string dtype = "i8";
  std::string scale, zero;  // zero "": none
  std::string attributes;
};

std::string Scale(Drawing& d, const Sizes& sizes, const std::string& dtype = "f32") {
  return d.Constant(dtype, sizes, [&] {
    if (d.Chance(2)) return d.Chance(50) ? -0.5 : 0.0;
    return d.Chance(3) ? (d.Chance(50) ? 3e37 : 1e-37) : static_cast<double>(d.Between(1, 8)) / 16;
  });
}

Grid AnyGrid(Drawing& d, std::size_t rank, bool per_axis = false, std::int64_t count = 1,
             std::int64_t axis = 1) {
  Grid grid;
  grid.dtype = d.Chance(92) ? d.Of({"i8", "u8"}) : d.Of({"i32", "i16", "u16"});
  const Sizes sizes = per_axis ? Sizes{count} : d.Chance(90) ? Sizes() : Sizes{1};
  grid.scale = d.Chance(94) ? Scale(d, sizes, d.Chance(95) ? "f32" : "f16")
                            : d.Input("f32", sizes, {.low = 0.25, .high = 1});
  if (d.Chance(80)) {
    const bool centred = d.Chance(40) || grid.dtype == "i32";
    grid.zero =
        d.Chance(95)
            ? d.Constant(grid.dtype, sizes,
                         [&] {
                           if (centred) return 0.0;
                           return static_cast<double>(d.Chance(25) ? (grid.dtype == "i8" ? -128 : 0)
                                                                   : d.Between(-20, 20));
                         })
            : d.Input(grid.dtype, sizes, {.low = 0, .high = 5});
  }
  if (per_axis || d.Chance(15)) grid.attributes = fmt::format("axis = {}", axis);
  (void)rank;
  return grid;
}

std::string Quantized(Drawing& d, const std::string& x, const Grid& grid) {
  Names operands = {x, grid.scale};
  if (!grid.zero.empty()) operands.push_back(grid.zero);
  return d.Node("QuantizeLinear", operands, grid.attributes);
}

std::string Dequantized(Drawing& d, const std::string& x, const Grid& grid) {
  Names operands = {x, grid.scale};
  if (!grid.zero.empty()) operands.push_back(grid.zero);
  return d.Node("DequantizeLinear", operands, grid.attributes);
}

InputData Whole(const std::string& dtype) {
  if (dtype == "i8") return {.low = -128, .high = 127};
  if (dtype == "u8") return {.low = 0, .high = 255};
  return {.low = dtype[0] == 'u' ? 0.0 : -1000.0, .high = 1000};
}

// Where a tensor of integers comes from.
std::string Integers(Drawing& d, const std::string& dtype, const Sizes& sizes) {
  const std::string x = d.Input(dtype, sizes, Whole(dtype));
  return d.Chance(50) ? d.Node("Clip", {x}) : x;
}

// One that only moves or compares elements, or nearly so.
std::string Moved(Drawing& d, const std::string& x, const Sizes& sizes) {
  const auto rank = std::ssize(sizes);
  switch (d.Between(0, 11)) {
    case 0:
      return d.Node("Flatten", {x}, fmt::format("axis = {}", d.Between(0, rank)));
    case 1:
      return d.Node("Gather", {x, d.Chance(50) ? d.Ints({0, -1}) : d.Int(0)},
                    fmt::format("axis = {}", d.Axis(sizes.size())));
    case 2:
      return d.Node("Identity", {x});
    case 3:
      return d.Node("Reshape", {x, d.Ints({-1})});
    case 4:
      return d.Node("Slice", {x, d.Ints({0}), d.Ints({d.Between(1, 2)}), d.Ints({0})});
    case 5:
      return d.Node("Unsqueeze", {x, d.Ints({0})});
    case 6:
      return d.Node("Tile", {x, d.Ints(std::vector<std::int64_t>(sizes.size(), 2))});
    case 7:
      return d.Node("Expand", {x, d.Ints({1})});
    case 8:
      return d.Node("Transpose", {x});
    case 9:
      return d.Node("Pad", {x, d.Ints(std::vector<std::int64_t>(2 * sizes.size(), 1))});
    case 10:
      return d.Node(d.Of({"DepthToSpace", "SpaceToDepth"}), {x}, "blocksize = 2");
    default: {
      if (rank < 3) return d.Node("Neg", {x});
      const auto spatial = static_cast<std::size_t>(rank - 2);
      const auto list = [&](std::size_t count, std::int64_t low, std::int64_t high) {
        std::vector<std::int64_t> values(count);
        for (std::int64_t& value : values) value = d.Between(low, high);
        return "[" + List(values) + "]";
      };
      std::string text = "kernel_shape = " + list(spatial, 1, 3);
      if (d.Chance(50)) text += ", pads = " + list(2 * spatial, 0, 2);
      if (d.Chance(50)) text += ", strides = " + list(spatial, 1, 3);
      if (d.Chance(20)) text += ", dilations = " + list(spatial, 1, 2);
      if (d.Chance(30)) text += ", ceil_mode = 1";
      if (text.find("pads") == std::string::npos && d.Chance(25)) {
        text += ", auto_pad = \"" + d.Of({"SAME_UPPER", "SAME_LOWER", "VALID"}) + "\"";
      }
      const bool two = d.Chance(15);
      const bool averages = !two && d.Chance(15);
      return d.Nodes(averages ? "AveragePool" : "MaxPool", {x}, text, two ? 2 : 1).front();
    }
  }
}

Sizes ImageSizes(Drawing& d) {
  return d.Chance(50)
             ? d.AnySizes(1, 3)
             : Sizes{d.Between(1, 2), d.Chance(50) ? 4 : 1, d.Between(2, 5), d.Between(2, 4)};
}

Grid GridFor(Drawing& d, const Sizes& sizes) {
  const std::int64_t axis = d.Axis(sizes.size());
  const std::int64_t along =
      sizes.empty() ? 1
                    : sizes[static_cast<std::size_t>(axis < 0 ? axis + std::ssize(sizes) : axis)];
  const bool per_axis = along > 0 && d.Chance(8);
  return AnyGrid(d, sizes.size(), per_axis, along, axis);
}

void MoveBehind(Drawing& d) {
  const Sizes sizes = ImageSizes(d);
  const Grid grid = GridFor(d, sizes);
  std::string y = Dequantized(d, Integers(d, grid.dtype, sizes), grid);
  for (std::int64_t i = d.Between(1, 2); i > 0; --i) y = Moved(d, y, sizes);
  if (d.Chance(50)) Quantized(d, y, d.Chance(70) ? grid : AnyGrid(d, 1));
}

void MoveBehindConcat(Drawing& d) {
  const Sizes sizes = d.AnySizes(1, 3);
  const Grid grid = GridFor(d, sizes);
  Names parts;
  for (std::int64_t i = d.Between(1, 3); i > 0; --i) {
    const Grid own = d.Chance(92) ? grid : AnyGrid(d, sizes.size());
    parts.push_back(Dequantized(d, Integers(d, own.dtype, sizes), own));
    if (d.Chance(5)) parts.push_back(parts.front());
    if (d.Chance(4)) parts.push_back(d.Input("f32", sizes));
  }
  const std::string y = d.Node("Concat", parts, fmt::format("axis = {}", d.Axis(sizes.size())));
  if (d.Chance(50)) Quantized(d, y, grid);
}

void MoveBehindRelu(Drawing& d) {
  const Sizes sizes = d.AnySizes(0, 3);
  const Grid grid = GridFor(d, sizes);
  const std::string x = Dequantized(d, Integers(d, grid.dtype, sizes), grid);
  const std::string y = d.Node(d.Chance(92) ? "Relu" : d.Of({"LeakyRelu", "Abs"}), {x});
  if (d.Chance(50)) Quantized(d, y, grid);
}

void Pair(Drawing& d) {
  const Sizes sizes = d.AnySizes(0, 3);
  const Grid grid = GridFor(d, sizes);
  const std::string x = Dequantized(d, Integers(d, grid.dtype, sizes), grid);
  Quantized(d, x, d.Chance(75) ? grid : AnyGrid(d, sizes.size()));
}

void QuantizedConstant(Drawing& d) {
  const Sizes sizes = d.KnownSizes(0, 3);
  const std::int64_t axis = d.Axis(sizes.size());
  const std::int64_t along =
      sizes.empty() ? 1
                    : sizes[static_cast<std::size_t>(axis < 0 ? axis + std::ssize(sizes) : axis)];
  const Grid grid = AnyGrid(d, sizes.size(), along > 0 && d.Chance(30), along, axis);
  const std::string x = d.Weight(d.Chance(85) ? "f32" : d.Of({"f16", "i32"}), sizes);
  const std::string y = Quantized(d, x, grid);
  if (d.Chance(50)) Dequantized(d, y, grid);
}

// A weight as 8 bits, with one scale or as many as it has entries along `axis`.
std::string QuantizedWeight(Drawing& d, const Sizes& sizes, std::int64_t axis) {
  const std::int64_t wrong = d.Chance(93) ? axis : d.Between(0, std::ssize(sizes) - 1);
  const bool per_axis = d.Chance(40);
  Grid grid = AnyGrid(d, sizes.size(), per_axis, sizes[static_cast<std::size_t>(wrong)],
                      d.Chance(25) ? wrong - std::ssize(sizes) : wrong);
  if (d.Chance(8)) return Dequantized(d, Integers(d, grid.dtype, sizes), grid);
  const std::string numbers = d.Constant(grid.dtype, sizes, [&] {
    return static_cast<double>(d.Between(grid.dtype[0] == 'u' ? 0 : -100, 100));
  });
  return Dequantized(d, numbers, grid);
}

std::string Activated(Drawing& d, const std::string& x) {
  switch (d.Between(0, 5)) {
    case 0:
      return d.Node("Relu", {x});
    case 1: {
      Names operands = {x, d.Chance(70) ? d.Constant("f32", {}, [] { return -1.0; }) : ""};
      if (d.Chance(70))
        operands.push_back(d.Constant("f32", {}, [&] { return d.Chance(90) ? 6.0 : -2.0; }));
      return d.Node("Clip", operands);
    }
    case 2:
      return d.Chance(20) ? d.Node("Sigmoid", {x}) : x;
    default:
      return x;
  }
}

// A bias in units of 1/256, or any.
std::string IntegerBias(Drawing& d, std::int64_t count) {
  switch (d.Between(0, 4)) {
    case 0:
      return "";
    case 1: {
      const Sizes sizes = {d.Chance(92) ? count : 1};
      const std::string numbers =
          d.Constant("i32", sizes, [&] { return static_cast<double>(d.Between(-500, 500)); });
      const std::string scale = d.Constant("f32", {}, [&] {
        return 1.0 / static_cast<double>(d.Of<int>({256, 64, 16, 100}));
      });
      return d.Node("DequantizeLinear", {numbers, scale});
    }
    case 2:
      return d.Constant("f32", {count},
                        [&] { return static_cast<double>(d.Between(-500, 500)) / 256; });
    default:
      return d.Weight("f32", {count});
  }
}

void IntegerProduct(Drawing& d) {
  const bool is_conv = d.Chance(45);
  std::string y;
  if (is_conv) {
    const std::int64_t groups = d.Chance(80) ? 1 : 2;
    const std::int64_t in = groups * d.Between(1, 2), out = groups * d.Between(1, 2);
    const auto spatial = static_cast<std::size_t>(d.Between(1, 2));
    Sizes sizes = {d.Size(), in}, weight = {out, in / groups};
    for (std::size_t i = 0; i < spatial; ++i) {
      sizes.push_back(d.Between(2, 4));
      weight.push_back(d.Between(1, 2));
    }
    const Grid grid = GridFor(d, sizes);
    Names operands = {Dequantized(d, Integers(d, grid.dtype, sizes), grid),
                      QuantizedWeight(d, weight, 0)};
    const std::string bias = IntegerBias(d, out);
    if (!bias.empty()) operands.push_back(bias);
    std::string text = fmt::format("group = {}", groups);
    if (d.Chance(50)) text += ", pads = [" + List(std::vector<std::int64_t>(2 * spatial, 1)) + "]";
    if (d.Chance(20)) text += ", strides = [" + List(std::vector<std::int64_t>(spatial, 2)) + "]";
    y = d.Node("Conv", operands, text);
  } else {
    const std::int64_t in = d.KnownSize(), out = d.KnownSize();
    const std::string op = d.Of({"MatMul", "MatMul", "Gemm", "dragoman.Linear"});
    Sizes sizes = op == "Gemm" ? Sizes{} : d.AnySizes(0, 2);
    if (sizes.empty() && (op == "Gemm" || d.Chance(80))) sizes.push_back(d.Size());
    const std::int64_t rows = sizes.empty() ? 1 : sizes.back();
    sizes.push_back(in);
    const Grid grid = GridFor(d, sizes);
    const std::string x = Dequantized(d, Integers(d, grid.dtype, sizes), grid);
    const bool swaps = op == "dragoman.Linear" || (op == "Gemm" && d.Chance(50));
    const bool turned = d.Chance(25);
    std::string weight = QuantizedWeight(d, swaps != turned ? Sizes{out, in} : Sizes{in, out},
                                         swaps != turned ? 0 : 1);
    if (turned) weight = d.Node("Transpose", {weight}, d.Chance(50) ? "perm = [1, 0]" : "");
    if (op == "MatMul" && d.Chance(10)) {
      const Grid own = AnyGrid(d, 3);
      weight = Dequantized(d, Integers(d, own.dtype, {2, in, out}), own);
    }
    Names operands = {x, weight};
    std::string bias = IntegerBias(d, out);
    if (op == "Gemm" && d.Chance(20)) bias = d.Input("f32", {rows, d.Chance(50) ? out : 1});
    if (op != "MatMul" && !bias.empty()) operands.push_back(bias);
    std::string text;
    if (op == "Gemm") {
      text = fmt::format("transB = {}", swaps ? 1 : 0);
      if (d.Chance(8)) text += ", alpha = 0.5";
      if (d.Chance(8)) text += ", beta = 0.5";
    }
    y = d.Node(op, operands, text);
    if (op == "MatMul" && !bias.empty() && d.Chance(50)) y = d.Node("Add", {y, bias});
  }
  y = Activated(d, y);
  if (d.Chance(60)) Quantized(d, y, AnyGrid(d, 1));
}

}  // namespace

std::span<const DrawnPattern> DrawnQuantized() {
  static constexpr DrawnPattern kDrawn[] = {
      {"move-behind", MoveBehind},
      {"move-behind-concat", MoveBehindConcat},
      {"move-behind-relu", MoveBehindRelu},
      {"drop-pair", Pair},
      {"quantize-constant", QuantizedConstant},
      {"use-quantized-result", IntegerProduct, Exactness::kNearest},
      {"use-integer-sum", IntegerProduct, Exactness::kNearest},
  };
  return kDrawn;
}

}  // namespace dragoman::drawn
