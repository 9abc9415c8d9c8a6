// SPDX-License-Identifier: Apache-2.0
// Weights that operators of several objects pack once.
#include "runtime/program/packed_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "runtime/fast/conv.h"
#include "runtime/fast/conv_transpose.h"
#include "runtime/fast/linear.h"
#include "runtime/fast/recurrent.h"
#include "runtime/fast/threads.h"
#include "runtime/program/memory.h"
#include "runtime/program/weights.h"

namespace dragoman::rt {
namespace {

TEST(PackedWeights, ArePackedOnceForAllThatHaveThem) {
  PackedWeights weights;
  int packed = 0;
  const auto get = [&](std::int64_t form) {
    return weights.Get({1, {form}}, [&] { return std::make_shared<const int>(++packed); });
  };
  auto first = get(1);
  EXPECT_EQ(get(1), first);
  EXPECT_EQ(*get(2), 2);
  first = nullptr;  // nobody has the first any more
  EXPECT_EQ(*get(1), 3);
}

TEST(PackedWeights, AreWaitedForByOtherThreads) {
  PackedWeights weights;
  std::atomic<int> packed{0};
  std::vector<std::shared_ptr<const int>> got(8);
  std::vector<std::thread> threads;
  for (auto& own : got) {
    threads.emplace_back([&] {
      own = weights.Get({1, {}}, [&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return std::make_shared<const int>(++packed);
      });
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(packed, 1);
}

constexpr std::int64_t kFloats = 64 * 64 * 9;

// A weights file in memory of kFloats floats, which a test may change.
class SharedWeights {
 public:
  SharedWeights() : memory_(static_cast<std::size_t>(kFloats + 16)) {
    const std::int64_t version = Weights::kVersion;
    std::memcpy(memory_.data(), Weights::kMagic, sizeof Weights::kMagic - 1);
    std::memcpy(memory_.data() + 4, &version, sizeof version);
    Fill();
    const auto bytes = static_cast<std::int64_t>(memory_.size() * sizeof(float));
    weights_ = Weights::InMemory(memory_.data(), 0, bytes, &status_);
  }
  float* data() { return memory_.data() + 16; }
  void Fill() {
    for (std::int64_t i = 0; i < kFloats; ++i) data()[i] = static_cast<float>(i % 13 - 6) / 8;
  }
  void Clear() { std::fill_n(data(), kFloats, 0.0f); }
  const std::shared_ptr<const Weights>& weights() const { return weights_; }

 private:
  std::vector<float> memory_;
  Status status_;
  std::shared_ptr<const Weights> weights_;
};

// An operator that is prepared again does not read the weights, and computes the same, for as long
// as the first is there. What `prepare` gives runs it.
template <class Prepare>
void ExpectShared(Prepare prepare) {
  SharedWeights shared;
  ASSERT_NE(shared.weights(), nullptr);
  FastContext contexts[2];
  for (FastContext& context : contexts) context.Init(shared.weights());
  auto first = prepare(contexts[0], shared.data());
  const std::vector<float> expected = first();
  shared.Clear();
  EXPECT_EQ(prepare(contexts[1], shared.data())(), expected);
  EXPECT_EQ(first(), expected);
  FastContext alone;
  alone.Init(nullptr);
  EXPECT_NE(prepare(alone, shared.data())(), expected);
}

// Runs an operator whose Run takes pointers.
template <class Operator>
auto Runner(std::shared_ptr<Operator> op, std::int64_t inputs, std::int64_t outputs) {
  return [=] {
    std::vector<float> x(static_cast<std::size_t>(inputs)), y(static_cast<std::size_t>(outputs));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 7);
    Memory scratch;
    EXPECT_TRUE(scratch.Reserve(op->ScratchBytes()).ok());
    EXPECT_TRUE(op->Run(x.data(), nullptr, y.data(), scratch.data()).ok());
    return y;
  };
}

TEST(PackedWeights, OfProducts) {
  for (const std::int64_t rows : {1, 32, 100}) {  // own panels, a primitive
    ExpectShared([&](const FastContext& context, const float* weights) {
      auto op = std::make_shared<PreparedLinear>();
      EXPECT_TRUE(op->Init(context, {rows, 64, 48, false}, weights, nullptr, {}).ok());
      return Runner(op, rows * 64, rows * 48);
    });
  }
}

TEST(PackedWeights, OfConvolutions) {
  for (const std::int64_t kernel : {1, 3}) {  // a primitive, Winograd's algorithm
    ExpectShared([&](const FastContext& context, const float* weights) {
      auto op = std::make_shared<PreparedConv>();
      const Shape x{1, 64, 20, 20}, w{64, 64, kernel, kernel};
      EXPECT_TRUE(op->Init(context, ConvParams(), x, w, weights, nullptr, {}).ok());
      return Runner(op, 64 * 400, 64 * (21 - kernel) * (21 - kernel));
    });
  }
}

TEST(PackedWeights, OfTransposedConvolutions) {
  ExpectShared([&](const FastContext& context, const float* weights) {
    auto op = std::make_shared<PreparedConvTranspose>();
    ConvTransposeParams p;
    p.strides = {2, 2};
    EXPECT_TRUE(op->Init(context, p, {1, 64, 5, 5}, {64, 64, 2, 2}, weights, nullptr, {}).ok());
    return Runner(op, 64 * 25, 64 * 100);
  });
}

TEST(PackedWeights, OfRecurrences) {
  for (const bool linear_before_reset : {false, true}) {
    ExpectShared([&](const FastContext& context, const float* weights) {
      auto op = std::make_shared<PreparedRecurrent>();
      GRUParams p;
      p.hidden_size = 16;
      p.linear_before_reset = linear_before_reset;
      EXPECT_TRUE(op->Init(context, p, {3, 2, 16}, weights, weights + 48 * 16, nullptr).ok());
      return [=] {
        std::vector<float> x(96, 0.5f), y(96);
        Memory scratch;
        EXPECT_TRUE(scratch.Reserve(op->ScratchBytes()).ok());
        EXPECT_TRUE(
            op->Run(x.data(), nullptr, nullptr, nullptr, y.data(), nullptr, nullptr, scratch.data())
                .ok());
        return y;
      };
    });
  }
}

// As many rows of one R may be three gates of few units or two of more: they are packed apart.
TEST(PackedWeights, OfOneRecurrenceWithDifferentGates) {
  SharedWeights shared;
  FastContext together, apart;
  together.Init(shared.weights());
  apart.Init(nullptr);
  SetThreads(3);
  const auto prepare = [&](const FastContext& context, bool linear_before_reset,
                           std::int64_t batch) {
    auto op = std::make_shared<PreparedRecurrent>();
    GRUParams p;
    p.hidden_size = 96;
    p.linear_before_reset = linear_before_reset;
    const float* w = shared.data();
    EXPECT_TRUE(op->Init(context, p, {2, batch, 4}, w, w + 288 * 4, nullptr).ok());
    return op;
  };
  const auto run = [](PreparedRecurrent& op, std::int64_t batch) {
    std::vector<float> x(static_cast<std::size_t>(2 * batch * 4), 0.5f);
    std::vector<float> y(static_cast<std::size_t>(2 * batch * 96));
    Memory scratch;
    EXPECT_TRUE(scratch.Reserve(op.ScratchBytes()).ok());
    EXPECT_TRUE(
        op.Run(x.data(), nullptr, nullptr, nullptr, y.data(), nullptr, nullptr, scratch.data())
            .ok());
    return y;
  };
  const auto first = prepare(together, true, 8);
  EXPECT_EQ(run(*prepare(together, false, 5), 5), run(*prepare(apart, false, 5), 5));
  SetThreads(1);
}

// Those that lie elsewhere, and may be gone when others lie there, are packed each time.
TEST(PackedWeights, OfOtherMemoryAreNotShared) {
  SharedWeights shared;
  std::vector<float> other(shared.data(), shared.data() + 64 * 48);
  FastContext context;
  context.Init(shared.weights());
  const auto prepare = [&] {
    auto op = std::make_shared<PreparedLinear>();
    EXPECT_TRUE(op->Init(context, {1, 64, 48, false}, other.data(), nullptr, {}).ok());
    return Runner(op, 64, 48);
  };
  const auto first = prepare();
  std::fill(other.begin(), other.end(), 0.0f);
  EXPECT_EQ(prepare()(), std::vector<float>(48, 0.0f));
}

}  // namespace
}  // namespace dragoman::rt
