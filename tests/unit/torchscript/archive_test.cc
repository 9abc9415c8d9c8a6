// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/container/archive.h"
#include "core/support/bytes.h"
#include "core/support/size_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/zip_writer.h"

namespace dragoman::torch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kNothing = "\x80\x02N.";

// A module that says nothing, with further records.
std::vector<ZipRecord> Records(const std::vector<ZipRecord>& more = {}) {
  std::vector<ZipRecord> records = {{"net/data.pkl", kNothing},
                                    {"net/code/__torch__/net.py", "class Net(Module):\n"},
                                    {"net/constants.pkl", "\x80\x02)."},
                                    {"net/version", "3\n"}};
  records.insert(records.end(), more.begin(), more.end());
  return records;
}

Result<Archive> OpenBytes(std::string bytes) {
  return Archive::FromBytes(Buffer::Own(std::move(bytes)), "net.pt");
}
Result<Archive> OpenRecords(const std::vector<ZipRecord>& records) {
  return OpenBytes(MakeZip(records));
}

std::string ErrorOf(const Result<Archive>& archive) {
  return archive.ok() ? "no error" : archive.error().ToString();
}

std::string Text(const Buffer& buffer) { return std::string(AsText(buffer.bytes())); }

TEST(ExportArchive, NamesRecordsWithoutTheTopDirectory) {
  const std::vector<ZipRecord> records = {{"net/archive_format", "pt2"},
                                          {"net/models/model.json", "{}"}};
  const Result<Archive> archive =
      Archive::FromBytes(Buffer::Own(MakeZip(records)), "net.pt2", ArchiveKind::kExport);
  ASSERT_TRUE(archive.ok()) << archive.error().ToString();
  EXPECT_THAT(archive->Names(), ElementsAre("archive_format", "models/model.json"));
}

TEST(ExportArchive, RefusesOtherArchives) {
  const Result<Archive> archive =
      Archive::FromBytes(Buffer::Own(MakeZip(Records())), "net.pt2", ArchiveKind::kExport);
  EXPECT_THAT(ErrorOf(archive), HasSubstr("no archive of torch.export.save"));
}

TEST(TorchScriptArchive, NamesRecordsWithoutTheTopDirectory) {
  const Result<Archive> archive = OpenRecords(Records({{"net/extra/notes/a.txt", "hello"}}));
  ASSERT_TRUE(archive.ok()) << archive.error().ToString();
  EXPECT_EQ(archive->top_directory(), "net");
  EXPECT_EQ(archive->version(), 3);
  EXPECT_THAT(archive->Names(), ElementsAre("code/__torch__/net.py", "constants.pkl", "data.pkl",
                                            "extra/notes/a.txt", "version"));
  EXPECT_THAT(CodeFiles(*archive), ElementsAre("code/__torch__/net.py"));
  EXPECT_EQ(Text(*archive->Read("extra/notes/a.txt")), "hello");
}

TEST(TorchScriptArchive, StoredRecordsStayInTheFile) {
  const std::string file = MakeZip(Records({{"net/data/0", "abcdefgh"}}));
  const Buffer buffer = Buffer::Own(file);
  const Result<Archive> archive = Archive::FromBytes(buffer, "net.pt");
  ASSERT_TRUE(archive.ok());
  const std::byte* data = archive->Read("data/0")->bytes().data();
  EXPECT_EQ(static_cast<std::size_t>(data - buffer.bytes().data()), file.find("abcdefgh"));
}

TEST(TorchScriptArchive, InflatesDeflatedRecordsOnce) {
  const std::string long_text(5000, 'x');
  const Result<Archive> archive = OpenRecords(Records({{"net/data/0", long_text, true}}));
  ASSERT_TRUE(archive.ok());
  const Result<Buffer> first = archive->Read("data/0");
  EXPECT_EQ(Text(*first), long_text);
  EXPECT_EQ(archive->Read("data/0")->bytes().data(), first->bytes().data());
}

TEST(TorchScriptArchive, LooksForTheVersionInTheDataFolderFirst) {
  EXPECT_EQ(OpenRecords(Records({{"net/.data/version", "10\n"}}))->version(), 10);
  EXPECT_THAT(ErrorOf(OpenRecords(Records({{"net/.data/version", "11\n"}}))),
              HasSubstr("record .data/version: error: operator-set version 11; the newest"));
  EXPECT_THAT(ErrorOf(OpenRecords(Records({{"net/.data/version", "x"}}))),
              HasSubstr("found \"x\", expected a version number"));
  const std::string long_text(5000, 'x');
  EXPECT_THAT(ErrorOf(OpenRecords(Records({{"net/.data/version", long_text, true}}))),
              HasSubstr("found \"" + std::string(80, 'x') + "\", expected a version number"));
}

