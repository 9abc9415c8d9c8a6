// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and eigenvectors of general matrices.
#include "runtime/kernels/eigen.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "tests/unit/runtime/dense.h"

namespace dragoman::rt {
namespace {

using Complex = std::complex<double>;

struct Spectrum {
  std::vector<double> values, vectors;  // pairs

  Complex Value(std::int64_t k) const { return At(values, k); }
  // Element i of vector k, of n.
  Complex Element(std::int64_t i, std::int64_t k, std::int64_t n) const {
    return At(vectors, i * n + k);
  }

 private:
  static Complex At(const std::vector<double>& pairs, std::int64_t i) {
    return {pairs[static_cast<std::size_t>(2 * i)], pairs[static_cast<std::size_t>(2 * i + 1)]};
  }
};

Spectrum Find(const std::vector<double>& matrix, std::int64_t n, bool complex) {
  const EigenParams p{complex};
  const Dense<double> x(complex ? Shape{n, n, 2} : Shape{n, n}, matrix);
  Dense<double> values({n, 2}), vectors({n, n, 2});
  std::vector<char> scratch(
      static_cast<std::size_t>(EigenScratchBytes(p, x.In(), values.Out(), vectors.Out())));
  Eigen(p, x.In(), values.Out(), vectors.Out(), scratch.data());
  return {values.Values(), vectors.Values()};
}

// That each vector is as long as 1, and is only scaled by the matrix.
void ExpectVectors(const std::vector<double>& matrix, std::int64_t n, bool complex) {
  const Spectrum found = Find(matrix, n, complex);
  double size = 0;
  for (double element : matrix) size = std::max(size, std::abs(element));
  for (std::int64_t k = 0; k < n; ++k) {
    double length = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      Complex sum = -found.Value(k) * found.Element(i, k, n);
      for (std::int64_t j = 0; j < n; ++j) {
        const auto at = static_cast<std::size_t>(i * n + j);
        const Complex element =
            complex ? Complex(matrix[2 * at], matrix[2 * at + 1]) : Complex(matrix[at]);
        sum += element * found.Element(j, k, n);
      }
      EXPECT_LE(std::abs(sum), 1e-12 * static_cast<double>(n) * size) << n << " " << k;
      length += std::norm(found.Element(i, k, n));
    }
    EXPECT_NEAR(length, 1, 1e-12);
  }
}

TEST(EigenTest, VectorsOfRandomMatricesAreScaled) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (const bool complex : {false, true}) {
    for (std::int64_t n = 1; n < 24; n += n < 7 ? 1 : 5) {
      for (int kind = 0; kind < 4; ++kind) {
        std::vector<double> matrix(static_cast<std::size_t>(n * n * (complex ? 2 : 1)));
        for (double& element : matrix) element = normal(random);
        for (std::size_t i = 0; i < matrix.size(); ++i) {
          if (kind == 1) matrix[i] = std::round(matrix[i]);
          if (kind == 2 && random() % 2 == 0) matrix[i] = 0;
          if (kind == 3) matrix[i] *= std::pow(10.0, static_cast<double>(i % 7) - 3);
        }
        ExpectVectors(matrix, n, complex);
      }
    }
  }
}

TEST(EigenTest, VectorsOfSpecialMatricesAreScaled) {
  const std::vector<double> permutation = {0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0};
  const std::vector<double> block = {2, 1, 0, 0, 2, 1, 0, 0, 2};
  ExpectVectors(permutation, 4, false);
  ExpectVectors(block, 3, false);
  ExpectVectors({0, 0, 0, 0}, 2, false);
  ExpectVectors({1e150, 2e150, 3e150, -1e150}, 2, false);
}

TEST(EigenTest, EigenvaluesAreThoseOfNumPyInItsOrder) {
  const Spectrum found = Find({1, 2, 3, 4, 5, 6, 7, 8, 10}, 3, false);
  const double expected[] = {16.70749332, -0.90574018, 0.19824686};
  for (std::int64_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(found.Value(k).real(), expected[k], 1e-7);
    EXPECT_EQ(found.Value(k).imag(), 0);
  }
}

TEST(EigenTest, ConjugatePairsAreExact) {
  const Spectrum found = Find({0, -2, 1, 0}, 2, false);
  EXPECT_NEAR(found.Value(0).imag(), std::sqrt(2.0), 1e-15);
  EXPECT_EQ(found.Value(1), std::conj(found.Value(0)));
  EXPECT_EQ(found.Element(0, 1, 2), std::conj(found.Element(0, 0, 2)));
  EXPECT_EQ(found.Element(0, 0, 2).imag(), 0);  // the largest
}

TEST(EigenTest, MatricesThatAreNotFiniteHaveNone) {
  const Spectrum found = Find({1, std::numeric_limits<double>::infinity(), 0, 1}, 2, false);
  for (double part : found.values) EXPECT_TRUE(std::isnan(part));
  for (double part : found.vectors) EXPECT_TRUE(std::isnan(part));
}

}  // namespace
}  // namespace dragoman::rt
