// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program/map_json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace dragoman::rt {
namespace {

// An entry as the file has it: text without its quotes, or a number's letters.
struct Entry {
  std::string key, value;
  bool is_text = false;  // the value
};
using MapEntries = std::vector<Entry>;

// The subset of JSON that maps are: objects of numbers and strings, and lists of such.
class Reader {
 public:
  explicit Reader(std::string_view json) : rest_(json) {}

  std::string Read(std::vector<MapEntries>* maps, bool* is_list) {
    *is_list = Take('[');
    if (!*is_list) {
      maps->emplace_back();
      ReadMap(&maps->back());
    } else if (!Take(']')) {
      do {
        maps->emplace_back();
        ReadMap(&maps->back());
      } while (problem_.empty() && Take(','));
      Expect(']');
    }
    SkipSpace();
    if (problem_.empty() && !rest_.empty()) problem_ = "something follows the maps";
    return problem_;
  }

 private:
  void SkipSpace() {
    const std::size_t begin = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(std::min(begin, rest_.size()));
  }
  bool Take(char c) {
    SkipSpace();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void Expect(char c) {
    if (problem_.empty() && !Take(c)) problem_ = std::string("expected '") + c + "'";
  }

  void ReadMap(MapEntries* entries) {
    Expect('{');
    if (!problem_.empty() || Take('}')) return;
    do {
      Entry entry;
      Expect('"');
      entry.key = ReadText();
      Expect(':');
      entry.is_text = Take('"');
      entry.value = entry.is_text ? ReadText() : ReadLetters();
      entries->push_back(std::move(entry));
    } while (problem_.empty() && Take(','));
    Expect('}');
  }

  // Up to the closing quotes.
  std::string ReadText() {
    std::string text;
    while (problem_.empty()) {
      if (rest_.empty()) {
        problem_ = "a string has no end";
        break;
      }
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') break;
      if (c == '\\') {
        ReadEscape(&text);
      } else {
        text += c;
      }
    }
    return text;
  }

  void ReadEscape(std::string* text) {
    constexpr std::string_view kLetters = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    const char c = rest_.empty() ? '\0' : rest_.front();
    if (!rest_.empty()) rest_.remove_prefix(1);
    const std::size_t at = kLetters.find(c);
    if (c == 'u') {
      AppendUtf8(ReadCodePoint(), text);
    } else if (c == '\0' || at == std::string_view::npos) {
      problem_ = "an escape in a string is none of JSON";
    } else {
      *text += kMeant[at];
    }
  }

  std::uint32_t ReadUnit() {
    std::uint32_t unit = 0;
    const char* const begin = rest_.data();
    const char* const end = begin + std::min<std::size_t>(4, rest_.size());
    if (std::from_chars(begin, end, unit, 16).ptr != begin + 4) {
      problem_ = "\\u has not four digits";
      return 0;
    }
    rest_.remove_prefix(4);
    return unit;
  }

  // Of one unit of UTF-16, or two.
  std::uint32_t ReadCodePoint() {
    const std::uint32_t high = ReadUnit();
    if (high < 0xd800 || high > 0xdfff) return high;
    if (high < 0xdc00 && rest_.substr(0, 2) == "\\u") {
      rest_.remove_prefix(2);
      const std::uint32_t low = ReadUnit();
      if (low >= 0xdc00 && low <= 0xdfff) return 0x10000 + ((high - 0xd800) << 10) + low - 0xdc00;
    }
    problem_ = "half of a surrogate pair is missing";
    return 0;
  }

  static void AppendUtf8(std::uint32_t code, std::string* text) {
    if (code < 0x80) {
      *text += static_cast<char>(code);
      return;
    }
    const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    constexpr std::uint32_t kHeads[] = {0, 0xc0, 0xe0, 0xf0};
    *text += static_cast<char>(kHeads[more] | code >> 6 * more);
    for (int i = more - 1; i >= 0; --i) *text += static_cast<char>(0x80 | (code >> 6 * i & 0x3f));
  }

  std::string ReadLetters() {
    SkipSpace();
    const std::size_t end = rest_.find_first_of(",}] \t\r\n");
    const std::string letters(rest_.substr(0, end));
    rest_.remove_prefix(std::min(end, rest_.size()));
    if (letters.empty() && problem_.empty()) problem_ = "a value is missing";
    return letters;
  }

  std::string_view rest_;
  std::string problem_;
};

template <class T>
bool ParseNumber(std::string_view text, T* number) {
  if constexpr (std::is_floating_point_v<T>) {
    const bool negative = !text.empty() && text.front() == '-';
    const std::string_view size = text.substr(negative ? 1 : 0);
    if (size == "NaN") *number = std::numeric_limits<T>::quiet_NaN();
    if (size == "Infinity") *number = std::numeric_limits<T>::infinity() * (negative ? -1 : 1);
    if (size == "NaN" || size == "Infinity") return true;
    if (size.empty() || size.front() < '0' || size.front() > '9') return false;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

template <class T>
bool PutNumber(std::string_view text, AnyTensor* tensor, std::int64_t i) {
  return ParseNumber(text, tensor->data<T>() + i);
}

// False: `text` is not an element of the tensor's type.
bool Put(const std::string& text, bool is_text, AnyTensor* tensor, std::int64_t i) {
  const std::string_view type = tensor->type->name;
  if (type == "string") tensor->data<std::string>()[i] = text;
  if ((type == "string") != is_text) return false;
  if (type == "bool") tensor->data<bool>()[i] = text == "true";
  if (type == "bool") return text == "true" || text == "false";
  if (type == "int64") return PutNumber<std::int64_t>(text, tensor, i);
  if (type == "float32") return PutNumber<float>(text, tensor, i);
  return type == "string" || (type == "float64" && PutNumber<double>(text, tensor, i));
}

// By ascending keys.
std::string Sort(const ElementType& key, MapEntries* entries) {
  const auto number = [&](const Entry& entry) {
    std::int64_t parsed = 0;
    return key.bytes == 0 || ParseNumber(entry.key, &parsed) ? std::optional(parsed) : std::nullopt;
  };
  for (const Entry& entry : *entries) {
    if (!number(entry)) return "key '" + entry.key + "' is no " + key.name;
  }
  const auto is_less = [&](const Entry& a, const Entry& b) {
    return key.bytes == 0 ? a.key < b.key : *number(a) < *number(b);
  };
  std::sort(entries->begin(), entries->end(), is_less);
  const auto twice =
      std::adjacent_find(entries->begin(), entries->end(),
                         [&](const Entry& a, const Entry& b) { return !is_less(a, b); });
  return twice == entries->end() ? "" : "key '" + twice->key + "' occurs twice";
}

template <class T>
std::string PrintedNumber(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  }
  char digits[32];
  std::string text(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  const bool whole = text.find_first_of(".e") == std::string::npos;
  return text + (std::is_floating_point_v<T> && whole ? ".0" : "");
}

template <class T>
T At(const ElementArray& array, std::int64_t i) {
  return static_cast<const T*>(array.data)[i];
}

std::string ElementText(const ElementArray& array, std::int64_t i) {
  const std::string_view type = array.type->name;
  if (type == "string") return JsonString(static_cast<const std::string*>(array.data)[i]);
  if (type == "bool") return At<bool>(array, i) ? "true" : "false";
  if (type == "float32") return PrintedNumber(At<float>(array, i));
  if (type == "float64") return PrintedNumber(At<double>(array, i));
  return PrintedNumber(At<std::int64_t>(array, i));
}

std::string KeyText(const ElementArray& keys, std::int64_t i) {
  const std::string text = ElementText(keys, i);
  return text.front() == '"' ? text : "\"" + text + "\"";
}

}  // namespace

bool AreMaps(const Shape& keys, const Shape& values) {
  return keys.size() == 1 && (values.size() == 1 || values.size() == 2) &&
         values[values.size() - 1] == keys[0];
}

std::string JsonString(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (byte < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", byte);
      json += escape;
    } else {
      json += c;
    }
  }
  return json + "\"";
}

std::string PrintMaps(const ElementArray& keys, const ElementArray& values, std::int64_t entries,
                      std::int64_t rows, bool is_list) {
  std::vector<std::string> heads;
  for (std::int64_t i = 0; i < entries; ++i) heads.push_back(KeyText(keys, i) + ": ");
  std::string text;
  for (std::int64_t row = 0; row < rows; ++row) {
    text += is_list ? (row == 0 ? "\n  {" : ",\n  {") : "{";
    for (std::int64_t i = 0; i < entries; ++i)
      text += (i == 0 ? "" : ", ") + heads[static_cast<std::size_t>(i)] +
              ElementText(values, row * entries + i);
    text += "}";
  }
  if (is_list) text = "[" + text + (rows == 0 ? "]" : "\n]");
  return text + "\n";
}

std::string ParseMaps(std::string_view json, const ElementType& key, const ElementType& value,
                      AnyTensor* keys, AnyTensor* values) {
  std::vector<MapEntries> maps;
  bool is_list = false;
  if (std::string problem = Reader(json).Read(&maps, &is_list); !problem.empty())
    return "is no JSON of maps: " + problem;
  for (MapEntries& map : maps) {
    if (std::string problem = Sort(key, &map); !problem.empty()) return problem;
  }
  const auto rows = static_cast<std::int64_t>(maps.size());
  const auto entries = maps.empty() ? 0 : static_cast<std::int64_t>(maps.front().size());
  keys->Resize(key.name, {entries});
  values->Resize(value.name, is_list ? Shape{rows, entries} : Shape{entries});
  for (std::int64_t row = 0; row < rows; ++row) {
    const MapEntries& map = maps[static_cast<std::size_t>(row)];
    if (map.size() != maps.front().size()) return "the maps have different keys";
    for (std::int64_t i = 0; i < entries; ++i) {
      const Entry& entry = map[static_cast<std::size_t>(i)];
      if (entry.key != maps.front()[static_cast<std::size_t>(i)].key)
        return "the maps have different keys";
      Put(entry.key, key.bytes == 0, keys, i);
      if (!Put(entry.value, entry.is_text, values, row * entries + i))
        return "value '" + entry.value + "' is no " + value.name;
    }
  }
  return "";
}

}  // namespace dragoman::rt
