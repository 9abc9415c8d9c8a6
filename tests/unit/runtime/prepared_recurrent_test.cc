// SPDX-License-Identifier: Apache-2.0
// Prepared LSTM, GRU and RNN against the plain kernels.
#include "runtime/fast/recurrent.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "runtime/fast/dynamic_recurrent.h"
#include "runtime/fast/threads.h"
#include "runtime/kernels/gru.h"
#include "runtime/kernels/lstm.h"
#include "runtime/kernels/rnn.h"
#include "tests/unit/runtime/dense.h"
#include "tests/unit/runtime/prepared_test.h"

namespace dragoman::rt {
namespace {

struct Sizes {
  std::int64_t steps, batch, input, hidden;
};

class PreparedRecurrentTest : public PreparedTest {
 protected:
  // Weights of which no gate saturates.
  std::vector<float> Draw(std::int64_t count) { return PreparedTest::Draw(count, 0.5f); }

  // Of all directions, with and without sequences that end early. Activations are those of two
  // directions.
  template <class P, class Plain>
  void Check(P p, const Sizes& s, std::int64_t gates, Plain plain_kernel) {
    const auto activations = p.activations;
    for (RnnDirection direction :
         {RnnDirection::kForward, RnnDirection::kReverse, RnnDirection::kBidirectional}) {
      p.direction = direction;
      p.hidden_size = s.hidden;
      p.activations = {};
      for (int i = 0; i < activations.size() / (direction == RnnDirection::kBidirectional ? 1 : 2);
           ++i)
        p.activations.push_back(activations[i]);
      for (const bool ends_early : {false, true}) CheckOne(p, s, gates, ends_early, plain_kernel);
    }
  }

  // The outputs of plain kernel and prepared operator, Y before Y_h and Y_c.
  template <class P, class Plain>
  void CheckOne(const P& p, const Sizes& s, std::int64_t gates, bool ends_early,
                Plain plain_kernel) {
    const std::int64_t d = p.direction == RnnDirection::kBidirectional ? 2 : 1;
    const Shape x_shape{s.steps, s.batch, s.input}, state{d, s.batch, s.hidden};
    const std::vector<float> x = Draw(NumElements(x_shape)),
                             w = Draw(d * gates * s.hidden * s.input),
                             r = Draw(d * gates * s.hidden * s.hidden),
                             b = Draw(d * 2 * gates * s.hidden), h = Draw(NumElements(state)),
                             c = Draw(NumElements(state));
    std::vector<std::int32_t> ends;
    for (std::int64_t row = 0; row < s.batch; ++row)
      ends.push_back(static_cast<std::int32_t>(Pick(0, s.steps)));
    TensorView<const std::int32_t> lengths;
    if (ends_early) lengths = {ends.data(), {s.batch}};
    std::vector<float> expected[3], actual[3];
    for (auto* outputs : {expected, actual}) {
      outputs[0].resize(static_cast<std::size_t>(s.steps * NumElements(state)));
      outputs[1].resize(h.size());
      outputs[2].resize(h.size());
    }
    plain_kernel(p, x, w, r, b, lengths, h, c, expected, x_shape, state);
    PreparedRecurrent prepared;
    ASSERT_TRUE(prepared.Init(context_, p, x_shape, w.data(), r.data(), b.data()).ok());
    const bool lstm = gates == 4;
    ASSERT_TRUE(prepared
                    .Run(x.data(), lengths.data, h.data(), lstm ? c.data() : nullptr,
                         actual[0].data(), actual[1].data(), lstm ? actual[2].data() : nullptr,
                         Scratch(prepared.ScratchBytes()))
                    .ok());
    for (int k = 0; k < (lstm ? 3 : 2); ++k) {
      for (std::size_t i = 0; i < expected[k].size(); ++i) {
        // Softplus and its like grow.
        const float tolerance = 2e-5f * std::max(1.0f, std::abs(expected[k][i]));
        ASSERT_NEAR(expected[k][i], actual[k][i], tolerance) << "output " << k << ", element " << i;
      }
    }
  }

