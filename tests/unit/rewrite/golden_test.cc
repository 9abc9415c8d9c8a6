// SPDX-License-Identifier: Apache-2.0
// Every file of tests/golden/rewrite shows a rewrite: a sentence, the passes, the graph before, and
// after "=>" the graph after. Both are run on random inputs and must give the same, and a second
// run of the passes must change nothing. DRAGOMAN_ACCEPT=1 writes what is found into the files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/analysis/inference.h"
#include "core/ir/parse.h"
#include "core/ir/print.h"
#include "core/ir/verify.h"
#include "core/rewrite/pipeline.h"
#include "tests/support/paths.h"
#include "tests/unit/rewrite/random_inputs.h"

namespace dragoman {
namespace {

constexpr char kArrow[] = "\n=>\n";

std::filesystem::path Folder() { return ProjectRoot() / "tests/golden/rewrite"; }

struct Case {
  std::string sentence;
  std::string passes;
  std::string before;
  std::string after;
};

Case ReadCase(const std::filesystem::path& path) {
  std::ifstream file(path);
  Case c;
  std::getline(file, c.sentence);
  std::getline(file, c.passes);
  std::stringstream rest;
  rest << file.rdbuf();
  const std::string text = rest.str();
  const std::size_t arrow = text.find(kArrow);
  c.before = text.substr(0, arrow);
  if (arrow != std::string::npos) c.after = text.substr(arrow + sizeof kArrow - 1);
  return c;
}

void Accept(const std::filesystem::path& path, const Case& c, const std::string& after) {
  std::ofstream(path) << c.sentence << "\n" << c.passes << "\n" << c.before << kArrow << after;
}

std::vector<std::string> CaseNames() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(Folder())) {
    names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool IsRandomized(const Case& c) { return c.before.find("Random") != std::string::npos; }

class RewriteGolden : public testing::TestWithParam<std::string> {};

TEST_P(RewriteGolden, GivesTheGraphThatIsShown) {
  const std::filesystem::path path = Folder() / (GetParam() + ".txt");
  const Case c = ReadCase(path);
  Result<Model> before = ParseText(c.before);
  ASSERT_TRUE(before.ok()) << before.error().ToString();
  ASSERT_TRUE(InferModel(*before).ok());

  Model after = Clone(*before);
  const Status status = RunPipeline(after, ExactPasses(c.passes));
  ASSERT_TRUE(status.ok()) << status.error().ToString();
  const Status verified = Verify(after);
  ASSERT_TRUE(verified.ok()) << verified.error().ToString();
  const std::string text = PrintGraph(after.main());
  if (std::getenv("DRAGOMAN_ACCEPT") != nullptr) {
    Accept(path, c, text);
  } else {
    EXPECT_EQ(text, c.after);
  }

  if (!IsRandomized(c)) ExpectSameResults(*before, after);
  ASSERT_TRUE(RunPipeline(after, ExactPasses(c.passes)).ok());
  EXPECT_EQ(PrintGraph(after.main()), text);
}

INSTANTIATE_TEST_SUITE_P(Cases, RewriteGolden, testing::ValuesIn(CaseNames()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace dragoman
