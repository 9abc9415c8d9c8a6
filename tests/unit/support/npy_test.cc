// SPDX-License-Identifier: Apache-2.0
#include "core/support/npy.h"

#include <gtest/gtest.h>
#include <zip.h>

#include <cstring>

#include "core/support/output_file.h"
#include "tests/unit/test_folder.h"

namespace dragoman {
namespace {

// A version 1 file with this header dict and data.
std::string File(std::string_view header, std::string_view data) {
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  return file.append(header).append(data);
}

Result<NpyArray> Parse(std::string_view file) {
  return ParseNpy(std::as_bytes(std::span(file.data(), file.size())));
}

template <class T>
std::vector<std::byte> Bytes(std::initializer_list<T> values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

TEST(Npy, ReadsRowMajorArrays) {
  const auto array = Parse(File("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 2), }\n",
                                std::string_view("\1\0\2\0\3\0\4\0", 8)));
  ASSERT_TRUE(array.ok()) << array.error().ToString();
  EXPECT_EQ(*array, (NpyArray{'i', 2, {2, 2}, Bytes<std::int16_t>({1, 2, 3, 4}), {}}));
}

TEST(Npy, TurnsFortranOrderAndBigEndian) {
  const auto array = Parse(File("{\"shape\": (2L, 3), 'descr': '>u2', 'fortran_order': True}",
                                std::string_view("\0\1\0\4\0\2\0\5\0\3\0\6", 12)));
  ASSERT_TRUE(array.ok()) << array.error().ToString();
  EXPECT_EQ(array->bytes, Bytes<std::uint16_t>({1, 2, 3, 4, 5, 6}));
}

TEST(Npy, SwapsThePartsOfAComplexNumber) {
  const auto array = Parse(File("{'descr': '>c8', 'fortran_order': False, 'shape': ()}",
                                std::string_view("\x3f\x80\0\0\x40\0\0\0", 8)));
  ASSERT_TRUE(array.ok());
  EXPECT_EQ(array->bytes, Bytes<float>({1.0f, 2.0f}));
}

TEST(Npy, RoundTripsEveryKind) {
  const std::vector<NpyArray> arrays = {
      {'b', 1, {3}, Bytes<std::uint8_t>({1, 0, 1}), {}},
      {'f', 2, {2, 1}, Bytes<std::uint16_t>({0x3c00, 0x7e01}), {}},
      {'f', 8, {}, Bytes<double>({-0.0}), {}},
      {'c', 16, {1}, Bytes<double>({1.0, 2.0}), {}},
      {'V', 2, {1}, Bytes<std::uint16_t>({0x3f80}), {}},
      {'u', 8, {0, 5}, {}, {}},
      {'U', 0, {2, 2}, {}, {"", "größe", "\xff\xfe bytes", "\U0001f409"}},
      {'S', 0, {2}, {}, {"a", "bcd"}},
  };
  for (const NpyArray& array : arrays) {
    const Result<std::string> file = SerializeNpy(array);
    ASSERT_TRUE(file.ok());
    const std::size_t header = file->find('\n') + 1;
    EXPECT_EQ(header % 64, 0u) << "NumPy aligns the data";
    const Result<NpyArray> back = Parse(*file);
    ASSERT_TRUE(back.ok()) << back.error().ToString();
    EXPECT_EQ(*back, array) << array.kind;
  }
}

TEST(Npy, RefusesDamage) {
  const std::string good = File("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "1234");
  ASSERT_TRUE(Parse(good).ok());
  for (std::size_t n = 0; n < good.size(); ++n) EXPECT_FALSE(Parse(good.substr(0, n)).ok()) << n;
  EXPECT_FALSE(Parse(good + "5").ok());
  EXPECT_FALSE(Parse(File("{'descr': '|b1', 'fortran_order': False, 'shape': (2,)}", "\1\2")).ok());
  for (const char* header : {
           "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}",
           "{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (1,)}",
           "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}",
           "{'descr': '<f4', 'descr': '<f4', 'shape': (1,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}",
           "{'descr': '<f4', 'fortran_order': __import__('os'), 'shape': (1,)}",
           "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
           "{'descr': '<f0', 'fortran_order': False, 'shape': (1,)}",
           "{'descr': '<U0', 'fortran_order': False, 'shape': (99999999999,)}",
           "{}",
           "",
           "{{{{",
       }) {
    EXPECT_FALSE(Parse(File(header, "1234")).ok()) << header;
  }
}

TEST(Npy, RefusesToWriteContradictions) {
  EXPECT_FALSE(SerializeNpy({'f', 4, {2}, Bytes<float>({1.0f}), {}}).ok());
  EXPECT_FALSE(SerializeNpy({'U', 0, {2}, {}, {"one"}}).ok());
  EXPECT_FALSE(SerializeNpy({'f', 4, {-1}, {}, {}}).ok());
}

// An archive of these entries, deflated if asked for.
std::string WriteZip(const TestFolder& folder,
                     const std::vector<std::pair<std::string, std::string>>& entries,
                     bool deflate) {
  const std::string path = folder / "arrays.npz";
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  for (const auto& [name, content] : entries) {
    zip_source_t* source = zip_source_buffer(archive, content.data(), content.size(), 0);
    const zip_int64_t index = zip_file_add(archive, name.c_str(), source, 0);
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(index),
                             deflate ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
  }
  EXPECT_EQ(zip_close(archive), 0);
  return path;
}

TEST(Npz, ReadsStoredAndDeflatedArrays) {
  const NpyArray x{'f', 4, {2}, Bytes<float>({1.0f, 2.0f}), {}};
  const NpyArray y{'U', 0, {}, {}, {"text"}};
  for (const bool deflate : {false, true}) {
    const TestFolder folder;
    const std::string path =
        WriteZip(folder, {{"z/x.npy", *SerializeNpy(x)}, {"a.npy", *SerializeNpy(y)}}, deflate);
    const auto arrays = ReadNpz(path);
    ASSERT_TRUE(arrays.ok()) << arrays.error().ToString();
    ASSERT_EQ(arrays->size(), 2u);
    EXPECT_EQ((*arrays)[0], (std::pair<std::string, NpyArray>("z/x", x)));
    EXPECT_EQ((*arrays)[1], (std::pair<std::string, NpyArray>("a", y)));
  }
}

TEST(Npz, RefusesBombsAndOtherFiles) {
  const TestFolder folder;
  const std::string bomb = WriteZip(folder, {{"x.npy", std::string(2'000'000, '\0')}}, true);
  const auto error = ReadNpz(bomb, 1'000'000);
  ASSERT_FALSE(error.ok());
  EXPECT_NE(error.error().ToString().find("unpack to more than is allowed"), std::string::npos);
  EXPECT_FALSE(ReadNpz(WriteZip(folder, {{"readme.txt", "hello"}}, false)).ok());
  EXPECT_FALSE(ReadNpz(WriteZip(folder, {{"x.npy", "no array"}}, false)).ok());
  ASSERT_TRUE(WriteFile(bomb, "no archive").ok());
  EXPECT_FALSE(ReadNpz(bomb).ok());
}

}  // namespace
}  // namespace dragoman
