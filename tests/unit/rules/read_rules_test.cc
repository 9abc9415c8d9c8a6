// SPDX-License-Identifier: Apache-2.0
// Every file of tests/golden/rules shows rules that are wrong and, behind a line "--", what is said
// of them. DRAGOMAN_ACCEPT=1 writes what is found into the files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/rewrite/match/read_rules.h"
#include "tests/support/paths.h"

namespace dragoman {
namespace {

constexpr char kLine[] = "\n--\n";

std::filesystem::path Folder() { return ProjectRoot() / "tests/golden/rules"; }

std::vector<std::string> CaseNames() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(Folder()))
    names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

class BadRule : public testing::TestWithParam<std::string> {};

TEST_P(BadRule, IsRefusedWithItsPlace) {
  const std::filesystem::path path = Folder() / (GetParam() + ".txt");
  std::stringstream whole;
  whole << std::ifstream(path).rdbuf();
  const std::string text = whole.str();
  const std::size_t line = text.find(kLine);
  const std::string rules = text.substr(0, line);
  Result<RuleSet> read = ReadRules(rules);
  ASSERT_FALSE(read.ok());
  const std::string said = std::move(read).error().InFile("my.rules").ToString() + "\n";
  if (std::getenv("DRAGOMAN_ACCEPT") != nullptr) {
    std::ofstream(path) << rules << kLine << said;
  } else {
    EXPECT_EQ(said, text.substr(line + sizeof kLine - 1));
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, BadRule, testing::ValuesIn(CaseNames()), [](const auto& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace dragoman
