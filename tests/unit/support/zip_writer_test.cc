// SPDX-License-Identifier: Apache-2.0
#include "core/support/zip_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/support/bytes.h"
#include "core/support/mapped_file.h"
#include "core/support/zip_file.h"
#include "tests/unit/test_folder.h"

namespace dragoman {
namespace {

std::span<const std::byte> Bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(ZipWriter, ChecksumIsThatOfTheStandard) {
  EXPECT_EQ(Crc32(Bytes("")), 0U);
  EXPECT_EQ(Crc32(Bytes("123456789")), 0xcbf43926U);
}

TEST(ZipWriter, EntriesAreReadAgainAndAligned) {
  const TestFolder folder;
  const std::string path = folder / "a.zip";
  const std::string large(1000, 'x');
  {
    Result<OutputFile> file = OutputFile::Create(path);
    ASSERT_TRUE(file.ok());
    ZipWriter writer(*file);
    ASSERT_TRUE(writer.Add("top/a", Bytes("hello")).ok());
    ASSERT_TRUE(writer.Add("top/empty", {}).ok());
    ASSERT_TRUE(writer.Add("top/large", Bytes(large)).ok());
    ASSERT_TRUE(writer.Finish().ok());
    ASSERT_TRUE(file->Commit().ok());
  }
  const auto mapped = MappedFile::Open(path);
  ASSERT_TRUE(mapped.ok());
  Result<ZipFile> zip = ZipFile::Open((*mapped)->bytes());
  ASSERT_TRUE(zip.ok()) << zip.error().ToString();
  ASSERT_EQ(zip->entries().size(), 3U);
  const std::string expected[] = {"hello", "", large};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(zip->entries()[i].is_stored);
    EXPECT_EQ(zip->entries()[i].offset % ZipWriter::kAlignment, 0U);
    const auto bytes = zip->View(i);
    ASSERT_TRUE(bytes.ok()) << bytes.error().ToString();
    EXPECT_EQ(AsText(*bytes), expected[i]);
  }
}

TEST(ZipWriter, AnEmptyArchiveIsOne) {
  const TestFolder folder;
  const std::string path = folder / "a.zip";
  Result<OutputFile> file = OutputFile::Create(path);
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(ZipWriter(*file).Finish().ok());
  ASSERT_TRUE(file->Commit().ok());
  const auto mapped = MappedFile::Open(path);
  ASSERT_TRUE(mapped.ok());
  const Result<ZipFile> zip = ZipFile::Open((*mapped)->bytes());
  ASSERT_TRUE(zip.ok()) << zip.error().ToString();
  EXPECT_TRUE(zip->entries().empty());
}

}  // namespace
}  // namespace dragoman
