// SPDX-License-Identifier: Apache-2.0
#include "core/support/python/token_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/support/python/source_error.h"

namespace dragoman::python {

TokenCursor::TokenCursor(std::string_view file, std::string_view text, std::size_t most)
    : file_(file), text_(text), tokens_(Tokenize(file, text, findings_, most)) {
  if (text.size() > most) text_ = {};
}

const Token& TokenCursor::Peek(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

std::string TokenCursor::Shown() const {
  switch (Peek().kind) {
    case Token::Kind::kNewline:
      return "the end of the line";
    case Token::Kind::kEnd:
      return "the end of the file";
    case Token::Kind::kIndent:
    case Token::Kind::kDedent:
      return "another indentation";
    default:
      return fmt::format("'{}'", Text(Peek()).substr(0, 40));
  }
}

bool TokenCursor::At(std::string_view name_or_operator) const {
  const Token& token = Peek();
  return (token.kind == Token::Kind::kName || token.kind == Token::Kind::kOperator) &&
         Text(token) == name_or_operator;
}

void TokenCursor::Advance() {
  if (at_ + 1 < tokens_.size()) ++at_;
}

bool TokenCursor::Accept(std::string_view name_or_operator) {
  if (!At(name_or_operator)) return false;
  Advance();
  return true;
}

bool TokenCursor::AcceptKind(Token::Kind kind) {
  if (!AtKind(kind)) return false;
  Advance();
  return true;
}

void TokenCursor::Expect(std::string_view name_or_operator) {
  if (Accept(name_or_operator)) return;
  Fail(fmt::format("{} where '{}' is expected", Shown(), name_or_operator));
}

std::string TokenCursor::ExpectName() {
  if (!AtKind(Token::Kind::kName)) {
    Fail(fmt::format("{} where a name is expected", Shown()));
    return {};
  }
  std::string name(Text(Peek()));
  Advance();
  return name;
}

void TokenCursor::Fail(std::string message, ErrorKind kind) {
  if (!failed_ && findings_.size() < kMaxSourceFindings) {
    findings_.push_back(FindingAt(kind, file_, text_, Peek().offset, std::move(message)));
  }
  failed_ = true;
  SkipLine();
}

void TokenCursor::SkipLine() {
  while (!AtKind(Token::Kind::kNewline) && !AtEnd()) Advance();
}

}  // namespace dragoman::python
