// SPDX-License-Identifier: Apache-2.0
// What the tests of prepared operators share: operands that are drawn, the same in every run, a
// context and scratch memory.
#ifndef DRAGOMAN_TESTS_UNIT_RUNTIME_PREPARED_TEST_H_
#define DRAGOMAN_TESTS_UNIT_RUNTIME_PREPARED_TEST_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "runtime/fast/primitive.h"
#include "runtime/params/shape.h"

namespace dragoman::rt {

class PreparedTest : public testing::Test {
 protected:
  // One of low, low + 1, ..., high.
  std::int64_t Pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }

  // Numbers of [-bound, bound).
  std::vector<float> Draw(std::int64_t count, float bound = 1.0f) {
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& v : values) v = std::uniform_real_distribution<float>(-bound, bound)(random_);
    return values;
  }
  std::vector<float> Draw(const Shape& shape) { return Draw(NumElements(shape)); }

  // Memory at a multiple of 64 bytes, until the next call; no part of it is zero.
  void* Scratch(std::int64_t bytes) {
    scratch_.assign(static_cast<std::size_t>(bytes + 64), char{0x5a});
    const auto address = reinterpret_cast<std::uintptr_t>(scratch_.data());
    return scratch_.data() + (64 - address % 64) % 64;
  }

  FastContext context_;
  std::mt19937 random_{7};

 private:
  std::vector<char> scratch_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_TESTS_UNIT_RUNTIME_PREPARED_TEST_H_
