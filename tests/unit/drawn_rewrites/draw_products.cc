// SPDX-License-Identifier: Apache-2.0
// Products with weights, and functions that are spelled out.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "tests/unit/drawn_rewrites/patterns.h"

namespace dragoman::drawn {
namespace {

// What is added to rows of `columns` numbers, or nearly that; "" for nothing.
std::string Bias(Drawing& d, const std::string& dtype, std::int64_t rows, std::int64_t columns) {
  switch (d.Between(0, 7)) {
    case 0:
      return "";
    case 1:
      return d.Weight(dtype, {});
    case 2:
      return d.Weight(dtype, {1});
    case 3:
      return d.Weight(dtype, {1, columns});
    case 4:
      return rows < 0 ? d.Input(dtype, {rows, 1}) : d.Weight(dtype, {rows, 1});
    case 5:
      return d.Chance(50) ? d.Input(dtype, {rows, columns}) : d.Weight(dtype, {1, 1, columns});
    default:
      return d.Weight(dtype, {columns});
  }
}

std::string WeightOf(Drawing& d, const std::string& dtype, std::int64_t in, std::int64_t out) {
  switch (d.Between(0, 5)) {
    case 0: {
      const std::string transposed = d.Weight(dtype, {out, in});
      return d.Node("Transpose", {transposed}, d.Chance(50) ? "perm = [1, 0]" : "");
    }
    case 1:
      return d.Chance(30) ? d.Node("Transpose", {d.Weight(dtype, {in, out})}, "perm = [0, 1]")
                          : d.Weight(dtype, {in, out});
    default:
      return d.Weight(dtype, {in, out});
  }
}

std::string ProductType(Drawing& d) { return d.Chance(10) ? "i32" : d.FloatType(); }

std::string GemmAttributes(Drawing& d, bool swaps_x, bool swaps_weight) {
  std::string text = fmt::format("transA = {}, transB = {}", swaps_x ? 1 : 0, swaps_weight ? 1 : 0);
  if (d.Chance(20)) text += ", alpha = " + d.Of({"1.0", "0.5", "-1.0", "0.0"});
  if (d.Chance(20)) text += ", beta = " + d.Of({"1.0", "0.5", "-1.0", "0.0"});
  return text;
}

// onnx.Gemm of `x`, or a new value, with `rows` rows.
std::string AnyGemm(Drawing& d, const std::string& dtype, std::string x, std::int64_t rows,
                    std::int64_t in, std::int64_t out) {
  const bool swaps_x = d.Chance(12), swaps_weight = d.Chance(40);
  if (x.empty() || swaps_x) x = d.Input(dtype, swaps_x ? Sizes{in, rows} : Sizes{rows, in});
  const std::string weight =
      swaps_weight ? WeightOf(d, dtype, out, in) : WeightOf(d, dtype, in, out);
  Names operands = {x, weight};
  const std::string bias = Bias(d, dtype, rows, out);
  if (!bias.empty()) operands.push_back(bias);
  return d.Node("Gemm", operands, GemmAttributes(d, swaps_x, swaps_weight));
}

void Gemm(Drawing& d) {
  d.MaybeRead(AnyGemm(d, ProductType(d), "", d.Size(), d.KnownSize(), d.KnownSize()));
}

void MatMul(Drawing& d) {
  const std::string dtype = ProductType(d);
  Sizes sizes = d.AnySizes(0, 3);
  const std::int64_t in = d.KnownSize(), out = d.KnownSize();
  sizes.push_back(in);
  const std::string x = d.Chance(8) ? d.Numbers(dtype, {2, in}) : d.Input(dtype, sizes);
  std::string weight;
  if (d.Chance(80)) {
    weight = WeightOf(d, dtype, in, out);
  } else {
    weight = d.Chance(50) ? d.Weight(dtype, {in}) : d.Weight(dtype, {d.KnownSize(), in, out});
  }
  Names operands = {x, weight};
  if (d.Chance(8)) std::swap(operands[0], operands[1]);
  std::string y = d.Node("MatMul", operands);
  const std::string bias = Bias(d, dtype, sizes.size() > 1 ? sizes[sizes.size() - 2] : 1, out);
  if (!bias.empty()) {
    Names terms = {y, d.Chance(4) ? y : bias};
    if (d.Chance(50)) std::swap(terms[0], terms[1]);
    y = d.Node(d.Chance(92) ? "Add" : "Sub", terms);
  }
  if (d.Chance(20)) y = d.Node("Add", {y, d.Weight(dtype, {out})});
  d.MaybeRead(y);
}

void LinearAndBias(Drawing& d) {
  const std::string dtype = d.FloatType();
  Sizes sizes = d.AnySizes(0, 2);
  const std::int64_t in = d.KnownSize(), out = d.KnownSize();
  const std::int64_t rows = sizes.empty() ? 1 : sizes.back();
  sizes.push_back(in);
  Names operands = {d.Input(dtype, sizes), d.Weight(dtype, {out, in})};
  if (d.Chance(15)) operands.push_back(d.Weight(dtype, {out}));
  std::string y = d.Node("dragoman.Linear", operands);
  if (d.Chance(10)) d.Node("Neg", {y});
  const std::string bias = Bias(d, dtype, rows, out);
  Names terms = {y, bias.empty() ? y : bias};
  if (d.Chance(50)) std::swap(terms[0], terms[1]);
  y = d.Node(d.Chance(92) ? "Add" : "Sub", terms);
  d.MaybeRead(y);
}

void EinsumOfWeight(Drawing& d) {
  const std::string dtype = d.Chance(85) ? "f32" : d.Of({"f64", "f16", "i32"});
  const std::string equation =
      d.Of({"bi,oi->bo",     "bi,io->bo",     "i,oi->o",     "bi,oi->ob",
            "bti,ghi->btgh", "ghi,bti->btgh", "bi,gih->gbh", "bti,gih->bgth",
            "bi,i->b",       "i,i->",         "bi,oj->bo",   "bi,oi->bio",
            "ib,oi->bo",     "bi,bi->b",      "bii,oi->bo",  "bi,bio->bo",
            "...i,oi->...o", "bi,oi",         "b,o->bo",     "bti,ti->b",
            "bti,oti->bo",   "bi,oi->o",      "oi,bi->bo",   " b i , o i -> b o ",
            "bi,ooi->bo",    "tbi,oi->bto"});
  std::map<char, std::int64_t> sizes;
  Names operands;
  std::vector<Sizes> shapes(1);
  for (char c : equation.substr(0, equation.find("->"))) {
    if (c == ',') {
      shapes.emplace_back();
    } else if (c >= 'a' && c <= 'z') {
      if (!sizes.contains(c)) sizes[c] = c == 'b' && d.Chance(50) ? kN : d.KnownSize();
      // A size of 1 may stand for another.
      shapes.back().push_back(d.Chance(5) ? 1 : sizes[c]);
    } else if (c == '.' && (shapes.back().empty() || shapes.back().back() != 2)) {
      shapes.back().push_back(2);
    }
  }
  const std::size_t constant = d.Chance(75) ? 1 : 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (i == constant) {
      for (std::int64_t& size : shapes[i]) size = size < 0 ? 2 : size;
      operands.push_back(d.Weight(dtype, shapes[i]));
    } else {
      operands.push_back(d.Input(dtype, shapes[i]));
    }
  }
  d.MaybeRead(d.Node("Einsum", operands, "equation = \"" + equation + "\""));
}

void GemmOfRows(Drawing& d) {
  const std::string dtype = d.FloatType();
  Sizes sizes = d.AnySizes(1, 3);
  const std::int64_t in = d.KnownSize(), out = d.KnownSize();
  std::int64_t rows = 1;
  for (std::int64_t size : sizes) {
    rows = size == 1 ? rows : rows == 1 ? size : size < 0 || rows < 0 ? kOther : rows * size;
  }
  Sizes result = sizes;
  if (d.Chance(8)) std::ranges::reverse(result);
  if (d.Chance(8)) result.insert(result.begin() + d.Between(0, std::ssize(result)), 1);
  sizes.push_back(in);
  result.push_back(d.Chance(95) ? out : in);
  const auto target = [&](const Sizes& shape) {
    std::vector<std::int64_t> numbers;
    bool open = false;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const bool infers = shape[i] < 0 && !open && d.Chance(60);
      open = open || infers;
      numbers.push_back(shape[i] >= 0 ? shape[i] : infers ? -1 : 0);
    }
    return d.Ints(numbers);
  };
  const std::string x = d.Input(dtype, sizes);
  const std::string flat =
      d.Chance(85) ? d.Node("Reshape", {x, d.Ints({d.Chance(60) || rows < 0 ? -1 : rows, in})})
                   : d.Node("Flatten", {x}, fmt::format("axis = {}", sizes.size() - 1));
  std::string y = d.Chance(70) ? AnyGemm(d, dtype, flat, rows, in, out)
                               : d.Node("MatMul", {flat, d.Weight(dtype, {in, out})});
  if (d.Chance(15)) {  // not the rows of x
    d.MaybeRead(
        d.Node("Reshape", {y, d.Of(std::vector<std::string>{d.Ints({-1}), d.Ints({1, -1})})}));
    return;
  }
  if (d.Chance(6)) y = d.Node("Neg", {y});
  if (d.Chance(25)) d.MaybeRead(d.Node("Tanh", {y}));
  d.MaybeRead(d.Node("Reshape", {y, target(result)}));
}

