// SPDX-License-Identifier: Apache-2.0
// What all parts of the parser share: the place among the tokens, and findings.
#ifndef DRAGOMAN_CORE_SUPPORT_PYTHON_TOKEN_CURSOR_H_
#define DRAGOMAN_CORE_SUPPORT_PYTHON_TOKEN_CURSOR_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/python/lexer.h"
#include "core/support/result.h"

namespace dragoman::python {

// After an error the cursor jumps to the end of the logical line and further errors on it are not
// needed: every function ends there of itself.
class TokenCursor {
 public:
  // Of a text of more than `most` bytes it reads nothing.
  TokenCursor(std::string_view file, std::string_view text, std::size_t most);

  const std::vector<Finding>& findings() const { return findings_; }
  bool AtEnd() const { return Peek().kind == Token::Kind::kEnd; }

 protected:
  const Token& Peek(std::size_t ahead = 0) const;
  std::string_view Text(const Token& token) const {
    return text_.substr(token.offset, token.length);
  }
  // The token at the cursor as a message names it.
  std::string Shown() const;
  bool At(std::string_view name_or_operator) const;
  bool AtKind(Token::Kind kind) const { return Peek().kind == kind; }
  bool Accept(std::string_view name_or_operator);
  bool AcceptKind(Token::Kind kind);
  void Expect(std::string_view name_or_operator);
  std::string ExpectName();
  void Advance();
  void Fail(std::string message, ErrorKind kind = ErrorKind::kInvalidInput);
  void SkipLine();
  void SkipAll() { at_ = tokens_.size() - 1; }
  // Statement by statement: errors are reported again.
  void StartStatement() { failed_ = false; }
  bool failed() const { return failed_; }

 private:
  std::string_view file_;
  std::string_view text_;
  std::vector<Finding> findings_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace dragoman::python

#endif  // DRAGOMAN_CORE_SUPPORT_PYTHON_TOKEN_CURSOR_H_
