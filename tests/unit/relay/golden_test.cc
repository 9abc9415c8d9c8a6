// Every file of tests/golden/relay shows a construct of Relay text: a sentence, the text, and what
// it is written back as, or what is said of it. What was written is a fixed point of reading and
// writing. DRAGOMAN_ACCEPT=1 writes what is found into the files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "codegen/relay/write_source.h"
#include "core/support/output_file.h"
#include "importers/relay/graph/read_model.h"
#include "tests/support/paths.h"

namespace dragoman {
namespace {

constexpr std::string_view kLine = "----\n";

// The parts between lines of dashes: sentence, text, what becomes of it.
std::vector<std::string> PartsOf(const std::filesystem::path& path) {
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (parts.size() < 2) {
    const std::size_t end = text.find(kLine, begin);
    if (end == std::string::npos) break;
    parts.push_back(text.substr(begin, end - begin));
    begin = end + kLine.size();
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::string WrittenBack(const std::string& text) {
  const Result<Model> model = ReadRelayText(text);
  if (!model.ok()) return model.error().ToString() + "\n";
  const Result<std::string> written = PrintRelaySource(*model);
  return written.ok() ? *written : written.error().ToString() + "\n";
}

std::vector<std::string> Files() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(ProjectRoot() / "tests/golden/relay"))
    names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

class RelayGolden : public testing::TestWithParam<std::string> {};

TEST_P(RelayGolden, IsWrittenBack) {
  const std::filesystem::path path = ProjectRoot() / "tests/golden/relay" / (GetParam() + ".txt");
  const std::vector<std::string> parts = PartsOf(path);
  ASSERT_EQ(parts.size(), 3u) << "a sentence, a text and a result";
  const std::string written = WrittenBack(parts[1]);
  if (std::getenv("DRAGOMAN_ACCEPT") != nullptr) {
    const std::string all = parts[0] + std::string(kLine) + parts[1] + std::string(kLine) + written;
    ASSERT_TRUE(WriteFile(path, all).ok());
    return;
  }
  EXPECT_EQ(written, parts[2]);
  if (written.starts_with("#[version")) {
    EXPECT_EQ(WrittenBack(written), written);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, RelayGolden, testing::ValuesIn(Files()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace dragoman
