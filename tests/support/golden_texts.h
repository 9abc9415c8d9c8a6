// SPDX-License-Identifier: Apache-2.0
// Folders of texts: each file shows a construct of a format, in a sentence, a text, and what that
// is written back as, or what is said of it, between lines of dashes. What was written is a fixed
// point of reading and writing. DRAGOMAN_ACCEPT=1 writes what is found into the files.
#ifndef DRAGOMAN_TESTS_SUPPORT_GOLDEN_TEXTS_H_
#define DRAGOMAN_TESTS_SUPPORT_GOLDEN_TEXTS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/output_file.h"
#include "tests/support/paths.h"

namespace dragoman {

inline std::vector<std::string> GoldenTexts(std::string_view folder) {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(ProjectRoot() / "tests/golden" / folder))
    names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

// The parts between lines of dashes: sentence, text, what becomes of it.
inline std::vector<std::string> PartsOfGoldenText(const std::filesystem::path& path,
                                                  std::string_view line) {
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (parts.size() < 2) {
    const std::size_t end = text.find(line, begin);
    if (end == std::string::npos) break;
    parts.push_back(text.substr(begin, end - begin));
    begin = end + line.size();
  }
  parts.push_back(text.substr(begin));
  return parts;
}

// `written_back` gives what a text becomes, or what is said of it; `is_text` distinguishes them.
inline void ExpectGoldenText(std::string_view folder, const std::string& name,
                             const std::function<std::string(const std::string&)>& written_back,
                             const std::function<bool(const std::string&)>& is_text) {
  constexpr std::string_view kLine = "----\n";
  const std::filesystem::path path = ProjectRoot() / "tests/golden" / folder / (name + ".txt");
  const std::vector<std::string> parts = PartsOfGoldenText(path, kLine);
  if (std::getenv("DRAGOMAN_ACCEPT") != nullptr) {
    ASSERT_GE(parts.size(), 2u) << "a sentence and a text";
    const std::string all =
        parts[0] + std::string(kLine) + parts[1] + std::string(kLine) + written_back(parts[1]);
    ASSERT_TRUE(WriteFile(path, all).ok());
    return;
  }
  ASSERT_EQ(parts.size(), 3u) << "a sentence, a text and a result";
  const std::string written = written_back(parts[1]);
  EXPECT_EQ(written, parts[2]);
  if (is_text(written)) {
    EXPECT_EQ(written_back(written), written);
  }
}

}  // namespace dragoman

#endif  // DRAGOMAN_TESTS_SUPPORT_GOLDEN_TEXTS_H_
