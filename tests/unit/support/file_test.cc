// SPDX-License-Identifier: Apache-2.0
// Files: mapped, named by a model, written whole or not at all.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/support/bytes.h"
#include "core/support/confined_path.h"
#include "core/support/mapped_file.h"
#include "core/support/output_file.h"
#include "core/support/sha256.h"
#include "tests/unit/test_folder.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;

// A fresh folder for each test.
class FileTest : public testing::Test {
 protected:
  std::string Path(std::string_view name) const { return folder_ / name; }

  void Put(std::string_view name, std::string_view content) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(Path(name), std::ios::binary) << content;
  }

  std::string Get(std::string_view name) const {
    std::ifstream file(Path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // All entries below the root, sorted; temporary files would show here.
  std::vector<std::string> Tree() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(root_)) {
      names.push_back(entry.path().lexically_relative(root_).string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  TestFolder folder_;
  const fs::path& root_ = folder_.path();
};

using MappedFileTest = FileTest;
using ConfinedPathTest = FileTest;
using OutputFileTest = FileTest;
using OutputFolderTest = FileTest;

std::string Text(const MappedFile& file) { return std::string(AsText(file.bytes())); }

TEST_F(MappedFileTest, GivesTheBytes) {
  Put("a", "hello");
  Put("empty", "");
  EXPECT_EQ(Text(**MappedFile::Open(Path("a"))), "hello");
  EXPECT_EQ((*MappedFile::Open(Path("empty")))->bytes().size(), 0u);
}

TEST_F(MappedFileTest, RefusesWhatIsNoFile) {
  ASSERT_EQ(::mkfifo(Path("pipe").c_str(), 0600), 0);
  const auto message = [](const std::string& path) {
    return MappedFile::Open(path).error().findings()[0].message;
  };
  EXPECT_EQ(message(Path("missing")), "cannot open: No such file or directory");
  EXPECT_EQ(message(root_.string()), "expected a file, found a folder");
  EXPECT_EQ(message(Path("pipe")), "expected a file, found a pipe");
  EXPECT_EQ(message("/dev/zero"), "expected a file, found a device");
}

TEST_F(ConfinedPathTest, OpensFilesBelowTheFolder) {
  Put("model/weights/w.bin", "data");
  EXPECT_EQ(Text(**OpenConfined(Path("model"), "weights/w.bin")), "data");
  EXPECT_EQ(Text(**OpenConfined(Path("model"), "./weights//w.bin")), "data");
}

TEST_F(ConfinedPathTest, RefusesNamesThatLeaveTheFolder) {
  Put("secret", "s");
  Put("model/w.bin", "data");
  for (const std::string_view name : {"", "/etc/passwd", "../secret", "x/../../secret", "..", ".",
                                      "w.bin/", "a\\b", "..\\secret"}) {
    EXPECT_FALSE(CheckConfinedName(name).ok()) << name;
    EXPECT_FALSE(OpenConfined(Path("model"), name).ok()) << name;
  }
  EXPECT_FALSE(CheckConfinedName(std::string_view("w.bin\0x", 7)).ok());
}

TEST_F(ConfinedPathTest, FollowsNoLinksAndOpensOnlyFiles) {
  Put("outside/secret", "s");
  Put("model/sub/w.bin", "data");
  fs::create_symlink(Path("outside/secret"), Path("model/link"));
  fs::create_symlink("sub/w.bin", Path("model/inner_link"));
  fs::create_directory_symlink(Path("outside"), Path("model/folder_link"));
  ASSERT_EQ(::mkfifo(Path("model/pipe").c_str(), 0600), 0);
  for (const char* name :
       {"link", "inner_link", "folder_link/secret", "pipe", "sub", "missing", "sub/w.bin/x"}) {
    EXPECT_FALSE(OpenConfined(Path("model"), name).ok()) << name;
  }
}

TEST_F(OutputFileTest, AppearsOnCommitOnly) {
  {
    Result<OutputFile> file = OutputFile::Create(Path("out"));
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->Append("hello ").ok());
    EXPECT_FALSE(fs::exists(Path("out")));
    ASSERT_TRUE(file->Append("world").ok());
    EXPECT_EQ(file->size(), 11u);
    ASSERT_TRUE(file->Commit().ok());
  }
  EXPECT_EQ(Get("out"), "hello world");
  EXPECT_EQ(Tree(), std::vector<std::string>{"out"});
}

TEST_F(OutputFileTest, LeavesTheOldFileWithoutCommit) {
  Put("out", "old");
  {
    Result<OutputFile> file = OutputFile::Create(Path("out"));
    ASSERT_TRUE(file.ok() && file->Append("new").ok());
  }
  EXPECT_EQ(Get("out"), "old");
  EXPECT_EQ(Tree(), std::vector<std::string>{"out"});
}

TEST_F(OutputFileTest, ReplacesFilesThatBelongTogetherWhenAllAreWritten) {
  Put("model", "old");
  {
    const OutputGroup group;
    ASSERT_TRUE(WriteFile(Path("weights"), "new").ok() && WriteFile(Path("model"), "new").ok());
  }
  EXPECT_EQ(Get("model"), "old");
  EXPECT_EQ(Tree(), std::vector<std::string>{"model"});
  OutputGroup group;
  ASSERT_TRUE(WriteFile(Path("weights"), "new").ok() && WriteFile(Path("model"), "new").ok());
  Result<OutputFolder> folder = OutputFolder::Create(Path("folder"));
  ASSERT_TRUE(folder.ok() && folder->WriteFile("file", "new").ok() && folder->Commit().ok());
  EXPECT_EQ(Get("folder/file"), "new");
  EXPECT_EQ(Get("model"), "old");
  ASSERT_TRUE(group.Commit().ok());
  EXPECT_EQ(Get("model") + Get("weights"), "newnew");
}

TEST_F(OutputFileTest, WritesLargeContent) {
  const std::string content(3'000'000, 'x');
  ASSERT_TRUE(WriteFile(Path("out"), std::string_view(content)).ok());
  EXPECT_EQ(Get("out"), content);
}

TEST_F(OutputFileTest, WritesThroughALinkAndRefusesFolders) {
  Put("real", "old");
  fs::create_symlink("real", Path("link"));
  ASSERT_TRUE(WriteFile(Path("link"), "new").ok());
  EXPECT_EQ(Get("real"), "new");
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_FALSE(WriteFile(root_.string(), "x").ok());
  EXPECT_TRUE(WriteFile(Path("missing/folder/out"), "x").ok());
  EXPECT_FALSE(WriteFile(Path("missing/folder/out/below_a_file"), "x").ok());
}

TEST_F(OutputFolderTest, AppearsWhole) {
  {
    Result<OutputFolder> folder = OutputFolder::Create(Path("gen"));
    ASSERT_TRUE(folder.ok());
    ASSERT_TRUE(folder->WriteFile("src/a.cc", "a").ok());
    EXPECT_FALSE(folder->WriteFile("src/a.cc", "again").ok());
    EXPECT_FALSE(folder->WriteFile("../b", "b").ok());
    EXPECT_FALSE(fs::exists(Path("gen")));
    ASSERT_TRUE(folder->Commit().ok());
  }
  EXPECT_EQ(Tree(), (std::vector<std::string>{"gen", "gen/.dragoman", "gen/src", "gen/src/a.cc"}));
}

TEST_F(OutputFolderTest, VanishesWithoutCommit) {
  {
    Result<OutputFolder> folder = OutputFolder::Create(Path("gen"));
    ASSERT_TRUE(folder.ok() && folder->WriteFile("a", "a").ok());
  }
  EXPECT_TRUE(Tree().empty());
}

TEST_F(OutputFolderTest, ReplacesOurFilesAndKeepsTheUsers) {
  auto write = [&](std::string_view name) {
    Result<OutputFolder> folder = OutputFolder::Create(Path("gen") + "/");
    return folder.ok() && folder->WriteFile(name, "ours").ok() && folder->Commit().ok();
  };
  ASSERT_TRUE(write("old.cc"));
  Put("gen/build/cache", "the user's");
  ASSERT_TRUE(write("new.cc"));
  EXPECT_EQ(Tree(), (std::vector<std::string>{"gen", "gen/.dragoman", "gen/build",
                                              "gen/build/cache", "gen/new.cc"}));
  EXPECT_EQ(Get("gen/build/cache"), "the user's");
}

TEST_F(OutputFolderTest, RefusesAFolderThatIsNotOurs) {
  Put("home/letter", "dear");
  Put("file", "x");
  fs::create_directory(Path("empty"));
  EXPECT_FALSE(OutputFolder::Create(Path("home")).ok());
  EXPECT_FALSE(OutputFolder::Create(Path("file")).ok());
  EXPECT_TRUE(OutputFolder::Create(Path("empty")).ok());
  EXPECT_EQ(Tree(), (std::vector<std::string>{"empty", "file", "home", "home/letter"}));
}

TEST(Sha256, AgreesWithTheStandard) {
  EXPECT_EQ(Sha256Hex({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  const std::string abc = "abc";
  EXPECT_EQ(Sha256Hex(std::as_bytes(std::span(abc))),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace dragoman
