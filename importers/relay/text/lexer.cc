// SPDX-License-Identifier: Apache-2.0
#include "importers/relay/text/lexer.h"

#include <algorithm>
#include <utility>

#include "core/support/text.h"

namespace dragoman::relay {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Result<Tokens> Run() {
    DRAGOMAN_TRY(ReadVersion());
    while (true) {
      DRAGOMAN_TRY(SkipBlanks());
      if (at_ >= text_.size() || AtMetadata()) break;
      DRAGOMAN_TRY(ReadToken());
    }
    Push(TokenKind::kEnd, 0);
    return std::move(result_);
  }

 private:
  Error Fail(std::string message) const {
    Token here;
    here.line = line_;
    here.column = static_cast<std::uint32_t>(at_ - line_start_ + 1);
    return InvalidInput(std::move(message)).At(PlaceOf(here));
  }

  char Peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  bool StartsWith(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  void Step() {
    if (text_[at_] == '\n') {
      ++line_;
      line_start_ = at_ + 1;
    }
    ++at_;
  }
  void Step(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) Step();
  }

  Status ReadVersion() {
    DRAGOMAN_TRY(SkipBlanks());
    comment_ = {};
    std::string_view stated;
    if (StartsWith("#[version")) {
      const std::size_t end = text_.find(']', at_);
      const std::string_view head = text_.substr(at_, end - at_);
      const std::size_t first = head.find('"');
      const std::size_t last = head.rfind('"');
      if (end == std::string_view::npos || first == std::string_view::npos || first == last)
        return Fail("a version is expected, as in #[version = \"0.0.5\"]");
      stated = head.substr(first + 1, last - first - 1);
      Step(end + 1 - at_);
    } else if (StartsWith("v0.")) {
      const std::size_t end = std::min(text_.find('\n', at_), text_.size());
      stated = text_.substr(at_ + 1, end - at_ - 1);
      while (!stated.empty() && IsBlank(stated.back())) stated.remove_suffix(1);
      Step(end - at_);
    }
    if (!stated.empty() && stated != "0.0.4" && stated != "0.0.5")
      return Unsupported("Relay text of version " + std::string(stated) +
                         "; versions 0.0.4 and 0.0.5 are read")
          .At("line 1:1");
    result_.version = stated;
    return {};
  }

  Status SkipBlanks() {
    comment_ = {};
    while (at_ < text_.size()) {
      if (IsBlank(text_[at_])) {
        Step();
      } else if (StartsWith("//")) {
        result_.metadata_omitted |= text_.substr(at_, 64).find("data omitted") != text_.npos;
        while (at_ < text_.size() && text_[at_] != '\n') Step();
      } else if (StartsWith("/*")) {
        DRAGOMAN_TRY(SkipComment());
      } else {
        break;
      }
    }
    return {};
  }

  Status SkipComment() {
    const std::size_t begin =
        comment_.empty() ? at_ : static_cast<std::size_t>(comment_.data() - text_.data());
    std::size_t depth = 0;
    while (at_ < text_.size()) {
      if (StartsWith("/*")) {
        ++depth;
        Step(2);
      } else if (StartsWith("*/")) {
        --depth;
        Step(2);
        if (depth == 0) {
          comment_ = text_.substr(begin, at_ - begin);
          return {};
        }
      } else {
        Step();
      }
    }
    return Fail("a comment does not end");
  }

  bool AtMetadata() {
    for (std::string_view head : {"#[metadata]", "METADATA:"}) {
      if (!StartsWith(head)) continue;
      result_.metadata = text_.substr(at_ + head.size());
      return true;
    }
    return false;
  }

  // A token of `length` bytes, of which the first `skip` are no part of its text.
  void Push(TokenKind kind, std::size_t length, std::size_t skip = 0) {
    Token token;
    token.kind = kind;
    token.text = text_.substr(at_ + skip, length - skip);
    token.comment = comment_;
    token.line = line_;
    token.column = static_cast<std::uint32_t>(at_ - line_start_ + 1);
    result_.tokens.push_back(token);
    Step(length);
  }

  template <class Holds>
  std::size_t Span(std::size_t from, Holds holds) const {
    std::size_t length = from;
    while (at_ + length < text_.size() && holds(text_[at_ + length])) ++length;
    return length;
  }

