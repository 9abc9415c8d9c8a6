// SPDX-License-Identifier: Apache-2.0
// LSTM, GRU and RNN against NumPy. The expected numbers are weighted sums of all results, printed
// by recurrent_tables.py; sizes are all distinct so that no two axes can be confused.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "runtime/kernels/gru.h"
#include "runtime/kernels/lstm.h"
#include "runtime/kernels/rnn.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kSteps = 5, kBatch = 3, kInput = 2, kHidden = 4;
constexpr std::int32_t kLengths[] = {5, 2, 3};

struct Case {
  RnnDirection direction;
  bool lengths, initial, bias, clip;
  bool odd_functions;  // HardSigmoid, Softsign, LeakyRelu instead of the defaults
  int option;          // LSTM: 1 peepholes, 2 also input_forget; GRU: linear_before_reset
  double sums[3];      // of y, y_h, y_c; 0 where there is no y_c
};

using enum RnnDirection;

// clang-format off
constexpr Case kLSTMCases[] = {
    {kForward, false, false, true, false, false, 0, {-0.2089473, -0.02336268, -0.5430535}},
    {kForward, false, false, true, true, false, 1, {-0.2909435, -0.04459386, -0.3024059}},
    {kForward, false, false, true, false, true, 2, {-0.04934728, 0.1863396, -0.4007531}},
    {kForward, false, true, false, false, false, 0, {0.5038823, 0.06971089, 0.1670558}},
    {kForward, false, true, true, true, true, 1, {0.0793446, 0.02613141, -0.1138727}},
    {kForward, false, true, true, false, false, 2, {-0.009910594, 0.08061764, -0.4883675}},
    {kForward, true, false, true, false, false, 0, {-0.05184072, -0.2724737, -0.6555072}},
    {kForward, true, false, false, true, true, 1, {0.02832821, -0.01154546, 0.06390107}},
    {kForward, true, false, true, false, false, 2, {0.01402154, -0.1938545, -0.446684}},
    {kForward, true, true, true, false, true, 0, {0.0394007, -0.3400753, -0.6180056}},
    {kForward, true, true, true, true, false, 1, {0.3543896, 0.0853312, 0.08742754}},
    {kForward, true, true, false, false, false, 2, {0.4627195, 0.2950236, 0.5834811}},
    {kReverse, false, false, true, false, true, 0, {0.0787769, 0.004269199, -0.4162826}},
    {kReverse, false, false, true, true, false, 1, {-0.3413419, -0.2369069, -0.5756269}},
    {kReverse, false, false, true, false, true, 2, {0.02736408, 0.08504081, -0.522291}},
    {kReverse, false, true, false, false, false, 0, {0.734994, -0.07196473, -0.06576832}},
    {kReverse, false, true, true, true, false, 1, {-0.2338961, -0.2263567, -0.5539161}},
    {kReverse, false, true, true, false, true, 2, {0.09897774, 0.1029654, -0.4035444}},
    {kReverse, true, false, true, false, false, 0, {0.1142256, -0.2751462, -0.6607202}},
    {kReverse, true, false, false, true, true, 1, {0.07166264, 0.008696977, -0.1828829}},
    {kReverse, true, false, true, false, false, 2, {-0.1232026, -0.3708552, -0.8551824}},
    {kReverse, true, true, true, false, false, 0, {0.1239446, -0.2704927, -0.6439075}},
    {kReverse, true, true, true, true, true, 1, {0.2102992, -0.03302364, -0.2434988}},
    {kReverse, true, true, false, false, false, 2, {0.3404654, -0.1124825, -0.05214969}},
    {kBidirectional, false, false, true, false, true, 0, {-0.4300808, 0.1316783, 0.06461146}},
    {kBidirectional, false, false, true, true, false, 1, {-0.8913198, 0.1510797, -0.03135597}},
    {kBidirectional, false, false, true, false, false, 2, {-1.681618, 0.4504664, 0.01391528}},
    {kBidirectional, false, true, false, false, true, 0, {-0.06985021, 0.02199659, 0.1873438}},
    {kBidirectional, false, true, true, true, false, 1, {-0.4511851, 0.1865597, 0.06504475}},
    {kBidirectional, false, true, true, false, true, 2, {-0.333367, 0.2616415, 0.08270738}},
    {kBidirectional, true, false, true, false, false, 0, {-1.094809, 0.1213984, 0.0309119}},
    {kBidirectional, true, false, false, true, false, 1, {-0.3980565, 0.2704618, 0.5443747}},
    {kBidirectional, true, false, true, false, true, 2, {-0.2160673, -0.04394208, -0.1301125}},
    {kBidirectional, true, true, true, false, false, 0, {-0.2966755, 0.1455395, 0.3773424}},
    {kBidirectional, true, true, true, true, true, 1, {-0.05257813, 0.007382518, 0.3105596}},
    {kBidirectional, true, true, false, false, false, 2, {0.3749116, 0.3199477, 0.6413473}},
};
constexpr Case kGRUCases[] = {
    {kForward, false, false, true, false, false, 0, {-1.216627, 1.35121, 0}},
    {kForward, false, false, true, true, false, 1, {-0.639199, 0.5046775, 0}},
    {kForward, false, true, true, false, true, 0, {-1.437357, 0.9371791, 0}},
    {kForward, false, true, false, false, false, 1, {-2.063635, -0.4105269, 0}},
    {kForward, true, false, true, true, true, 0, {0.4022661, 0.1075145, 0}},
    {kForward, true, false, true, false, false, 1, {-0.0786361, 0.1452661, 0}},
    {kForward, true, true, true, false, false, 0, {-0.6846635, 0.5499695, 0}},
    {kForward, true, true, false, true, true, 1, {-0.05238022, -0.508648, 0}},
    {kReverse, false, false, true, false, false, 0, {1.793044, 2.105882, 0}},
    {kReverse, false, false, true, false, true, 1, {0.2703641, 0.9666461, 0}},
    {kReverse, false, true, true, true, false, 0, {1.499723, 1.102304, 0}},
    {kReverse, false, true, false, false, false, 1, {0.09688283, 0.3235749, 0}},
    {kReverse, true, false, true, false, true, 0, {0.5364435, 1.227625, 0}},
    {kReverse, true, false, true, true, false, 1, {0.9012396, 1.008167, 0}},
    {kReverse, true, true, true, false, true, 0, {-0.1685954, 0.9961189, 0}},
    {kReverse, true, true, false, false, false, 1, {0.7564563, 0.544234, 0}},
    {kBidirectional, false, false, true, true, false, 0, {2.15436, 1.318456, 0}},
    {kBidirectional, false, false, true, false, true, 1, {1.712828, 0.6219654, 0}},
    {kBidirectional, false, true, true, false, false, 0, {1.674672, 1.890075, 0}},
    {kBidirectional, false, true, false, true, true, 1, {-0.8329237, -0.3240563, 0}},
    {kBidirectional, true, false, true, false, false, 0, {2.335155, 1.097499, 0}},
    {kBidirectional, true, false, true, false, false, 1, {1.760025, 0.04809467, 0}},
    {kBidirectional, true, true, true, true, true, 0, {0.3106989, 0.2031886, 0}},
    {kBidirectional, true, true, false, false, false, 1, {-2.116508, -1.333545, 0}},
};
constexpr Case kRNNCases[] = {
    {kForward, false, false, true, false, false, 0, {-0.5710161, 0.3734748, 0}},
    {kForward, false, true, true, true, false, 0, {-0.2762438, -0.007047995, 0}},
    {kForward, true, false, true, false, true, 0, {-0.4778562, -0.5891993, 0}},
    {kForward, true, true, false, false, false, 0, {0.7474878, -1.650619, 0}},
    {kReverse, false, false, true, true, true, 0, {0.168202, -0.1029415, 0}},
    {kReverse, false, true, true, false, false, 0, {-2.220998, 0.6132484, 0}},
    {kReverse, true, false, true, false, false, 0, {-0.8505934, 0.6918055, 0}},
    {kReverse, true, true, false, true, true, 0, {-0.8136078, -0.319572, 0}},
    {kBidirectional, false, false, true, false, false, 0, {-2.961197, -0.2506393, 0}},
    {kBidirectional, false, true, true, false, true, 0, {0.4538372, -0.3615011, 0}},
    {kBidirectional, true, false, true, true, false, 0, {-2.052396, 0.1831593, 0}},
    {kBidirectional, true, true, false, false, false, 0, {-1.037651, -2.115673, 0}},
};
// clang-format on

