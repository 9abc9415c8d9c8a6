// SPDX-License-Identifier: Apache-2.0
#include "page/json_text.h"

#include <fmt/format.h>

#include <cmath>

#include "core/support/printable.h"
#include "core/support/text.h"

namespace dragoman::page {

void JsonText::Separate() {
  if (text_.empty()) return;
  const char last = text_.back();
  if (last != '[' && last != '{' && last != ':') text_ += ',';
}

void JsonText::Open(char bracket) {
  Separate();
  text_ += bracket;
}

void JsonText::Key(std::string_view name) {
  Text(name);
  text_ += ':';
}

void JsonText::Int(std::int64_t number) {
  Separate();
  fmt::format_to(std::back_inserter(text_), "{}", number);
}

void JsonText::Number(double number) {
  Separate();
  text_ += std::isfinite(number) ? FormatDouble(number) : "null";
}

void JsonText::Text(std::string_view text) {
  Separate();
  text_ += '"';
  for (const char c : Printable(text)) {
    switch (c) {
      case '"':
      case '\\':
        text_ += '\\';
        text_ += c;
        break;
      case '<':
      case '>':
      case '&':
        fmt::format_to(std::back_inserter(text_), "\\u{:04x}", static_cast<unsigned>(c));
        break;
      default:
        text_ += c;
    }
  }
  text_ += '"';
}

std::int64_t TextTable::Number(std::string_view text) {
  const auto [at, added] =
      numbers_.try_emplace(std::string(text), static_cast<std::int64_t>(texts_.size()));
  if (added) texts_.push_back(&at->first);
  return at->second;
}

void TextTable::Write(JsonText& json) const {
  json.BeginArray();
  for (const std::string* text : texts_) json.Text(*text);
  json.EndArray();
}

}  // namespace dragoman::page
