// SPDX-License-Identifier: Apache-2.0
#include "core/support/zip_writer.h"

#include <algorithm>
#include <array>

namespace dragoman {
namespace {

constexpr std::uint32_t kLocalHeader = 0x04034b50;
constexpr std::uint32_t kDirectoryHeader = 0x02014b50;
constexpr std::uint32_t kDirectoryEnd = 0x06054b50;
constexpr std::uint32_t kDirectoryEnd64 = 0x06064b50;
constexpr std::uint32_t kDirectoryLocator64 = 0x07064b50;
constexpr std::uint16_t kPlainVersion = 20;
constexpr std::uint16_t kZip64Version = 45;
constexpr std::uint16_t kUtf8Names = 1 << 11;
constexpr std::uint16_t kZip64Field = 1;
constexpr std::uint16_t kPaddingField = 0x4246;  // as torch calls it: "FB"
constexpr std::uint32_t kNoDate = 0x00210000;    // 1980-01-01
constexpr std::uint64_t kBeyond = 0xffffffff;    // stands for what Zip64 says
constexpr std::size_t kLocalBytes = 30;

// Little-endian fields.
class Fields {
 public:
  Fields& Two(std::uint64_t value) { return Put(value, 2); }
  Fields& Four(std::uint64_t value) { return Put(value, 4); }
  Fields& Eight(std::uint64_t value) { return Put(value, 8); }
  Fields& Text(std::string_view text) {
    bytes_ += text;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  Fields& Put(std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) bytes_ += static_cast<char>(value >> (8 * i) & 0xff);
    return *this;
  }

  std::string bytes_;
};

std::uint64_t Narrow(std::uint64_t value) { return std::min(value, kBeyond); }

std::array<std::uint32_t, 256> MakeTable() {
  constexpr std::uint32_t kPolynomial = 0xedb88320;
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t rest = i;
    for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ ((rest & 1) != 0 ? kPolynomial : 0);
    table[i] = rest;
  }
  return table;
}

}  // namespace

std::uint32_t Crc32(std::span<const std::byte> bytes) {
  static const std::array<std::uint32_t, 256> kTable = MakeTable();
  std::uint32_t checksum = 0xffffffff;
  for (std::byte byte : bytes)
    checksum = checksum >> 8 ^ kTable[(checksum ^ static_cast<std::uint32_t>(byte)) & 0xff];
  return ~checksum;
}

std::string ZipWriter::SharedFields(const Entry& entry, std::uint16_t version,
                                    std::size_t extra_bytes) {
  Fields fields;
  fields.Two(version)
      .Two(kUtf8Names)
      .Two(0)
      .Four(kNoDate)
      .Four(entry.checksum)
      .Four(Narrow(entry.size))
      .Four(Narrow(entry.size))
      .Two(entry.name.size())
      .Two(extra_bytes);
  return fields.bytes();
}

ZipWriter::ZipWriter(OutputFile& file)
    : target_([&file](std::span<const std::byte> bytes) { return file.Append(bytes); }) {}

ZipWriter::ZipWriter(std::string& archive)
    : target_([&archive](std::span<const std::byte> bytes) {
        archive.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        return Status();
      }) {}

Status ZipWriter::Append(std::span<const std::byte> bytes) {
  size_ += bytes.size();
  return target_(bytes);
}

Status ZipWriter::Add(std::string_view name, std::span<const std::byte> bytes) {
  constexpr std::size_t kMaxName = 0xffff;
  if (name.size() >= kMaxName) return InvalidInput("a name in an archive is too long");
  const Entry entry = {std::string(name), Crc32(bytes), bytes.size(), size_};
  const bool is_large = entry.size >= kBeyond;
  Fields extra;
  if (is_large) extra.Two(kZip64Field).Two(16).Eight(entry.size).Eight(entry.size);
  const std::uint64_t begin = entry.offset + kLocalBytes + name.size() + extra.bytes().size() + 4;
  const std::uint64_t padding = (kAlignment - begin % kAlignment) % kAlignment;
  extra.Two(kPaddingField).Two(padding).Text(std::string(padding, '\0'));
  Fields header;
  header.Four(kLocalHeader)
      .Text(SharedFields(entry, is_large ? kZip64Version : kPlainVersion, extra.bytes().size()))
      .Text(name)
      .Text(extra.bytes());
  DRAGOMAN_TRY(Append(header.bytes()));
  DRAGOMAN_TRY(Append(bytes));
  entries_.push_back(entry);
  return {};
}

Status ZipWriter::Finish() {
  const std::uint64_t begin = size_;
  for (const Entry& entry : entries_) {
    Fields extra;
    if (entry.size >= kBeyond) extra.Eight(entry.size).Eight(entry.size);
    if (entry.offset >= kBeyond) extra.Eight(entry.offset);
    Fields field;
    if (!extra.bytes().empty())
      field.Two(kZip64Field).Two(extra.bytes().size()).Text(extra.bytes());
    const std::uint16_t version = field.bytes().empty() ? kPlainVersion : kZip64Version;
    Fields header;
    header.Four(kDirectoryHeader)
        .Two(version)
        .Text(SharedFields(entry, version, field.bytes().size()))
        .Two(0)
        .Two(0)
        .Two(0)
        .Four(0)
        .Four(Narrow(entry.offset))
        .Text(entry.name)
        .Text(field.bytes());
    DRAGOMAN_TRY(Append(header.bytes()));
  }
  const std::uint64_t end = size_;
  constexpr std::uint64_t kManyEntries = 0xffff;
  if (entries_.size() >= kManyEntries || end >= kBeyond) {
    Fields large;
    large.Four(kDirectoryEnd64)
        .Eight(44)
        .Two(kZip64Version)
        .Two(kZip64Version)
        .Four(0)
        .Four(0)
        .Eight(entries_.size())
        .Eight(entries_.size())
        .Eight(end - begin)
        .Eight(begin);
    large.Four(kDirectoryLocator64).Four(0).Eight(end).Four(1);
    DRAGOMAN_TRY(Append(large.bytes()));
  }
  const std::uint64_t count = std::min<std::uint64_t>(entries_.size(), kManyEntries);
  Fields last;
  last.Four(kDirectoryEnd)
      .Two(0)
      .Two(0)
      .Two(count)
      .Two(count)
      .Four(Narrow(end - begin))
      .Four(Narrow(begin))
      .Two(0);
  return Append(last.bytes());
}

}  // namespace dragoman
