// SPDX-License-Identifier: Apache-2.0
// Attention against a sum written out: any strides, masks, queries that see nothing, and NaN.
#include "runtime/fast/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "tests/unit/runtime/prepared_test.h"

namespace dragoman::rt {
namespace {

using Kind = AttentionMask::Kind;

struct Operands {
  std::vector<float> q, k, v, added;
  std::unique_ptr<bool[]> visible;
};

class AttentionTest : public PreparedTest {
 protected:
  // (batch, heads, rows, columns), which may lie as (batch, rows, heads, columns).
  AttentionMatrix Place(const Shape& batch, std::int64_t rows, std::int64_t columns) {
    const std::int64_t heads = batch[1];
    if (Pick(0, 1) == 0) return {0, {heads * rows * columns, rows * columns, columns, 1}};
    return {0, {rows * heads * columns, columns, heads * columns, 1}};
  }

  AttentionSizes PickSizes(std::int64_t queries, std::int64_t keys) {
    AttentionSizes s;
    s.batch = {Pick(1, 2), Pick(1, 4)};
    s.queries = queries;
    s.keys = keys;
    s.depth = Pick(1, 40);
    s.features = Pick(1, 40);
    s.scale = 0.25f;
    s.q = Place(s.batch, s.queries, s.depth);
    s.k = Place(s.batch, s.keys, s.depth);
    if (Pick(0, 3) == 0) s.k.strides[1] = 0;  // heads that share keys
    s.v = Place(s.batch, s.keys, s.features);
    s.y = Place(s.batch, s.queries, s.features);
    const Kind kinds[] = {Kind::kNone, Kind::kAdd, Kind::kKeep, Kind::kHide};
    for (AttentionMask& mask : s.masks) {
      mask.kind = kinds[Pick(0, 3)];
      mask.fill = Pick(0, 1) == 0 ? -1e4f : -std::numeric_limits<float>::infinity();
      mask.matrix = {0, {Pick(0, 1) == 0 ? 0 : s.queries * s.keys, 0, s.keys, 1}};
      if (Pick(0, 3) == 0) mask.matrix.strides = {s.queries, 0, 1, 0};
    }
    s.zeros = PickZeros(s.masks[0].kind);
    return s;
  }

  AttentionZeros PickZeros(Kind mask) {
    std::vector<AttentionZeros> zeros = {AttentionZeros::kNone, AttentionZeros::kNan,
                                         AttentionZeros::kHiddenScores};
    if (mask == Kind::kAdd) zeros.push_back(AttentionZeros::kHiddenMasks);
    if (mask == Kind::kKeep) zeros.push_back(AttentionZeros::kMasked);
    return zeros[static_cast<std::size_t>(Pick(0, static_cast<std::int64_t>(zeros.size()) - 1))];
  }

