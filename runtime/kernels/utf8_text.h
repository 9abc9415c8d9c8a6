// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The characters of UTF-8 text.
#ifndef DRAGOMAN_RUNTIME_KERNELS_UTF8_TEXT_H_
#define DRAGOMAN_RUNTIME_KERNELS_UTF8_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dragoman::rt {

// What stands for a byte that is not UTF-8.
inline constexpr std::int32_t kNoCharacter = -1;

// The character at the front of `text`, which is not empty, and how many bytes it has; kNoCharacter
// and 1 if the text is not well-formed there.
inline std::size_t DecodeUtf8(std::string_view text, std::int32_t* character) {
  const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  *character = at(0);
  if (at(0) < 0x80) return 1;
  *character = kNoCharacter;
  const std::size_t length = at(0) >= 0xf0 ? 4 : at(0) >= 0xe0 ? 3 : 2;
  if (at(0) < 0xc2 || at(0) > 0xf4 || length > text.size()) return 1;
  std::int32_t decoded = at(0) & (0xff >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xc0) != 0x80) return 1;
    decoded = decoded << 6 | (at(i) & 0x3f);
  }
  constexpr std::int32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = decoded >= 0xd800 && decoded < 0xe000;
  if (decoded < kLeast[length] || decoded > 0x10ffff || surrogate) return 1;
  *character = decoded;
  return length;
}

// The number of characters; a byte that is not UTF-8 counts as one.
inline std::int64_t CountUtf8(std::string_view text) {
  std::int64_t count = 0;
  std::int32_t character = 0;
  for (; !text.empty(); ++count) text.remove_prefix(DecodeUtf8(text, &character));
  return count;
}

// What stands for a number that is not a character: U+FFFD.
inline constexpr std::int32_t kReplacementCharacter = 0xfffd;

inline std::string EncodeUtf8(std::int32_t character) {
  const bool surrogate = character >= 0xd800 && character < 0xe000;
  if (character < 0 || character > 0x10ffff || surrogate) character = kReplacementCharacter;
  if (character < 0x80) return std::string(1, static_cast<char>(character));
  std::string text;
  int shift = character < 0x800 ? 6 : character < 0x10000 ? 12 : 18;
  constexpr int kFirst[] = {0xc0, 0xe0, 0xf0};  // marks of 2, 3 and 4 bytes
  text += static_cast<char>(kFirst[shift / 6 - 1] | character >> shift);
  for (shift -= 6; shift >= 0; shift -= 6)
    text += static_cast<char>(0x80 | (character >> shift & 0x3f));
  return text;
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_UTF8_TEXT_H_
