// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program/utf8.h"

#include <algorithm>
#include <cstring>

#include "runtime/kernels/utf8_text.h"
#include "runtime/program/error.h"

namespace dragoman::rt {
namespace {

std::vector<std::uint32_t> Characters(std::string_view text) {
  std::vector<std::uint32_t> characters;
  while (!text.empty()) {
    std::int32_t character = 0;
    const std::size_t length = DecodeUtf8(text, &character);
    if (character == kNoCharacter) character = 0xdc00 | static_cast<std::uint8_t>(text[0]);
    characters.push_back(static_cast<std::uint32_t>(character));
    text.remove_prefix(length);
  }
  return characters;
}

void AppendCodePoint(std::uint32_t c, std::string& text) {
  const auto rest = [&](int shift) { text += static_cast<char>(0x80 | (c >> shift & 0x3f)); };
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += static_cast<char>(0xc0 | c >> 6);
    rest(0);
  } else if (c >= 0xdc80 && c <= 0xdcff) {
    text += static_cast<char>(c & 0xff);
  } else if (c < 0x10000) {
    text += static_cast<char>(0xe0 | c >> 12);
    rest(6);
    rest(0);
  } else {
    text += static_cast<char>(0xf0 | c >> 18);
    rest(12);
    rest(6);
    rest(0);
  }
}

}  // namespace

std::string Utf8FromUcs4(std::string_view little_endian) {
  std::string text;
  std::size_t end = 0;
  for (std::size_t i = 0; i + 4 <= little_endian.size(); i += 4) {
    std::uint32_t character = 0;
    std::memcpy(&character, little_endian.data() + i, 4);
    if (character > 0x10ffff) throw Error("text holds what is not a character");
    AppendCodePoint(character, text);
    if (character != 0) end = text.size();
  }
  text.resize(end);
  return text;
}

std::string Ucs4FromUtf8(std::string_view text, std::size_t width) {
  const std::vector<std::uint32_t> characters = Characters(text);
  std::string bytes(4 * width, '\0');
  const std::size_t count = std::min(width, characters.size());
  if (count > 0) std::memcpy(bytes.data(), characters.data(), 4 * count);
  return bytes;
}

std::size_t LongestUcs4(const std::vector<std::string>& texts) {
  std::size_t longest = 1;
  for (const std::string& text : texts) longest = std::max(longest, Characters(text).size());
  return longest;
}

}  // namespace dragoman::rt
