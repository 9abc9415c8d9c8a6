// SPDX-License-Identifier: Apache-2.0
// What generated programs read of .npy and .npz files.
#include "runtime/program/npy.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "runtime/program/error.h"
#include "runtime/program/npz.h"

namespace dragoman::rt {
namespace {

std::string NpyFile(std::string header, const std::string& data) {
  header += std::string(64 - header.size() % 64, ' ');
  const std::string start("\x93NUMPY\x01\x00", 8);
  return start + static_cast<char>(header.size()) + '\0' + header + data;
}

NpyArray Parse(const std::string& header, const std::string& data) {
  return ParseNpy(NpyFile(header, data));
}

std::string Little(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

struct Entry {
  std::string name;
  std::string content;
  std::uint32_t crc = 0;
};

// An archive of stored entries.
std::string NpzFile(const std::vector<Entry>& entries) {
  std::string file, directory;
  for (const Entry& entry : entries) {
    const std::string shared = Little(0, 2) + Little(0, 2) + Little(0, 4) + Little(entry.crc, 4) +
                               Little(entry.content.size(), 4) + Little(entry.content.size(), 4) +
                               Little(entry.name.size(), 2) + Little(0, 2);
    directory += "PK\1\2" + Little(20, 2) + Little(20, 2) + shared + Little(0, 10) +
                 Little(file.size(), 4) + entry.name;
    file += "PK\3\4" + Little(20, 2) + shared + entry.name + entry.content;
  }
  return file + directory + "PK\5\6" + Little(0, 4) + Little(entries.size(), 2) +
         Little(entries.size(), 2) + Little(directory.size(), 4) + Little(file.size(), 4) +
         Little(0, 2);
}

// What is said of an archive; empty: it is read.
std::string ProblemOf(const std::vector<Entry>& entries) {
  const std::string path = testing::TempDir() + "program_npz_test.npz";
  WriteWholeFile(path, NpzFile(entries));
  std::string problem;
  try {
    static_cast<void>(ReadNpz(path));
  } catch (const Error& error) {
    problem = std::string(error.what()).substr(path.size());
  }
  std::remove(path.c_str());
  return problem;
}

// Not all bytes are UTF-8; a zero inside stays.
TEST(ProgramNpy, BytesAreTexts) {
  const std::string data("\xff\0\x01\0b\0\0\0", 8);
  const NpyArray array = Parse("{'descr': '|S4', 'fortran_order': False, 'shape': (2,), }", data);
  EXPECT_EQ(array.kind, 'U');
  EXPECT_EQ(array.tensor.strings, (std::vector<std::string>{std::string("\xff\0\x01", 3), "b"}));
}

TEST(ProgramNpy, HeadersSayOneThing) {
  const std::string data(8, 'x');
  EXPECT_EQ(Parse("{'descr': '<f4', 'fortran_order': False, 'shape': (2L,)}", data).tensor.shape[0],
            2);
  for (const char* header : {
           "{'descr': '<f4x', 'fortran_order': False, 'shape': (2,)}",
           "{'descr': '<f4', 'fortran_order': false, 'shape': (2,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (0x2,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (2.0,)}",
       }) {
    EXPECT_THROW(Parse(header, data), Error) << header;
  }
}

// A hundred bytes do not become terabytes.
TEST(ProgramNpy, ManyEmptyStringsAreRefused) {
  EXPECT_EQ(
      Parse("{'descr': '<U0', 'fortran_order': False, 'shape': (3,)}", "").tensor.strings.size(),
      3U);
  EXPECT_THROW(Parse("{'descr': '<U0', 'fortran_order': False, 'shape': (1000000000,)}", ""),
               Error);
}

// The checksums are those that Python's zlib.crc32 gives.
TEST(ProgramNpz, DamagedAndDoubledEntriesAreRefused) {
  const std::string array =
      NpyFile("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "abcdefgh");
  constexpr std::uint32_t kCrc = 0xa3bbf15c;
  EXPECT_EQ(ProblemOf({{"x.npy", array, kCrc}, {"y.npy", array, kCrc}}), "");
  std::string damaged = array;
  damaged.back() = 'i';
  EXPECT_EQ(ProblemOf({{"x.npy", array, kCrc}, {"y.npy", damaged, kCrc}}),
            ":y.npy: the data is damaged: its checksum is another");
  EXPECT_EQ(ProblemOf({{"x.npy", array, kCrc}, {"x.npy", array, kCrc}}), ":x.npy: occurs twice");
}

}  // namespace
}  // namespace dragoman::rt
