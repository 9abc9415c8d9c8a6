#include "core/support/pointer_map.h"

#include <gtest/gtest.h>

#include <vector>

namespace dragoman {
namespace {

TEST(PointerMap, KeepsTheFirstValueOfEachOfManyKeys) {
  const std::vector<int> things(10'000);
  PointerMap<const int*, int> map;
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

}  // namespace
}  // namespace dragoman