struct Convolved {
  std::string value;
  std::int64_t channels = 1;
  std::size_t spatial = 1;
};

Convolved Convolution(Drawing& d, const std::string& dtype) {
  const auto spatial = static_cast<std::size_t>(d.Between(1, 2));
  const std::int64_t groups = d.Chance(75) ? 1 : 2;
  const std::int64_t in = groups * d.Between(1, 2), out = groups * d.Between(1, 2);
  Sizes sizes = {d.Size(), in}, weight = {out, in / groups};
  for (std::size_t i = 0; i < spatial; ++i) {
    sizes.push_back(d.Chance(10) ? kN : d.Between(2, 4));
    weight.push_back(d.Between(1, 2));
  }
  Names operands = {d.Input(dtype, sizes), d.Weight(dtype, weight)};
  if (d.Chance(60)) operands.push_back(d.Weight(dtype, {out}));
  std::string attributes = groups == 1 && d.Chance(50) ? "" : fmt::format("group = {}", groups);
  const auto add = [&](const std::string& text) {
    attributes += (attributes.empty() ? "" : ", ") + text;
  };
  if (d.Chance(40))
    add("pads = [" + List(std::vector<std::int64_t>(2 * spatial, d.Between(0, 1))) + "]");
  if (d.Chance(15)) add("auto_pad = \"" + d.Of({"SAME_UPPER", "SAME_LOWER", "VALID"}) + "\"");
  if (d.Chance(20)) add("strides = [" + List(std::vector<std::int64_t>(spatial, 2)) + "]");
  std::string y = d.Node("Conv", operands, attributes);
  if (d.Chance(8)) y = d.Node("Neg", {y});
  return {y, out, spatial};
}

