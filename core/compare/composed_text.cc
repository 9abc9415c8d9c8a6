// SPDX-License-Identifier: Apache-2.0
#include "core/compare/composed_text.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace dragoman {
namespace {

std::vector<std::string> Parts(std::string_view text, char border) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = text.find(border);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string Replaced(std::string text, char from, char to) {
  std::ranges::replace(text, from, to);
  return text;
}

}  // namespace

std::string JoinComposed(const ComposedText& text) {
  return Replaced(fmt::format("{}|{}|{}|{}|{}", fmt::join(text.results, ";"), text.label,
                              fmt::join(text.operands, ";"), text.attributes, text.digest),
                  '"', '\'');
}

std::optional<ComposedText> SplitComposed(std::string_view joined) {
  const std::string text = Replaced(std::string(joined), '\'', '"');
  std::vector<std::string> fields = Parts(text, '|');
  if (fields.size() < 5) return std::nullopt;
  ComposedText composed;
  composed.results = Parts(fields[0], ';');
  composed.label = fields[1];
  if (!fields[2].empty()) composed.operands = Parts(fields[2], ';');
  composed.digest = fields.back();
  // Texts among the attributes may hold a border.
  composed.attributes = fmt::format("{}", fmt::join(fields.begin() + 3, fields.end() - 1, "|"));
  return composed;
}

std::string RenameComposed(std::string_view joined,
                           const std::function<std::string(const std::string&)>& rename) {
  std::optional<ComposedText> text = SplitComposed(joined);
  if (!text) return std::string(joined);
  for (std::string& result : text->results) result = rename(result);
  for (std::string& operand : text->operands) operand = rename(operand);
  return JoinComposed(*text);
}

}  // namespace dragoman
