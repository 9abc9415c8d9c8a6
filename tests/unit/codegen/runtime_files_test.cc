// SPDX-License-Identifier: Apache-2.0
// The runtime that generated programs get: the files of this checkout.
#include "codegen/onednn/runtime_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "codegen/onednn/runtime_closure.h"
#include "tests/support/paths.h"

namespace dragoman {
namespace {

TEST(RuntimeFilesTest, EveryFileLiesInTheProgramAsItIsOnDisk) {
  const std::filesystem::path root = ProjectRoot();
  std::size_t on_disk = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "runtime")) {
    const std::string extension = entry.path().extension().string();
    on_disk += extension == ".h" || extension == ".hpp" || extension == ".cc" ||
               extension == ".cmake" || entry.path().filename() == "LICENSE";
  }
  EXPECT_EQ(RuntimeFiles().size(), on_disk);
  for (const RuntimeFile& file : RuntimeFiles()) {
    std::ifstream stream(root / file.path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    EXPECT_EQ(file.text, text.str()) << file.path;
  }
}

TEST(RuntimeFilesTest, FilesAreSortedByPath) {
  const auto files = RuntimeFiles();
  EXPECT_TRUE(std::is_sorted(files.begin(), files.end(),
                             [](const auto& a, const auto& b) { return a.path < b.path; }));
}

TEST(RuntimeFilesTest, EveryProgramGetsTheLicence) {
  const auto files = onednn::RuntimeClosure({});
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0]->path, "runtime/LICENSE");
  EXPECT_NE(files[0]->text.find("LLVM Exceptions"), std::string_view::npos);
}

}  // namespace
}  // namespace dragoman