void ConvAndNormalization(Drawing& d) {
  const std::string dtype = d.Chance(80) ? "f32" : d.FloatType();
  const Convolved conv = Convolution(d, dtype);
  const std::int64_t out = conv.channels;
  const std::string& y = conv.value;
  const std::string other = d.Chance(90) ? dtype : d.FloatType();
  Names parameters = {y, d.Weight(other, {out}), d.Weight(other, {out}), d.Weight(other, {out}),
                      d.Constant(other, {out}, [&] {
                        return d.Chance(6) ? 0.0 : static_cast<double>(d.Between(1, 8)) / 4;
                      })};
  if (d.Chance(4)) parameters[3] = parameters[0];
  std::string text = d.Chance(50) ? "epsilon = " + d.Of({"0.001", "1e-05", "0.0", "0.25"}) : "";
  const bool trains = d.Chance(8);
  if (trains) text += std::string(text.empty() ? "" : ", ") + "training_mode = 1";
  const Names results = d.Nodes("BatchNormalization", parameters, text, trains ? 3 : 1);
  d.MaybeRead(results[0]);
}

// `type` of a value of channels and one number for each of them, or what is nearly that.
void WithNumberPerChannel(Drawing& d, const std::string& type, const std::string& dtype,
                          const Convolved& value) {
  Sizes sizes(value.spatial, 1);
  sizes.insert(sizes.begin(), d.Chance(90) ? value.channels : 1);
  if (d.Chance(40)) sizes.insert(sizes.begin(), 1);
  if (d.Chance(10)) sizes = {value.channels};
  if (d.Chance(10)) std::ranges::reverse(sizes);
  const std::string numbers = d.Weight(dtype, sizes);
  d.MaybeRead(d.Chance(60) ? d.Node(type, {value.value, numbers})
                           : d.Node(type, {numbers, value.value}));
}