  Status ReadToken() {
    const char c = text_[at_];
    if (c == '%') return ReadLocal();
    if (c == '@') return ReadGlobal();
    if (c == '"' || c == '\'') return ReadString(c);
    if (IsDigit(c) || (c == '-' && NumberBehindMinus())) return ReadNumber();
    if (IsLetter(c)) return ReadWord();
    for (std::string_view two : {"->", "=>", "==", "!=", "<=", ">=", ":="}) {
      if (StartsWith(two)) {
        Push(TokenKind::kPunct, 2);
        return {};
      }
    }
    if (std::string_view("()[]{},;:.=?*/+-<>^").find(c) != std::string_view::npos) {
      Push(TokenKind::kPunct, 1);
      return {};
    }
    return Fail("'" + Escape(text_.substr(at_, 1)) + "' begins nothing");
  }

  bool NumberBehindMinus() {
    if (at_ >= minuses_end_)
      minuses_end_ = std::min(text_.find_first_not_of('-', at_), text_.size());
    const std::string_view behind = text_.substr(minuses_end_, 4);
    return (!behind.empty() && IsDigit(behind.front())) || behind == "inff" || behind == "nanf";
  }

  Status ReadLocal() {
    std::size_t length = 1;
    while (at_ + length < text_.size()) {
      const char c = text_[at_ + length];
      if (IsBlank(c) || std::string_view("()[]{},;=^*+<>%\"").find(c) != std::string_view::npos)
        break;
      if (c == ':' && (at_ + length + 1 >= text_.size() || IsBlank(Peek(length + 1)))) break;
      ++length;
    }
    if (length == 1) return Fail("a name is expected after %");
    Push(TokenKind::kLocal, length, 1);
    return {};
  }

  Status ReadGlobal() {
    const std::size_t length = Span(1, [](char c) {
      return IsLetter(c) || IsDigit(c) || c == '/' || c == '.' || c == '$' || c == ':';
    });
    if (length == 1) return Fail("a name is expected after @");
    Push(TokenKind::kGlobal, length, 1);
    return {};
  }

  Status ReadString(char quote) {
    std::size_t length = 1;
    while (Peek(length) != quote) {
      if (at_ + length >= text_.size() || Peek(length) == '\n')
        return Fail("a string does not end");
      length += Peek(length) == '\\' ? 2 : 1;
    }
    Push(TokenKind::kString, length + 1);
    return {};
  }

  Status ReadNumber() {
    std::size_t length = 0;
    while (Peek(length) == '-') ++length;
    if (!IsDigit(Peek(length))) {
      length += 4;  // inff, nanf
    } else {
      length = Span(length, [](char c) {
        return IsDigit(c) || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-';
      });
      if (Peek(length) == 'f' || Peek(length) == 'i' || Peek(length) == 'u') ++length;
    }
    Push(TokenKind::kNumber, Span(length, IsDigit));
    return {};
  }

  Status ReadWord() {
    if (StartsWith("meta[")) return ReadMeta();
    std::size_t length = Span(1, [](char c) { return IsLetter(c) || IsDigit(c) || c == '/'; });
    const std::string_view word = text_.substr(at_, length);
    if (word == "inff" || word == "nanf" || word == "inff64" || word == "nanf64" ||
        word == "inff16" || word == "nanf16") {
      Push(TokenKind::kNumber, length);
      return {};
    }
    if (word == "match" && Peek(length) == '?') ++length;
    Push(TokenKind::kIdentifier, length);
    return {};
  }

  Status ReadMeta() {
    const std::size_t key = text_.find(']', at_);
    const std::size_t end = key == text_.npos ? key : text_.find(']', key + 1);
    if (end == text_.npos || text_[key + 1] != '[' || end - at_ > 200)
      return Fail("expected meta[KEY][INDEX]");
    Push(TokenKind::kMeta, end + 1 - at_);
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t minuses_end_ = 0;  // of the row of them that was seen last
  std::size_t line_start_ = 0;
  std::uint32_t line_ = 1;
  std::string_view comment_;
  Tokens result_;
};

}  // namespace

std::string PlaceOf(const Token& token) {
  return "line " + std::to_string(token.line) + ":" + std::to_string(token.column);
}

Result<Tokens> Tokenize(std::string_view text) { return Lexer(text).Run(); }

}  // namespace dragoman::relay
