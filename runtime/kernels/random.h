// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RandomNormal, RandomUniform, their Like forms, Bernoulli and Multinomial. Numbers are computed in
// double and rounded once.
#ifndef DRAGOMAN_RUNTIME_KERNELS_RANDOM_H_
#define DRAGOMAN_RUNTIME_KERNELS_RANDOM_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "runtime/kernels/convert.h"
#include "runtime/kernels/random_source.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/random.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// As many bits as a significand of T holds: a uniform number of so many is below 1 in T.
template <class T>
constexpr int UniformBits() {
  if constexpr (std::is_same_v<T, double>) return 53;
  if constexpr (std::is_same_v<T, float>) return 24;
  return std::is_same_v<T, Half> ? 11 : 8;
}

// One of the standard normal distribution, by G. E. P. Box and M. E. Muller, 1958: numbers 2 k and
// 2 k + 1 are the cosine and the sine of one pair.
inline double NormalAt(const RandomDraw& draw, std::int64_t i) {
  constexpr double kTurn = 6.283185307179586476925286766559;
  const std::int64_t pair = i - i % 2;
  const double radius = std::sqrt(-2 * std::log1p(-draw.Unit(pair)));
  const double angle = kTurn * draw.Unit(pair + 1);
  return radius * (i % 2 == 0 ? std::cos(angle) : std::sin(angle));
}

template <class T>
void RandomNormal(const RandomParams& p, TensorView<T> output, RandomSource& random) {
  const RandomDraw draw = random.Next(p.has_seed, p.seed);
  const std::int64_t size = output.size();
  for (std::int64_t i = 0; i < size; ++i)
    output[i] = Convert<T>(double{p.first} + double{p.second} * NormalAt(draw, i));
}

// In [low, high), as far as rounding to T permits.
template <class T>
void RandomUniform(const RandomParams& p, TensorView<T> output, RandomSource& random) {
  const RandomDraw draw = random.Next(p.has_seed, p.seed);
  const double range = double{p.second} - double{p.first};
  const std::int64_t size = output.size();
  for (std::int64_t i = 0; i < size; ++i)
    output[i] = Convert<T>(double{p.first} + range * draw.Unit(i, UniformBits<T>()));
}

// The operand gives the sizes.
template <class T1, class T2>
void RandomNormalLike(const RandomParams& p, TensorView<const T1>, TensorView<T2> output,
                      RandomSource& random) {
  RandomNormal(p, output, random);
}

template <class T1, class T2>
void RandomUniformLike(const RandomParams& p, TensorView<const T1>, TensorView<T2> output,
                       RandomSource& random) {
  RandomUniform(p, output, random);
}

// 1 with the probability that the operand gives, else 0.
template <class T1, class T2>
void Bernoulli(const RandomParams& p, TensorView<const T1> input, TensorView<T2> output,
               RandomSource& random) {
  const RandomDraw draw = random.Next(p.has_seed, p.seed);
  const std::int64_t size = output.size();
  for (std::int64_t i = 0; i < size; ++i)
    output[i] = Convert<T2>(draw.Unit(i) < static_cast<double>(Widen(input[i])));
}

// Each row of `input` holds the logarithms of the weights of its classes; indices of classes, drawn
// with replacement. The error: a row with a NaN, a weight that is infinite, or no weight above 0.
template <class T1, class T2>
Status Multinomial(const RandomParams& p, TensorView<const T1> input, TensorView<T2> output,
                   RandomSource& random) {
  const RandomDraw draw = random.Next(p.has_seed, p.seed);
  const std::int64_t rows = input.shape[0], classes = input.shape[1], samples = output.shape[1];
  for (std::int64_t row = 0; row < rows && samples > 0; ++row) {
    const T1* logs = input.data + row * classes;
    double largest = -std::numeric_limits<double>::infinity(), total = 0;
    for (std::int64_t c = 0; c < classes; ++c)
      largest = std::max(largest, static_cast<double>(Widen(logs[c])));
    const auto weight = [&](std::int64_t c) {
      return std::exp(static_cast<double>(Widen(logs[c])) - largest);
    };
    for (std::int64_t c = 0; c < classes; ++c) total += weight(c);
    if (!(total > 0 && total <= static_cast<double>(classes)))
      return Status::Error("a row of the operand gives no distribution of classes");
    for (std::int64_t i = row * samples; i < (row + 1) * samples; ++i) {
      const double place = draw.Unit(i) * total;
      std::int64_t found = -1;
      double below = 0;
      for (std::int64_t c = 0; c < classes && below <= place; ++c) {
        const double own = weight(c);
        if (own > 0) found = c;
        below += own;
      }
      output[i] = static_cast<T2>(found);
    }
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_RANDOM_H_
