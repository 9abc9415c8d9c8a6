// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program/printable.h"

#include <cstddef>
#include <cstdint>

#include "runtime/kernels/utf8_text.h"

namespace dragoman::rt {
namespace {

struct HiddenRange {
  std::int32_t first;
  std::int32_t last;
};

// Controls, and what is invisible or turns the direction of text.
constexpr HiddenRange kHidden[] = {{0x00, 0x1f},     {0x7f, 0x9f},      {0xad, 0xad},
                                   {0x61c, 0x61c},   {0x180e, 0x180e},  {0x200b, 0x200f},
                                   {0x2028, 0x202e}, {0x2060, 0x206f},  {0xfeff, 0xfeff},
                                   {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};

bool IsHidden(std::int32_t character) {
  if (character == kNoCharacter) return true;
  for (const HiddenRange& range : kHidden) {
    if (character >= range.first && character <= range.last) return true;
  }
  return false;
}

void AppendEscape(char c, std::string& text) {
  constexpr char kDigits[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  text += '\\';
  if (c == '\n' || c == '\r' || c == '\t') {
    text += c == '\n' ? 'n' : c == '\r' ? 'r' : 't';
    return;
  }
  text += 'x';
  text += kDigits[byte >> 4];
  text += kDigits[byte & 15];
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    std::int32_t character = 0;
    const std::size_t length = DecodeUtf8(text, &character);
    for (const char c : text.substr(0, length)) {
      if (IsHidden(character)) {
        AppendEscape(c, shown);
      } else {
        shown += c;
      }
    }
    text.remove_prefix(length);
  }
  return shown;
}

}  // namespace dragoman::rt
