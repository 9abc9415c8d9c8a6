// SPDX-License-Identifier: Apache-2.0
#include "core/support/python/source_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace dragoman::python {
namespace {

constexpr std::size_t kMaxShown = 160;  // bytes of the source line

// From 1.
int LineOf(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  return 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
}

}  // namespace

LineTable::LineTable(std::string_view text) : begins_{0} {
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    begins_.push_back(static_cast<std::uint32_t>(at + 1));
}

LineTable::Place LineTable::At(std::size_t offset) const {
  const auto behind = std::ranges::upper_bound(begins_, offset);
  return {static_cast<std::size_t>(behind - begins_.begin()), offset - behind[-1] + 1};
}

Finding FindingAt(ErrorKind kind, std::string_view file, std::string_view text, std::size_t offset,
                  std::string message) {
  offset = std::min(offset, text.size());
  std::size_t begin = offset;
  while (begin > 0 && text[begin - 1] != '\n') --begin;
  const std::size_t column = offset - begin;
  const std::size_t skipped = column > kMaxShown / 2 ? column - kMaxShown / 2 : 0;
  std::string_view line = text.substr(begin + skipped);
  line = line.substr(0, std::min(line.find('\n'), kMaxShown));
  std::string shown(line);
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  const std::string place = fmt::format("{}:{}", LineOf(text, offset), column + 1);
  if (shown.find_first_not_of(' ') != std::string::npos)
    message += fmt::format("\n  {}\n  {:>{}}", shown, "^", column - skipped + 1);
  return {kind, "", file.empty() ? "line " + place : fmt::format("{}:{}", file, place),
          std::move(message)};
}

}  // namespace dragoman::python
