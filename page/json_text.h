// SPDX-License-Identifier: Apache-2.0
// JSON that may stand within HTML.
#ifndef DRAGOMAN_PAGE_JSON_TEXT_H_
#define DRAGOMAN_PAGE_JSON_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dragoman::page {

// Written from front to back. No character of it is one that HTML gives a meaning.
class JsonText {
 public:
  void BeginArray() { Open('['); }
  void EndArray() { text_ += ']'; }
  void BeginObject() { Open('{'); }
  void EndObject() { text_ += '}'; }
  void Key(std::string_view name);
  void Int(std::int64_t number);
  void Number(double number);  // null: infinite, or none
  // In its printable form (core/support/printable.h): no control characters, no marks that turn the
  // direction of what follows, well-formed UTF-8.
  void Text(std::string_view text);

  std::string Take() { return std::move(text_); }

 private:
  void Open(char bracket);
  void Separate();

  std::string text_;
};

// Texts that occur often, each written once.
class TextTable {
 public:
  std::int64_t Number(std::string_view text);
  void Write(JsonText& json) const;

 private:
  std::unordered_map<std::string, std::int64_t> numbers_;
  std::vector<const std::string*> texts_;
};

}  // namespace dragoman::page

#endif  // DRAGOMAN_PAGE_JSON_TEXT_H_
