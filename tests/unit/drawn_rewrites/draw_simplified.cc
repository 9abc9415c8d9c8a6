// SPDX-License-Identifier: Apache-2.0
// What the C++ generator makes of a graph before it plans: windows, products, normalisations.
#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/unit/drawn_rewrites/patterns.h"

namespace dragoman::drawn {
namespace {

// Mostly f32, which the generator looks for.
std::string FloatType(Drawing& d) { return d.Chance(85) ? "f32" : d.FloatType(); }

std::string Join(const Names& parts) { return fmt::format("{}", fmt::join(parts, ", ")); }

std::string Scalar(Drawing& d, const std::string& dtype, double number) {
  const Sizes sizes = d.Chance(70) ? Sizes() : Sizes(static_cast<std::size_t>(d.Between(1, 3)), 1);
  return d.Chance(95) ? d.Constant(dtype, sizes, [&] { return number; }) : d.Input(dtype, sizes);
}

// Begins and ends of `spatial` axes, from `low` on.
std::vector<std::int64_t> Pads(Drawing& d, std::size_t spatial, std::int64_t low) {
  std::vector<std::int64_t> pads(2 * spatial);
  for (std::int64_t& pad : pads) pad = d.Between(low, 2);
  return pads;
}

// A Pad of images, or nearly one with zeros after their last axes.
std::string Padded(Drawing& d, const std::string& dtype, const std::string& x, std::size_t spatial,
                   double fill) {
  const bool has_axes = d.Chance(25);
  const auto own = Pads(d, spatial, d.Chance(6) ? -1 : 0);
  std::vector<std::int64_t> pads;
  for (std::size_t side = 0; side < 2; ++side) {
    for (int i = 0; i < 2 && !has_axes; ++i) pads.push_back(d.Chance(3) ? 1 : 0);
    for (std::size_t i = 0; i < spatial; ++i) pads.push_back(own[side * spatial + i]);
  }
  Names operands = {x, d.Ints(pads)};
  if (has_axes || fill != 0 || d.Chance(50)) {
    const double number = d.Chance(85) ? fill : d.Chance(50) ? -0.0 : 0.5;
    operands.push_back(
        d.Chance(30) && has_axes ? "" : d.Constant(dtype, d.Chance(80) ? Sizes{} : Sizes{1}, [&] {
          return number;
        }));
  }
  if (has_axes) {
    std::vector<std::int64_t> axes;
    for (std::size_t i = 0; i < spatial; ++i) axes.push_back(static_cast<std::int64_t>(i) + 2);
    if (d.Chance(30)) std::swap(axes.front(), axes.back());
    if (d.Chance(30)) axes.back() -= static_cast<std::int64_t>(spatial) + 2;
    operands.push_back(d.Ints(axes));
  }
  return d.Node(
      "Pad", operands,
      d.Chance(80) ? "" : "mode = \"" + d.Of({"constant", "reflect", "edge", "wrap"}) + "\"");
}

std::string Window(Drawing& d, std::size_t spatial, bool pools) {
  Names text;
  if (d.Chance(40)) text.push_back("pads = [" + List(Pads(d, spatial, 0)) + "]");
  if (d.Chance(30)) {
    text.push_back("strides = [" + List(std::vector<std::int64_t>(spatial, d.Between(1, 2))) + "]");
  }
  if (d.Chance(20)) {
    text.push_back("dilations = [" + List(std::vector<std::int64_t>(spatial, d.Between(1, 2))) +
                   "]");
  }
  if (d.Chance(15)) {
    text.push_back("auto_pad = \"" + d.Of({"SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET"}) + "\"");
  }
  if (!pools) return Join(text);
  text.push_back("kernel_shape = [" + List(std::vector<std::int64_t>(spatial, d.Between(1, 3))) +
                 "]");
  if (d.Chance(50)) text.push_back(d.Of({"count_include_pad = 1", "count_include_pad = 0"}));
  if (d.Chance(20)) text.push_back(d.Of({"ceil_mode = 1", "ceil_mode = 0"}));
  return Join(text);
}

void PadAndWindow(Drawing& d) {
  const std::string dtype = FloatType(d);
  const auto spatial = static_cast<std::size_t>(d.Between(1, 2));
  const std::int64_t groups = d.Chance(80) ? 1 : 2;
  const std::int64_t in = groups * d.Between(1, 2), out = groups * d.Between(1, 2);
  Sizes sizes = {d.Size(), in}, weight = {out, in / groups};
  for (std::size_t i = 0; i < spatial; ++i) {
    sizes.push_back(d.Chance(10) ? kN : d.Between(2, 4));
    weight.push_back(d.Between(1, 3));
  }
  const bool takes_maxima = d.Chance(30);
  const double fill = takes_maxima == d.Chance(92) ? -std::numeric_limits<double>::infinity() : 0.0;
  const std::string x = Padded(d, dtype, d.Input(dtype, sizes), spatial, fill);
  if (takes_maxima || d.Chance(50)) {
    const std::size_t results = takes_maxima && d.Chance(10) ? 2 : 1;
    d.MaybeRead(d.Nodes(takes_maxima ? "MaxPool" : "AveragePool", {x}, Window(d, spatial, true),
                        results)[0]);
    return;
  }
  Names operands = {x, d.Weight(dtype, weight)};
  if (d.Chance(50)) operands.push_back(d.Weight(dtype, {out}));
  std::string attributes = Window(d, spatial, false);
  if (groups > 1)
    attributes += (attributes.empty() ? "" : ", ") + fmt::format("group = {}", groups);
  d.MaybeRead(d.Node("Conv", operands, attributes));
}

// A ConvTranspose of, mostly, one element.
void TransposedConv(Drawing& d) {
  const std::string dtype = FloatType(d);
  const auto spatial = static_cast<std::size_t>(d.Between(1, 3));
  const std::int64_t groups = d.Chance(93) ? 1 : 2;
  const std::int64_t in = groups * d.Between(1, 3), out = d.Between(1, 3);
  const std::int64_t stride = d.Between(1, 3);
  Sizes sizes = {d.Size(), in}, weight = {in, out};
  std::vector<std::int64_t> pads(2 * spatial), added(spatial);
  for (std::size_t i = 0; i < spatial; ++i) {
    sizes.push_back(d.Chance(5) ? kN : d.Chance(5) ? 2 : 1);
    weight.push_back(d.Between(1, 5));
    // What is left of the result has a begin and an end.
    const std::int64_t most = (weight.back() - 1) / 2;
    pads[i] = d.Between(0, most);
    pads[spatial + i] = d.Between(0, most);
    added[i] = d.Between(0, std::min(stride - 1, pads[spatial + i] + (d.Chance(10) ? 1 : 0)));
  }
  Names text = {"strides = [" + List(std::vector<std::int64_t>(spatial, stride)) + "]"};
  if (d.Chance(60)) {
    text.push_back("pads = [" + List(pads) + "]");
    if (d.Chance(50)) text.push_back("output_padding = [" + List(added) + "]");
  }
  if (d.Chance(6))
    text.push_back("dilations = [" + List(std::vector<std::int64_t>(spatial, 2)) + "]");
  if (d.Chance(6)) text.push_back("auto_pad = \"" + d.Of({"SAME_UPPER", "VALID"}) + "\"");
  if (groups > 1) text.push_back("group = 2");
  Names operands = {d.Input(dtype, sizes), d.Weight(dtype, weight)};
  if (d.Chance(50)) operands.push_back(d.Weight(dtype, {out * groups}));
  d.MaybeRead(d.Node("ConvTranspose", operands, Join(text)));
}

// One that mostly has no stride, of images that mostly are larger than the taps reach.
void UnstridedConv(Drawing& d) {
  const std::string dtype = FloatType(d);
  const auto spatial = static_cast<std::size_t>(d.Between(1, 2));
  const std::int64_t groups = d.Chance(70) ? 1 : 2, in = groups * d.Between(1, 2);
  const std::int64_t out = d.Between(1, 2), taps = d.Between(1, 3), dilation = d.Between(1, 2);
  Sizes sizes = {d.Size(), in}, weight = {in, out};
  for (std::size_t i = 0; i < spatial; ++i) {
    sizes.push_back(d.Chance(10) ? kN : d.Between(3, 6));
    weight.push_back(taps);
  }
  Names text = {"dilations = [" + List(std::vector<std::int64_t>(spatial, dilation)) + "]"};
  if (d.Chance(60)) text.push_back("pads = [" + List(Pads(d, spatial, 0)) + "]");
  if (d.Chance(10))
    text.push_back("strides = [" + List(std::vector<std::int64_t>(spatial, 2)) + "]");
  if (groups > 1) text.push_back("group = 2");
  Names operands = {d.Input(dtype, sizes), d.Weight(dtype, weight)};
  if (d.Chance(50)) operands.push_back(d.Weight(dtype, {out * groups}));
  d.MaybeRead(d.Node("ConvTranspose", operands, Join(text)));
}

void BatchNormalization(Drawing& d) {
  const std::string dtype = FloatType(d);
  Sizes sizes = d.AnySizes(1, 4);
  const std::int64_t channels = d.KnownSize();
  sizes[sizes.size() > 1 ? 1 : 0] = channels;
  Names operands = {d.Input(dtype, sizes)};
  for (int i = 0; i < 3; ++i) operands.push_back(d.Weight(dtype, {channels}));
  const bool negative = d.Chance(10);
  operands.push_back(d.Constant(
      dtype, {channels}, [&] { return static_cast<double>(d.Between(negative ? -1 : 0, 8)) / 4; }));
  std::string text = d.Chance(50) ? "epsilon = " + d.Of({"0.001", "1e-05", "0.0", "0.25"}) : "";
  const bool trains = d.Chance(6);
  if (trains) text += std::string(text.empty() ? "" : ", ") + "training_mode = 1";
  d.MaybeRead(d.Nodes("BatchNormalization", operands, text, trains ? 3 : 1).front());
}

void ScaledGemm(Drawing& d) {
  const std::string dtype = FloatType(d);
  const std::int64_t rows = d.Size(), depth = d.KnownSize(), columns = d.KnownSize();
  const bool turns_a = d.Chance(40), turns_b = d.Chance(40);
  const Sizes b = turns_b ? Sizes{columns, depth} : Sizes{depth, columns};
  Names operands = {d.Input(dtype, turns_a ? Sizes{depth, rows} : Sizes{rows, depth}),
                    d.Chance(50) ? d.Weight(dtype, b) : d.Input(dtype, b)};
  Names text;
  if (d.Chance(70)) {
    const Sizes c[] = {{}, {columns}, {rows, columns}, {rows, 1}, {1, columns}};
    operands.push_back(d.Input(dtype, c[d.Between(0, 4)]));
    if (d.Chance(40)) text.push_back("beta = 0.5");
  }
  if (d.Chance(60)) text.push_back("alpha = 0.5");
  if (turns_a) text.push_back("transA = 1");
  if (turns_b) text.push_back("transB = 1");
  d.MaybeRead(d.Node("Gemm", operands, Join(text)));
}

void EinsumOf(const std::string& equation, Drawing& d) {
  const std::string dtype = d.Chance(90) ? "f32" : d.Of({"f64", "f16", "i32"});
  std::map<char, std::int64_t> sizes;
  std::vector<Sizes> shapes(1);
  for (char c : equation.substr(0, equation.find("->"))) {
    if (c == ',') {
      shapes.emplace_back();
    } else if (c >= 'a' && c <= 'z') {
      if (!sizes.contains(c)) sizes[c] = d.Chance(12) ? d.Size() : d.KnownSize();
      shapes.back().push_back(d.Chance(4) ? 1 : sizes[c]);  // a size of 1 may stand for another
    } else if (c == '.' && (shapes.back().empty() || shapes.back().back() != 2)) {
      shapes.back().push_back(2);
    }
  }
  Names operands;
  for (const Sizes& shape : shapes) {
    operands.push_back(d.Chance(80) ? d.Input(dtype, shape) : d.Weight(dtype, shape));
  }
  d.MaybeRead(d.Node("Einsum", operands, "equation = \"" + equation + "\""));
}

void Einsum(Drawing& d) {
  EinsumOf(d.Of({"bij,bjk->bik",
                 "bij,bjk->bki",
                 "bij,bjk->ibk",
                 "bhid,bhjd->bhij",
                 "bhwc,whkc->bhwk",
                 "bijk,bjk->bi",
                 "ij,jkl->ikl",
                 "...ij,...jk",
                 "...ik,kj->...ij",
                 "ij,jk->ik",
                 "ij,kj->ik",
                 "ji,jk->ki",
                 "bij,bij->b",
                 "bij,bij->bi",
                 "bij,jk->bik",
                 "ij,j->i",
                 "i,ij->j",
                 "ij,ij->",
                 "ij,kl->ik",
                 "iij,jk->ik",
                 "bij,bkl->bik",
                 "ij,jk->iik",
                 "abij,baj->aib",
                 "...i,i->...",
                 "i...j,jk...->ik...",
                 "bi,bj->bij",
                 " i j , j k -> i k "}),
           d);
}

void EinsumOfSeveral(Drawing& d) {
  EinsumOf(d.Of({"bi,ijk,bj->bk", "ij,jk,kl->il", "ij,jk,kl", "i,ij,j->", "bi,bj,ij->b",
                 "bij,bjk,bkl->bil", "ij,kl,jk->il", "ij,jk,jl->ikl", "ij,jk,ij->ik", "i,j,k->ijk",
                 "ij,ij,ij->ij", "ii,ij,jk->ik", "ij,jk,kk->ik", "bi,ij,bk->jk", "ij,jk,kl,lm->im",
                 "...ij,jk,kl->...il", "ia,ja,ka->ijk", "i,i,i->", " i j , j k , k l -> i l "}),
           d);
}

// Rows to normalise.
struct Rows {
  std::string dtype;
  Sizes sizes;
  std::string value;

