// SPDX-License-Identifier: Apache-2.0
// Fourier transforms against their definition, and what is 0 by it.
#include "runtime/kernels/dft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>
#include <vector>

namespace dragoman::rt {
namespace {

// The transform of a real signal.
std::vector<std::complex<double>> Spectrum(const std::vector<double>& signal, bool inverse) {
  const auto n = static_cast<std::int64_t>(signal.size());
  const DFTParams p{inverse, false};
  const Shape x_shape = {1, n, 1}, y_shape = {1, n, 2};
  std::vector<double> y(static_cast<std::size_t>(2 * n));
  const TensorView<const double> x{signal.data(), x_shape};
  const TensorView<double> to{y.data(), y_shape};
  const TensorView<const std::int64_t> absent;
  std::vector<double> scratch(static_cast<std::size_t>(DFTScratchBytes(p, x, absent, absent, to) /
                                                       std::int64_t{sizeof(double)}));
  EXPECT_TRUE(DFT(p, x, absent, absent, to, scratch.data()).ok());
  std::vector<std::complex<double>> spectrum;
  for (std::int64_t k = 0; k < n; ++k) spectrum.emplace_back(y[2 * k], y[2 * k + 1]);
  return spectrum;
}

TEST(DFT, IsItsDefinition) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> numbers(-1, 1);
  for (int n : {1, 2, 3, 4, 7, 12, 16, 30, 49}) {
    std::vector<double> signal(static_cast<std::size_t>(n));
    for (double& x : signal) x = numbers(random);
    for (bool inverse : {false, true}) {
      const auto spectrum = Spectrum(signal, inverse);
      for (int k = 0; k < n; ++k) {
        std::complex<double> sum = 0;
        for (int j = 0; j < n; ++j)
          sum += signal[j] * std::polar(1.0, (inverse ? 2 : -2) * M_PI * j * k / n);
        if (inverse) sum /= n;
        EXPECT_NEAR(std::abs(spectrum[k] - sum), 0, 1e-12) << n << " " << k;
      }
    }
  }
}

// Neither rounding noise nor -0, whose angle is -π in place of π.
TEST(DFT, OfARealSignalIsRealAtBothEnds) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> numbers(-1, 1);
  for (int n : {2, 4, 6, 10, 16, 24}) {
    std::vector<double> signal(static_cast<std::size_t>(n));
    for (double& x : signal) x = numbers(random);
    const auto spectrum = Spectrum(signal, false);
    for (int k : {0, n / 2}) {
      EXPECT_EQ(spectrum[k].imag(), 0) << n;
      EXPECT_FALSE(std::signbit(spectrum[k].imag())) << n;
    }
  }
}

}  // namespace
}  // namespace dragoman::rt
