// SPDX-License-Identifier: Apache-2.0
#include "core/support/sorted_table.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/support/crc32c.h"
#include "core/support/size_budget.h"
#include "core/support/snappy.h"

namespace dragoman {
namespace {

using testing::HasSubstr;

std::span<const std::byte> Bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

using Entries = std::vector<std::pair<std::string, std::string>>;

std::string Write(const Entries& entries) {
  SortedTableWriter writer;
  for (const auto& [key, value] : entries) writer.Add(key, value);
  return writer.Finish();
}

std::string Error(std::string_view file) {
  const Status status =
      ReadSortedTable(Bytes(file), [](std::string_view, std::string_view) { return Status(); });
  return status.ok() ? "" : status.error().ToString();
}

TEST(SortedTableTest, ReadsWhatItWrites) {
  for (const int count : {0, 1, 16, 17, 1000}) {
    Entries written;
    for (int i = 0; i < count; ++i) {
      written.emplace_back("layer/" + std::to_string(10000 + i), std::string(i % 50, 'v'));
    }
    Entries read;
    ASSERT_TRUE(
        ReadSortedTable(Bytes(Write(written)), [&](std::string_view key, std::string_view value) {
          read.emplace_back(key, value);
          return Status();
        }).ok());
    EXPECT_EQ(read, written);
  }
}

TEST(SortedTableTest, RefusesDamage) {
  const std::string file = Write({{"a", "1"}, {"b", "2"}});
  EXPECT_THAT(Error(""), HasSubstr("footer"));
  EXPECT_THAT(Error(file.substr(0, file.size() - 1)), HasSubstr("footer"));
  // Bytes that reading does not need, as the block of metadata, may be any.
  const Entries whole = {{"a", "1"}, {"b", "2"}};
  std::size_t refused = 0;
  for (std::size_t i = 0; i < file.size(); ++i) {
    std::string damaged = file;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x40);
    Entries read;
    const Status status =
        ReadSortedTable(Bytes(damaged), [&](std::string_view key, std::string_view value) {
          read.emplace_back(key, value);
          return Status();
        });
    EXPECT_TRUE(!status.ok() || read == whole) << i;
    refused += status.ok() ? 0 : 1;
  }
  EXPECT_GT(refused, file.size() / 3);
}

// Of a long key, entries of a few bytes make others as long.
TEST(SortedTableTest, KeysThatShareTheirBeginningsDrawOnTheBudget) {
  Entries entries;
  const std::string beginning(10000, 'k');
  for (int i = 0; i < 1000; ++i) entries.emplace_back(beginning + std::to_string(1000 + i), "");
  const std::string file = Write(entries);
  SizeBudget small(std::uint64_t{1} << 20);
  EXPECT_EQ(Error(file), "");
  const SizeBudgetScope scope(small);
  EXPECT_THAT(Error(file), HasSubstr("--expand-limit"));
}

TEST(Crc32cTest, IsTheOneOfCastagnoli) {
  // From RFC 3720, appendix B.4.
  EXPECT_EQ(Crc32c(Bytes("123456789")), 0xe3069283U);
  EXPECT_EQ(Crc32c(Bytes(std::string(32, '\0'))), 0x8a9136aaU);
  EXPECT_EQ(Crc32c(Bytes(std::string(32, '\xff'))), 0x62a8ab43U);
  EXPECT_EQ(Crc32c(Bytes("6789"), Crc32c(Bytes("12345"))), 0xe3069283U);
}

TEST(SnappyTest, UnpacksLiteralsAndCopies) {
  const auto unpack = [](std::string_view block) {
    const Result<std::string> plain = UnpackSnappy(Bytes(block));
    return plain.ok() ? *plain : "error";
  };
  EXPECT_EQ(unpack(std::string_view("\0", 1)), "");
  EXPECT_EQ(unpack("\x03\x08"
                   "abc"),
            "abc");
  // A copy of 7 bytes from 1 byte before, then of 4 from 8 before.
  EXPECT_EQ(unpack(std::string_view("\x0c\x00"
                                    "a\x0d\x01\x01\x08",
                                    7)),
            "aaaaaaaaaaaa");
  EXPECT_EQ(unpack(std::string_view("\x06\x08"
                                    "abc\x0a\x03\x00",
                                    8)),
            "abcabc");
  for (const std::string_view bad : {"\x03\x08"
                                     "ab",
                                     "\x04\x08"
                                     "abc",
                                     "\x03\x08"
                                     "abcd",
                                     "\x06\x08"
                                     "abc\x09\x04",
                                     "\xff\xff\xff\xff\x0f"}) {
    EXPECT_EQ(unpack(bad), "error");
  }
}

}  // namespace
}  // namespace dragoman
