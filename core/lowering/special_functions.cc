// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/special_functions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "core/lowering/math.h"
#include "core/lowering/polynomial.h"

namespace dragoman {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kFar = 25;  // where asymptotic series hold
constexpr double kLeast = std::numeric_limits<double>::min();

Value* Sin(Composer& c, Value* x) { return c.Op("Sin", {x}); }
Value* Cos(Composer& c, Value* x) { return c.Op("Cos", {x}); }
Value* Reciprocal(Composer& c, Value* x) { return c.Op("Reciprocal", {x}); }
Value* IsWhole(Composer& c, Value* x) { return c.Equal(c.Floor(x), x); }
Value* Fraction(Composer& c, Value* x) { return c.Sub(x, c.Floor(x)); }

// Points of a quadrature rule, and their weights.
struct Rule {
  std::vector<double> points;
  std::vector<double> weights;
};

Value* Vector(Composer& c, const std::vector<double>& values) {
  const auto size = static_cast<std::int64_t>(values.size());
  return c.failed() ? nullptr : c.builder().Constant(Tensor::Of<double>({size}, values));
}

// Σ weight · value along the last axis.
Value* WeightedSum(Composer& c, Value* values, const std::vector<double>& weights) {
  return c.ReduceSum(c.Mul(values, Vector(c, weights)), {c.Rank(values) - 1});
}

// x times each point, along a new last axis.
Value* TimesPoints(Composer& c, Value* x, const std::vector<double>& points) {
  return c.Mul(c.Unsqueeze(x, {c.Rank(x)}), Vector(c, points));
}

// Angles in the middle of equal parts of (0, end).
std::vector<double> Angles(int count, double end) {
  std::vector<double> angles;
  for (int i = 0; i < count; ++i) angles.push_back((i + 0.5) * end / count);
  return angles;
}

template <class F>
std::vector<double> Map(const std::vector<double>& values, F function) {
  std::vector<double> mapped;
  for (double value : values) mapped.push_back(function(value));
  return mapped;
}

// Lanczos' approximation with g = 7, for x ≥ 1/2.
Value* LogGammaRight(Composer& c, Value* x) {
  constexpr double kCoefficients[] = {
      676.5203681218851,  -1259.1392167224028,  771.32342877765313,    -176.61502916214059,
      12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7};
  Value* z = c.Sub(x, 1);
  Value* sum = nullptr;
  for (int i = 0; i < 8; ++i) {
    Value* term = c.Mul(Reciprocal(c, c.Add(z, i + 1)), kCoefficients[i]);
    sum = sum == nullptr ? c.Add(term, 0.99999999999980993) : c.Add(sum, term);
  }
  Value* t = c.Add(z, 7.5);
  Value* power = c.Sub(c.Mul(c.Add(z, 0.5), c.Log(t)), t);
  return c.Add(c.Add(power, 0.5 * std::log(2 * kPi)), c.Log(sum));
}

}  // namespace

Value* LogGamma(Composer& c, Value* x) {
  Value* left = c.Less(x, 0.5);
  Value* right = LogGammaRight(c, c.Where(left, c.Sub(1, x), x));
  Value* sine = c.Abs(Sin(c, c.Mul(Fraction(c, x), kPi)));
  Value* reflected = c.Sub(std::log(kPi), c.Add(c.Log(sine), right));
  Value* value = c.Where(left, reflected, right);
  Value* pole = c.And(c.LessOrEqual(x, 0), IsWhole(c, x));
  return c.Where(c.Or(pole, IsInf(c, x, true, true)), INFINITY, value);
}

namespace {

// ψ(x) = ψ(x + 8) - Σ 1 / (x + k), and the asymptotic series there; for x > 0.
Value* DigammaRight(Composer& c, Value* x) {
  Value* before = Reciprocal(c, x);
  for (int k = 1; k < 8; ++k) before = c.Add(before, Reciprocal(c, c.Add(x, k)));
  Value* y = c.Add(x, 8);
  Value* square = Reciprocal(c, c.Mul(y, y));
  constexpr double kSeries[] = {1.0 / 12,  -691.0 / 32760, 1.0 / 132, -1.0 / 240,
                                1.0 / 252, -1.0 / 120,     1.0 / 12,  0};
  Value* tail = Horner(c, square, kSeries);
  return c.Sub(c.Sub(c.Sub(c.Log(y), c.Div(0.5, y)), tail), before);
}

}  // namespace