std::vector<float> Draw(std::int64_t count, std::int64_t seed) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i) {
    seed = (seed * 1103515245 + 12345) % (std::int64_t{1} << 31);
    values.push_back(static_cast<float>((seed >> 16) % 256) / 128.0f - 1.0f);
  }
  return values;
}

// Exchanges two neighbouring axes whose sizes are `first` and `second`, with `inner` elements
// after them.
std::vector<float> Exchange(const std::vector<float>& from, std::int64_t first, std::int64_t second,
                            std::int64_t inner) {
  std::vector<float> to(from.size());
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(from.size()); ++i) {
    const std::int64_t n = i / inner;
    const std::int64_t o = n / (first * second), f = n / second % first, s = n % second;
    to[((o * second + s) * first + f) * inner + i % inner] = from[i];
  }
  return to;
}

double WeightedSum(const std::vector<float>& values) {
  const std::vector<float> weights = Draw(static_cast<std::int64_t>(values.size()), 8);
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += double{values[i]} * weights[i];
  return sum;
}

// The operands and results of one case in one layout.
struct Recurrence {
  Recurrence(const Case& c, std::int64_t gates, bool batch_first) {
    sizes.steps = kSteps;
    sizes.batch = kBatch;
    sizes.input = kInput;
    sizes.hidden = kHidden;
    sizes.output = kHidden;
    sizes.directions = c.direction == RnnDirection::kBidirectional ? 2 : 1;
    sizes.batch_first = batch_first;
    const std::int64_t d = sizes.directions;
    x = Draw(kSteps * kBatch * kInput, 1);
    w = Draw(d * gates * kHidden * kInput, 2);
    r = Draw(d * gates * kHidden * kHidden, 3);
    b = Draw(d * 2 * gates * kHidden, 4);
    initial_h = Draw(d * kBatch * kHidden, 5);
    initial_c = Draw(d * kBatch * kHidden, 6);
    peepholes = Draw(d * 3 * kHidden, 7);
    if (batch_first) {
      x = Exchange(x, kSteps, kBatch, kInput);
      initial_h = Exchange(initial_h, d, kBatch, kHidden);
      initial_c = Exchange(initial_c, d, kBatch, kHidden);
    }
    const Shape x_shape =
        batch_first ? Shape{kBatch, kSteps, kInput} : Shape{kSteps, kBatch, kInput};
    vx = {x.data(), x_shape};
    vw = {w.data(), {d, gates * kHidden, kInput}};
    vr = {r.data(), {d, gates * kHidden, kHidden}};
    if (c.bias) vb = {b.data(), {d, 2 * gates * kHidden}};
    if (c.lengths) lengths = {kLengths, {kBatch}};
    if (c.initial) vh = {initial_h.data(), sizes.State()};
    if (c.initial) vc = {initial_c.data(), sizes.State()};
    if (c.option > 0) vp = {peepholes.data(), {d, 3 * kHidden}};
    y.assign(static_cast<std::size_t>(NumElements(sizes.Y())), -7.0f);
    y_h.assign(static_cast<std::size_t>(NumElements(sizes.State())), -7.0f);
    y_c = y_h;
    vy = {y.data(), sizes.Y()};
    vy_h = {y_h.data(), sizes.State()};
    vy_c = {y_c.data(), sizes.State()};
  }

