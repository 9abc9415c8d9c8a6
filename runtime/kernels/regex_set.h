// Sets of characters: what [...], \d and (?i) mean.
#ifndef DRAGOMAN_RUNTIME_KERNELS_REGEX_SET_H_
#define DRAGOMAN_RUNTIME_KERNELS_REGEX_SET_H_

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "runtime/kernels/regex.h"

namespace dragoman::rt::internal {

inline constexpr std::int32_t kLastCharacter = 0x10ffff;

// Sorted, without overlaps.
inline CharacterSet Normalized(CharacterSet set) {
  std::sort(set.begin(), set.end());
  CharacterSet merged;
  for (const auto& range : set) {
    if (!merged.empty() && range.first <= merged.back().second + 1) {
      merged.back().second = std::max(merged.back().second, range.second);
    } else {
      merged.push_back(range);
    }
  }
  return merged;
}

inline CharacterSet Complement(const CharacterSet& set) {
  CharacterSet others;
  std::int32_t next = 0;
  for (const auto& range : Normalized(set)) {
    if (range.first > next) others.push_back({next, range.first - 1});
    next = range.second + 1;
  }
  if (next <= kLastCharacter) others.push_back({next, kLastCharacter});
  return others;
}

inline void Append(CharacterSet& set, const CharacterSet& more) {
  set.insert(set.end(), more.begin(), more.end());
}

// With the other case of each letter of ASCII, and the two letters beyond it that fold to one.
inline CharacterSet Folded(const CharacterSet& set) {
  CharacterSet folded = set;
  for (const auto& range : set) {
    for (std::int32_t c = range.first; c <= std::min<std::int32_t>(range.second, 'z'); ++c) {
      if ((c < 'A' || c > 'Z') && (c < 'a' || c > 'z')) continue;
      folded.push_back({c ^ 0x20, c ^ 0x20});
      if ((c | 0x20) == 'k') folded.push_back({0x212a, 0x212a});
      if ((c | 0x20) == 's') folded.push_back({0x17f, 0x17f});
    }
  }
  return folded;
}

// \d, \s and \w, by their small letter; empty: another.
inline CharacterSet PerlSet(char letter) {
  switch (letter) {
    case 'd':
      return {{'0', '9'}};
    case 's':
      return {{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}};
    case 'w':
      return {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
    default:
      return {};
  }
}

// Of [:name:]; empty: there is none.
inline CharacterSet PosixSet(std::string_view name) {
  struct Row {
    std::string_view name;
    CharacterSet set;
  };
  const Row rows[] = {
      {"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}},
      {"alpha", {{'A', 'Z'}, {'a', 'z'}}},
      {"ascii", {{0, 0x7f}}},
      {"blank", {{'\t', '\t'}, {' ', ' '}}},
      {"cntrl", {{0, 0x1f}, {0x7f, 0x7f}}},
      {"digit", {{'0', '9'}}},
      {"graph", {{'!', '~'}}},
      {"lower", {{'a', 'z'}}},
      {"print", {{' ', '~'}}},
      {"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
      {"space", {{'\t', '\r'}, {' ', ' '}}},
      {"upper", {{'A', 'Z'}}},
      {"word", {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}},
      {"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
  };
  for (const Row& row : rows) {
    if (row.name == name) return row.set;
  }
  return {};
}

}  // namespace dragoman::rt::internal

#endif  // DRAGOMAN_RUNTIME_KERNELS_REGEX_SET_H_
