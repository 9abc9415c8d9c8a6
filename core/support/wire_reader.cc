// SPDX-License-Identifier: Apache-2.0
#include "core/support/wire_reader.h"

#include <vector>

namespace dragoman {

Error WireReader::Damaged(std::size_t position, const std::string& what) const {
  return Error(Finding{ErrorKind::kInvalidInput,
                       {},
                       "byte " + std::to_string(base_ + position),
                       "damaged file: " + what});
}

// Nearly all tags and most lengths have one byte.
Result<std::uint64_t> WireReader::NextVarint() {
  if (!done() && bytes_[position_] < std::byte{128})
    return std::to_integer<std::uint64_t>(bytes_[position_++]);
  return NextLongVarint();
}

Result<std::uint64_t> WireReader::NextLongVarint() {
  constexpr int kMaxShift = 63;
  const std::size_t start = position_;
  std::uint64_t value = 0;
  for (int shift = 0; shift <= kMaxShift; shift += 7) {
    if (done()) return Damaged(start, "a number is cut off");
    const auto byte = std::to_integer<std::uint64_t>(bytes_[position_++]);
    value |= (byte & 127) << shift;
    if (byte < 128) return value;
  }
  return Damaged(start, "a number is longer than ten bytes");
}

Result<WireReader::Tag> WireReader::ReadTag() {
  const std::size_t start = position_;
  DRAGOMAN_ASSIGN(const std::uint64_t tag, NextVarint());
  if (tag > UINT32_MAX || tag >> 3 == 0) return Damaged(start, "no field has this number");
  if ((tag & 7) > 5) return Damaged(start, "a field has an unknown wire type");
  return Tag{static_cast<std::uint32_t>(tag >> 3), static_cast<WireType>(tag & 7)};
}

Status WireReader::Skip(std::size_t count, std::size_t start) {
  const std::size_t left = bytes_.size() - position_;
  if (count > left) {
    return Damaged(start, "a field of " + std::to_string(count) + " bytes has " +
                              std::to_string(left) + " bytes left");
  }
  position_ += count;
  return {};
}

// Skips the payload of a field that is not a group, and returns it if it is bytes.
Result<std::span<const std::byte>> WireReader::ReadPayload(WireType type, std::size_t start) {
  std::span<const std::byte> payload;
  if (type == WireType::kVarint) {
    DRAGOMAN_ASSIGN([[maybe_unused]] const std::uint64_t value, NextVarint());
  } else if (type == WireType::kBytes) {
    DRAGOMAN_ASSIGN(const std::uint64_t size, NextVarint());
    DRAGOMAN_TRY(Skip(size, start));
    payload = bytes_.subspan(position_ - size, size);
  } else {
    DRAGOMAN_TRY(Skip(type == WireType::kFixed64 ? 8 : 4, start));
  }
  return payload;
}

Status WireReader::SkipGroup(std::uint32_t number, int max_groups, std::size_t start) {
  std::vector<std::uint32_t> open = {number};
  while (!open.empty()) {
    if (open.size() > static_cast<std::size_t>(max_groups))
      return Damaged(start, "nested too deeply");
    if (done()) return Damaged(start, "a group has no end");
    const std::size_t at = position_;
    DRAGOMAN_ASSIGN(const Tag tag, ReadTag());
    if (tag.type == WireType::kStartGroup) {
      open.push_back(tag.number);
    } else if (tag.type == WireType::kEndGroup) {
      if (tag.number != open.back()) return Damaged(at, "the end of a group that was not open");
      open.pop_back();
    } else {
      DRAGOMAN_TRY(ReadPayload(tag.type, at));
    }
  }
  return {};
}

Result<WireField> WireReader::Next(int max_groups) {
  const std::size_t start = position_;
  DRAGOMAN_ASSIGN(const Tag tag, ReadTag());
  WireField field;
  field.number = tag.number;
  field.type = tag.type;
  if (tag.type == WireType::kEndGroup)
    return Damaged(start, "the end of a group that was not open");
  if (tag.type == WireType::kStartGroup) {
    DRAGOMAN_TRY(SkipGroup(tag.number, max_groups, start));
  } else {
    DRAGOMAN_ASSIGN(field.payload, ReadPayload(tag.type, start));
  }
  field.whole = bytes_.subspan(start, position_ - start);
  field.payload_offset = base_ + position_ - field.payload.size();
  return field;
}

void AppendVarint(std::uint64_t value, std::string* out) {
  for (; value >= 128; value >>= 7) out->push_back(static_cast<char>(value | 128));
  out->push_back(static_cast<char>(value));
}

void AppendTag(std::uint32_t number, WireType type, std::string* out) {
  AppendVarint(std::uint64_t{number} << 3 | static_cast<std::uint64_t>(type), out);
}

}  // namespace dragoman
