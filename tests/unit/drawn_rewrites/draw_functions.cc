// SPDX-License-Identifier: Apache-2.0
// Functions of elements that are spelled out.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "tests/unit/drawn_rewrites/patterns.h"

namespace dragoman::drawn {
namespace {

std::string Swapped(Drawing& d, const std::string& type, Names operands) {
  if (d.Chance(40)) std::swap(operands[0], operands[1]);
  return d.Node(type, operands);
}

std::string Scalar(Drawing& d, const std::string& dtype, double number) {
  const Sizes sizes = d.Chance(85) ? Sizes{} : Sizes(static_cast<std::size_t>(d.Between(1, 3)), 1);
  return d.Constant(dtype, sizes, [number] { return number; });
}

// A number of a formula, seldom another.
std::string Number(Drawing& d, const std::string& dtype, double number) {
  return Scalar(d, dtype, d.Chance(96) ? number : number * 1.01);
}

std::string ErrorFunction(Drawing& d, const std::string& dtype, const std::string& x) {
  const bool is_exact = d.Chance(60);  // else of f32
  const double root = is_exact ? std::numbers::sqrt2 : 1.4142135;
  const double inverse = is_exact ? 1 / std::numbers::sqrt2 : 0.70710677;
  return d.Node("Erf", {d.Chance(50) ? d.Node("Div", {x, Number(d, dtype, root)})
                                     : Swapped(d, "Mul", {x, Number(d, dtype, inverse)})});
}

std::string HyperbolicTangent(Drawing& d, const std::string& dtype, const std::string& x) {
  const std::string cube = d.Chance(50) ? d.Node("Pow", {x, Scalar(d, dtype, 3)})
                                        : Swapped(d, "Mul", {x, d.Node("Mul", {x, x})});
  if (d.Chance(30)) {
    const std::string share = Swapped(d, "Mul", {cube, Number(d, dtype, 0.0356774)});
    const std::string rest = Swapped(d, "Mul", {x, Number(d, dtype, 0.797885)});
    return d.Node("Tanh", {Swapped(d, "Add", {share, rest})});
  }
  const std::string sum =
      Swapped(d, "Add", {x, Swapped(d, "Mul", {cube, Number(d, dtype, 0.044715)})});
  return d.Node("Tanh", {Swapped(d, "Mul", {sum, Number(d, dtype, 0.7978846)})});
}

// 0.5 · x · erfc(-x / sqrt(2)), with the sign at any place, or missing.
void ComplementGelus(Drawing& d, const std::string& dtype, const std::string& x) {
  const bool divides = d.Chance(50);
  const double factor = (divides ? 1.4142135 : 0.70710678) * (d.Chance(40) ? -1 : 1);
  const std::string operand = d.Chance(40) ? d.Node("Neg", {x}) : x;
  std::string scaled = divides ? d.Node("Div", {operand, Number(d, dtype, factor)})
                               : Swapped(d, "Mul", {operand, Number(d, dtype, factor)});
  if (d.Chance(25)) scaled = d.Node("Neg", {scaled});
  const std::string function = d.Node("dragoman.Erfc", {scaled});
  const std::string half = Swapped(d, "Mul", {Number(d, dtype, d.Chance(92) ? 0.5 : 0.25), x});
  d.MaybeRead(Swapped(d, "Mul", {half, function}));
}

// What a formula multiplies by more than 1 before it divides: f16 would overflow.
std::string SmallInput(Drawing& d, const std::string& dtype) {
  const Sizes sizes = d.AnySizes(0, 3);
  return dtype == "f16" ? d.Input(dtype, sizes, {.low = -4, .high = 4}) : d.Input(dtype, sizes);
}

std::string Halved(Drawing& d, const std::string& dtype, const std::string& x) {
  if (d.Chance(30)) return d.Node("Div", {x, Number(d, dtype, d.Chance(90) ? 2 : 0.5)});
  return Swapped(d, "Mul", {x, Number(d, dtype, 0.5)});
}

void Gelus(Drawing& d) {
  const std::string dtype = d.FloatType();
  const std::string x = SmallInput(d, dtype);
  if (d.Chance(25)) {
    ComplementGelus(d, dtype, x);
    return;
  }
  const std::string function =
      d.Chance(50) ? ErrorFunction(d, dtype, x) : HyperbolicTangent(d, dtype, x);
  if (d.Chance(30)) {
    const std::string sum = Swapped(d, "Add", {Halved(d, dtype, function), Number(d, dtype, 0.5)});
    d.MaybeRead(Swapped(d, "Mul", {d.Chance(92) ? x : d.Input(dtype, {1}), sum}));
    return;
  }
  const std::string share = Swapped(d, "Add", {function, Number(d, dtype, 1)});
  std::string y;
  switch (d.Between(0, 2)) {
    case 0:
      y = Swapped(d, "Mul", {Halved(d, dtype, x), share});
      break;
    case 1:
      y = Swapped(d, "Mul", {x, Halved(d, dtype, share)});
      break;
    default:
      y = Halved(d, dtype, Swapped(d, "Mul", {x, share}));
  }
  if (d.Chance(15)) y = Swapped(d, "Mul", {y, d.Input(dtype, {})});
  d.MaybeRead(y);
}

void RectifiedElus(Drawing& d) {
  const std::string dtype = d.FloatType();
  const std::string x = d.Input(dtype, d.AnySizes(0, 3));
  const double alpha = d.Chance(50) ? 1 : 1.5;
  const std::string scaled =
      d.Chance(30) ? d.Node("Div", {x, Number(d, dtype, d.Chance(85) ? alpha : 2)}) : x;
  const std::string rest =
      d.Node("Sub", {Number(d, dtype, 1), d.Node("Exp", {d.Chance(95) ? scaled : x})});
  std::string bend = d.Node("Relu", {rest});
  const bool subtracts = d.Chance(30);
  const bool negates = !subtracts && d.Chance(30);
  if (negates || subtracts) {
    bend = Swapped(d, "Mul", {bend, Number(d, dtype, alpha)});
    if (negates) bend = d.Node("Neg", {bend});
  } else {
    bend = Swapped(d, "Mul", {bend, Number(d, dtype, -alpha)});
  }
  const std::string relu = d.Node("Relu", {d.Chance(95) ? x : d.Input(dtype, {1})});
  d.MaybeRead(subtracts ? d.Node("Sub", {relu, bend}) : Swapped(d, "Add", {relu, bend}));
}

void Selus(Drawing& d) {
  const std::string dtype = d.FloatType();
  const std::string x = d.Input(dtype, d.AnySizes(0, 3));
  const std::string elu =
      d.Node("Elu", {x}, d.Of({"alpha = 1.67326", "alpha = 1.6732632", "alpha = 1.5"}));
  d.MaybeRead(Swapped(d, "Mul", {elu, Number(d, dtype, d.Chance(50) ? 1.0507 : 1.050701)}));
}

void BoundedSlopes(Drawing& d) {
  const std::string dtype = d.FloatType();
  const std::string x = d.Input(dtype, d.AnySizes(0, 3));
  const std::string product =
      Swapped(d, "Mul", {x, Number(d, dtype, d.Chance(50) ? 0.2 : 0.166667)});
  const std::string sum = Swapped(d, "Add", {product, Number(d, dtype, d.Chance(90) ? 0.5 : 0.25)});
  d.MaybeRead(d.Node("Clip", {sum, Scalar(d, dtype, d.Chance(90) ? 0 : -1), Scalar(d, dtype, 1)}));
}

void SoftSigns(Drawing& d) {
  const std::string dtype = d.FloatType();
  const std::string x = d.Input(dtype, d.AnySizes(0, 3));
  const std::string size = d.Node("Abs", {d.Chance(95) ? x : d.Input(dtype, {1})});
  d.MaybeRead(d.Node("Div", {x, Swapped(d, "Add", {size, Number(d, dtype, 1)})}));
}

void HardSwishes(Drawing& d) {
  const std::string dtype = d.FloatType();
  const std::string x = d.Input(dtype, d.AnySizes(0, 3));
  const std::string gate = d.Node("HardSigmoid", {x},
                                  d.Of({"alpha = 0.16666667", "alpha = 0.166667, beta = 0.5",
                                        "alpha = 0.2", "alpha = 0.16666667, beta = 0.25"}));
  d.MaybeRead(Swapped(d, "Mul", {d.Chance(92) ? x : d.Input(dtype, {1, 1, 1, 1}), gate}));
}

void Mishes(Drawing& d) {
  const std::string dtype = d.FloatType();
  const std::string x = d.Input(dtype, d.AnySizes(0, 3));
  const std::string gate = d.Node("Tanh", {d.Node(d.Chance(92) ? "Softplus" : "Exp", {x})});
  d.MaybeRead(Swapped(d, "Mul", {d.Chance(92) ? x : d.Input(dtype, {}), gate}));
}

// Where(x > bound, x, below), or nearly so.
std::string Branched(Drawing& d, const std::string& dtype, const std::string& x, double bound,
                     const std::string& below) {
  const std::string above = d.Chance(95) ? x : d.Input(dtype, {});
  return d.Node("Where", {d.Node("Greater", {x, Number(d, dtype, bound)}), above, below});
}

void StatedSlopes(Drawing& d) {
  const Sizes sizes = d.KnownSizes(1, 4);
  Sizes slopes = sizes;
  for (std::int64_t& size : slopes) size = d.Chance(60) ? 1 : size;
  if (d.Chance(30) && slopes.size() > 1) slopes.erase(slopes.begin());
  d.MaybeRead(d.Node("PRelu", {d.Input("f32", sizes), d.Weight("f32", slopes)}));
}

void SlopesByHalves(Drawing& d) {
  const std::string dtype = d.FloatType();
  const Sizes sizes = {d.Between(1, 2), d.Between(1, 3), d.Between(1, 3)};
  const std::string x = d.Input(dtype, sizes);
  Sizes slopes = {1, d.Chance(50) ? sizes[1] : 1, 1};
  if (d.Chance(30)) slopes.erase(slopes.begin());
  if (d.Chance(10)) slopes = {2, 1, 1, 1};
  const std::string slope = d.Chance(90) ? d.Weight(dtype, slopes) : d.Input(dtype, slopes);
  const double bound = d.Chance(90) ? 0 : 0.5;
  d.MaybeRead(Branched(d, dtype, x, bound, Swapped(d, "Mul", {x, slope})));
}

void Exponentials(Drawing& d) {
  const std::string dtype = d.FloatType();
  const std::string x = d.Input(dtype, d.AnySizes(0, 3));
  const double alpha = d.Chance(30) ? 1 : 1.5;
  std::string inner = x;
  if (d.Chance(50)) inner = d.Node("Div", {x, Number(d, dtype, d.Chance(90) ? alpha : 2)});
  const std::string half = Swapped(d, "Mul", {inner, Number(d, dtype, 0.5)});
  const std::string sum =
      Swapped(d, "Add", {d.Node("Exp", {d.Chance(95) ? inner : x}), Number(d, dtype, 1)});
  std::string curve = Swapped(d, "Mul", {d.Node("Tanh", {half}), sum});
  if (d.Chance(80)) curve = Swapped(d, "Mul", {curve, Number(d, dtype, alpha)});
  d.MaybeRead(Branched(d, dtype, x, d.Chance(95) ? 0 : 0.1, curve));
}

void CelusOfOne(Drawing& d) {
  d.MaybeRead(
      d.Node("Celu", {d.Input("f32", d.AnySizes(0, 3))}, d.Of({"", "alpha = 1.0", "alpha = 2.0"})));
}

void SoftLogarithms(Drawing& d) {
  const std::string dtype = d.FloatType();
  const std::string x = d.Input(dtype, d.AnySizes(0, 3));
  const std::string e = d.Node("Exp", {x}), one = Number(d, dtype, 1);
  const std::string sum = Swapped(d, "Add", {e, one});
  const std::string quotient = d.Node("Div", {d.Chance(97) ? e : x, d.Node("Sub", {sum, one})});
  const std::string product = d.Node("Mul", {d.Node("Log", {sum}), quotient});
  const std::string large = d.Node("Equal", {sum, d.Constant(dtype, {}, [] { return INFINITY; })});
  const std::string rest = d.Node("Where", {large, sum, product});
  std::string log = d.Node("Where", {d.Node("Equal", {sum, one}), e, rest});
  if (d.Chance(30)) log = d.Node("Div", {log, Number(d, dtype, 2)});
  d.MaybeRead(Branched(d, dtype, x, d.Chance(80) ? 20 : d.Chance(50) ? 90 : 1, log));
}

void BranchedSoftplus(Drawing& d) {
  const std::string dtype = d.FloatType();
  const std::string x = d.Input(dtype, d.AnySizes(0, 3));
  const std::string softplus = d.Node("Softplus", {d.Chance(92) ? x : d.Input(dtype, {})});
  d.MaybeRead(Branched(d, dtype, x, d.Chance(80) ? 20 : 1, softplus));
}

void HardRamps(Drawing& d) {
  const std::string dtype = d.FloatType();
  const std::string x = SmallInput(d, dtype);
  const std::string sum = Swapped(d, "Add", {x, Number(d, dtype, 3)});
  std::string y = d.Node("Clip", {sum, Number(d, dtype, 0), Number(d, dtype, 6)});
  if (d.Chance(50)) y = Swapped(d, "Mul", {d.Chance(92) ? x : d.Input(dtype, {}), y});
  d.MaybeRead(d.Node("Div", {y, Number(d, dtype, 6)}));
}

}  // namespace

std::span<const DrawnPattern> DrawnFunctions() {
  static constexpr DrawnPattern kDrawn[] = {
      {"read-gelu", Gelus, Exactness::kRounded},
      {"read-rectified-elu", RectifiedElus, Exactness::kRounded},
      {"read-selu", Selus, Exactness::kRounded},
      {"read-hard-sigmoid", BoundedSlopes, Exactness::kRounded},
      {"read-softsign", SoftSigns, Exactness::kRounded},
      {"read-hard-swish", HardSwishes, Exactness::kRounded},
      {"read-mish", Mishes, Exactness::kRounded},
      {"read-prelu", SlopesByHalves},
      {"narrow-slope", StatedSlopes},
      {"read-elu", Exponentials, Exactness::kRounded},
      {"spell-celu", CelusOfOne, Exactness::kRounded},
      {"read-soft-logarithm", SoftLogarithms, Exactness::kRounded},
      {"drop-softplus-branch", BranchedSoftplus, Exactness::kRounded},
      {"read-hard-ramp", HardRamps, Exactness::kRounded},
  };
  return kDrawn;
}

}  // namespace dragoman::drawn
