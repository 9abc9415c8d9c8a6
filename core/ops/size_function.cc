// SPDX-License-Identifier: Apache-2.0
#include "core/ops/size_function.h"

#include <algorithm>
#include <charconv>

namespace dragoman {

std::vector<std::string_view> SpacedWords(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::size_t IndexIn(std::string_view word) {
  std::size_t index = 0;
  std::from_chars(word.data() + 1, word.data() + word.size(), index);
  return index;
}

bool SizeFunction::SeesOperand(std::size_t index) const {
  return std::ranges::any_of(SpacedWords(arguments), [index](std::string_view word) {
    switch (word[0]) {
      case 'S':
      case 'B':
        return true;
      case 'g':
        return index <= IndexIn(word);
      case 's':
      case 'x':
        return index == IndexIn(word);
      default:
        return false;
    }
  });
}

}  // namespace dragoman
