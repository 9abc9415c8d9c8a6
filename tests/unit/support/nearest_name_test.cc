// SPDX-License-Identifier: Apache-2.0
#include "core/support/nearest_name.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace dragoman {
namespace {

const std::vector<std::string> kNames = {"Softmax", "Softplus", "LogSoftmax", "Relu", "convert"};

TEST(NearestNameTest, FindsWhatIsMistyped) {
  EXPECT_EQ(DidYouMean("Softmaxx", kNames), " (did you mean 'Softmax'?)");
  EXPECT_EQ(DidYouMean("softmax", kNames), " (did you mean 'Softmax'?)");
  EXPECT_EQ(DidYouMean("covnert", kNames), " (did you mean 'convert'?)");
  EXPECT_EQ(DidYouMean("Softmux", kNames), " (did you mean 'Softmax'?)");
  EXPECT_EQ(DidYouMean("Rel", kNames), " (did you mean 'Relu'?)");
}

TEST(NearestNameTest, SuggestsNothingThatIsUnlike) {
  EXPECT_EQ(DidYouMean("Gemm", kNames), "");
  EXPECT_EQ(DidYouMean("", kNames), "");
  EXPECT_EQ(DidYouMean("R", kNames), "");
  EXPECT_EQ(DidYouMean("Relu", {}), "");
  EXPECT_EQ(DidYouMean(std::string(100'000, 'x'), kNames), "");
}

TEST(NearestNameTest, GivesTheFirstOfEquallyNearNames) {
  const std::vector<std::string> names = {"ab", "ac", "ad"};
  EXPECT_EQ(DidYouMean("abx", names), " (did you mean 'ab'?)");
  EXPECT_EQ(DidYouMean("axc", names), " (did you mean 'ac'?)");
}

TEST(WhatThereIsTest, ListsTheNames) {
  const std::vector<std::string> names = {"x", "state"};
  EXPECT_EQ(WhatThereIs("stat", "inputs are", names),
            " (did you mean 'state'?); inputs are 'x', 'state'");
  EXPECT_EQ(WhatThereIs("q", "inputs are", names), "; inputs are 'x', 'state'");
  EXPECT_EQ(WhatThereIs("q", "inputs are", {}), "; there are none");
}

TEST(WhatThereIsTest, ListsTheFirstOfMany) {
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) names.push_back("in" + std::to_string(i));
  EXPECT_EQ(WhatThereIs("q", "they are", names),
            "; they are 'in0', 'in1', 'in2', 'in3', 'in4', 'in5', 'in6', 'in7', 'in8', 'in9', "
            "'in10', 'in11', … and 88 more");
}

}  // namespace
}  // namespace dragoman
