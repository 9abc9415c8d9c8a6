#include "runtime/program/utf8.h"

#include <algorithm>
#include <cstring>

#include "runtime/program/error.h"

namespace dragoman::rt {
namespace {

// The character at the front of `text` and its bytes; 0 bytes if it is not well-formed.
std::size_t Decode(std::string_view text, std::uint32_t* character) {
  const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  *character = at(0);
  if (at(0) < 0x80) return 1;
  const std::size_t length = at(0) >= 0xf0 ? 4 : at(0) >= 0xe0 ? 3 : 2;
  if (at(0) < 0xc2 || at(0) > 0xf4 || length > text.size()) return 0;
  *character = at(0) & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xc0) != 0x80) return 0;
    *character = *character << 6 | (at(i) & 0x3fu);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = *character >= 0xd800 && *character < 0xe000;
  return *character < kLeast[length] || *character > 0x10ffff || surrogate ? 0 : length;
}

std::vector<std::uint32_t> Characters(std::string_view text) {
  std::vector<std::uint32_t> characters;
  while (!text.empty()) {
    std::uint32_t character = 0;
    const std::size_t length = Decode(text, &character);
    if (length == 0) character = 0xdc00u | static_cast<std::uint8_t>(text[0]);
    characters.push_back(character);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return characters;
}

void Append(std::uint32_t c, std::string& text) {
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
    if (character > 0x10ffff) throw Error("text holds what is no character");
    Append(character, text);
    if (character != 0) end = text.size();
  }
  text.resize(end);
  return text;
}

std::string Ucs4FromUtf8(std::string_view text, std::size_t width) {
  const std::vector<std::uint32_t> characters = Characters(text);
  std::string bytes(4 * width, '\0');
  std::memcpy(bytes.data(), characters.data(), 4 * std::min(width, characters.size()));
  return bytes;
}

std::size_t LongestUcs4(const std::vector<std::string>& texts) {
  std::size_t longest = 1;
  for (const std::string& text : texts) longest = std::max(longest, Characters(text).size());
  return longest;
}

}  // namespace dragoman::rt