  // Y, unless it is not wanted, and Y_h, as so many threads compute them.
  template <class... Init>
  std::vector<float> Run(int threads, bool wants_y, const std::int32_t* lengths,
                         const Shape& x_shape, const Shape& h_shape, const std::vector<float>& x,
                         const Init&... init) {
    SetThreads(threads);
    PreparedRecurrent prepared;
    EXPECT_TRUE(prepared.Init(context_, init...).ok());
    const std::int64_t size = NumElements(h_shape), outputs = x_shape[0] * size;
    std::vector<float> results(static_cast<std::size_t>(outputs + size));
    EXPECT_TRUE(prepared
                    .Run(x.data(), lengths, nullptr, nullptr, wants_y ? results.data() : nullptr,
                         results.data() + outputs, nullptr, Scratch(prepared.ScratchBytes()))
                    .ok());
    SetThreads(1);
    return results;
  }
};

constexpr Sizes kSizes[] = {
    {7, 1, 5, 11}, {3, 2, 9, 64}, {4, 5, 6, 33}, {2, 11, 8, 70}, {1, 1, 1, 1}};

using Values = std::vector<float>;
using Lengths = TensorView<const std::int32_t>;

void PlainLstm(const LSTMParams& p, const Values& x, const Values& w, const Values& r,
               const Values& b, Lengths lengths, const Values& h, const Values& c, Values* out,
               const Shape& x_shape, const Shape& state) {
  const std::int64_t d = state[0], hidden = state[2];
  const TensorView<const float> vx{x.data(), x_shape}, vw{w.data(), {d, 4 * hidden, x_shape[2]}},
      vr{r.data(), {d, 4 * hidden, hidden}}, vb{b.data(), {d, 8 * hidden}}, vh{h.data(), state},
      vc{c.data(), state};
  const TensorView<float> y{out[0].data(), {x_shape[0], d, state[1], hidden}},
      y_h{out[1].data(), state}, y_c{out[2].data(), state};
  std::vector<char> scratch(static_cast<std::size_t>(
      LSTMScratchBytes<float>(p, vx, vw, vr, vb, lengths, vh, vc, {}, y, y_h, y_c)));
  ASSERT_TRUE(
      LSTM<float>(p, vx, vw, vr, vb, lengths, vh, vc, {}, y, y_h, y_c, scratch.data()).ok());
}

void PlainGru(const GRUParams& p, const Values& x, const Values& w, const Values& r,
              const Values& b, Lengths lengths, const Values& h, const Values&, Values* out,
              const Shape& x_shape, const Shape& state) {
  const std::int64_t d = state[0], hidden = state[2];
  const TensorView<const float> vx{x.data(), x_shape}, vw{w.data(), {d, 3 * hidden, x_shape[2]}},
      vr{r.data(), {d, 3 * hidden, hidden}}, vb{b.data(), {d, 6 * hidden}}, vh{h.data(), state};
  const TensorView<float> y{out[0].data(), {x_shape[0], d, state[1], hidden}},
      y_h{out[1].data(), state};
  std::vector<char> scratch(
      static_cast<std::size_t>(GRUScratchBytes<float>(p, vx, vw, vr, vb, lengths, vh, y, y_h)));
  ASSERT_TRUE(GRU<float>(p, vx, vw, vr, vb, lengths, vh, y, y_h, scratch.data()).ok());
}

void PlainRnn(const RNNParams& p, const Values& x, const Values& w, const Values& r,
              const Values& b, Lengths lengths, const Values& h, const Values&, Values* out,
              const Shape& x_shape, const Shape& state) {
  const std::int64_t d = state[0], hidden = state[2];
  const TensorView<const float> vx{x.data(), x_shape}, vw{w.data(), {d, hidden, x_shape[2]}},
      vr{r.data(), {d, hidden, hidden}}, vb{b.data(), {d, 2 * hidden}}, vh{h.data(), state};
  const TensorView<float> y{out[0].data(), {x_shape[0], d, state[1], hidden}},
      y_h{out[1].data(), state};
  std::vector<char> scratch(
      static_cast<std::size_t>(RNNScratchBytes<float>(p, vx, vw, vr, vb, lengths, vh, y, y_h)));
  ASSERT_TRUE(RNN<float>(p, vx, vw, vr, vb, lengths, vh, y, y_h, scratch.data()).ok());
}

TEST_F(PreparedRecurrentTest, LstmIsThePlainKernel) {
  for (const Sizes& s : kSizes) Check(LSTMParams(), s, 4, PlainLstm);
}

// Peepholes, bounds that matter, and a projection.
TEST_F(PreparedRecurrentTest, ProjectedLstmIsThePlainKernel) {
  const std::int64_t steps = 5, batch = 3, input = 4, hidden = 19, output = 6, d = 2;
  ProjectedLSTMParams p;
  p.direction = RnnDirection::kBidirectional;
  p.hidden_size = hidden;
  p.cell_clip = 0.2f;
  p.output_clip = 0.1f;
  const Shape x_shape{steps, batch, input}, h_shape{d, batch, output}, c_shape{d, batch, hidden};
  const std::vector<float> x = Draw(NumElements(x_shape)), w = Draw(d * 4 * hidden * input),
                           r = Draw(d * 4 * hidden * output), b = Draw(d * 8 * hidden),
                           h = Draw(NumElements(h_shape)), c = Draw(NumElements(c_shape)),
                           peepholes = Draw(d * 3 * hidden), projection = Draw(d * output * hidden);
  std::vector<float> y[2], y_h[2], y_c[2];
  for (int k = 0; k < 2; ++k) {
    y[k].resize(static_cast<std::size_t>(steps * d * batch * output));
    y_h[k].resize(h.size());
    y_c[k].resize(c.size());
  }
  const TensorView<const float> vx{x.data(), x_shape}, vw{w.data(), {d, 4 * hidden, input}},
      vr{r.data(), {d, 4 * hidden, output}}, vb{b.data(), {d, 8 * hidden}}, vh{h.data(), h_shape},
      vc{c.data(), c_shape}, vp{peepholes.data(), {d, 3 * hidden}},
      vm{projection.data(), {d, output, hidden}};
  const TensorView<float> vy{y[0].data(), {steps, d, batch, output}}, vyh{y_h[0].data(), h_shape},
      vyc{y_c[0].data(), c_shape};
  std::vector<char> scratch(static_cast<std::size_t>(
      ProjectedLSTMScratchBytes<float>(p, vx, vw, vr, vb, {}, vh, vc, vp, vm, vy, vyh, vyc)));
  ASSERT_TRUE(
      ProjectedLSTM<float>(p, vx, vw, vr, vb, {}, vh, vc, vp, vm, vy, vyh, vyc, scratch.data())
          .ok());
  PreparedRecurrent prepared;
  ASSERT_TRUE(prepared
                  .Init(context_, p, x_shape, output, w.data(), r.data(), b.data(),
                        peepholes.data(), projection.data())
                  .ok());
  std::vector<char> memory(static_cast<std::size_t>(prepared.ScratchBytes()) + 64);
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  ASSERT_TRUE(prepared
                  .Run(x.data(), nullptr, h.data(), c.data(), y[1].data(), y_h[1].data(),
                       y_c[1].data(), memory.data() + (64 - address % 64) % 64)
                  .ok());
  for (const auto& outputs : {y, y_h, y_c}) {
    for (std::size_t i = 0; i < outputs[0].size(); ++i)
      ASSERT_NEAR(outputs[0][i], outputs[1][i], 2e-5f) << "element " << i;
  }
  EXPECT_EQ(*std::max_element(y_c[0].begin(), y_c[0].end()), 0.2f);
  EXPECT_EQ(*std::max_element(y[0].begin(), y[0].end()), 0.1f);
}

TEST_F(PreparedRecurrentTest, GruIsThePlainKernel) {
  for (const Sizes& s : kSizes) {
    for (const bool linear_before_reset : {true, false}) {
      GRUParams params;
      params.linear_before_reset = linear_before_reset;
      Check(params, s, 3, PlainGru);
    }
  }
}

TEST_F(PreparedRecurrentTest, RnnIsThePlainKernel) {
  for (const Sizes& s : kSizes) {
    for (const RnnActivation activation : {RnnActivation::kTanh, RnnActivation::kRelu}) {
      RNNParams params;
      params.activations = {activation, activation};
      Check(params, s, 1, PlainRnn);
    }
  }
}

constexpr RnnActivation kActivations[] = {
    RnnActivation::kRelu,       RnnActivation::kTanh,        RnnActivation::kSigmoid,
    RnnActivation::kAffine,     RnnActivation::kLeakyRelu,   RnnActivation::kThresholdedRelu,
    RnnActivation::kScaledTanh, RnnActivation::kHardSigmoid, RnnActivation::kElu,
    RnnActivation::kSoftsign,   RnnActivation::kSoftplus};

TEST_F(PreparedRecurrentTest, AnyFunctionsAreThePlainKernel) {
  using A = RnnActivation;
  for (const Sizes& s : {kSizes[0], kSizes[2]}) {
    for (const A activation : kActivations) {
      SCOPED_TRACE(Name(activation));
      LSTMParams lstm;
      lstm.activations = {A::kHardSigmoid, activation, A::kSoftsign,
                          activation,      A::kTanh,   A::kTanh};
      GRUParams gru;
      gru.activations = {activation, A::kTanh, A::kHardSigmoid, activation};
      RNNParams rnn;
      rnn.activations = {A::kRelu, activation};
      lstm.activation_alpha = gru.activation_alpha = rnn.activation_alpha = {0.3f};
      Check(lstm, s, 4, PlainLstm);
      Check(gru, s, 3, PlainGru);
      Check(rnn, s, 1, PlainRnn);
      gru.linear_before_reset = true;
      Check(gru, s, 3, PlainGru);
    }
  }
}

// Arguments that the clip bounds, and a forget gate that follows the input gate.
TEST_F(PreparedRecurrentTest, ClippedFunctionsAreThePlainKernel) {
  for (const Sizes& s : {kSizes[0], kSizes[2]}) {
    LSTMParams lstm;
    GRUParams gru;
    RNNParams rnn;
    lstm.clip = gru.clip = rnn.clip = 0.1f;
    for (const bool flag : {false, true}) {
      lstm.input_forget = gru.linear_before_reset = flag;
      Check(lstm, s, 4, PlainLstm);
      Check(gru, s, 3, PlainGru);
    }
    Check(rnn, s, 1, PlainRnn);
  }
}

TEST_F(PreparedRecurrentTest, RefusesLengthsOutOfRange) {
  LSTMParams p;
  p.hidden_size = 1;
  const float ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  PreparedRecurrent prepared;
  ASSERT_TRUE(prepared.Init(context_, p, {2, 1, 1}, ones, ones, ones).ok());
  for (const std::int32_t length : {-1, 3}) {
    float y_h = 0;
    EXPECT_STREQ(prepared
                     .Run(ones, &length, nullptr, nullptr, nullptr, &y_h, nullptr,
                          Scratch(prepared.ScratchBytes()))
                     .message(),
                 "sequence length out of range");
  }
}

// Rows are divided among threads, or directions, or, where rows are few, units; what waits for all
// units waits for all threads.
TEST_F(PreparedRecurrentTest, ThreadsComputeTheSame) {
  const std::int64_t hidden = 150, output = 90;
  const Shape x_shape{6, 9, 5};
  const std::int32_t ends[] = {6, 0, 3, 1, 6, 5, 2, 2, 0};
  constexpr const std::int32_t* kNone = nullptr;
  const std::vector<float> x = Draw(NumElements(x_shape)), w = Draw(2 * 4 * hidden * 5),
                           r = Draw(2 * 4 * hidden * hidden), b = Draw(2 * 8 * hidden),
                           projection = Draw(2 * output * hidden);
  for (const RnnDirection direction : {RnnDirection::kReverse, RnnDirection::kBidirectional}) {
    const std::int64_t d = direction == RnnDirection::kReverse ? 1 : 2;
    const Shape h{d, 9, hidden}, given{d, 9, output};
    LSTMParams lstm;
    ProjectedLSTMParams projected;
    GRUParams gru, resets;
    lstm.direction = projected.direction = gru.direction = resets.direction = direction;
    lstm.hidden_size = projected.hidden_size = gru.hidden_size = resets.hidden_size = hidden;
    gru.linear_before_reset = true;
    for (const auto& [wants_y, lengths] : {std::pair(false, kNone), std::pair(true, kNone),
                                           std::pair(false, &ends[0]), std::pair(true, &ends[0])}) {
      const auto all = [&, wants = wants_y, given_lengths = lengths](int threads) {
        const float *const ws = w.data(), *const rs = r.data(), *const bs = b.data();
        const float *const none = nullptr, *const ps = projection.data();
        return std::vector<std::vector<float>>{
            Run(threads, wants, given_lengths, x_shape, h, x, lstm, x_shape, ws, rs, bs),
            Run(threads, wants, given_lengths, x_shape, h, x, gru, x_shape, ws, rs, bs),
            Run(threads, wants, given_lengths, x_shape, h, x, resets, x_shape, ws, rs, bs),
            Run(threads, wants, given_lengths, x_shape, given, x, projected, x_shape, output, ws,
                rs, bs, none, ps)};
      };
      const std::vector<std::vector<float>> expected = all(1);
      for (const int threads : {2, 3, 5}) EXPECT_EQ(all(threads), expected) << threads;
    }
  }
}

// Runs of any sizes in turn, growing and shrinking, give what is prepared for one size; runs
// without a step give the states that they got.
TEST_F(PreparedRecurrentTest, AnySizesOfRunsInTurn) {
  constexpr std::pair<std::int64_t, std::int64_t> kRuns[] = {
      {7, 1}, {3, 2}, {4, 9}, {5, 0}, {0, 2}, {1, 1}, {2, 30}, {7, 1}, {9, 5}};
  const auto check = [&](auto p, const Sizes& s, std::int64_t gates, bool half) {
    const std::int64_t d = p.direction == RnnDirection::kBidirectional ? 2 : 1;
    p.hidden_size = s.hidden;
    // States that do not make much of a small difference.
    const float bound_r = 1.0f / std::sqrt(static_cast<float>(s.hidden));
    const std::vector<float> w = Draw(d * gates * s.hidden * s.input),
                             r = PreparedTest::Draw(d * gates * s.hidden * s.hidden, bound_r),
                             b = Draw(d * 2 * gates * s.hidden);
    const std::vector<BFloat16> half_w(w.begin(), w.end()), half_r(r.begin(), r.end());
    const WeightData ws = half ? WeightData(half_w.data()) : WeightData(w.data()),
                     rs = half ? WeightData(half_r.data()) : WeightData(r.data());
    // A size that is not open has the same number in all runs.
    DynamicRecurrent recurrent;
    Memory scratch;
    ASSERT_TRUE(
        recurrent.Init(context_, p, Shape{s.steps, s.batch, s.input}, ws, rs, b.data()).ok());
    for (const auto& [steps, batch] : kRuns) {
      const Shape x_shape{s.steps < 0 ? steps : s.steps, s.batch < 0 ? batch : s.batch, s.input};
      const Shape state{d, x_shape[1], s.hidden}, y_shape{x_shape[0], d, x_shape[1], s.hidden};
      SCOPED_TRACE(testing::Message() << x_shape[0] << " steps of " << x_shape[1]);
      const Dense<float> x(x_shape, Draw(NumElements(x_shape))), h(state, Draw(NumElements(state))),
          c(state, Draw(NumElements(state)));
      Dense<float> y(y_shape), y_h(state), y_c(state), expected(y_shape), expected_h(state),
          expected_c(state);
      const bool lstm = gates == 4;
      const TensorView<const float> given_c = lstm ? c.In() : TensorView<const float>();
      const TensorView<float> made_c = lstm ? y_c.Out() : TensorView<float>();
      ASSERT_TRUE(
          recurrent.Run(x.In(), {}, h.In(), given_c, y.Out(), y_h.Out(), made_c, scratch).ok());
      if (NumElements(x_shape) == 0) {
        EXPECT_EQ(y_h.Values(), h.Values());
        EXPECT_EQ(y_c.Values(), lstm ? c.Values() : y_c.Values());
        continue;
      }
      PreparedRecurrent fixed;
      ASSERT_TRUE(fixed.Init(context_, p, x_shape, ws, rs, b.data()).ok());
      ASSERT_TRUE(fixed
                      .Run(x.In().data, nullptr, h.In().data, given_c.data, expected.Out().data,
                           expected_h.Out().data, lstm ? expected_c.Out().data : nullptr,
                           Scratch(fixed.ScratchBytes()))
                      .ok());
      const float bound = half ? 2e-2f : 2e-5f;
      for (const auto& [found, wanted] :
           {std::pair(&y, &expected), std::pair(&y_h, &expected_h), std::pair(&y_c, &expected_c)}) {
        for (std::int64_t i = 0; i < found->In().size(); ++i)
          ASSERT_NEAR(found->In().data[i], wanted->In().data[i], bound) << i;
      }
    }
  };
  constexpr std::int64_t kOpen = PreparedRecurrent::kOpen;
  constexpr Sizes kOpenSizes[] = {
      {kOpen, kOpen, 5, 11}, {kOpen, kOpen, 30, 150}, {kOpen, 1, 9, 64}, {3, kOpen, 8, 70}};
  GRUParams before;
  before.linear_before_reset = 1;
  for (const int threads : {1, 3}) {
    SetThreads(threads);
    for (const RnnDirection direction :
         {RnnDirection::kForward, RnnDirection::kReverse, RnnDirection::kBidirectional}) {
      LSTMParams lstm;
      GRUParams gru;
      RNNParams rnn;
      lstm.direction = gru.direction = before.direction = rnn.direction = direction;
      for (const Sizes& s : kOpenSizes) {
        for (const bool half : {false, true}) {
          check(lstm, s, 4, half);
          check(gru, s, 3, half);
          check(before, s, 3, half);
          check(rnn, s, 1, half);
        }
      }
    }
  }
  SetThreads(1);
}

// Peepholes, bounds that matter, and a projection, as with a known size.
TEST_F(PreparedRecurrentTest, AnySizesOfProjectedRunsInTurn) {
  const std::int64_t input = 4, hidden = 150, output = 90, d = 2;
  ProjectedLSTMParams p;
  p.direction = RnnDirection::kBidirectional;
  p.hidden_size = hidden;
  p.cell_clip = 0.2f;
  p.output_clip = 0.1f;
  const std::vector<float> w = Draw(d * 4 * hidden * input), r = Draw(d * 4 * hidden * output),
                           b = Draw(d * 8 * hidden), peepholes = Draw(d * 3 * hidden),
                           projection = Draw(d * output * hidden);
  for (const int threads : {1, 3}) {
    SetThreads(threads);
    const auto init = [&](auto& made, const Shape& x_shape) {
      return made.Init(context_, p, x_shape, output, WeightData(w.data()), WeightData(r.data()),
                       b.data(), peepholes.data(), projection.data());
    };
    DynamicRecurrent recurrent;
    Memory scratch;
    ASSERT_TRUE(init(recurrent, {-1, -1, input}).ok());
    for (const Shape& x_shape : {Shape{5, 3, input}, Shape{2, 20, input}, Shape{9, 1, input}}) {
      const Shape y_shape{x_shape[0], d, x_shape[1], output};
      const Dense<float> x(x_shape, Draw(NumElements(x_shape)));
      Dense<float> y(y_shape), expected(y_shape);
      ASSERT_TRUE(recurrent.Run(x.In(), {}, {}, {}, y.Out(), {}, {}, scratch).ok());
      PreparedRecurrent fixed;
      ASSERT_TRUE(init(fixed, x_shape).ok());
      ASSERT_TRUE(fixed
                      .Run(x.In().data, nullptr, nullptr, nullptr, expected.Out().data, nullptr,
                           nullptr, Scratch(fixed.ScratchBytes()))
                      .ok());
      for (std::int64_t i = 0; i < y.In().size(); ++i)
        ASSERT_NEAR(y.In().data[i], expected.In().data[i], 2e-5f) << i;
    }
  }
  SetThreads(1);
}

TEST_F(PreparedRecurrentTest, LeavesBatchesFirstToThePlainKernel) {
  LSTMParams lstm;
  lstm.hidden_size = 2;
  EXPECT_TRUE(PreparedRecurrent::Supports(lstm, {1, 1, 1}));
  lstm.layout = 1;
  EXPECT_FALSE(PreparedRecurrent::Supports(lstm, {1, 1, 1}));
}

// Where the processor multiplies in bf16, inputs and states are rounded as well.
TEST_F(PreparedRecurrentTest, WeightsInHalfAreThoseRounded) {
  const auto check = [&](auto p, const Sizes& s, std::int64_t gates, int threads) {
    p.hidden_size = s.hidden;
    const Shape x_shape{s.steps, s.batch, s.input}, h_shape{1, s.batch, s.hidden};
    const std::vector<float> x = Draw(NumElements(x_shape));
    std::vector<BFloat16> w(static_cast<std::size_t>(gates * s.hidden * s.input)),
        r(static_cast<std::size_t>(gates * s.hidden * s.hidden));
    for (auto* halves : {&w, &r}) {
      for (BFloat16& half : *halves) half = BFloat16(Draw(1)[0]);
    }
    const std::vector<float> wide_w(w.begin(), w.end()), wide_r(r.begin(), r.end()),
        b = Draw(2 * gates * s.hidden);
    const std::vector<float> wide = Run(threads, true, nullptr, x_shape, h_shape, x, p, x_shape,
                                        wide_w.data(), wide_r.data(), b.data()),
                             half = Run(threads, true, nullptr, x_shape, h_shape, x, p, x_shape,
                                        w.data(), r.data(), b.data());
    for (std::size_t i = 0; i < wide.size(); ++i) ASSERT_NEAR(wide[i], half[i], 0.02f) << i;
  };
  GRUParams before;
  before.linear_before_reset = 1;
  for (int threads : {1, 2}) {
    for (const Sizes& s : kSizes) {
      check(LSTMParams(), s, 4, threads);
      check(GRUParams(), s, 3, threads);
      check(before, s, 3, threads);
    }
    check(LSTMParams(), {3, 1, 20, 600}, 4, threads);
  }
}

}  // namespace
}  // namespace dragoman::rt