Value* Digamma(Composer& c, Value* x) {
  Value* left = c.Less(x, 0);
  Value* right = DigammaRight(c, c.Where(left, c.Sub(1, x), x));
  Value* angle = c.Mul(Fraction(c, x), kPi);
  Value* reflected = c.Sub(right, c.Mul(c.Div(Cos(c, angle), Sin(c, angle)), kPi));
  Value* value = c.Where(c.And(left, IsWhole(c, x)), NAN, c.Where(left, reflected, right));
  return c.Where(c.Equal(x, 0),
                 NegateWhere(c, c.Not(SignBit(c, x)), c.Full(c.Shape(x), INFINITY, DType::kF64)),
                 value);
}

// Σ (q + k)^-x by Euler and Maclaurin's formula after the first terms.
Value* Zeta(Composer& c, Value* x, Value* q) {
  constexpr int kTerms = 24;
  // B₂ⱼ / (2j)!
  constexpr double kBernoulli[] = {1.0 / 12,
                                   -1.0 / 720,
                                   1.0 / 30240,
                                   -1.0 / 1209600,
                                   1.0 / 47900160,
                                   -691.0 / 1307674368000.0,
                                   1.0 / 74724249600.0,
                                   -3617.0 / 10670622842880000.0};
  Value* minus_x = c.Neg(x);
  Value* sum = c.Pow(q, minus_x);
  for (int k = 1; k < kTerms; ++k) sum = c.Add(sum, c.Pow(c.Add(q, k), minus_x));
  Value* end = c.Add(q, kTerms);
  Value* power = c.Pow(end, minus_x);
  sum = c.Add(sum, c.Div(c.Mul(power, end), c.Sub(x, 1)));
  sum = c.Add(sum, c.Mul(power, 0.5));
  Value* factor = x;
  power = c.Div(power, end);
  for (int j = 0; j < 8; ++j) {
    sum = c.Add(sum, c.Mul(c.Mul(factor, power), kBernoulli[j]));
    factor = c.Mul(factor, c.Mul(c.Add(x, 2 * j + 1), c.Add(x, 2 * j + 2)));
    power = c.Div(power, c.Mul(end, end));
  }
  Value* outside = c.And(c.LessOrEqual(q, 0), c.Not(IsWhole(c, x)));
  Value* pole = c.And(c.LessOrEqual(q, 0), IsWhole(c, q));
  Value* value = c.Where(pole, INFINITY, c.Where(outside, NAN, sum));
  return c.Where(c.Equal(x, 1), INFINITY, c.Where(c.Less(x, 1), NAN, value));
}

namespace {

// exp(x²) erfc(x) for x ≥ 0: (2/√π) ∫ exp(-t² - 2xt) dt over t = exp(s - exp(-s)).
Value* ScaledErfcRight(Composer& c, Value* x) {
  Rule rule;
  constexpr double kStep = 0.08;
  for (int i = 0; i < 88; ++i) {
    const double s = -4 + i * kStep;
    const double t = std::exp(s - std::exp(-s));
    rule.points.push_back(-2 * t);
    rule.weights.push_back(2 / std::sqrt(kPi) * kStep * t * (1 + std::exp(-s)) * std::exp(-t * t));
  }
  Value* near = WeightedSum(c, c.Exp(TimesPoints(c, c.Min(x, 10), rule.points)), rule.weights);
  Value* square = Reciprocal(c, c.Mul(c.Mul(x, x), 2));
  constexpr double kSeries[] = {2027025, -135135, 10395, -945, 105, -15, 3, -1, 1};
  Value* far = c.Div(Horner(c, square, kSeries), c.Mul(x, std::sqrt(kPi)));
  return c.Where(c.Less(x, 10), near, far);
}

}  // namespace

Value* ScaledErfc(Composer& c, Value* x) {
  Value* right = ScaledErfcRight(c, c.Abs(x));
  Value* left = c.Sub(c.Mul(c.Exp(c.Mul(x, x)), 2), right);
  return c.Where(c.Less(x, 0), left, right);
}