  Operands DrawOperands(const AttentionSizes& s) {
    const std::int64_t entries = NumElements(s.batch), masked = 2 * s.queries * s.keys;
    Operands o = {Draw(entries * s.queries * s.depth, 2.0f), Draw(entries * s.keys * s.depth, 2.0f),
                  Draw(entries * s.keys * s.features, 2.0f), Draw(masked, 2.0f),
                  std::make_unique<bool[]>(static_cast<std::size_t>(masked))};
    for (std::int64_t i = 0; i < masked; ++i) o.visible[i] = Pick(0, 4) != 0;
    // Some queries see nothing, some scores are NaN.
    for (std::int64_t row = 0; row < 2 * s.queries; ++row) {
      if (Pick(0, 3) != 0) continue;
      std::fill_n(o.added.begin() + row * s.keys, s.keys, -std::numeric_limits<float>::infinity());
      std::fill_n(o.visible.get() + row * s.keys, s.keys, Pick(0, 1) == 0);
    }
    if (Pick(0, 2) == 0) o.q[static_cast<std::size_t>(Pick(0, s.depth - 1))] = std::nanf("");
    return o;
  }
};

std::size_t At(const AttentionMatrix& m, const Shape& batch, std::int64_t entry, std::int64_t row,
               std::int64_t column) {
  return static_cast<std::size_t>(m.offset + entry / batch[1] * m.strides[0] +
                                  entry % batch[1] * m.strides[1] + row * m.strides[2] +
                                  column * m.strides[3]);
}

double Masked(const AttentionSizes& s, const Operands& o, std::int64_t entry, std::int64_t row,
              std::int64_t key, double score) {
  for (const AttentionMask& mask : s.masks) {
    if (mask.kind == Kind::kNone) continue;
    const std::size_t at = At(mask.matrix, s.batch, entry, row, key);
    if (mask.kind == Kind::kAdd) {
      score = static_cast<float>(score + o.added[at]);
    } else if (o.visible[at] != (mask.kind == Kind::kKeep)) {
      score = mask.fill;
    }
  }
  return score;
}

bool IsZeroed(const AttentionSizes& s, const Operands& o, std::int64_t entry, std::int64_t row,
              std::int64_t key, const std::vector<double>& scores, double weight) {
  const AttentionMatrix& mask = s.masks[0].matrix;
  const auto is_low = [](double x) { return x == -std::numeric_limits<double>::infinity(); };
  switch (s.zeros) {
    case AttentionZeros::kNone:
      return false;
    case AttentionZeros::kNan:
      return std::isnan(weight);
    case AttentionZeros::kHiddenScores:
      return std::ranges::all_of(scores, is_low);
    case AttentionZeros::kHiddenMasks: {
      bool hidden = true;
      for (std::int64_t i = 0; i < s.keys; ++i)
        hidden = hidden && is_low(o.added[At(mask, s.batch, entry, row, i)]);
      return hidden;
    }
    case AttentionZeros::kMasked:
      return !o.visible[At(mask, s.batch, entry, row, key)];
  }
  return false;
}

std::vector<float> Attend(const AttentionSizes& s, const Operands& o, std::size_t results) {
  std::vector<float> y(results);
  for (std::int64_t entry = 0; entry < NumElements(s.batch); ++entry) {
    for (std::int64_t row = 0; row < s.queries; ++row) {
      std::vector<double> scores(static_cast<std::size_t>(s.keys));
      double largest = -std::numeric_limits<double>::infinity();
      for (std::int64_t key = 0; key < s.keys; ++key) {
        double sum = 0;
        for (std::int64_t i = 0; i < s.depth; ++i)
          sum += static_cast<double>(o.q[At(s.q, s.batch, entry, row, i)]) *
                 o.k[At(s.k, s.batch, entry, key, i)];
        scores[key] = Masked(s, o, entry, row, key, sum * s.scale);
        largest = std::max(largest, scores[key]);
      }
      double total = 0;
      for (const double score : scores) total += std::exp(score - largest);
      for (std::int64_t i = 0; i < s.features; ++i) {
        double sum = 0;
        for (std::int64_t key = 0; key < s.keys; ++key) {
          const double weight = std::exp(scores[key] - largest) / total;
          if (!IsZeroed(s, o, entry, row, key, scores, weight))
            sum += weight * o.v[At(s.v, s.batch, entry, key, i)];
        }
        y[At(s.y, s.batch, entry, row, i)] = static_cast<float>(sum);
      }
    }
  }
  return y;
}

TEST_F(AttentionTest, IsItsDefinition) {
  for (int n = 0; n < 150; ++n) {
    const AttentionSizes s =
        PickSizes(n % 10 == 0 ? 130 : Pick(1, 40), n % 10 == 5 ? 300 : Pick(1, 60));
    const Operands o = DrawOperands(s);
    const auto data = [&](const AttentionMask& mask) -> const void* {
      if (mask.kind == Kind::kAdd) return o.added.data();
      return mask.kind == Kind::kNone ? nullptr : static_cast<const void*>(o.visible.get());
    };
    PreparedAttention attention;
    ASSERT_TRUE(PreparedAttention::Supports(s));
    ASSERT_TRUE(attention.Init(context_, s).ok());
    std::vector<float> y(static_cast<std::size_t>(NumElements(s.batch) * s.queries * s.features));
    ASSERT_TRUE(attention
                    .Run(o.q.data(), o.k.data(), o.v.data(), data(s.masks[0]), data(s.masks[1]),
                         y.data(), Scratch(attention.ScratchBytes()))
                    .ok());
    const std::vector<float> expected = Attend(s, o, y.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (std::isnan(expected[i])) {
        ASSERT_TRUE(std::isnan(y[i])) << "case " << n << " element " << i;
      } else {
        ASSERT_NEAR(y[i], expected[i], 2e-5) << "case " << n << " element " << i;
      }
    }
  }
}

TEST_F(AttentionTest, RefusesColumnsThatLieApart) {
  AttentionSizes s;
  s.queries = s.keys = s.depth = s.features = 2;
  s.q = s.k = s.v = {0, {2, 1}};
  s.y = {0, {1, 2}};
  EXPECT_FALSE(PreparedAttention::Supports(s));
  s.y = {0, {2, 1}};
  EXPECT_TRUE(PreparedAttention::Supports(s));
  s.keys = 0;
  EXPECT_FALSE(PreparedAttention::Supports(s));
}

}  // namespace
}  // namespace dragoman::rt
