// SPDX-License-Identifier: Apache-2.0
// The wire format of protobuf, field by field, without a schema and without copying.
#ifndef DRAGOMAN_CORE_SUPPORT_WIRE_READER_H_
#define DRAGOMAN_CORE_SUPPORT_WIRE_READER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/support/result.h"

namespace dragoman {

enum class WireType : std::uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,  // a string, a message, or packed numbers
  kStartGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5,
};

struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::kVarint;
  std::span<const std::byte> whole;    // tag and payload; a group up to its end tag
  std::span<const std::byte> payload;  // kBytes only
  std::size_t payload_offset = 0;      // of payload, from the start of the file
};

// The fields of one message. `base` is the place of its first byte in the file: errors are found at
// "byte <offset in the file>". Every length is checked against the bytes that there are.
class WireReader {
 public:
  explicit WireReader(std::span<const std::byte> bytes, std::size_t base = 0)
      : bytes_(bytes), base_(base) {}

  bool done() const { return position_ == bytes_.size(); }
  // Of the next field, in the file.
  std::size_t offset() const { return base_ + position_; }
  // The next field, unless done(). Unknown groups may nest `max_groups` deep.
  Result<WireField> Next(int max_groups);
  // The next number of a run of packed varints, unless done().
  Result<std::uint64_t> NextVarint();

 private:
  struct Tag {
    std::uint32_t number;
    WireType type;
  };
  Error Damaged(std::size_t position, const std::string& what) const;
  Result<std::uint64_t> NextLongVarint();
  Result<Tag> ReadTag();
  Status Skip(std::size_t count, std::size_t start);
  Result<std::span<const std::byte>> ReadPayload(WireType type, std::size_t start);
  Status SkipGroup(std::uint32_t number, int max_groups, std::size_t start);

  std::span<const std::byte> bytes_;
  std::size_t base_;
  std::size_t position_ = 0;
};

// For writers: the same numbers appended to `out`.
void AppendVarint(std::uint64_t value, std::string* out);
void AppendTag(std::uint32_t number, WireType type, std::string* out);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_WIRE_READER_H_