void ConvAndSum(Drawing& d) {
  const std::string dtype = d.Chance(80) ? "f32" : d.FloatType();
  const Convolved conv = Convolution(d, dtype);
  WithNumberPerChannel(d, d.Chance(92) ? "Add" : "Sub", dtype, conv);
}

void ConvAndProduct(Drawing& d) {
  const std::string dtype = d.Chance(80) ? "f32" : d.FloatType();
  const Convolved conv = Convolution(d, dtype);
  WithNumberPerChannel(d, d.Chance(92) ? "Mul" : "Div", dtype, conv);
}

void NormalizationAndNumber(Drawing& d) {
  const std::string dtype = d.Chance(80) ? "f32" : d.FloatType();
  Convolved value = {.value = "", .channels = d.Between(1, 3), .spatial = 0};
  value.spatial = static_cast<std::size_t>(d.Between(0, 2));
  Sizes sizes(value.spatial, 2);
  sizes.insert(sizes.begin(), {d.Size(), value.channels});
  const Sizes channels = {value.channels};
  const std::string variances =
      d.Constant(dtype, channels, [&] { return static_cast<double>(d.Between(1, 8)) / 4; });
  const Names operands = {d.Input(dtype, sizes), d.Weight(dtype, channels),
                          d.Chance(8) ? d.Input(dtype, channels) : d.Weight(dtype, channels),
                          d.Weight(dtype, channels), variances};
  const bool trains = d.Chance(8);
  value.value =
      d.Nodes("BatchNormalization", operands, trains ? "training_mode = 1" : "", trains ? 3 : 1)
          .front();
  WithNumberPerChannel(d, d.Of({"Mul", "Mul", "Add", "Add", "Sub"}), dtype, value);
}

void Quotient(Drawing& d) {
  const std::string dtype = d.FloatType();
  const Sizes sizes = d.AnySizes(0, 3);
  const std::string x = d.Input(dtype, sizes);
  std::string exponent = d.Chance(80) ? d.Node("Neg", {x}) : x;
  const auto ones = [&] {
    Sizes own;
    if (d.Chance(25)) own = d.KnownSizes(0, 2);
    if (d.Chance(15)) own = Sizes(sizes.size(), 1);
    const bool all = d.Chance(93);
    return d.Constant(dtype, own, [&] { return all ? 1.0 : 0.5; });
  };
  std::string exp = d.Node(d.Chance(95) ? "Exp" : "Sqrt", {exponent});
  Names terms = {ones(), exp};
  if (d.Chance(40)) std::swap(terms[0], terms[1]);
  const std::string sum = d.Node(d.Chance(94) ? "Add" : "Sub", terms);
  if (d.Chance(30)) {
    d.MaybeRead(d.Node("Reciprocal", {sum}));
    return;
  }
  const std::string above = d.Chance(40) ? ones()
                            : d.Chance(50)
                                ? x
                                : d.Input(dtype, d.Chance(60) ? sizes : d.AnySizes(0, 3));
  Names operands = {above, sum};
  if (d.Chance(6)) std::swap(operands[0], operands[1]);
  d.MaybeRead(d.Node("Div", operands));
}

// An affine layer of rows that are made of several axes, and whose results are, or nearly so.
void RowsOfSeveralAxes(Drawing& d) {
  const std::int64_t batch = d.Chance(60) ? d.Between(1, 3) : -1, steps = d.Between(1, 3);
  const std::int64_t heads = d.Between(1, 3), size = d.Between(2, 3), out = d.Between(1, 4);
  const std::int64_t in = heads * size;
  const std::string x = d.Input("f32", {batch, steps, heads, size});
  const std::string rows = d.Node("Reshape", {x, d.Ints({-1, in})});
  std::string y;
  if (d.Chance(50)) {
    y = d.Node("dragoman.Linear", {rows, d.Weight("f32", {out, in})});
  } else {
    y = d.Node(d.Chance(50) ? "MatMul" : "Gemm", {rows, d.Weight("f32", {in, out})});
  }
  d.MaybeRead(y);
  const Sizes back = d.Chance(92) ? Sizes{-1, steps, out} : Sizes{-1, out, steps};
  d.MaybeRead(d.Node("Reshape", {y, d.Ints(back)}));
}

