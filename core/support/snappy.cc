// SPDX-License-Identifier: Apache-2.0
#include "core/support/snappy.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "core/support/bytes.h"

// The format: the length as a varint, then elements, whose lowest two bits give the kind: 0 literal
// bytes, 1 to 3 a copy of bytes that came out before, with an offset of 11, 16 or 32 bits.

namespace dragoman {
namespace {

Error Damaged() { return InvalidInput("the block is not a Snappy block, or damaged"); }

class Unpacker {
 public:
  explicit Unpacker(std::string_view in) : in_(in) {}

  Result<std::string> Run() {
    const std::optional<std::uint64_t> size = Varint();
    if (!size || *size > in_.size() * kMaxSnappyRatio) return Damaged();
    out_.reserve(static_cast<std::size_t>(*size));
    while (!in_.empty()) {
      if (!Element() || out_.size() > *size) return Damaged();
    }
    if (out_.size() != *size) return Damaged();
    return std::move(out_);
  }

 private:
  // Little-endian, `count` bytes.
  std::optional<std::uint64_t> Number(std::size_t count) {
    if (in_.size() < count) return std::nullopt;
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < count; ++i) {
      number |= std::uint64_t{static_cast<unsigned char>(in_[i])} << (8 * i);
    }
    in_.remove_prefix(count);
    return number;
  }

  std::optional<std::uint64_t> Varint() {
    std::uint64_t number = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      const std::optional<std::uint64_t> byte = Number(1);
      if (!byte) return std::nullopt;
      number |= (*byte & 0x7f) << shift;
      if (*byte < 0x80) return number;
    }
    return std::nullopt;
  }

  bool Element() {
    const std::uint64_t tag = *Number(1);
    if ((tag & 3) == 0) return Literal(tag >> 2);
    if ((tag & 3) == 1) {
      const std::optional<std::uint64_t> low = Number(1);
      return low && Copy((tag >> 5) << 8 | *low, ((tag >> 2) & 7) + 4);
    }
    const std::optional<std::uint64_t> offset = Number((tag & 3) == 2 ? 2 : 4);
    return offset && Copy(*offset, (tag >> 2) + 1);
  }

  bool Literal(std::uint64_t code) {
    std::optional<std::uint64_t> length = code;
    if (code >= 60) length = Number(static_cast<std::size_t>(code - 59));
    if (!length || *length >= in_.size()) return false;
    const auto count = static_cast<std::size_t>(*length) + 1;
    out_.append(in_.substr(0, count));
    in_.remove_prefix(count);
    return true;
  }

  bool Copy(std::uint64_t offset, std::uint64_t length) {
    if (offset == 0 || offset > out_.size()) return false;
    // The copy may overlap what it makes.
    std::size_t from = out_.size() - static_cast<std::size_t>(offset);
    for (std::uint64_t i = 0; i < length; ++i) out_.push_back(out_[from++]);
    return true;
  }

  std::string_view in_;
  std::string out_;
};

}  // namespace

Result<std::string> UnpackSnappy(std::span<const std::byte> block) {
  return Unpacker(AsText(block)).Run();
}

}  // namespace dragoman
