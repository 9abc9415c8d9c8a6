// SPDX-License-Identifier: Apache-2.0
// How the format of a file or folder is found.
#include "driver/formats.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
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
  constexpr const char* kNoSuffix =
      "has no suffix that determines the format, such as .onnx; convert and edit take --to, too";
  EXPECT_EQ(NameOf(FormatOfOutput(kFormats, ".nn")), kNoSuffix);
  EXPECT_EQ(NameOf(FormatOfOutput(kFormats, "x.nn/y")), kNoSuffix);
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

// A value that the option takes.
void Set(const WriteOption& option, WriteOptions& options) {
  if (const auto* flag = std::get_if<bool WriteOptions::*>(&option.value)) {
    options.** flag = true;
  } else if (const auto* number =
                 std::get_if<std::optional<std::int64_t> WriteOptions::*>(&option.value)) {
    options.** number = option.range ? option.range->first : 1;
  } else {
    options.*std::get<std::optional<std::string> WriteOptions::*>(option.value) =
        option.one_of.empty() ? "1" : option.one_of.front();
  }
}

TEST(Formats, OptionsAreForTheFormatsWhoseRowsHaveThem) {
  for (const Format& owner : BuiltInFormats()) {
    for (const WriteOption& option : owner.options) {
      WriteOptions options;
      Set(option, options);
      for (const Format& format : BuiltInFormats()) {
        SCOPED_TRACE(std::string(option.name) + " " + std::string(format.name));
        EXPECT_EQ(CheckWriteOptions(format, options).ok(), &format == &owner);
        EXPECT_EQ(NeedsCommonGraph(format, options), &format == &owner && option.lowers);
      }
    }
  }
}

std::string Refusal(std::string_view format, const WriteOptions& options) {
  const Result<const Format*> row = FormatByName(BuiltInFormats(), format);
  const Status status = CheckWriteOptions(**row, options);
  return status.ok() ? "" : status.error().findings().front().message;
}

TEST(Formats, OptionsRefuseValuesThatTheyDoNotTake) {
  EXPECT_EQ(Refusal("onnx", {.opset = 6}), "--opset: 6 is not between 7 and 28");
  EXPECT_EQ(Refusal("onnx", {.opset = 29}), "--opset: 29 is not between 7 and 28");
  EXPECT_EQ(Refusal("onnx", {.state = "drop"}),
            "--state: there is no \"drop\"; it takes 'keep', 'lift'");
  EXPECT_EQ(Refusal("relax", {.opset = 13}), "--opset is for files of format onnx, not relax");
  EXPECT_NE(Refusal("pt2", {.torch_version = "1.0"}), "");
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
