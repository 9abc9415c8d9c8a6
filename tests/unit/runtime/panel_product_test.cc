// SPDX-License-Identifier: Apache-2.0
// Products of our own loops against sums in double precision.
#include "runtime/fast/panel_product.h"

#include <cmath>
#include <vector>

#include "runtime/fast/panel_tile.h"
#include "runtime/fast/threads.h"
#include "tests/unit/runtime/prepared_test.h"

namespace dragoman::rt {
namespace {

struct ProductSizes {
  std::int64_t rows, outputs, inputs;
};

class PanelProductTest : public PreparedTest {
 protected:
  void TearDown() override { SetThreads(1); }

  // x · weightsᵀ + bias, and the post-ops.
  static std::vector<float> Expected(const ProductSizes& sizes, const std::vector<float>& x,
                                     const std::vector<float>& weights,
                                     const std::vector<float>& bias,
                                     const std::vector<float>& residual, const PostOps& post) {
    std::vector<float> y;
    for (std::int64_t r = 0; r < sizes.rows; ++r) {
      for (std::int64_t o = 0; o < sizes.outputs; ++o) {
        double sum = bias[static_cast<std::size_t>(o)];
        for (std::int64_t i = 0; i < sizes.inputs; ++i) {
          sum += static_cast<double>(x[static_cast<std::size_t>(r * sizes.inputs + i)]) *
                 weights[static_cast<std::size_t>(o * sizes.inputs + i)];
        }
        const double added = post.residual ? residual[y.size()] : 0.0;
        if (!post.activation_first) sum += added;
        if (post.activation == FusedActivation::kRelu) sum = std::max(sum, 0.0);
        if (post.activation_first) sum += added;
        y.push_back(static_cast<float>(sum));
      }
    }
    return y;
  }

  void ExpectTheSums(const ProductSizes& sizes, const PostOps& post) {
    SCOPED_TRACE(testing::Message()
                 << sizes.rows << " x " << sizes.outputs << " x " << sizes.inputs);
    const std::vector<float> x = Draw(sizes.rows * sizes.inputs), bias = Draw(sizes.outputs),
                             weights = Draw(sizes.outputs * sizes.inputs),
                             residual = Draw(sizes.rows * sizes.outputs);
    const std::vector<float> expected = Expected(sizes, x, weights, bias, residual, post);
    std::vector<float> made(expected.size());
    PanelProduct product;
    product.Pack(weights.data(), sizes.inputs, 1, bias.data(), sizes.outputs, sizes.inputs,
                 sizes.rows, post);
    product.Run(x.data(), residual.data(), made.data(), Scratch(product.ScratchBytes()));
    const float bound = 1e-6f * static_cast<float>(sizes.inputs + 4);
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(expected[i], made[i], bound) << i;
    if (post.residual) return;
    const std::int64_t fewer = (sizes.rows + 1) / 2;
    std::vector<float> rows(static_cast<std::size_t>(fewer * sizes.outputs));
    product.RunRows(fewer, x.data(), rows.data());
    for (std::size_t i = 0; i < rows.size(); ++i) ASSERT_NEAR(expected[i], rows[i], bound) << i;
  }
};

TEST_F(PanelProductTest, IsTheSumsForAnyNumberOfRowsAndOutputs) {
  PostOps post;
  post.residual = true;
  post.activation = FusedActivation::kRelu;
  for (std::int64_t rows = 1; rows <= 17; ++rows) {
    for (const std::int64_t outputs : {1, 7, 16, 17, 32, 48, 65, 130, 200}) {
      post.activation_first = Pick(0, 1) == 1;
      ExpectTheSums({rows, outputs, Pick(1, 40)}, {});
      ExpectTheSums({rows, outputs, Pick(1, 40)}, post);
    }
  }
}

TEST_F(PanelProductTest, IsTheSumsOfSeveralBlocksOfInputs) {
  const ProductSizes several[] = {{9, 300, 520}, {200, 290, 257}, {13, 40, 700}};
  PostOps post;
  post.residual = true;
  for (const ProductSizes& sizes : several) {
    ExpectTheSums(sizes, {});
    ExpectTheSums(sizes, post);
  }
}

TEST_F(PanelProductTest, HasTheSameBitsOnAnyNumberOfThreads) {
  const ProductSizes several[] = {{1, 1000, 256}, {2, 520, 300}, {50, 330, 300}};
  for (const ProductSizes& sizes : several) {
    const std::vector<float> x = Draw(sizes.rows * sizes.inputs),
                             weights = Draw(sizes.outputs * sizes.inputs);
    std::vector<float> made[2];
    for (int threads = 1; threads <= 2; ++threads) {
      SetThreads(threads);
      PanelProduct product;
      product.Pack(weights.data(), sizes.inputs, 1, nullptr, sizes.outputs, sizes.inputs,
                   sizes.rows);
      std::vector<float>& y = made[threads - 1];
      y.resize(static_cast<std::size_t>(sizes.rows * sizes.outputs));
      product.Run(x.data(), nullptr, y.data(), Scratch(product.ScratchBytes()));
    }
    EXPECT_EQ(made[0], made[1]);
  }
}

TEST(TileSizes, ArePanelsOfWholeVectors) {
  const TileSizes& best = BestTile();
  EXPECT_EQ(best.RoundedUp(1), best.lanes);
  EXPECT_EQ(best.RoundedUp(best.lanes), best.lanes);
  EXPECT_EQ(best.PanelWidth(1), 8 * best.lanes);
  EXPECT_EQ(best.PanelWidth(best.rows), 2 * best.lanes);
}

}  // namespace
}  // namespace dragoman::rt
