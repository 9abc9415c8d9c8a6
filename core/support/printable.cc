// SPDX-License-Identifier: Apache-2.0
#include "core/support/printable.h"

#include <algorithm>

#include "core/support/text.h"

namespace dragoman {
namespace {

// Bytes of a message: the texts of a file that it quotes may be of any length.
constexpr std::size_t kMostShown = 8000;

bool IsPlain(char c) { return c >= ' ' && c <= '~'; }

std::string EscapeBut(std::string_view kept, std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const std::string_view character = text.substr(0, std::max<std::size_t>(Utf8Length(text), 1));
    text.remove_prefix(character.size());
    const bool stays = IsPlain(character[0]) || kept.find(character[0]) != std::string_view::npos;
    shown += stays ? std::string(character) : Escape(character);
  }
  return shown;
}

// Takes the last line off `text` if it is indented: what begins with its line feed; "": it is not.
std::string_view TakeIndentedLine(std::string_view& text) {
  const std::size_t at = text.rfind('\n');
  if (at == std::string_view::npos || text.substr(at + 1, 2) != "  ") return {};
  const std::string_view line = text.substr(at);
  text.remove_suffix(line.size());
  return line;
}

bool IsCarets(std::string_view line) {
  const std::size_t caret = line.find_first_not_of("\n ");
  return caret != std::string_view::npos && line[caret] == '^' &&
         line.find_first_not_of('~', caret + 1) == std::string_view::npos;
}

// The length of what precedes the excerpt.
std::size_t LengthOfHead(std::string_view message) {
  constexpr std::string_view kCall = "\n    called from ";
  std::string_view rest = message;
  std::string_view head = message;  // as far as all after it is calls
  std::string_view line = TakeIndentedLine(rest);
  while (line.starts_with(kCall)) {
    head = rest;
    line = TakeIndentedLine(rest);
  }
  if (IsCarets(line) && !TakeIndentedLine(rest).empty()) head = rest;
  return head.size();
}

}  // namespace

std::string Printable(std::string_view text) {
  if (std::ranges::all_of(text, IsPlain)) return std::string(text);
  return EscapeBut("", text);
}

std::string PrintableLines(std::string_view lines) { return EscapeBut("\n\t", lines); }

std::string PrintableMessage(std::string_view message) {
  const std::size_t head = LengthOfHead(message);
  std::size_t shown = std::min(head, kMostShown);
  // Between characters: bytes that continue one begin with 10.
  while (shown < head && (static_cast<unsigned char>(message[shown]) & 0xc0) == 0x80) --shown;
  return Printable(message.substr(0, shown)) + (shown < head ? " …" : "") +
         PrintableLines(message.substr(head));
}

}  // namespace dragoman
