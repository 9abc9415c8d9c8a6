// SPDX-License-Identifier: Apache-2.0
// How the format of a file or folder is found.
#include "driver/formats.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/support/output_file.h"
#include "tests/unit/test_folder.h"

namespace dragoman {
namespace {

Likeness Never(const Candidate&) { return Likeness::kNone; }
Likeness Perhaps(const Candidate&) { return Likeness::kLikely; }
Likeness IfItSaysSure(const Candidate& candidate) {
  return candidate.Head() == "sure" ? Likeness::kCertain : Likeness::kNone;
}
Likeness IfItHoldsGraph(const Candidate& candidate) {
  return candidate.Holds("graph.bin") ? Likeness::kCertain : Likeness::kNone;
}

const std::vector<Format> kFormats = {
    {.name = "never", .suffixes = {".n", ".nn"}, .detect = Never},
    {.name = "perhaps", .detect = Perhaps},
    {.name = "sure", .detect = IfItSaysSure},
    {.name = "folder", .detect = IfItHoldsGraph},
};

std::string NameOf(const Result<const Format*>& format) {
  return format.ok() ? std::string((*format)->name) : format.error().findings().front().message;
}

TEST(Formats, ContentGoesBeforeSuffixAndCertaintyBeforeLikeness) {
  const TestFolder folder;
  ASSERT_TRUE(WriteFile(folder / "a.n", "sure").ok());
  ASSERT_TRUE(WriteFile(folder / "b.n", "other").ok());
  EXPECT_EQ(NameOf(FormatOfInput(kFormats, folder / "a.n")), "sure");
  EXPECT_EQ(NameOf(FormatOfInput(kFormats, folder / "b.n")), "perhaps");
  EXPECT_EQ(NameOf(FormatOfInput(Formats(kFormats).first(1), folder / "b.n")), "never");
}

TEST(Formats, FolderIsRecognizedByWhatItHolds) {
  const TestFolder folder;
  const Formats certain = Formats(kFormats).last(2);
  EXPECT_EQ(NameOf(FormatOfInput(certain, folder.path().string())),
            "is a folder, and no SavedModel; expected a model file");
  ASSERT_TRUE(WriteFile(folder / "graph.bin", "").ok());
  EXPECT_EQ(NameOf(FormatOfInput(certain, folder.path().string())), "folder");
}

TEST(Formats, OutputGoesByAnyOfTheSuffixes) {
  EXPECT_EQ(NameOf(FormatOfOutput(kFormats, "x.n")), "never");
  EXPECT_EQ(NameOf(FormatOfOutput(kFormats, "x.nn")), "never");
  EXPECT_EQ(NameOf(FormatOfOutput(kFormats, ".nn")), "unknown suffix; name the format with --to");
  EXPECT_EQ(NameOf(FormatOfOutput(kFormats, "x.nn/y")),
            "unknown suffix; name the format with --to");
}

TEST(Formats, NamesAreListedWhereOneIsNotKnown) {
  EXPECT_EQ(NameOf(FormatByName(kFormats, "sure")), "sure");
  EXPECT_EQ(NameOf(FormatByName(kFormats, "?")),
            "there is no format '?'; formats are 'never', 'perhaps', 'sure', 'folder'");
}

TEST(Formats, RowsAreConsistent) {
  for (const Format& format : BuiltInFormats()) {
    SCOPED_TRACE(format.name);
    EXPECT_EQ(NameOf(FormatByName(BuiltInFormats(), format.name)), format.name);
    for (std::string_view suffix : format.suffixes) {
      EXPECT_TRUE(suffix.starts_with('.') || suffix.starts_with('_'));
      EXPECT_EQ(NameOf(FormatOfOutput(BuiltInFormats(), "x" + std::string(suffix))), format.name);
    }
    EXPECT_EQ(format.lower != nullptr, !format.dialect.empty());
    EXPECT_EQ(format.check != nullptr, format.support != nullptr);
    EXPECT_TRUE(format.check == nullptr || format.write != nullptr);
    EXPECT_FALSE(format.is_container && format.check != nullptr);
  }
}

// The first bytes of a GraphDef are a line feed and the size of the first node, which may be that
// of any character.
TEST(Formats, GraphDefIsRecognizedWhateverTheSizeOfItsFirstNode) {
  const TestFolder folder;
  for (std::size_t length = 1; length < 120; ++length) {
    const std::string name(length, 'n');
    const std::string node =
        "\n" + std::string(1, static_cast<char>(length)) + name + "\x12\x04NoOp";
    const std::string graph = "\n" + std::string(1, static_cast<char>(node.size())) + node;
    ASSERT_TRUE(WriteFile(folder / "model", graph).ok());
    EXPECT_EQ(NameOf(FormatOfInput(BuiltInFormats(), folder / "model")), "tf") << length;
  }
}

}  // namespace
}  // namespace dragoman
