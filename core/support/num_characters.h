// SPDX-License-Identifier: Apache-2.0
#ifndef DRAGOMAN_CORE_SUPPORT_NUM_CHARACTERS_H_
#define DRAGOMAN_CORE_SUPPORT_NUM_CHARACTERS_H_

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace dragoman {

// Of a text in UTF-8.
inline std::size_t NumCharacters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_NUM_CHARACTERS_H_
