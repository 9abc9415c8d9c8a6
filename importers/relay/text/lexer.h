// SPDX-License-Identifier: Apache-2.0
// The tokens of Relay text.
//
// Names of variables are taken as the printer writes them, unchanged names of other frameworks
// among them ("%aten::linear_0.weight"): all characters up to a blank, a bracket, a comma, or a
// colon with a blank after it. What of it is a projection ("%x.0") depends on what is declared,
// and so is for the parser to decide.
#ifndef DRAGOMAN_IMPORTERS_RELAY_TEXT_LEXER_H_
#define DRAGOMAN_IMPORTERS_RELAY_TEXT_LEXER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.h"

namespace dragoman::relay {

enum class TokenKind : std::uint8_t {
  kEnd,
  kIdentifier,  // let, nn, Tensor
  kLocal,       // %x, %0.1; `text` without the sign
  kGlobal,      // @main; `text` without the sign
  kNumber,      // as written: 1, -1.5f, 3i64, inff
  kString,      // with its quotes
  kMeta,        // meta[relay.Constant][0]; `text` is the whole
  kPunct,       // one of ( ) [ ] { } , ; : . = ? _ and the operators, -> => == != <= >=
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;
  std::string_view comment;  // the block comments before it, from the first to the last
  std::uint32_t line = 1;
  std::uint32_t column = 1;  // in bytes
};

struct Tokens {
  std::vector<Token> tokens;  // the last one is kEnd
  std::string_view metadata;  // after #[metadata]; empty if there is none
  std::string_view version;   // "0.0.5"; empty if none is stated
  bool metadata_omitted = false;
};

// "line 3:14"
std::string PlaceOf(const Token& token);

// Views of `text`. Errors: what is not a token, with its place; other versions than 0.0.4 and
// 0.0.5.
Result<Tokens> Tokenize(std::string_view text);

}  // namespace dragoman::relay

#endif  // DRAGOMAN_IMPORTERS_RELAY_TEXT_LEXER_H_
