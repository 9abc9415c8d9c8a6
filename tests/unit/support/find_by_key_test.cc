// SPDX-License-Identifier: Apache-2.0
#include "core/support/find_by_key.h"

#include <gtest/gtest.h>

#include <string_view>

namespace dragoman {
namespace {

struct Row {
  std::string_view name;
  int number;
};

constexpr Row kRows[] = {{"Abs", 1}, {"Add", 2}, {"Mul", 3}};
static_assert(IsSortedBy(kRows, &Row::name));

TEST(FindByKeyTest, FindsRowsByTheirKeys) {
  for (const Row& row : kRows) EXPECT_EQ(FindByKey(kRows, row.name, &Row::name), &row);
  for (std::string_view other : {"", "Aba", "Mu", "Mult"})
    EXPECT_EQ(FindByKey(kRows, other, &Row::name), nullptr) << other;
}

TEST(FindByKeyTest, TablesOutOfOrderAreNotSorted) {
  constexpr std::string_view kTwice[] = {"Abs", "Abs"};
  constexpr std::string_view kMixed[] = {"Add", "Abs"};
  EXPECT_FALSE(IsSortedBy(kTwice));
  EXPECT_FALSE(IsSortedBy(kMixed));
}

}  // namespace
}  // namespace dragoman
