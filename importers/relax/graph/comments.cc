// SPDX-License-Identifier: Apache-2.0
#include "importers/relax/graph/comments.h"

#include <algorithm>

namespace dragoman::tvmscript {
namespace {

constexpr std::string_view kBlank = " \t\r";

// Of the line that holds byte `at`, or ends there.
std::size_t LineBegin(std::string_view text, std::size_t at) {
  const std::size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  return before == std::string_view::npos ? 0 : before + 1;
}

struct Line {
  std::string_view content;  // without blanks around it
  std::size_t indent = 0;

  bool is_comment() const { return content.starts_with('#'); }
  bool is_code() const { return !content.empty() && !is_comment(); }
};

Line LineAt(std::string_view text, std::size_t begin) {
  std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  const std::size_t indent = std::min(line.find_first_not_of(kBlank), line.size());
  line.remove_prefix(indent);
  while (!line.empty() && kBlank.find(line.back()) != std::string_view::npos) line.remove_suffix(1);
  return {line, indent};
}

// The place after the string that begins at `at`.
std::size_t StringEnd(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const bool is_long = text.substr(at, 3) == std::string(3, quote);
  const std::string_view end = text.substr(at, is_long ? 3 : 1);
  at += end.size();
  while (at < text.size() && text.substr(at, end.size()) != end) at += text[at] == '\\' ? 2 : 1;
  return std::min(at + end.size(), text.size());
}

// Of the logical line at `at`: where its comment begins, or where it ends.
std::size_t LogicalEnd(std::string_view text, std::size_t at) {
  int depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = StringEnd(text, at);
      continue;
    }
    if ((c == '#' || c == '\n') && depth <= 0) return at;
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    at += c == '\\' ? 2 : 1;
  }
  return text.size();
}

}  // namespace

std::size_t IndentAt(std::string_view text, std::size_t offset) {
  return LineAt(text, LineBegin(text, offset)).indent;
}

Attribute::Strings CommentsAbove(std::string_view text, std::size_t offset, std::size_t indent) {
  Attribute::Strings comments;
  for (std::size_t begin = LineBegin(text, offset); begin > 0;) {
    begin = LineBegin(text, begin - 1);
    const Line line = LineAt(text, begin);
    if (line.is_code()) break;
    if (line.is_comment() && line.indent <= indent) comments.emplace_back(line.content);
  }
  std::reverse(comments.begin(), comments.end());
  return comments;
}

Attribute::Strings CommentsBelow(std::string_view text, std::size_t offset) {
  const std::size_t indent = IndentAt(text, offset);
  Attribute::Strings comments;
  std::size_t end = text.find('\n', LogicalEnd(text, offset));
  while (end != std::string_view::npos) {
    const Line line = LineAt(text, end + 1);
    if (line.is_code()) break;
    if (line.is_comment() && line.indent >= indent) comments.emplace_back(line.content);
    end = text.find('\n', end + 1);
  }
  return comments;
}

std::string CommentBehind(std::string_view text, std::size_t offset) {
  const std::size_t end = LogicalEnd(text, offset);
  if (end >= text.size() || text[end] != '#') return "";
  return std::string(LineAt(text, end).content);
}

std::string_view WithoutCommentsBelow(std::string_view text, std::size_t indent) {
  while (!text.empty()) {
    const std::size_t begin = LineBegin(text, text.size());
    const Line line = LineAt(text, begin);
    if (begin == 0 || line.is_code() || (line.is_comment() && line.indent > indent)) break;
    text = text.substr(0, begin - 1);
  }
  return text;
}

}  // namespace dragoman::tvmscript