// log of the normal distribution's integral up to x.
Value* LogNormal(Composer& c, Value* x) {
  Value* scaled = c.Mul(c.Abs(x), std::numbers::sqrt2 / 2);
  Value* tail = ScaledErfcRight(c, scaled);
  Value* square = c.Mul(scaled, scaled);
  Value* left = c.Sub(c.Log(c.Mul(tail, 0.5)), square);
  Value* right = Log1p(c, c.Mul(c.Mul(tail, c.Exp(c.Neg(square))), -0.5));
  return c.Where(c.Less(x, 0), left, right);
}

namespace {

// The coefficients of the asymptotic series of order n: Π (4n² - (2j - 1)²) / (8j).
std::vector<double> HankelCoefficients(double n, int count) {
  std::vector<double> coefficients = {1};
  for (int j = 1; j < count; ++j)
    coefficients.push_back(coefficients.back() * (4 * n * n - (2 * j - 1) * (2 * j - 1)) / (8 * j));
  return coefficients;
}

// Σ ± a(first + 2k) / x^(first + 2k)
Value* HankelSum(Composer& c, Value* x, double n, int first) {
  const std::vector<double> a = HankelCoefficients(n, 16);
  std::vector<double> series;
  for (int k = 7; k >= 0; --k)
    series.push_back((k % 2 == 0 ? 1 : -1) * a[static_cast<std::size_t>(2 * k + first)]);
  Value* inverse = Reciprocal(c, x);
  Value* sum = Horner(c, c.Mul(inverse, inverse), series);
  return first == 1 ? c.Mul(sum, inverse) : sum;
}

// Beyond kFar: √(2/πx) (P cos χ - Q sin χ), or (P sin χ + Q cos χ) of the second kind.
Value* BesselFar(Composer& c, Value* x, int n, bool second) {
  Value* p = HankelSum(c, x, n, 0);
  Value* q = HankelSum(c, x, n, 1);
  Value* angle = c.Sub(x, (2 * n + 1) * kPi / 4);
  Value* size = c.Sqrt(c.Div(2 / kPi, x));
  if (second) return c.Mul(size, c.Add(c.Mul(p, Sin(c, angle)), c.Mul(q, Cos(c, angle))));
  return c.Mul(size, c.Sub(c.Mul(p, Cos(c, angle)), c.Mul(q, Sin(c, angle))));
}

constexpr int kAngles = 64;

// The mean of cos(x sin θ), or sin(x sin θ), times `weight` over a quarter of the circle.
template <class F>
Value* QuarterMean(Composer& c, Value* x, bool sine, F weight) {
  const std::vector<double> angles = Angles(kAngles, kPi / 2);
  Value* waves = TimesPoints(c, x, Map(angles, [](double a) { return std::sin(a); }));
  return WeightedSum(c, sine ? Sin(c, waves) : Cos(c, waves),
                     Map(angles, [&](double a) { return weight(a) / kAngles; }));
}

Value* BesselNear(Composer& c, Value* x, int n) {
  return QuarterMean(c, x, n == 1, [n](double a) { return n == 1 ? std::sin(a) : 1.0; });
}

}  // namespace

Value* BesselJ(Composer& c, Value* x, int n) {
  Value* size = c.Abs(x);
  Value* far = BesselFar(c, c.Max(size, kFar), n, false);
  Value* value = c.Where(c.Less(size, kFar), BesselNear(c, c.Min(size, kFar), n), far);
  return n == 1 ? NegateWhere(c, c.Less(x, 0), value) : value;
}

namespace {

// Neumann's series over the functions of the first kind, summed under the integral.
double NeumannWeight(double angle) {
  double sum = 0;
  for (int k = 1; k <= 40; ++k) sum += (k % 2 == 0 ? 1 : -1) * std::cos(2 * k * angle) / k;
  return sum;
}

}  // namespace

Value* BesselY(Composer& c, Value* x, int n) {
  Value* near_x = c.Min(x, kFar);
  Value* log = c.Mul(c.Add(c.Log(c.Mul(near_x, 0.5)), std::numbers::egamma), 2 / kPi);
  Value* series = QuarterMean(c, near_x, n == 1, [n](double a) {
    return -4 / kPi * NeumannWeight(a) * (n == 1 ? std::sin(a) : 1.0);
  });
  Value* near = c.Add(c.Mul(log, BesselNear(c, near_x, n)), series);
  if (n == 1) near = c.Sub(near, c.Div(c.Mul(BesselNear(c, near_x, 0), 2 / kPi), near_x));
  Value* value = c.Where(c.Less(x, kFar), near, BesselFar(c, c.Max(x, kFar), n, true));
  return c.Where(c.Equal(x, 0), -INFINITY, c.Where(c.Less(x, 0), NAN, value));
}

