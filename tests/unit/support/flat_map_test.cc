// SPDX-License-Identifier: Apache-2.0
#include "core/support/flat_map.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dragoman {
namespace {

TEST(FlatMap, KeepsTheFirstValueOfEachOfManyAddresses) {
  const std::vector<int> things(10'000);
  FlatMap<const int*, int> map;
  EXPECT_EQ(map.Find(&things[0]), nullptr);
  for (int i = 0; i < 10'000; i += 2) {
    EXPECT_TRUE(map.TryEmplace(&things[static_cast<std::size_t>(i)], i).second);
  }
  const auto [first, added] = map.TryEmplace(&things[4], 7);
  EXPECT_FALSE(added);
  EXPECT_EQ(*first, 4);
  for (int i = 0; i < 10'000; ++i) {
    const int* found = map.Find(&things[static_cast<std::size_t>(i)]);
    if (i % 2 == 0) {
      ASSERT_NE(found, nullptr);
      EXPECT_EQ(*found, i);
    } else {
      EXPECT_EQ(found, nullptr);
    }
  }
  EXPECT_FALSE(map.contains(nullptr));
}

TEST(FlatMap, FindsTextsByTheirContents) {
  std::vector<std::string> names;
  for (int i = 0; i < 1'000; ++i) names.push_back("value_" + std::to_string(i));
  FlatMap<HashedText, int> map;
  map.Reserve(names.size());
  for (int i = 0; i < 1'000; ++i) {
    EXPECT_TRUE(map.TryEmplace(HashedText(names[static_cast<std::size_t>(i)]), i).second);
  }
  EXPECT_FALSE(map.TryEmplace(HashedText("value_7"), 8).second);
  ASSERT_NE(map.Find(HashedText("value_999")), nullptr);
  EXPECT_EQ(*map.Find(HashedText("value_999")), 999);
  EXPECT_EQ(map.Find(HashedText("value_1000")), nullptr);
  EXPECT_EQ(map.Find(HashedText("")), nullptr);
}

}  // namespace
}  // namespace dragoman
