// SPDX-License-Identifier: Apache-2.0
// The folder of a run's outputs: ours or nobody's, all files or none.
#include "runtime/program/output_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/unit/test_folder.h"

namespace dragoman::rt {
namespace {

namespace fs = std::filesystem;

void Write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

std::vector<std::string> NamesIn(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  return names;
}

class OutputFolderTest : public testing::Test {
 protected:
  void WriteOutput(const std::string& name) {
    StagedOutputs staged(out_.string());
    ASSERT_EQ(staged.Begin(), "");
    Write(staged.PathOf(name), name);
    Write(staged.PathOf(kOutputIndex), std::string(kOutputIndexHead) + "]}");
    ASSERT_EQ(staged.Commit(), "");
  }

  TestFolder folder_;
  fs::path out_ = folder_.path() / "a" / "out";
};

TEST_F(OutputFolderTest, IsMadeOrFilledOrWrittenAgain) {
  WriteOutput("first");
  EXPECT_THAT(NamesIn(out_), testing::UnorderedElementsAre("first", "index.json"));
  WriteOutput("second");
  EXPECT_THAT(NamesIn(out_), testing::UnorderedElementsAre("first", "second", "index.json"));
  fs::remove_all(out_);
  fs::create_directories(out_);
  WriteOutput("third");
  EXPECT_THAT(NamesIn(out_), testing::UnorderedElementsAre("third", "index.json"));
}

TEST_F(OutputFolderTest, MayBeNamedFromTheCurrentOne) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_.path());
  for (const char* name : {"out", "new/out/", "./new/../other"}) {
    out_ = name;
    WriteOutput("first");
    WriteOutput("second");
    EXPECT_EQ(NamesIn(out_).size(), 3u) << name;
  }
  fs::current_path(before);
}

TEST_F(OutputFolderTest, OfOthersIsRefused) {
  fs::create_directories(out_);
  Write(out_ / "index.json", "{\"pages\": []}");
  EXPECT_THAT(RefusalOf(out_.string()), testing::HasSubstr("holds no outputs of dragoman"));
  EXPECT_NE(StagedOutputs(out_.string()).Begin(), "");
  EXPECT_EQ(RefusalOf((out_ / "index.json").string()), "exists and is not a folder");
  EXPECT_THAT(NamesIn(out_), testing::ElementsAre("index.json"));
}

TEST_F(OutputFolderTest, KeepsNothingOfWhatIsNotCommitted) {
  for (const bool exists : {false, true}) {
    if (exists) fs::create_directories(out_);
    {
      StagedOutputs staged(out_.string());
      ASSERT_EQ(staged.Begin(), "");
      Write(staged.PathOf("half"), "a");
    }
    EXPECT_EQ(fs::exists(out_), exists);
  }
  EXPECT_TRUE(fs::is_empty(out_));
}

}  // namespace
}  // namespace dragoman::rt