// exp(-|x|) times the modified function of the first kind.
Value* ScaledI(Composer& c, Value* x, int n) {
  Value* size = c.Abs(x);
  const std::vector<double> angles = Angles(kAngles, kPi);
  const auto fall = [](double a) { return std::cos(a) - 1; };
  Value* waves = c.Exp(TimesPoints(c, c.Min(size, kFar), Map(angles, fall)));
  Value* near = WeightedSum(
      c, waves, Map(angles, [n](double a) { return (n == 1 ? std::cos(a) : 1.0) / kAngles; }));
  std::vector<double> series = HankelCoefficients(n, 16);
  for (std::size_t k = 1; k < series.size(); k += 2) series[k] = -series[k];
  std::reverse(series.begin(), series.end());
  Value* large = c.Max(size, kFar);
  Value* far = c.Div(Horner(c, Reciprocal(c, large), series), c.Sqrt(c.Mul(large, 2 * kPi)));
  Value* value = c.Where(c.Less(size, kFar), near, far);
  return n == 1 ? NegateWhere(c, c.Less(x, 0), value) : value;
}

Value* ModifiedI(Composer& c, Value* x, int n) { return c.Mul(ScaledI(c, x, n), c.Exp(c.Abs(x))); }

namespace {

// ∫ exp(-x (cosh t - 1)) cosh nt dt, for x > 0: exp(x) times the modified function of the second
// kind.
Value* ScaledKIntegral(Composer& c, Value* x, double n) {
  Rule rule;
  constexpr double kStep = 0.125;
  for (int i = 0; i < 208; ++i) {
    const double t = i * kStep;
    rule.points.push_back(1 - std::cosh(t));
    rule.weights.push_back((i == 0 ? kStep / 2 : kStep) * std::cosh(n * t));
  }
  return WeightedSum(c, c.Exp(TimesPoints(c, x, rule.points)), rule.weights);
}

}  // namespace

Value* ScaledK(Composer& c, Value* x, int n) {
  Value* near = ScaledKIntegral(c, c.Min(x, kFar), n);
  std::vector<double> series = HankelCoefficients(n, 16);
  std::reverse(series.begin(), series.end());
  Value* large = c.Max(x, kFar);
  Value* far = c.Mul(Horner(c, Reciprocal(c, large), series), c.Sqrt(c.Div(kPi / 2, large)));
  Value* value = c.Where(c.Less(x, kFar), near, far);
  // The integral falls too slowly near 0, where this is exact.
  constexpr double kTiny = 1e-8;
  Value* small = c.Max(x, kLeast);
  Value* least =
      n == 0 ? c.Sub(-std::numbers::egamma, c.Log(c.Mul(small, 0.5))) : Reciprocal(c, small);
  value = c.Where(c.Less(x, kTiny), c.Mul(least, c.Exp(small)), value);
  return c.Where(c.Equal(x, 0), INFINITY, c.Where(c.Less(x, 0), NAN, value));
}

Value* ModifiedK(Composer& c, Value* x, int n) { return c.Mul(ScaledK(c, x, n), c.Exp(c.Neg(x))); }

namespace {

// ∫ exp(i (t³ / 3 + xt)) dt along the ray of t = s exp(iπ / 6), where it falls as exp(-s³ / 3).
Value* AiryNear(Composer& c, Value* x) {
  constexpr double kStep = 0.02;
  std::vector<double> falls, turns, cubes, weights;
  for (double u = -3.6; u < 2.4; u += kStep) {
    const double s = std::exp(u - std::exp(-u));
    falls.push_back(-s / 2);
    turns.push_back(s * std::numbers::sqrt3 / 2);
    cubes.push_back(-s * s * s / 3);
    weights.push_back(kStep / kPi * s * (1 + std::exp(-u)));
  }
  Value* size = c.Exp(c.Add(TimesPoints(c, x, falls), Vector(c, cubes)));
  Value* wave = Cos(c, c.Add(TimesPoints(c, x, turns), kPi / 6));
  return WeightedSum(c, c.Mul(size, wave), weights);
}

}  // namespace