  std::int64_t columns() const { return sizes.back(); }
};

Rows AnyRows(Drawing& d) {
  Rows rows{FloatType(d), d.AnySizes(0, 2), ""};
  rows.sizes.push_back(d.Chance(90) ? d.Between(1, 4) : d.Size());
  rows.value = d.Input(rows.dtype, rows.sizes);
  return rows;
}

// The mean along the last axis, seldom another.
std::string Mean(Drawing& d, const Rows& rows, const std::string& value) {
  const auto rank = std::ssize(rows.sizes);
  std::vector<std::int64_t> axes = {d.Chance(60) ? -1 : rank - 1};
  if (d.Chance(5)) axes = {0};
  if (d.Chance(3)) axes.insert(axes.begin(), 0);
  return d.Node("ReduceMean", {value, d.Ints(axes)},
                d.Chance(85) ? "" : d.Of({"keepdims = 1", "keepdims = 0"}));
}

std::string Squared(Drawing& d, const Rows& rows, const std::string& value) {
  if (d.Chance(50)) {
    return d.Node("Pow", {value, Scalar(d, rows.dtype, d.Chance(94) ? 2.0 : 3.0)});
  }
  return d.Node("Mul", {value, d.Chance(95) ? value : rows.value});
}

// A number for each column, or nearly that.
std::string Row(Drawing& d, const Rows& rows) {
  const std::int64_t columns = rows.columns();
  switch (d.Between(0, 9)) {
    case 0:
      return d.Weight(rows.dtype, {});
    case 1:
      return d.Weight(rows.dtype, {1});
    case 2:
      return d.Weight(rows.dtype, {1, columns});
    case 3:
      return d.Input(rows.dtype, rows.sizes);
    default:
      return d.Weight(rows.dtype, {columns});
  }
}

std::string Swapped(Drawing& d, const std::string& type, Names operands) {
  if (d.Chance(40)) std::swap(operands[0], operands[1]);
  return d.Node(type, operands);
}

void Normalization(Drawing& d) {
  const Rows rows = AnyRows(d);
  const bool centers = d.Chance(60);
  const auto centered = [&] {
    if (!centers) return rows.value;
    return d.Node("Sub", {d.Chance(97) ? rows.value : d.Input(rows.dtype, rows.sizes),
                          Mean(d, rows, rows.value)});
  };
  std::string above = centered();
  const std::string below = d.Chance(70) ? above : centered();
  const std::string mean = Mean(d, rows, Squared(d, rows, below));
  const std::vector<double> numbers = {1e-5, 1e-3, 0.25, 1e-12, 1.0};
  const std::string sum = d.Chance(95) ? Swapped(d, d.Chance(96) ? "Add" : "Sub",
                                                 {mean, Scalar(d, rows.dtype, d.Of(numbers))})
                                       : mean;
  const std::string root = d.Node(d.Chance(95) ? "Sqrt" : "Abs", {sum});
  if (d.Chance(25)) above = Swapped(d, "Mul", {above, Row(d, rows)});
  std::string y;
  switch (d.Between(0, 3)) {
    case 0:
      y = Swapped(d, "Mul", {above, d.Node("Reciprocal", {root})});
      break;
    case 1:
      y = Swapped(d, "Mul",
                  {above, d.Node("Div", {Scalar(d, rows.dtype, d.Chance(92) ? 1 : 2), root})});
      break;
    default:
      y = d.Chance(95) ? d.Node("Div", {above, root}) : d.Node("Div", {root, above});
  }
  if (d.Chance(40)) y = Swapped(d, "Mul", {y, Row(d, rows)});
  if (d.Chance(30)) y = Swapped(d, "Add", {y, Row(d, rows)});
  d.MaybeRead(y);
}

// One in a node, of rows.
std::string Normalized(Drawing& d, const Rows& rows, const std::string& scale) {
  Names text;
  if (d.Chance(30)) text.push_back("epsilon = " + d.Of({"0.001", "1e-05", "0.25"}));
  if (d.Chance(30)) text.push_back(d.Of({"axis = -1", "axis = -1", "axis = 0"}));
  const bool centers = d.Chance(70);
  Names operands = {rows.value, scale};
  if (centers && d.Chance(10)) operands.push_back(d.Weight(rows.dtype, {rows.columns()}));
  const std::string type = centers ? "LayerNormalization" : "RMSNormalization";
  return d.Nodes(type, operands, Join(text), centers && d.Chance(6) ? 3 : 1).front();
}

void NormalizationAndScale(Drawing& d) {
  const Rows rows = AnyRows(d);
  const double number = d.Chance(92) ? 1.0 : 0.5;
  const Sizes sizes = d.Chance(95) && rows.columns() >= 0 ? Sizes{rows.columns()} : Sizes{1};
  const std::string ones = d.Constant(rows.dtype, sizes, [&] { return number; });
  d.MaybeRead(Swapped(d, d.Chance(92) ? "Mul" : "Div", {Normalized(d, rows, ones), Row(d, rows)}));
}

void NormalizationAndBias(Drawing& d) {
  const Rows rows = AnyRows(d);
  const std::string y = Normalized(d, rows, d.Weight(rows.dtype, {rows.columns()}));
  d.MaybeRead(Swapped(d, d.Chance(92) ? "Add" : "Sub", {y, Row(d, rows)}));
}

// Attention within one value, whose queries, keys and values are products of it or of another.
void Attention(Drawing& d) {
  const std::int64_t rows = d.Chance(30) ? 1 : d.Between(2, 3);
  const std::int64_t in = d.Between(1, 3), size = 2 * d.Between(1, 2);
  Sizes sizes = {rows, in};
  if (d.Chance(30)) sizes.insert(sizes.begin(), d.Chance(90) ? d.Between(1, 2) : kN);
  const auto rank = static_cast<std::int64_t>(sizes.size());
  const std::string x = d.Input("f32", sizes);
  const bool linear = d.Chance(60);
  const auto product = [&](std::int64_t out) {
    const std::string of = d.Chance(95) ? x : d.Input("f32", sizes);
    if (linear != d.Chance(5)) {
      Names operands = {of, d.Weight("f32", {out, in})};
      if (d.Chance(50)) operands.push_back(d.Weight("f32", d.Chance(92) ? Sizes{out} : Sizes{1}));
      return d.Node("dragoman.Linear", operands);
    }
    return d.Node("MatMul", {of, d.Weight("f32", {in, out})});
  };
  const std::int64_t features = d.Chance(80) ? size : d.Between(1, 3);
  std::string q = product(size), k = product(size), v = product(features);
  if (d.Chance(15)) k = d.Node(d.Of({"Tanh", "Neg"}), {k});
  if (d.Chance(6)) std::swap(q, v);
  const std::string turned =
      d.Node("Transpose", {k}, rank == 2 ? "perm = [1, 0]" : "perm = [0, 2, 1]");
  std::string scores = d.Node("MatMul", {q, turned});
  if (d.Chance(50)) scores = d.Node(d.Of({"Mul", "Div"}), {scores, Scalar(d, "f32", 0.5)});
  if (d.Chance(30)) scores = d.Node("Add", {scores, d.Weight("f32", {rows, rows})});
  const std::string shares = d.Node("Softmax", {scores}, d.Chance(94) ? "axis = -1" : "axis = 0");
  d.MaybeRead(d.Node("MatMul", {shares, v}));
  if (d.Chance(10)) product(size);
}

// Elements at indices that are, mostly, repeated along all axes but one.
void RowsByElement(Drawing& d, bool scatters) {
  const std::string dtype = d.NumberType();
  const Sizes sizes = d.AnySizes(d.Chance(95) ? 2 : 1, 3);
  const std::size_t rank = sizes.size();
  const std::int64_t axis = scatters && d.Chance(80) ? 0 : d.Between(0, std::ssize(sizes) - 1);
  const auto along = static_cast<std::size_t>(axis);
  Sizes own(rank, 1), all = sizes;
  own[along] = all[along] = d.Chance(80) ? d.Between(1, 4) : kM;
  if (d.Chance(8)) all[(along + 1) % rank] = 1;  // not all of the row
  if (d.Chance(8)) own[(along + 1) % rank] = all[(along + 1) % rank];
  if (along > 0 && d.Chance(40)) own.erase(own.begin());
  const std::string indices =
      d.Input(d.Chance(85) ? "i64" : "i32", own, {.low = -1, .high = d.Chance(95) ? 0.0 : 2.0});
  const bool open = std::ranges::any_of(all, [](std::int64_t size) { return size < 0; });
  const std::string updates = d.Input(dtype, all);
  const std::string target = open || d.Chance(50) ? d.Node("Shape", {updates}) : d.Ints(all);
  const std::string x = d.Input(dtype, sizes), repeated = d.Node("Expand", {indices, target});
  const std::string place =
      fmt::format("axis = {}", d.Chance(70) ? axis : axis - std::ssize(sizes));
  if (!scatters) {
    d.MaybeRead(d.Node("GatherElements", {x, repeated}, place));
    return;
  }
  d.MaybeRead(
      d.Node("ScatterElements", {x, repeated, updates},
             place + ", reduction = \"" + d.Of({"none", "add", "mul", "max", "min"}) + "\""));
}

void GatheredRows(Drawing& d) { RowsByElement(d, false); }
void ScatteredRows(Drawing& d) { RowsByElement(d, true); }

}  // namespace

std::span<const DrawnPattern> DrawnSimplified() {
  static constexpr DrawnPattern kDrawn[] = {
      {"fuse-pad", PadAndWindow, Exactness::kRounded},
      {"multiply-pixel", TransposedConv, Exactness::kRounded},
      {"turn-taps", UnstridedConv, Exactness::kRounded},
      {"split-batch-normalization", BatchNormalization, Exactness::kRounded},
      {"split-einsum", EinsumOfSeveral, Exactness::kRounded},
      {"multiply-einsum", Einsum, Exactness::kRounded},
      {"multiply-gemm", ScaledGemm, Exactness::kRounded},
      {"fuse-normalization", Normalization, Exactness::kRounded},
      {"fuse-normalization-scale", NormalizationAndScale, Exactness::kRounded},
      {"fuse-normalization-bias", NormalizationAndBias, Exactness::kRounded},
      {"merge-products", Attention, Exactness::kRounded},
      {"gather-rows", GatheredRows},
      {"scatter-rows", ScatteredRows},
  };
  return kDrawn;
}

}  // namespace dragoman::drawn
