// SPDX-License-Identifier: Apache-2.0
#include "core/support/python/lexer.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>

#include "core/support/python/source_error.h"

namespace dragoman::python {
namespace {

// Longer ones first.
constexpr std::array<std::string_view, 48> kOperators = {
    "**=", "//=", "<<=", ">>=", "...", "->", "**", "//", "==", "!=", "<=", ">=",
    "<<",  ">>",  "+=",  "-=",  "*=",  "/=", "%=", "@=", "&=", "|=", "^=", "(",
    ")",   "[",   "]",   "{",   "}",   ",",  ":",  ".",  "=",  "+",  "-",  "*",
    "/",   "%",   "@",   "<",   ">",   "&",  "|",  "^",  "~",  ";",  "!",  "$"};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool StartsName(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

class Lexer {
 public:
  Lexer(std::string_view file, std::string_view text, std::vector<Finding>& findings)
      : file_(file), text_(text), findings_(findings) {}

  std::vector<Token> Run() {
    while (at_ < text_.size()) {
      if (line_start_ && depth_ == 0) {
        if (!StartLine()) continue;
      }
      Step();
    }
    if (!line_start_) Add(Token::Kind::kNewline, 0);
    for (; indents_.size() > 1; indents_.pop_back()) Add(Token::Kind::kDedent, 0);
    Add(Token::Kind::kEnd, 0);
    return std::move(tokens_);
  }

 private:
  char Peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void Add(Token::Kind kind, std::size_t length) {
    tokens_.push_back({kind, static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(length)});
    at_ += length;
  }

  void Fail(std::size_t offset, std::string message) {
    if (findings_.size() >= kMaxSourceFindings) return;
    findings_.push_back(
        FindingAt(ErrorKind::kInvalidInput, file_, text_, offset, std::move(message)));
  }

  // False: the line is empty and skipped.
  bool StartLine() {
    std::size_t width = 0;
    while (Peek() == ' ' || Peek() == '\t') {
      width += Peek() == '\t' ? 8 - width % 8 : 1;
      ++at_;
    }
    if (Peek() == '#') SkipComment();
    if (Peek() == '\r') ++at_;
    if (Peek() == '\n') {
      ++at_;
      return false;
    }
    if (at_ >= text_.size()) return false;
    line_start_ = false;
    if (width > indents_.back()) {
      indents_.push_back(width);
      Add(Token::Kind::kIndent, 0);
      return true;
    }
    for (; width < indents_.back(); indents_.pop_back()) Add(Token::Kind::kDedent, 0);
    if (width > indents_.back()) Fail(at_, "this line is indented like no line around it");
    return true;
  }

  void SkipComment() {
    while (at_ < text_.size() && Peek() != '\n') ++at_;
  }

  void Step() {
    const char c = Peek();
    if (c == '\n') return EndLine();
    if (c == ' ' || c == '\t' || c == '\r') {
      ++at_;
      return;
    }
    if (c == '#') return SkipComment();
    if (c == '\\' && (Peek(1) == '\n' || (Peek(1) == '\r' && Peek(2) == '\n'))) {
      at_ += Peek(1) == '\n' ? 2 : 3;
      return;
    }
    if (StartsName(c)) return Name();
    if (IsDigit(c) || (c == '.' && IsDigit(Peek(1)))) return Number();
    if (c == '"' || c == '\'') return String(c);
    Operator();
  }

  void EndLine() {
    if (depth_ == 0) {
      Add(Token::Kind::kNewline, 1);
      line_start_ = true;
    } else {
      ++at_;
    }
  }

  void Name() {
    std::size_t length = 1;
    while (StartsName(Peek(length)) || IsDigit(Peek(length))) ++length;
    Add(Token::Kind::kName, length);
  }

  // How many digits there are at `at`, some of them after "_".
  std::size_t Digits(std::size_t at) const {
    const std::size_t begin = at;
    while (IsDigit(Peek(at)) || (at > begin && Peek(at) == '_' && IsDigit(Peek(at + 1)))) ++at;
    return at - begin;
  }

  // "0x1F", "0o17", "0b1": whether the digits are of the base, IntOf checks.
  bool BasedNumber() {
    const bool has_base =
        Peek() == '0' && std::string_view("xXoObB").find(Peek(1)) != std::string_view::npos;
    if (!has_base) return false;
    std::size_t length = 2;
    while (StartsName(Peek(length)) || IsDigit(Peek(length))) ++length;
    Add(Token::Kind::kInt, length);
    return true;
  }

  void Number() {
    if (BasedNumber()) return;
    std::size_t length = Digits(0);
    bool is_float = false;
    if (Peek(length) == '.') {
      is_float = true;
      ++length;
      length += Digits(length);
    }
    if (Peek(length) == 'e' || Peek(length) == 'E') {
      const std::size_t sign = Peek(length + 1) == '+' || Peek(length + 1) == '-' ? 1 : 0;
      if (IsDigit(Peek(length + 1 + sign))) {
        is_float = true;
        length += 1 + sign;
        length += Digits(length);
      }
    }
    const bool imaginary = Peek(length) == 'j';
    Add(imaginary  ? Token::Kind::kImaginary
        : is_float ? Token::Kind::kFloat
                   : Token::Kind::kInt,
        length + (imaginary ? 1 : 0));
  }

  // Between three quotes, over several lines.
  void LongString(char quote) {
    const std::string_view end = text_.substr(at_, 3);
    std::size_t length = 3;
    while (at_ + length < text_.size() && text_.substr(at_ + length, 3) != end)
      length += Peek(length) == '\\' ? 2 : 1;
    const bool closed = Peek(length) == quote;
    if (!closed) Fail(at_, "this string has no end");
    Add(Token::Kind::kString, closed ? length + 3 : text_.size() - at_);
  }

  void String(char quote) {
    if (Peek(1) == quote && Peek(2) == quote) return LongString(quote);
    std::size_t length = 1;
    while (at_ + length < text_.size() && Peek(length) != quote && Peek(length) != '\n') {
      length += Peek(length) == '\\' && at_ + length + 1 < text_.size() ? 2 : 1;
    }
    const bool closed = Peek(length) == quote;
    if (!closed) Fail(at_, "this string has no end");
    Add(Token::Kind::kString, length + (closed ? 1 : 0));
  }

  void Operator() {
    const std::string_view rest = text_.substr(at_);
    for (std::string_view op : kOperators) {
      if (!rest.starts_with(op)) continue;
      if (op == "(" || op == "[" || op == "{") ++depth_;
      if ((op == ")" || op == "]" || op == "}") && depth_ > 0) --depth_;
      Add(Token::Kind::kOperator, op.size());
      return;
    }
    Fail(at_, "no token starts with this character");
    ++at_;
  }

  std::string_view file_;
  std::string_view text_;
  std::vector<Finding>& findings_;
  std::vector<Token> tokens_;
  std::vector<std::size_t> indents_ = {0};
  std::size_t at_ = 0;
  int depth_ = 0;  // of brackets
  bool line_start_ = true;
};

// Appends what the escape stands for whose first byte after the backslash is text[i]; returns the
// place after it.
std::size_t Unescape(std::string_view text, std::size_t i, std::string& value) {
  constexpr std::string_view kLetters = "abfnrtv\\'\"";
  constexpr std::string_view kBytes = "\a\b\f\n\r\t\v\\'\"";
  if (const auto found = kLetters.find(text[i]); found != std::string_view::npos) {
    value += kBytes[found];
    return i + 1;
  }
  const bool hex = text[i] == 'x';
  const std::size_t begin = i + (hex ? 1 : 0);
  const std::string_view digits = text.substr(begin, hex ? 2 : 3);
  unsigned byte = 0;
  const auto result =
      std::from_chars(digits.data(), digits.data() + digits.size(), byte, hex ? 16 : 8);
  if (result.ec != std::errc()) {
    value += '\\';
    return i;
  }
  value += static_cast<char>(byte);
  return begin + static_cast<std::size_t>(result.ptr - digits.data());
}

}  // namespace

std::vector<Token> Tokenize(std::string_view file, std::string_view text,
                            std::vector<Finding>& findings, std::size_t most) {
  if (text.size() > most) {
    findings.push_back(
        {ErrorKind::kInvalidInput, "", std::string(file),
         fmt::format("{} bytes of source text; at most {} are read", text.size(), most)});
    text = {};
  }
  return Lexer(file, text, findings).Run();
}

namespace {

std::string WithoutUnderscores(std::string_view token) {
  std::string digits(token);
  std::erase(digits, '_');
  return digits;
}

int BaseOf(std::string_view token) {
  if (token.size() < 2 || token[0] != '0') return 10;
  switch (token[1]) {
    case 'x':
    case 'X':
      return 16;
    case 'o':
    case 'O':
      return 8;
    case 'b':
    case 'B':
      return 2;
    default:
      return 10;
  }
}

}  // namespace

std::optional<std::int64_t> IntOf(std::string_view token) {
  if (token.find('_') != std::string_view::npos) return IntOf(WithoutUnderscores(token));
  const int base = BaseOf(token);
  if (base != 10) token.remove_prefix(2);
  const char* end = token.data() + token.size();
  std::uint64_t value = 0;
  const auto result = std::from_chars(token.data(), end, value, base);
  if (result.ec != std::errc() || result.ptr != end || value > (std::uint64_t{1} << 63))
    return std::nullopt;
  return static_cast<std::int64_t>(value);
}

double FloatOf(std::string_view token) {
  if (token.find('_') != std::string_view::npos) return FloatOf(WithoutUnderscores(token));
  if (token.ends_with('j')) token.remove_suffix(1);
  double value = 0;
  const auto result = std::from_chars(token.data(), token.data() + token.size(), value);
  if (result.ec == std::errc::result_out_of_range) {
    const bool tiny = token.find("e-") != std::string_view::npos;
    return tiny ? 0 : std::numeric_limits<double>::infinity();
  }
  return value;
}

std::string StringOf(std::string_view token) {
  const char quote = token.front();
  const std::size_t quotes = token.starts_with(std::string(3, quote)) ? 3 : 1;
  token.remove_prefix(quotes);
  if (token.ends_with(std::string(quotes, quote))) token.remove_suffix(quotes);
  std::string value;
  for (std::size_t i = 0; i < token.size();) {
    if (token[i] == '\\' && i + 1 < token.size()) {
      i = Unescape(token, i + 1, value);
    } else {
      value += token[i++];
    }
  }
  return value;
}

}  // namespace dragoman::python
