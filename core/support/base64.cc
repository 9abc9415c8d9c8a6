// SPDX-License-Identifier: Apache-2.0
#include "core/support/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace dragoman {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::int8_t, 256> kValues = [] {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (std::size_t i = 0; i < kDigits.size(); ++i) {
    values[static_cast<unsigned char>(kDigits[i])] = static_cast<std::int8_t>(i);
  }
  return values;
}();

// The 24 bits of four digits, padding as zero; negative if one is not a digit.
std::int32_t Group(std::string_view digits, std::size_t padding) {
  std::int32_t bits = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::int32_t value =
        i < 4 - padding ? kValues[static_cast<unsigned char>(digits[i])] : std::int32_t{0};
    if (value < 0) return -1;
    bits = bits << 6 | value;
  }
  return bits;
}

}  // namespace

std::string EncodeBase64(std::span<const std::byte> bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (k < count ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= count ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

std::optional<std::string> DecodeBase64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const std::size_t missing = i + 4 == text.size() ? padding : 0;
    const std::int32_t bits = Group(text.substr(i, 4), missing);
    if (bits < 0) return std::nullopt;
    const auto unused = (std::int32_t{1} << (8 * missing)) - 1;
    if ((bits & unused) != 0) return std::nullopt;
    for (std::size_t k = 0; k < 3 - missing; ++k) {
      bytes += static_cast<char>(bits >> (16 - 8 * k) & 255);
    }
  }
  return bytes;
}

}  // namespace dragoman