// Beyond 1 by the modified function of order 1/3, below -10 by the series of that of Bessel.
Value* Airy(Composer& c, Value* x) {
  constexpr double kLeft = -10;
  constexpr double kRight = 1;
  const auto zeta = [&](Value* z) { return c.Mul(c.Mul(z, c.Sqrt(z)), 2.0 / 3); };
  Value* large = c.Max(x, kRight);
  Value* depth = zeta(large);
  Value* right = c.Mul(c.Mul(ScaledKIntegral(c, depth, 1.0 / 3), c.Exp(c.Neg(depth))),
                       c.Mul(c.Sqrt(c.Div(large, 3)), 1 / kPi));
  Value* small = c.Neg(c.Min(x, kLeft));
  Value* phase = zeta(small);
  Value* angle = c.Sub(phase, kPi / 4);
  Value* sum = c.Sub(c.Mul(HankelSum(c, phase, 1.0 / 3, 0), Cos(c, angle)),
                     c.Mul(HankelSum(c, phase, 1.0 / 3, 1), Sin(c, angle)));
  Value* left = c.Div(sum, c.Sqrt(c.Mul(c.Sqrt(small), kPi)));
  Value* near = AiryNear(c, c.Max(c.Min(x, kRight), kLeft));
  Value* value = c.Where(c.Less(x, kLeft), left, c.Where(c.Greater(x, kRight), right, near));
  return c.Where(IsInf(c, x, true, true), NAN, value);
}

namespace {

// Over (0, ∞), for what falls there as exp(-u): even parts of s, where u = exp(s - exp(-s)).
Rule HalfLineRule() {
  constexpr double kStep = 0.05;
  Rule rule;
  for (double s = -4.5; s < 20; s += kStep) {
    const double u = std::exp(s - std::exp(-s));
    rule.points.push_back(u);
    rule.weights.push_back(kStep * u * (1 + std::exp(-s)));
  }
  return rule;
}

// ∫ (1 + u)^(a-1) exp(-xu) du · x^a exp(-x) / Γ(a): the integral from x on, as a share of the
// whole. For x ≥ a, where the integrand falls.
Value* UpperGamma(Composer& c, Value* a, Value* x) {
  const Rule rule = HalfLineRule();
  Value* rises =
      TimesPoints(c, c.Sub(a, 1), Map(rule.points, [](double u) { return std::log1p(u); }));
  Value* power = c.Sub(rises, TimesPoints(c, x, rule.points));
  Value* scale = c.Sub(c.Sub(c.Mul(a, c.Log(x)), x), LogGamma(c, a));
  return c.Mul(WeightedSum(c, c.Exp(power), rule.weights), c.Exp(scale));
}

// ∫ exp(-au - x exp(-u)) du · x^a / Γ(a): with t = x exp(-u), the integral from 0 to x, as a share
// of the whole. For x ≤ a.
Value* LowerGamma(Composer& c, Value* a, Value* x) {
  const Rule rule = HalfLineRule();
  Value* scale = c.Unsqueeze(c.Sub(c.Mul(a, c.Log(x)), LogGamma(c, a)), {c.Rank(x)});
  Value* falls = TimesPoints(c, x, Map(rule.points, [](double u) { return std::exp(-u); }));
  Value* power = c.Sub(c.Sub(scale, TimesPoints(c, a, rule.points)), falls);
  return WeightedSum(c, c.Exp(power), rule.weights);
}

}  // namespace

