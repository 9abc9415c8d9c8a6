// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The zip format: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
#include "runtime/program/npz.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <set>
#include <string_view>

#include "runtime/program/error.h"

namespace dragoman::rt {
namespace {

constexpr std::uint32_t kEndRecord = 0x06054b50;
constexpr std::uint32_t kCentralRecord = 0x02014b50;
constexpr std::uint32_t kLocalRecord = 0x04034b50;

constexpr std::array<std::uint32_t, 256> MakeCrcTable() {
  constexpr std::uint32_t kPolynomial = 0xedb88320;
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t rest = i;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? kPolynomial : 0);
    table[i] = rest;
  }
  return table;
}

std::uint32_t Crc32(std::string_view bytes) {
  static constexpr std::array<std::uint32_t, 256> kTable = MakeCrcTable();
  std::uint32_t checksum = UINT32_MAX;
  for (const char c : bytes)
    checksum = (checksum >> 8) ^ kTable[(checksum ^ static_cast<std::uint8_t>(c)) & 0xff];
  return ~checksum;
}

class Archive {
 public:
  explicit Archive(std::string_view file) : file_(file) {}

  std::uint32_t Word(std::size_t at) const { return Read<std::uint32_t>(at); }
  std::uint16_t Half(std::size_t at) const { return Read<std::uint16_t>(at); }
  std::string_view Bytes(std::size_t at, std::size_t count) const {
    if (at > file_.size() || count > file_.size() - at) throw Error("the archive is cut short");
    return file_.substr(at, count);
  }

  // Where the directory's end record is: the last one that there is.
  std::size_t End() const {
    for (std::size_t at = file_.size() < 22 ? 0 : file_.size() - 22 + 1; at-- > 0;) {
      if (Word(at) == kEndRecord) return at;
    }
    throw Error("not a .npz archive");
  }

 private:
  template <class T>
  T Read(std::size_t at) const {
    T value = 0;
    std::memcpy(&value, Bytes(at, sizeof value).data(), sizeof value);
    return value;
  }

  std::string_view file_;
};

// The contents of the entry that the directory describes at `at`.
std::string_view Contents(const Archive& archive, std::size_t at) {
  if (archive.Half(at + 10) != 0) throw Error("compressed entries are not read; use numpy.savez");
  const std::uint32_t size = archive.Word(at + 24);
  const std::size_t local = archive.Word(at + 42);
  if (size == UINT32_MAX || archive.Word(at + 20) != size) throw Error("the entry is too large");
  if (archive.Word(local) != kLocalRecord) throw Error("the archive is damaged");
  const std::string_view contents =
      archive.Bytes(local + 30 + archive.Half(local + 26) + archive.Half(local + 28), size);
  if (Crc32(contents) != archive.Word(at + 16))
    throw Error("the data is damaged: its checksum is another");
  return contents;
}

}  // namespace

std::vector<std::pair<std::string, NpyArray>> ReadNpz(const std::string& path) {
  const std::string file = ReadWholeFile(path);
  std::string entry;
  try {
    const Archive archive(file);
    const std::size_t end = archive.End();
    std::size_t at = archive.Word(end + 16);
    std::vector<std::pair<std::string, NpyArray>> arrays;
    std::set<std::string> names;
    for (int i = 0; i < archive.Half(end + 10); ++i) {
      if (archive.Word(at) != kCentralRecord) throw Error("the archive is damaged");
      entry = archive.Bytes(at + 46, archive.Half(at + 28));
      const std::size_t stem = entry.size() - 4;
      const bool npy = entry.size() > 4 && entry.compare(stem, 4, ".npy") == 0;
      const std::string name = npy ? entry.substr(0, stem) : entry;
      if (!names.insert(name).second) throw Error("occurs twice");
      arrays.emplace_back(name, ParseNpy(Contents(archive, at)));
      at += 46u + archive.Half(at + 28) + archive.Half(at + 30) + archive.Half(at + 32);
    }
    return arrays;
  } catch (const Error& error) {
    throw Error(path + (entry.empty() ? "" : ":" + entry) + ": " + error.what());
  }
}

}  // namespace dragoman::rt
