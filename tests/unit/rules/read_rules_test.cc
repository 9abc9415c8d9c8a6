// SPDX-License-Identifier: Apache-2.0
// Every file of tests/golden/rules shows rules that are wrong and, after a line "--", what is said
// of them. DRAGOMAN_ACCEPT=1 writes what is found into the files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/rewrite/match/read_rules.h"
#include "tests/support/golden_texts.h"
#include "tests/support/paths.h"

namespace dragoman {
namespace {

constexpr char kLine[] = "\n--\n";

class BadRule : public testing::TestWithParam<std::string> {};

TEST_P(BadRule, IsRefusedWithItsPlace) {
  const std::filesystem::path path = ProjectRoot() / "tests/golden/rules" / (GetParam() + ".txt");
  const std::vector<std::string> parts = PartsOfGoldenText(path, kLine);
  Result<RuleSet> read = ReadRules(parts[0]);
  ASSERT_FALSE(read.ok());
  const std::string said = std::move(read).error().InFile("my.rules").ToString() + "\n";
  if (std::getenv("DRAGOMAN_ACCEPT") != nullptr) {
    std::ofstream(path) << parts[0] << kLine << said;
  } else {
    ASSERT_EQ(parts.size(), 2u) << "rules, and what is said of them";
    EXPECT_EQ(said, parts[1]);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, BadRule, testing::ValuesIn(GoldenTexts("rules")),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace dragoman