// The smaller part by its integral, the other as what is left of 1.
Value* IncompleteGamma(Composer& c, Value* a, Value* x, bool upper) {
  Value* inside = c.And(c.Greater(a, 0), c.Greater(x, 0));
  Value* p = c.Where(inside, a, 1);
  Value* from = c.Where(inside, x, 1);
  Value* x_far = IsInf(c, x, false, true);
  Value* above = c.Where(x_far, 0, UpperGamma(c, p, from));
  Value* a_far = IsInf(c, a, false, true);
  Value* below = c.Where(a_far, 0, LowerGamma(c, p, from));
  Value* is_low = c.Less(from, p);
  Value* share =
      upper ? c.Where(is_low, c.Sub(1, below), above) : c.Where(is_low, below, c.Sub(1, above));
  // At a = 0 all is below, and from x = 0 on all is above.
  Value* at_border = upper ? c.Equal(x, 0) : c.NotEqual(x, 0);
  share = c.Where(inside, share, c.Cast(at_border, DType::kF64));
  Value* is_number = c.And(c.GreaterOrEqual(a, 0), c.GreaterOrEqual(x, 0));
  Value* undecided = c.Or(c.And(c.Equal(a, 0), c.Equal(x, 0)), c.And(a_far, x_far));
  return c.Where(c.Or(c.Not(is_number), undecided), NAN, share);
}

namespace {

// ∫ exp(-au) (1 - x exp(-u))^(b-1) du · x^a / B(a, b): with t = x exp(-u), the integral from 0 to
// x, as a share of the whole.
Value* LowerBeta(Composer& c, Value* a, Value* b, Value* x) {
  const Rule rule = HalfLineRule();
  const std::vector<double> falls = Map(rule.points, [](double u) { return -std::exp(-u); });
  Value* rest = c.Log(c.Add(TimesPoints(c, x, falls), 1));
  Value* power = c.Mul(c.Unsqueeze(c.Sub(b, 1), {c.Rank(b)}), rest);
  Value* whole = c.Sub(c.Add(LogGamma(c, a), LogGamma(c, b)), LogGamma(c, c.Add(a, b)));
  // In the exponent, as of itself the power may be 0 and what scales it infinite.
  Value* scale = c.Unsqueeze(c.Sub(c.Mul(a, c.Log(x)), whole), {c.Rank(x)});
  power = c.Sub(c.Add(power, scale), TimesPoints(c, a, rule.points));
  return WeightedSum(c, c.Exp(power), rule.weights);
}

}  // namespace

// Beyond the mean, what is left of the share from the other end.
Value* IncompleteBeta(Composer& c, Value* a, Value* b, Value* x) {
  Value* positive = c.And(c.Greater(a, 0), c.Greater(b, 0));
  Value* inside = c.And(positive, c.And(c.Greater(x, 0), c.Less(x, 1)));
  Value* p = c.Where(inside, a, 1);
  Value* q = c.Where(inside, b, 1);
  Value* at = c.Where(inside, x, 0.5);
  Value* from_end = c.Greater(at, c.Div(c.Add(p, 1), c.Add(c.Add(p, q), 2)));
  Value* share = LowerBeta(c, c.Where(from_end, q, p), c.Where(from_end, p, q),
                           c.Where(from_end, c.Sub(1, at), at));
  share = c.Where(from_end, c.Sub(1, share), share);
  Value* at_end = c.And(positive, c.Or(c.Equal(x, 0), c.Equal(x, 1)));
  return c.Where(inside, share, c.Where(at_end, x, NAN));
}

namespace {

// Gauss' rule on (0, 1), whose points are zeros of a Legendre polynomial, by Newton's method.
Rule GaussRule(int count) {
  Rule rule;
  for (int i = 0; i < count; ++i) {
    double x = std::cos(kPi * (i + 0.75) / (count + 0.5));
    double slope = 1;
    for (int step = 0; step < 20; ++step) {
      double before = 1;
      double value = x;
      for (int n = 2; n <= count; ++n)
        before = std::exchange(value, ((2 * n - 1) * x * value - (n - 1) * before) / n);
      slope = count * (x * value - before) / (x * x - 1);
      x -= value / slope;
    }
    rule.points.push_back((1 + x) / 2);
    rule.weights.push_back(1 / ((1 - x * x) * slope * slope));
  }
  return rule;
}

// The weights for an integrand that is to be divided by its argument.
std::vector<double> OverPoints(const Rule& rule) {
  std::vector<double> weights;
  for (std::size_t i = 0; i < rule.points.size(); ++i)
    weights.push_back(rule.weights[i] / rule.points[i]);
  return weights;
}

}  // namespace

