// SPDX-License-Identifier: Apache-2.0
// Orthogonal polynomials, whose degree is an operand, and matrices of powers.
#include "importers/torch/ops/op_rows.h"

#include <algorithm>
#include <string>

#include "importers/torch/ops/math.h"
#include "importers/torch/ops/promotion.h"

namespace dragoman::torch {
namespace {

// Degrees known only at run time may go up to here, which is asserted.
constexpr int kMostDegrees = 32;

enum class Family { kChebyshev, kHermite, kHermiteE, kLaguerre, kLegendre };

// P₀ = 1, P₁ = slope·x + offset, and then a recurrence of the family.
struct Polynomial {
  std::string_view name;
  Family family;
  double slope;
  double offset;
};
constexpr Polynomial kPolynomials[] = {
    {"chebyshev_polynomial_t", Family::kChebyshev, 1, 0},
    {"chebyshev_polynomial_u", Family::kChebyshev, 2, 0},
    {"chebyshev_polynomial_v", Family::kChebyshev, 2, -1},
    {"chebyshev_polynomial_w", Family::kChebyshev, 2, 1},
    {"hermite_polynomial_h", Family::kHermite, 2, 0},
    {"hermite_polynomial_he", Family::kHermiteE, 1, 0},
    {"laguerre_polynomial_l", Family::kLaguerre, -1, 1},
    {"legendre_polynomial_p", Family::kLegendre, 1, 0},
};

// The polynomial of degree k + 1 from those of k and k - 1.
Value* Next(Composer& c, Family family, Value* x, int k, Value* p, Value* before) {
  Value* product = c.Mul(x, p);
  switch (family) {
    case Family::kChebyshev:
      return c.Sub(c.Mul(product, 2), before);
    case Family::kHermite:
      return c.Mul(c.Sub(product, c.Mul(before, k)), 2);
    case Family::kHermiteE:
      return c.Sub(product, c.Mul(before, k));
    case Family::kLaguerre:
      return c.Div(c.Sub(c.Sub(c.Mul(p, 2 * k + 1), product), c.Mul(before, k)), k + 1);
    case Family::kLegendre:
      return c.Div(c.Sub(c.Mul(product, 2 * k + 1), c.Mul(before, k)), k + 1);
  }
  return nullptr;
}

// The highest degree in `n`, or kMostDegrees with an assertion that it is not a higher.
int HighestDegree(Composer& c, Value* n) {
  const std::optional<std::vector<std::int64_t>> known =
      c.failed() ? std::nullopt : c.builder().KnownInts(n);
  if (known && !known->empty()) {
    const std::int64_t highest = *std::max_element(known->begin(), known->end());
    if (highest <= kMostDegrees) return static_cast<int>(std::max<std::int64_t>(highest, 0));
  }
  Value* inside = c.LessOrEqual(c.ReduceAll("ReduceMax", n), c.Int(kMostDegrees));
  if (c.failed()) return 0;
  c.Assert(inside, "the degree of a polynomial is above " + std::to_string(kMostDegrees));
  return kMostDegrees;
}

Value* LowerPolynomial(CallComposer& c) {
  std::string_view name = FunctionalName(c.call().op());
  name.remove_prefix(std::string_view("special_").size());
  const bool shifted = name.starts_with("shifted_");
  if (shifted) name.remove_prefix(std::string_view("shifted_").size());
  const auto* kind = std::find_if(std::begin(kPolynomials), std::end(kPolynomials),
                                  [&](const Polynomial& p) { return p.name == name; });
  if (kind == std::end(kPolynomials)) return c.Refuse("no such polynomial");
  const std::vector<Value*> given = c.Promoted({"x", "n"}, true);
  Value* x = c.Cast(given[0], DType::kF64);
  if (shifted) x = c.Sub(c.Mul(x, 2), 1);
  Value* n = c.Cast(c.As("n", DType::kF64), DType::kI64);
  const int highest = HighestDegree(c, n);
  Value* before = c.Full(c.Shape(x), 1, DType::kF64);
  Value* p = c.Add(c.Mul(x, kind->slope), kind->offset);
  Value* result = c.Where(c.Equal(n, 0), before, 0);
  for (int k = 1; k <= highest && !c.failed(); ++k) {
    result = c.Where(c.Equal(n, k), p, result);
    Value* next = Next(c, kind->family, x, k, p, before);
    before = p;
    p = next;
  }
  return c.CastLike(result, given[0]);
}

// vander, whose powers fall unless asked otherwise; linalg_vander, whose powers rise.
Value* LowerVander(CallComposer& c) {
  Value* x = c.Tensor(c.call().Declares("x") ? "x" : "self");
  const bool batched = c.call().op().type == "linalg_vander";
  if (batched && c.MaybeRank(x) == 0) x = c.Unsqueeze(x, {0});
  const int rank = c.Rank(x);
  if (rank < 1) return c.Fail(c.call().Invalid("expected a vector"));
  if (c.dtype(x) == DType::kBool || batched) x = c.Cast(x, SumResult(c.dtype(x)));
  Value* count = c.Has("N") ? c.Take(c.call().IntValue("N")) : c.Size(x, rank - 1);
  const bool rises = batched || c.BoolOr("increasing", false);
  Value* exponents = c.Iota(count);
  if (!rises) exponents = c.Sub(c.Sub(count, 1), exponents);
  return c.Pow(c.Unsqueeze(x, {rank}), c.CastLike(exponents, x));
}

}  // namespace

std::span<const OpRow> PolynomialRows() {
  static constexpr OpRow kRows[] = {
      {"aten.linalg_vander", LowerVander, {.complex = true}},
      {"aten.special_chebyshev_polynomial_t", LowerPolynomial},
      {"aten.special_chebyshev_polynomial_u", LowerPolynomial},
      {"aten.special_chebyshev_polynomial_v", LowerPolynomial},
      {"aten.special_chebyshev_polynomial_w", LowerPolynomial},
      {"aten.special_hermite_polynomial_h", LowerPolynomial},
      {"aten.special_hermite_polynomial_he", LowerPolynomial},
      {"aten.special_laguerre_polynomial_l", LowerPolynomial},
      {"aten.special_legendre_polynomial_p", LowerPolynomial},
      {"aten.special_shifted_chebyshev_polynomial_t", LowerPolynomial},
      {"aten.special_shifted_chebyshev_polynomial_u", LowerPolynomial},
      {"aten.special_shifted_chebyshev_polynomial_v", LowerPolynomial},
      {"aten.special_shifted_chebyshev_polynomial_w", LowerPolynomial},
      {"aten.vander", LowerVander, {.complex = true}},
  };
  return kRows;
}

}  // namespace dragoman::torch
