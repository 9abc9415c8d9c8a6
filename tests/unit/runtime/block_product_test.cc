// SPDX-License-Identifier: Apache-2.0
// Products by packed matrices against their definition, in double.
#include "runtime/fast/block_product.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "runtime/fast/threads.h"

namespace dragoman::rt {
namespace {

std::mt19937& Random() {
  static std::mt19937 random(5);
  return random;
}

std::size_t At(std::int64_t i) { return static_cast<std::size_t>(i); }

// A matrix, packed as the header says, and its real numbers.
struct Matrix {
  explicit Matrix(const BlockProductParams& p, bool has_zeros)
      : params(p),
        padded(PaddedOutputs(p)),
        blocks((p.inputs + p.block - 1) / p.block),
        words(At(padded / BlockPanel(p.bits) * p.inputs * kBlockWords)),
        scales(At(blocks * padded)),
        zeros(At(blocks * padded)) {
    std::uniform_real_distribution<float> draw(0.1f, 1.0f);
    for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(Random()());
    for (float& scale : scales) scale = draw(Random());
    for (float& zero : zeros) zero = has_zeros ? 8 * draw(Random()) : p.zero;
  }

  double Number(std::int64_t output, std::int64_t input) const {
    const std::int64_t panel = BlockPanel(params.bits), place = output % panel;
    const std::int64_t row = output / panel * params.inputs + input;
    const std::uint32_t word = words[At(row * kBlockWords + place % kBlockWords)];
    const unsigned number =
        (word >> (place / kBlockWords * params.bits)) & ((1u << params.bits) - 1);
    const std::size_t block = At(input / params.block * padded + output);
    return (number - double{zeros[block]}) * scales[block];
  }

  BlockProductParams params;
  std::int64_t padded, blocks;
  std::vector<std::uint32_t> words;
  std::vector<float> scales, zeros;
};

void Check(const BlockProductParams& p, std::int64_t rows, bool has_zeros, bool has_bias) {
  const Matrix matrix(p, has_zeros);
  std::normal_distribution<float> draw;
  std::vector<float> x(At(rows * p.inputs)), y(At(rows * p.outputs) + 1, -7.0f);
  alignas(64) float bias[512] = {};
  for (float& value : x) value = draw(Random());
  for (std::int64_t i = 0; i < p.outputs; ++i) bias[i] = draw(Random());
  const Shape grid = {matrix.blocks, matrix.padded};
  const float* zeros = has_zeros ? matrix.zeros.data() : nullptr;
  ASSERT_TRUE(BlockProduct(p, {x.data(), {rows, p.inputs}}, {matrix.words.data(), {}},
                           {matrix.scales.data(), grid}, {zeros, grid},
                           {has_bias ? bias : nullptr, {matrix.padded}},
                           {y.data(), {rows, p.outputs}})
                  .ok());
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t o = 0; o < p.outputs; ++o) {
      double sum = has_bias ? bias[o] : 0.0, size = 1.0;
      for (std::int64_t k = 0; k < p.inputs; ++k) {
        const double product = x[At(row * p.inputs + k)] * matrix.Number(o, k);
        sum += product;
        size += std::abs(product);
      }
      ASSERT_NEAR(y[At(row * p.outputs + o)], sum, 1e-6 * size)
          << "row " << row << ", output " << o;
    }
  }
  EXPECT_EQ(y.back(), -7.0f);  // nothing behind the result is written
}

TEST(BlockProduct, OfEachWidth) {
  for (const std::int64_t bits : {2, 4, 8}) {
    for (const bool has_zeros : {false, true})
      Check({.inputs = 96, .outputs = 130, .bits = bits, .block = 32, .zero = 1.5f}, 2, has_zeros,
            !has_zeros);
  }
}

TEST(BlockProduct, OfAnyNumberOfRows) {
  SetThreads(2);
  for (const std::int64_t rows : {1, 3, 7, 19})
    Check({.inputs = 1000, .outputs = 300, .bits = 4, .block = 16}, rows, true, true);
  SetThreads(1);
}

TEST(BlockProduct, OfSizesThatFillNothing) {
  Check({.inputs = 1, .outputs = 1, .bits = 4, .block = 16}, 1, false, false);
  Check({.inputs = 37, .outputs = 65, .bits = 2, .block = 16}, 1, true, true);
  Check({.inputs = 513, .outputs = 17, .bits = 8, .block = 128}, 9, true, false);
}

TEST(BlockProduct, RefusesRowsOfAnotherLength) {
  const float x[3] = {};
  const std::uint32_t words[kBlockWords] = {};
  float y[1] = {};
  EXPECT_FALSE(BlockProduct({.inputs = 2, .outputs = 1}, {x, {1, 3}}, {words, {kBlockWords}},
                            {y, {1, 1}}, {}, {}, {y, {1, 1}})
                   .ok());
}

}  // namespace
}  // namespace dragoman::rt