// A product of matrices of one batch axis that was two, or nearly so.
void BatchedProducts(Drawing& d) {
  const std::int64_t b = d.Between(1, 2), heads = d.Between(1, 3);
  const std::int64_t m = d.Between(1, 3), k = d.Between(1, 3), n = d.Between(1, 3);
  const auto operand = [&](std::int64_t rows, std::int64_t columns) {
    const Sizes flat = {b * heads, rows, columns};
    if (d.Chance(25)) return d.Input("f32", flat);
    Sizes sizes = {b, heads, rows, columns};
    if (d.Chance(8)) std::swap(sizes[0], sizes[1]);
    if (d.Chance(8)) std::swap(sizes[2], sizes[3]);
    return d.Node("Reshape", {d.Input("f32", sizes), d.Ints(flat)});
  };
  const std::string left = operand(m, k);
  const std::string y = d.MaybeRead(d.Node("MatMul", {left, operand(k, n)}));
  Sizes whole = {b, heads, m, n};
  if (d.Chance(8)) std::swap(whole[2], whole[3]);
  d.MaybeRead(d.Node("Reshape", {y, d.Ints(whole)}));
}

// Products of batches without their axes of size 1, which come back after them.
void ProductsOfOnes(Drawing& d) {
  const std::int64_t heads = d.Size(), m = d.Size(), k = d.Size(), n = d.Size();
  const std::int64_t axis = d.Between(0, 1);
  const auto operand = [&](std::int64_t rows, std::int64_t columns) {
    if (d.Chance(25)) return d.Input("f32", {heads, rows, columns});
    Sizes sizes = {heads, rows, columns};
    const std::int64_t at = d.Chance(92) ? axis : d.Between(0, 2);
    sizes.insert(sizes.begin() + at, d.Chance(95) ? 1 : 2);
    return d.Node("Squeeze", {d.Input("f32", sizes), d.Ints({d.Chance(90) ? at : at - 4})});
  };
  const std::string left = operand(m, k);
  const std::string y = d.MaybeRead(d.Node("MatMul", {left, operand(k, n)}));
  const std::int64_t back = d.Chance(90) ? axis : d.Between(0, 3);
  d.MaybeRead(d.Node("Unsqueeze", {y, d.Ints({d.Chance(80) ? back : back - 4})}));
}

void AnyBatchedProducts(Drawing& d) { d.Chance(50) ? BatchedProducts(d) : ProductsOfOnes(d); }

// Products of two operands that are scaled, the second one perhaps transposed.
void ScaledProducts(Drawing& d) {
  const std::int64_t features = d.Of(std::vector<std::int64_t>{1, 2, 4, 8});
  const double root = 1 / std::sqrt(std::sqrt(static_cast<double>(features)));
  const std::string dtype = d.Chance(85) ? "f32" : d.FloatType();
  const auto scaled = [&](const Sizes& sizes) {
    const double number = d.Chance(70) ? root : d.Of(std::vector<double>{0.5, -0.25, 1, 3, 0});
    Names operands = {d.Chance(90) ? d.Input(dtype, sizes) : d.Weight(dtype, sizes),
                      d.Constant(dtype, d.Chance(95) ? Sizes{} : Sizes{1}, [=] { return number; })};
    if (d.Chance(20)) std::swap(operands[0], operands[1]);
    return d.Chance(92) ? d.Node("Mul", operands) : operands[0];
  };
  const std::int64_t rows = d.Size(), columns = d.Size();
  const bool turns = d.Chance(50);
  const bool turns_x = d.Chance(30);
  std::string x = scaled(turns_x ? Sizes{2, features, rows} : Sizes{2, rows, features});
  if (turns_x) x = d.Node("Transpose", {x}, "perm = [0, 2, 1]");
  std::string y = scaled(turns ? Sizes{2, columns, features} : Sizes{2, features, columns});
  if (turns) y = d.Node("Transpose", {y}, "perm = [0, 2, 1]");
  d.MaybeRead(d.Node("MatMul", {x, y}));
}

