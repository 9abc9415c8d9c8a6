// SPDX-License-Identifier: Apache-2.0
#include "core/support/gather_rows.h"

#include <gtest/gtest.h>

#include <string_view>

namespace dragoman {
namespace {

struct Row {
  std::string_view label;
  int number;
};

constexpr Row kFirst[] = {{"b", 1}, {"d", 2}};
constexpr Row kSecond[] = {{"c", 3}, {"a", 4}};
constexpr Row kTwice[] = {{"d", 5}};

std::span<const Row> First() { return kFirst; }
std::span<const Row> Second() { return kSecond; }
std::span<const Row> Twice() { return kTwice; }

TEST(GatherRowsTest, FindsTheRowsOfAllFiles) {
  constexpr RowsOfFile<Row> kFiles[] = {First, Second};
  const std::vector<Row> rows = GatherRows(kFiles, &Row::label);
  EXPECT_EQ(FindByKey(rows, std::string_view("a"), &Row::label)->number, 4);
  EXPECT_EQ(FindByKey(rows, std::string_view("d"), &Row::label)->number, 2);
  EXPECT_EQ(FindByKey(rows, std::string_view("e"), &Row::label), nullptr);
}

// Otherwise one of the two would never be found.
TEST(GatherRowsDeathTest, AKeyOfTwoFilesIsFatal) {
  constexpr RowsOfFile<Row> kFiles[] = {First, Second, Twice};
  EXPECT_DEATH(GatherRows(kFiles, &Row::label), "a table has two rows of one key");
}

}  // namespace
}  // namespace dragoman
