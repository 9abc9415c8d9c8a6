// SPDX-License-Identifier: Apache-2.0
// Attention, of which each softmax is guarded against rows of -inf, or against NaN.
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "tests/unit/drawn_rewrites/patterns.h"

namespace dragoman::drawn {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kFeatures = 4;

// Inputs of the graph: any numbers, infinities and NaN among them, or usual ones.
std::string Numbers(Drawing& d, const Sizes& sizes, bool usual) {
  return d.Input("f32", sizes, usual ? InputData{.low = -2, .high = 2.5} : InputData());
}

// Rows that a normalisation bounds, or nearly.
std::string Bounded(Drawing& d, const Sizes& sizes, bool usual) {
  if (d.Chance(12)) return Numbers(d, sizes, usual);
  std::string x;
  if (d.Chance(30)) {  // of words, which are finite
    const Sizes rows(sizes.begin(), sizes.end() - 1);
    x = d.Node("Gather",
               {d.Weight("f32", {4, kFeatures}), d.Input("i64", rows, {.low = 0, .high = 3})});
  } else {
    x = Numbers(d, sizes, usual);
  }
  Names operands = {x, d.Weight("f32", {kFeatures})};
  const bool centers = d.Chance(60);
  if (centers && d.Chance(40)) operands.push_back(d.Weight("f32", {kFeatures}));
  const std::string y = d.Node(centers ? "LayerNormalization" : "RMSNormalization", operands,
                               d.Of({"", "axis = -1", "epsilon = 1e-06", "epsilon = 0.0"}));
  return d.Chance(50) ? y : d.Node("dragoman.Linear", {y, d.Weight("f32", {kFeatures, kFeatures})});
}

// What is added to scores: shows or hides each, by a constant or what inputs say.
std::string Mask(Drawing& d, std::int64_t rows, std::int64_t keys, bool usual) {
  const double hidden = d.Of(std::vector<double>{-kInfinity, -3.4e38, -1e4});
  if (d.Chance(10)) return Numbers(d, {rows, keys}, usual);
  if (d.Chance(40)) {
    const int shown = d.Of(std::vector<int>{0, 50, 100});
    return d.Constant("f32", {rows, keys}, [&] { return d.Chance(shown) ? 0.0 : hidden; });
  }
  InputData shown;
  for (std::int64_t i = 0; usual && i < rows * keys; ++i)
    shown.fixed.push_back(i % keys == 0 || d.Chance(50) ? 1 : 0);
  // One row for all, as those who pad sequences have it, or each its own.
  const bool is_shared = d.Chance(30);
  if (is_shared && usual) shown.fixed.resize(static_cast<std::size_t>(keys));
  const std::string shows =
      d.Input("bool", is_shared ? Sizes{keys} : Sizes{rows, keys}, std::move(shown));
  const std::string mask = d.Node("Where", {shows, d.Constant("f32", {}, [] { return 0.0; }),
                                            d.Constant("f32", {}, [=] { return hidden; })});
  if (!is_shared) return mask;
  return d.Node("Expand", {d.Node("Unsqueeze", {mask, d.Ints({0})}), d.Ints({rows, keys})});
}

std::string Guard(Drawing& d, const std::string& scores, const std::string& softmax) {
  const auto number = [&](double value) { return d.Constant("f32", {}, [=] { return value; }); };
  if (d.Chance(50)) return d.Node("IsNaN", {d.Chance(95) ? softmax : scores});
  const std::string most = d.Node("ReduceMax", {scores, d.Ints({d.Chance(90) ? -1 : 0})},
                                  d.Chance(92) ? "keepdims = 1" : "keepdims = 0");
  return d.Node("Equal", {most, number(d.Chance(95) ? -kInfinity : 0)});
}

void Attention(Drawing& d, bool usual) {
  const std::int64_t rows = d.Between(1, 3), keys = d.Chance(70) ? rows : d.Between(1, 3);
  const std::string queries = Bounded(d, {rows, kFeatures}, usual);
  const std::string values = Bounded(d, {keys, kFeatures}, usual);
  const std::string turned = d.Node("Transpose", {values}, "perm = [1, 0]");
  std::string scores = d.Node("MatMul", {queries, turned});
  if (d.Chance(60)) {
    const std::string factor = d.Constant("f32", {}, [&] { return 0.5; });
    scores = d.Node(d.Of({"Mul", "Div"}), {scores, factor});
  }
  if (d.Chance(60)) scores = d.Node("Add", {scores, Mask(d, rows, keys, usual)});
  const std::string softmax = d.Node("Softmax", {scores}, d.Chance(94) ? "axis = -1" : "axis = 0");
  const std::string zero = d.Constant("f32", {}, [&] { return d.Chance(95) ? 0.0 : 1.0; });
  Names operands = {Guard(d, scores, softmax), zero, softmax};
  if (d.Chance(6)) std::swap(operands[1], operands[2]);
  const std::string weights = d.Node("Where", operands);
  d.MaybeRead(d.Chance(50) ? weights : d.Node("MatMul", {weights, values}));
}

void AnyInputs(Drawing& d) { Attention(d, false); }

void UsualInputs(Drawing& d) { Attention(d, true); }

}  // namespace

std::span<const DrawnPattern> DrawnAttention() {
  static constexpr DrawnPattern kDrawn[] = {
      {"omit-guards", AnyInputs},
      {"hide-by-infinity", AnyInputs},
      {"assume-usual-inputs", UsualInputs, Exactness::kRounded},
  };
  return kDrawn;
}

}  // namespace dragoman::drawn