  // The weighted sums of the results in the order of layout 0.
  void Expect(const Case& c, bool has_cell) const {
    const bool t = sizes.batch_first;
    const std::int64_t d = sizes.directions;
    // (B, T, D, H) -> (T, B, D, H) -> (T, D, B, H)
    const std::vector<float> by_step = t ? Exchange(y, kBatch, kSteps, d * kHidden) : y;
    EXPECT_NEAR(WeightedSum(t ? Exchange(by_step, kBatch, d, kHidden) : y), c.sums[0], 1e-5);
    EXPECT_NEAR(WeightedSum(t ? Exchange(y_h, kBatch, d, kHidden) : y_h), c.sums[1], 1e-5);
    if (!has_cell) return;
    EXPECT_NEAR(WeightedSum(t ? Exchange(y_c, kBatch, d, kHidden) : y_c), c.sums[2], 1e-5);
  }

  RecurrentSizes sizes;
  std::vector<float> x, w, r, b, initial_h, initial_c, peepholes, y, y_h, y_c;
  TensorView<const float> vx, vw, vr, vb, vh, vc, vp;
  TensorView<const std::int32_t> lengths;
  TensorView<float> vy, vy_h, vy_c;
};

// The parameters that the three ops have in common. `functions` a direction.
template <class Params>
Params MakeParams(const Case& c, bool batch_first, int functions) {
  constexpr RnnActivation kOdd[] = {RnnActivation::kHardSigmoid, RnnActivation::kSoftsign,
                                    RnnActivation::kLeakyRelu};
  Params p;
  p.direction = c.direction;
  p.hidden_size = kHidden;
  p.layout = batch_first ? 1 : 0;
  p.clip = c.clip ? 0.5f : 0.0f;
  const int directions = c.direction == RnnDirection::kBidirectional ? 2 : 1;
  for (int d = 0; c.odd_functions && d < directions; ++d) {
    for (int i = 0; i < functions; ++i) p.activations.push_back(kOdd[i]);
    p.activation_alpha.push_back(0.3f);
    p.activation_beta.push_back(0.4f);
    if (functions == 3) p.activation_alpha.push_back(0.2f);
  }
  return p;
}