// Scores, as attention scales them.
void FactorOfProduct(Drawing& d) {
  const std::int64_t rows = d.Size(), columns = d.Size(), features = d.KnownSize();
  const std::string dtype = d.Chance(90) ? "f32" : d.FloatType();
  const auto operand = [&](const Sizes& sizes) {
    return d.Chance(92) ? d.Input(dtype, sizes) : d.Weight(dtype, sizes);
  };
  const std::string scores =
      d.Node("MatMul", {operand({2, rows, features}), operand({2, features, columns})});
  const bool divides = d.Chance(60);
  const double scale = d.Of(std::vector<double>{2, 4, std::sqrt(8.0), std::sqrt(12.0), 7.5});
  const double number =
      d.Chance(85) ? (divides ? scale : 1 / scale) : d.Of(std::vector<double>{0, -0.5, 3, 1e-9});
  Names operands = {scores, d.Constant(dtype, d.Chance(90) ? Sizes{} : Sizes{1, 2, 1, 1},
                                       [=] { return number; })};
  if (d.Chance(15)) std::swap(operands[0], operands[1]);
  d.MaybeRead(d.Node(divides ? "Div" : "Mul", operands));
}

void SafeSoftmaxes(Drawing& d) {
  const Sizes sizes = d.AnySizes(1, 3);
  const std::int64_t axis = d.Axis(sizes.size());
  const double hidden = d.Chance(92) ? -std::numeric_limits<double>::infinity() : -3;
  InputData data;
  if (d.Chance(60)) {
    const int shown = d.Of(std::vector<int>{0, 10, 60});
    for (int i = 0; i < 1000; ++i) data.fixed.push_back(d.Chance(shown) ? 0.5 * (i % 5) : hidden);
  }
  std::string x = d.Input("f32", sizes, data);
  const std::string softmax = d.Node("Softmax", {x}, fmt::format("axis = {}", axis));
  if (d.Chance(5)) x = d.Input("f32", sizes);
  std::string any = d.Node("Equal", {x, d.Constant("f32", {}, [=] { return hidden; })});
  const bool asks_all = d.Chance(40);
  if (d.Chance(95) != asks_all) any = d.Node("Not", {any});
  any = d.Node(d.Chance(95) != asks_all ? "ReduceMax" : "ReduceMin",
               {any, d.Ints({d.Chance(90) ? axis : d.Axis(sizes.size())})},
               d.Chance(92) ? "keepdims = 1" : "keepdims = 0");
  std::string zero = d.Constant("f32", {}, [&] { return d.Chance(95) ? 0 : 1; });
  if (d.Chance(60)) zero = d.Node("Expand", {zero, d.Node("Shape", {softmax})});
  Names operands = {any, softmax, zero};
  if (asks_all && d.Chance(92)) operands = {any, zero, softmax};
  if (!asks_all && d.Chance(30)) operands = {d.Node("Not", {any}), zero, softmax};
  d.MaybeRead(d.Node("Where", operands));
}

}  // namespace

std::span<const DrawnPattern> DrawnProducts() {
  static constexpr DrawnPattern kDrawn[] = {
      {"merge-factors", ScaledProducts, Exactness::kRounded},
      {"scale-factor", FactorOfProduct, Exactness::kRounded},
      {"read-safe-softmax", SafeSoftmaxes},
      {"fuse-gemm", Gemm, Exactness::kRounded},
      {"fuse-mat-mul", MatMul, Exactness::kRounded},
      {"fuse-bias", LinearAndBias, Exactness::kRounded},
      {"fuse-einsum", EinsumOfWeight, Exactness::kRounded},
      {"fuse-gemm-of-rows", GemmOfRows, Exactness::kRounded},
      {"place-rows", RowsOfSeveralAxes, Exactness::kRounded},
      {"keep-batch-axes", AnyBatchedProducts, Exactness::kRounded},
      {"fuse-bias-of-rows", LinearAndBias, Exactness::kRounded},
      {"fold-into-conv", ConvAndNormalization, Exactness::kRounded},
      {"fold-bias", ConvAndSum, Exactness::kRounded},
      {"fold-scale", ConvAndProduct, Exactness::kRounded},
      {"fold-into-normalization", NormalizationAndNumber, Exactness::kRounded},
      {"read-sigmoid", Quotient, Exactness::kRounded},
  };
  return kDrawn;
}

}  // namespace dragoman::drawn