TEST(TorchScriptArchive, NamesOtherFilesOfTorch) {
  EXPECT_THAT(ErrorOf(OpenBytes("\x80\x02\x8a")), HasSubstr("a pickle of torch.save"));
  EXPECT_THAT(ErrorOf(OpenBytes("PYTORCH1")), HasSubstr("a preview of torch 1.0"));
  EXPECT_THAT(ErrorOf(OpenBytes("....PTMF")), HasSubstr("a mobile module"));
  EXPECT_THAT(ErrorOf(OpenBytes("....ET12")), HasSubstr("a program of ExecuTorch"));
  const std::string length = std::string("\x02") + std::string(7, '\0');
  EXPECT_THAT(ErrorOf(OpenBytes(length + "{}data")), HasSubstr("a file of safetensors"));
  EXPECT_THAT(ErrorOf(OpenBytes(length + "{")), HasSubstr("not an archive of torch"));
  EXPECT_THAT(ErrorOf(OpenRecords({{"a/data.pkl", kNothing}, {"a/version", "3"}})),
              HasSubstr("a file of torch.save"));
  EXPECT_THAT(ErrorOf(OpenRecords({{"a/archive_format", "pt2"}})), HasSubstr("torch.export"));
  EXPECT_THAT(ErrorOf(OpenRecords({{"serialized_exported_program.json", "{}"}})),
              HasSubstr("torch.export"));
  EXPECT_THAT(ErrorOf(OpenRecords({{"a/.data/extern_modules", ""}})), HasSubstr("torch.package"));
  EXPECT_THAT(ErrorOf(OpenRecords({{"a/model.json", "{}"}})), HasSubstr("older than torch 1.4"));
  EXPECT_THAT(ErrorOf(OpenRecords(Records({{"net/byteorder", "big"}}))),
              HasSubstr("not little-endian"));
  EXPECT_THAT(ErrorOf(OpenBytes("\x7f"
                                "ELF")),
              HasSubstr("net.pt:byte 0: error: not a"));
}

TEST(TorchScriptArchive, RefusesNamesThatLeadOut) {
  for (const char* name : {"net/../../etc/passwd", "/etc/passwd", "net/./a", "net\\a", "net//a"}) {
    EXPECT_THAT(ErrorOf(OpenRecords(Records({{name, "x"}}))), HasSubstr("leads out of the archive"))
        << name;
  }
  EXPECT_THAT(ErrorOf(OpenRecords(Records({{"other/a", "x"}}))),
              HasSubstr("lies outside of the top directory \"net\""));
}

TEST(TorchScriptArchive, RefusesZipBombs) {
  const std::string zeros(1'000'000, '\0');
  const Result<Archive> archive = OpenRecords(Records({{"net/data/0", zeros, true}}));
  ASSERT_TRUE(archive.ok());
  SizeBudget budget(zeros.size() / 2);
  const SizeBudgetScope scope(budget);
  const Result<Buffer> record = archive->Read("data/0");
  ASSERT_FALSE(record.ok());
  EXPECT_THAT(record.error().ToString(),
              HasSubstr("net.pt:archive entry \"net/data/0\": error: a small part of the file "
                        "stands for so much"));
}

TEST(TorchScriptArchive, ChecksChecksums) {
  for (const bool deflate : {false, true}) {
    std::string file = MakeZip(Records({{"net/data/0", "0123456789", deflate}}));
    const std::size_t data = file.find("net/data/0") + 10;
    file[data + 3] = static_cast<char>(file[data + 3] ^ 1);
    const Result<Archive> archive = OpenBytes(file);
    ASSERT_TRUE(archive.ok()) << archive.error().ToString();
    EXPECT_FALSE(archive->Read("data/0").ok());
  }
}

TEST(TorchScriptArchive, RefusesEntriesThatShareBytes) {
  std::string file = MakeZip(Records({{"net/data/0", "same"}, {"net/data/1", "same"}}));
  const std::size_t last = file.rfind("PK\x01\x02");
  // The directory's last entry now points at the local header of the one before.
  const std::string offset = file.substr(file.rfind("net/data/0") - 4, 4);
  file.replace(last + 42, 4, offset);
  EXPECT_FALSE(OpenBytes(file).ok());
}

TEST(TorchScriptArchive, TruncatedAnywhereIsNoArchive) {
  const std::string file = MakeZip(Records({{"net/data/0", std::string(1000, 'x')}}));
  for (std::size_t size = 0; size < file.size(); ++size) {
    const Result<Archive> archive = OpenBytes(file.substr(0, size));
    ASSERT_FALSE(archive.ok()) << size;
    EXPECT_THAT(ErrorOf(archive), HasSubstr("net.pt:byte "));
  }
}

}  // namespace
}  // namespace dragoman::torch