class RecurrentTest : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Layouts, RecurrentTest, testing::Bool());

TEST_P(RecurrentTest, LstmIsThatOfNumPy) {
  for (const Case& c : kLSTMCases) {
    SCOPED_TRACE(&c - kLSTMCases);
    Recurrence n(c, 4, GetParam());
    LSTMParams p = MakeParams<LSTMParams>(c, GetParam(), 3);
    p.input_forget = c.option == 2;
    std::vector<char> scratch(static_cast<std::size_t>(LSTMScratchBytes<float>(
        p, n.vx, n.vw, n.vr, n.vb, n.lengths, n.vh, n.vc, n.vp, n.vy, n.vy_h, n.vy_c)));
    ASSERT_TRUE(LSTM<float>(p, n.vx, n.vw, n.vr, n.vb, n.lengths, n.vh, n.vc, n.vp, n.vy, n.vy_h,
                            n.vy_c, scratch.data())
                    .ok());
    n.Expect(c, true);
  }
}

TEST_P(RecurrentTest, GruIsThatOfNumPy) {
  for (const Case& c : kGRUCases) {
    SCOPED_TRACE(&c - kGRUCases);
    Recurrence n(c, 3, GetParam());
    GRUParams p = MakeParams<GRUParams>(c, GetParam(), 2);
    p.linear_before_reset = c.option == 1;
    std::vector<char> scratch(static_cast<std::size_t>(
        GRUScratchBytes<float>(p, n.vx, n.vw, n.vr, n.vb, n.lengths, n.vh, n.vy, n.vy_h)));
    ASSERT_TRUE(
        GRU<float>(p, n.vx, n.vw, n.vr, n.vb, n.lengths, n.vh, n.vy, n.vy_h, scratch.data()).ok());
    n.Expect(c, false);
  }
}

TEST_P(RecurrentTest, RnnIsThatOfNumPy) {
  for (const Case& c : kRNNCases) {
    SCOPED_TRACE(&c - kRNNCases);
    Recurrence n(c, 1, GetParam());
    const RNNParams p = MakeParams<RNNParams>(c, GetParam(), 1);
    std::vector<char> scratch(static_cast<std::size_t>(
        RNNScratchBytes<float>(p, n.vx, n.vw, n.vr, n.vb, n.lengths, n.vh, n.vy, n.vy_h)));
    ASSERT_TRUE(
        RNN<float>(p, n.vx, n.vw, n.vr, n.vb, n.lengths, n.vh, n.vy, n.vy_h, scratch.data()).ok());
    n.Expect(c, false);
  }
}

TEST(RecurrentErrors, LengthsMustBeWithinTheSteps) {
  Recurrence n(kRNNCases[0], 1, false);
  std::vector<char> scratch(4096);
  for (std::int32_t bad : {-1, 6}) {
    const std::int32_t lengths[] = {5, bad, 0};
    EXPECT_FALSE(RNN<float>({}, n.vx, n.vw, n.vr, n.vb, {lengths, {kBatch}}, n.vh, n.vy, n.vy_h,
                            scratch.data())
                     .ok());
  }
}

TEST(RecurrentErrors, SizesAreChecked) {
  const Recurrence n(kLSTMCases[0], 4, false);
  Shape y, y_h, y_c;
  RecurrentShapes shapes{n.vx.shape, n.vw.shape, n.vr.shape, {}, {}, {}};
  ASSERT_TRUE(LSTMShape({}, shapes, {}, {}, &y, &y_h, &y_c).ok());
  EXPECT_EQ(y, (Shape{kSteps, 1, kBatch, kHidden}));
  EXPECT_EQ(y_h, (Shape{1, kBatch, kHidden}));
  EXPECT_FALSE(LSTMShape({}, shapes, {2, kBatch, kHidden}, {}, &y, &y_h, &y_c).ok());
  shapes.w[1] += 1;
  EXPECT_FALSE(LSTMShape({}, shapes, {}, {}, &y, &y_h, &y_c).ok());
}

}  // namespace
}  // namespace dragoman::rt