// γ + log(x) + ∫ (exp(xs) - 1) / s ds over (0, 1); far out by exp(x) / x Σ k! / x^k.
Value* ExponentialIntegral(Composer& c, Value* x) {
  constexpr double kBorder = 50;
  const Rule rule = GaussRule(48);
  Value* small = c.Min(x, kBorder);
  Value* rises = c.Sub(c.Exp(TimesPoints(c, small, rule.points)), 1);
  Value* near =
      c.Add(c.Add(c.Log(small), WeightedSum(c, rises, OverPoints(rule))), std::numbers::egamma);
  std::vector<double> series = {1};
  for (int k = 1; k <= 30; ++k) series.push_back(series.back() * k);
  std::reverse(series.begin(), series.end());
  Value* large = c.Max(x, kBorder);
  Value* far = c.Div(c.Mul(c.Exp(large), Horner(c, Reciprocal(c, large), series)), large);
  return c.Where(IsInf(c, x, true, true), NAN, c.Where(c.Less(x, kBorder), near, far));
}

// The dilogarithm of 1 - x, by that of some u with |u| ≤ 1/2: -∫ log(1 - us) / s ds over (0, 1).
Value* Spence(Composer& c, Value* x) {
  Value* r = c.Where(c.Greater(x, 2), Reciprocal(c, x), x);
  Value* low = c.Less(r, 0.5);
  Value* u = c.Where(low, r, c.Where(c.Greater(r, 1.5), c.Sub(1, Reciprocal(c, r)), c.Sub(1, r)));
  const Rule rule = GaussRule(16);
  Value* logs = Log1p(c, c.Neg(TimesPoints(c, u, rule.points)));
  Value* value = c.Neg(WeightedSum(c, logs, OverPoints(rule)));
  Value* log = c.Log(r);
  Value* reflected = c.Sub(c.Sub(kPi * kPi / 6, c.Mul(log, c.Log(c.Sub(1, r)))), value);
  value = c.Where(low, reflected, value);
  Value* inverted = c.Sub(c.Mul(c.Mul(log, log), -0.5), value);
  value = c.Where(c.Greater(x, 1.5), inverted, value);
  value = c.Where(c.Equal(x, 0), kPi * kPi / 6, value);
  return c.Where(c.Or(c.Less(x, 0), IsInf(c, x, true, true)), NAN, value);
}

// Σ exp(-(x - nh)²) / (n √π) over odd n (G. Rybicki), whose terms cancel about 0: there Taylor's
// series; far out the asymptotic one.
Value* Dawson(Composer& c, Value* x) {
  constexpr double kInner = 0.25;
  constexpr double kBorder = 12;
  constexpr double kStep = 0.2;
  constexpr int kLast = 91;
  std::vector<double> places, weights;
  for (int n = -kLast; n <= kLast; n += 2) {
    places.push_back(n * kStep);
    weights.push_back(1 / (n * std::sqrt(kPi)));
  }
  Value* near_x = c.Max(c.Min(x, kBorder), -kBorder);
  Value* gap = c.Sub(c.Unsqueeze(near_x, {c.Rank(x)}), Vector(c, places));
  Value* near = WeightedSum(c, c.Exp(c.Neg(c.Mul(gap, gap))), weights);
  std::vector<double> taylor = {1};
  for (int k = 1; k <= 10; ++k) taylor.push_back(taylor.back() * -2 / (2 * k + 1));
  std::reverse(taylor.begin(), taylor.end());
  Value* inner_x = c.Max(c.Min(x, kInner), -kInner);
  Value* inner = c.Mul(inner_x, Horner(c, c.Mul(inner_x, inner_x), taylor));
  near = c.Where(c.Less(c.Abs(x), kInner), inner, near);
  constexpr double kSeries[] = {10395, 945, 105, 15, 3, 1, 1};
  Value* half = c.Div(0.5, x);
  Value* far = c.Mul(half, Horner(c, c.Mul(c.Mul(half, half), 2), kSeries));
  return c.Where(c.Less(c.Abs(x), kBorder), near, far);
}

// By derivatives of ψ, which zeta functions are.
Value* Polygamma(Composer& c, std::int64_t n, Value* x) {
  if (n == 0) return Digamma(c, x);
  const double sign = n % 2 == 1 ? 1 : -1;
  const double order = static_cast<double>(n) + 1;
  Value* zeta = Zeta(c, c.Expand(c.Number(order, DType::kF64), c.Shape(x)), x);
  return c.Mul(zeta, sign * std::exp(std::lgamma(order)));
}

}  // namespace dragoman
