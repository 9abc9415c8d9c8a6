// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sets of characters: what [...], \d and (?i) mean.
#ifndef DRAGOMAN_RUNTIME_KERNELS_REGEX_SET_H_
#define DRAGOMAN_RUNTIME_KERNELS_REGEX_SET_H_

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/kernels/letter_case.h"
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

inline bool Contains(const CharacterSet& normalized, std::int32_t character) {
  const auto next =
      std::upper_bound(normalized.begin(), normalized.end(), character,
                       [](std::int32_t c, const std::pair<std::int32_t, std::int32_t>& range) {
                         return c < range.first;
                       });
  return next != normalized.begin() && character <= std::prev(next)->second;
}

// With the other cases of each letter.
inline CharacterSet Folded(CharacterSet set) {
  const CharacterSet given = Normalized(set);
  for (const std::vector<std::int32_t>& letters : LettersByFolding()) {
    const bool any = std::any_of(letters.begin(), letters.end(),
                                 [&](std::int32_t c) { return Contains(given, c); });
    if (!any) continue;
    for (const std::int32_t letter : letters) set.push_back({letter, letter});
  }
  return set;
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
