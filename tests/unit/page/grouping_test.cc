// SPDX-License-Identifier: Apache-2.0
#include "page/grouping.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "page/find_repeats.h"

namespace dragoman::page {
namespace {

// "[a [b c] d]": leaves by their numbers, groups with their titles.
std::string Text(const Grouping& grouping, std::size_t group = 0) {
  std::string text = grouping.groups[group].title + "[";
  for (const Grouping::Child& child : grouping.groups[group].children) {
    if (text.back() != '[') text += " ";
    text += child.is_group ? Text(grouping, child.number) : std::to_string(child.number);
  }
  return text + "]";
}

std::vector<std::vector<std::size_t>> Found(const std::vector<std::uint64_t>& codes) {
  std::vector<std::vector<std::size_t>> found;
  for (const Repeat& repeat : FindRepeats(codes))
    found.push_back({repeat.begin, repeat.period, repeat.count});
  return found;
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(FindRepeats, BlocksThatFollowOneAnother) {
  EXPECT_THAT(Found({}), IsEmpty());
  EXPECT_THAT(Found({1, 2, 3, 4}), IsEmpty());
  EXPECT_THAT(Found({9, 1, 2, 3, 1, 2, 3, 1, 2, 3, 8}), ElementsAre(ElementsAre(1, 3, 3)));
  EXPECT_THAT(Found({5, 5, 5, 5}), ElementsAre(ElementsAre(0, 1, 4)));
  EXPECT_THAT(Found({1, 2, 3, 4, 1, 2, 3, 5, 1, 2, 3, 6}), IsEmpty());
}

TEST(Grouping, ScopesOfOneNodeAreNoGroups) {
  const std::vector<Leaf> leaves = {{{}, 0}, {{"a", "b"}, 3}, {{"a", "c"}, 5}, {{"d"}, 7}};
  EXPECT_EQ(Text(GroupLeaves(leaves)), "[0 a[1 2] 3]");
}

TEST(Grouping, AScopeInAScopeAloneIsOneGroup) {
  const std::vector<Leaf> leaves = {{{"a", "b"}, 3}, {{"a", "b"}, 5}, {{}, 7}};
  EXPECT_EQ(Text(GroupLeaves(leaves)), "[a/b[0 1] 2]");
}

TEST(Grouping, TheScopeOfEverythingIsNoGroup) {
  const std::vector<Leaf> leaves = {{{}, 0}, {{"net", "a"}, 3}, {{"net", "a"}, 5}, {{"net"}, 7}};
  EXPECT_EQ(Text(GroupLeaves(leaves)), "[0 a[1 2] 3]");
}

TEST(Grouping, LayersThatAreAlikeAreARepeat) {
  std::vector<Leaf> leaves = {{{}, 0}, {{}, 11}};
  for (const char* layer : {"layer.0", "layer.1", "layer.2"}) {
    leaves.push_back({{layer}, 3});
    leaves.push_back({{layer}, 5});
  }
  EXPECT_EQ(Text(GroupLeaves(leaves)),
            "[0 1 layer \u00d7 3[layer.0[2 3] layer.1[4 5] layer.2[6 7]]]");
}

TEST(Grouping, BlocksWithoutScopesAreFoundByWhatTheyCompute) {
  std::vector<Leaf> leaves = {{{}, 0}, {{}, 99}};
  for (int block = 0; block < 3; ++block) {
    for (const std::uint64_t code : {3, 5, 7, 11}) leaves.push_back({{}, code});
  }
  leaves.push_back({{}, 0});
  EXPECT_EQ(Text(GroupLeaves(leaves)),
            "[0 1 block \u00d7 3[block 1[2 3 4 5] block 2[6 7 8 9] block 3[10 11 12 13]] 14]");
}

TEST(Grouping, LongListsAreCutIntoParts) {
  std::vector<Leaf> leaves;
  for (std::uint64_t i = 0; i < 100'000; ++i) leaves.push_back({{}, i * i * 2654435761u | 1});
  const Grouping grouping = GroupLeaves(leaves);
  for (const Grouping::Group& group : grouping.groups) EXPECT_LE(group.children.size(), 600u);
  EXPECT_EQ(grouping.groups[0].leaves, leaves.size());
}

TEST(Grouping, DeepScopesEnd) {
  const std::vector<std::string> deep(100'000, "s");
  const std::vector<Leaf> leaves = {{deep, 3}, {deep, 5}, {{}, 7}};
  EXPECT_EQ(GroupLeaves(leaves).groups[0].leaves, 3u);
}

}  // namespace
}  // namespace dragoman::page
