// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/script/source_ranges.h"
#include "core/support/bytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/paths.h"
#include "tests/support/zip_writer.h"

namespace dragoman::torch {
namespace {

constexpr std::string_view kCode = "code/__torch__/net.py";

// An archive with `pickle` as the debug file of net.py. Values of pickles: X text, K byte,
// \x87 triple, \x86 pair, t tuple from the mark.
Archive ArchiveWith(const std::string& pickle) {
  const std::string file = MakeZip({{"net/data.pkl", "\x80\x02N."},
                                    {"net/code/__torch__/net.py", "class Net(Module):\n"},
                                    {"net/code/__torch__/net.py.debug_pkl", pickle},
                                    {"net/version", "3\n"}});
  return std::move(Archive::FromBytes(Buffer::Own(file), "net.pt")).value();
}

std::string Text(const std::string& text) {
  return "X" + std::string(1, static_cast<char>(text.size())) + std::string(3, '\0') + text;
}
std::string Int(int value) { return "K" + std::string(1, static_cast<char>(value)); }

const std::string kLines = "def forward(self, x):\n    return x.relu()\n";

TEST(SourceRanges, FindsTheLineOfARange) {
  const std::string source = Text(kLines) + Text("policy.py") + Int(86) + "\x87";
  const std::string nowhere = Text("") + Text("") + Int(0) + "\x87" + Int(0) + Int(0) + "\x87";
  const Archive archive =
      ArchiveWith("\x80\x02(" + Int(0) + nowhere + "\x86" + Int(10) + source + Int(33) + Int(41) +
                  "\x87\x86" + Int(20) + nowhere + "\x86t.");
  const SourceRanges ranges = SourceRanges::Read(archive, kCode);
  EXPECT_FALSE(ranges.Find(9).has_value());
  EXPECT_FALSE(ranges.Find(20).has_value());
  for (const std::size_t offset : {10U, 19U}) {
    const std::optional<SourcePlace> place = ranges.Find(offset);
    ASSERT_TRUE(place.has_value());
    EXPECT_EQ(place->file, "policy.py");
    EXPECT_EQ(place->line, 87);
    EXPECT_EQ(place->text, "    return x.relu()");
    EXPECT_EQ(place->text.substr(place->column, place->length), "x.relu()");
  }
}

TEST(SourceRanges, ReadsTheFormWithAStringTable) {
  const std::string table = "(" + Text("") + Text("def forward(self, x):\n") +
                            Text("    return x.relu()\n") + Text("policy.py") + "t";
  const std::string source = "](" + Int(1) + Int(2) + "e" + Int(3) + Int(86) + "\x87";
  const Archive archive =
      ArchiveWith("\x80\x02" + Text("FORMAT_WITH_STRING_TABLE") + table + Int(10) + source +
                  Int(33) + Int(41) + "\x87" + Int(0) + "\x87\x85\x87.");
  const std::optional<SourcePlace> place = SourceRanges::Read(archive, kCode).Find(12);
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(place->line, 87);
  EXPECT_EQ(place->text, "    return x.relu()");
}

TEST(SourceRanges, OfATraceTellTheUsersFrame) {
  const std::string stack =
      "/usr/lib/python3/torch/nn/functional.py(10): linear\nnet.py(7): forward\nmain.py(1): f\n";
  const Archive archive = ArchiveWith("\x80\x02" + Int(0) + Text(stack) + Text("functional.py") +
                                      Int(10) + "\x87" + Int(0) + Int(60) + "\x87\x86\x85.");
  const std::optional<SourcePlace> place = SourceRanges::Read(archive, kCode).Find(3);
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(place->file, "net.py");
  EXPECT_EQ(place->line, 7);
  EXPECT_EQ(place->text, "");
}

TEST(SourceRanges, DamagedOnesAreNone) {
  EXPECT_TRUE(SourceRanges::Read(ArchiveWith("junk"), kCode).empty());
  EXPECT_TRUE(SourceRanges::Read(ArchiveWith("\x80\x02NN\x86."), kCode).empty());
  EXPECT_TRUE(SourceRanges::Read(ArchiveWith("\x80\x02."), "code/other.py").empty());
}

TEST(SourceRanges, OfASavedModule) {
  const Result<Archive> archive =
      Archive::Open(ProjectRoot().string() + "/tests/models/torchscript/lstm_policy/model.pt");
  ASSERT_TRUE(archive.ok()) << archive.error().ToString();
  const std::vector<std::string_view> files = CodeFiles(*archive);
  ASSERT_FALSE(files.empty());
  int found = 0;
  for (const std::string_view file : files) {
    const Buffer code = *archive->Read(file);
    const std::string_view text = AsText(code.bytes());
    const std::size_t at = text.find("torch.copy_(torch.slice(hidden_state");
    if (at == std::string_view::npos) continue;
    const std::optional<SourcePlace> place = SourceRanges::Read(*archive, file).Find(at);
    ASSERT_TRUE(place.has_value());
    EXPECT_THAT(place->file, testing::EndsWith("make_fixtures.py"));
    EXPECT_EQ(place->text, "        self.hidden_state[:] = h");
    ++found;
  }
  EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace dragoman::torch
