// SPDX-License-Identifier: Apache-2.0
#include "core/ir/text_scanner.h"

#include <algorithm>

#include "core/support/num_characters.h"
#include "core/support/text.h"

namespace dragoman {
namespace {

bool IsAlnum(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
bool IsNameByte(char c) { return IsAlnum(c) || c == '.' || c == '/'; }
bool IsTokenByte(char c) { return IsAlnum(c) || c == '.' || c == '+' || c == '-' || c == ':'; }
bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// The length of the plain name at the front of `text`.
std::size_t PlainNameLength(std::string_view text) {
  std::size_t n = 0;
  auto name_byte_at = [&](std::size_t i) { return i < text.size() && IsNameByte(text[i]); };
  while (n < text.size()) {
    if (IsNameByte(text[n])) {
      ++n;
    } else if (n > 0 && text[n] == '-' && name_byte_at(n + 1)) {
      n += 2;
    } else if (n > 0 && text.substr(n, 2) == "::" && name_byte_at(n + 2)) {
      n += 3;
    } else {
      break;
    }
  }
  return n;
}

std::size_t IdentifierLength(std::string_view text) {
  if (text.empty() || !IsAlnum(text[0]) || (text[0] >= '0' && text[0] <= '9')) return 0;
  std::size_t n = 1;
  while (n < text.size() && IsAlnum(text[n])) ++n;
  return n;
}

// The length of the identifiers joined by points at the front of `text`.
std::size_t PlainKeyLength(std::string_view text) {
  std::size_t n = IdentifierLength(text);
  while (n > 0 && n < text.size() && text[n] == '.') {
    const std::size_t more = IdentifierLength(text.substr(n + 1));
    if (more == 0) break;
    n += 1 + more;
  }
  return n;
}

}  // namespace

bool IsPlainName(std::string_view name) {
  return !name.empty() && PlainNameLength(name) == name.size();
}
bool IsPlainKey(std::string_view key) { return !key.empty() && PlainKeyLength(key) == key.size(); }

std::string FormatName(std::string_view name) {
  return IsPlainName(name) ? std::string(name) : Quote(name);
}
std::string FormatKey(std::string_view key) {
  return IsPlainKey(key) ? std::string(key) : Quote(key);
}

void TextScanner::SkipSpace() {
  while (at_ < text_.size()) {
    if (text_[at_] == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (IsSpace(text_[at_])) {
      ++at_;
    } else {
      break;
    }
  }
  word_ = at_;
}

bool TextScanner::AtEnd() {
  SkipSpace();
  return at_ == text_.size();
}

char TextScanner::Peek() { return AtEnd() ? '\0' : text_[at_]; }

std::string_view TextScanner::PeekWord(char* after) {
  SkipSpace();
  const std::size_t n = IdentifierLength(text_.substr(at_));
  if (after != nullptr) *after = at_ + n < text_.size() ? text_[at_ + n] : '\0';
  return text_.substr(at_, n);
}

bool TextScanner::Accept(std::string_view punctuation) {
  SkipSpace();
  if (!AtRaw(punctuation)) return false;
  at_ += punctuation.size();
  return true;
}

bool TextScanner::AcceptWord(std::string_view word) {
  if (PeekWord() != word) return false;
  at_ += word.size();
  return true;
}

Status TextScanner::Expect(std::string_view punctuation) {
  if (Accept(punctuation)) return {};
  return Unexpected("\"" + std::string(punctuation) + "\"");
}

Result<std::string> TextScanner::String() {
  SkipSpace();
  const std::size_t n = QuotedLength(text_.substr(at_));
  if (n == 0) return Unexpected("a string");
  at_ += n;
  Result<std::string> string = Unquote(text_.substr(word_, n));
  if (!string.ok()) return Fail(string.error().findings().front().message);
  return string;
}

Result<std::string> TextScanner::Name() {
  const std::size_t begin = word_;  // of the sign in front of the name
  if (AtRaw("\"")) {
    Result<std::string> name = String();
    word_ = begin;
    return name;
  }
  const std::size_t n = PlainNameLength(text_.substr(at_));
  if (n == 0) return Unexpected("a name");
  at_ += n;
  return std::string(text_.substr(at_ - n, n));
}

Result<std::string> TextScanner::Key() {
  SkipSpace();
  if (AtRaw("\"")) return String();
  const std::size_t n = PlainKeyLength(text_.substr(at_));
  if (n == 0) return Unexpected("a name");
  at_ += n;
  return std::string(text_.substr(word_, n));
}

std::string_view TextScanner::Token() {
  SkipSpace();
  while (at_ < text_.size() && IsTokenByte(text_[at_])) ++at_;
  return text_.substr(word_, at_ - word_);
}

Result<std::int64_t> TextScanner::Int() {
  SkipSpace();
  while (at_ < text_.size() && text_[at_] != ':' && IsTokenByte(text_[at_])) ++at_;
  const std::string_view token = text_.substr(word_, at_ - word_);
  if (token.empty()) return Unexpected("an integer");
  const std::optional<std::int64_t> value = ParseInt64(token);
  if (!value) return Fail("\"" + std::string(token) + "\" is no 64-bit integer");
  return *value;
}

Result<std::size_t> TextScanner::Index() {
  DRAGOMAN_ASSIGN(const std::int64_t value, Int());
  if (value < 0) return Fail("expected a number that is not negative");
  return static_cast<std::size_t>(value);
}

Result<std::string_view> TextScanner::Element() {
  SkipSpace();
  if (AtRaw("\"")) {
    const std::size_t n = QuotedLength(text_.substr(at_));
    if (n == 0) return Fail("a string without end");
    at_ += n;
  } else if (AtRaw("(")) {
    const std::size_t close = text_.find(')', at_);
    if (close == text_.npos) return Fail("expected \")\"");
    at_ = close + 1;
  } else if (Token().empty()) {
    return Unexpected("an element");
  }
  return text_.substr(word_, at_ - word_);
}

Result<std::string> TextScanner::OpComponent() {
  if (AtRaw("\"")) return String();
  const std::size_t n = IdentifierLength(text_.substr(at_));
  if (n == 0) return Unexpected("an operator");
  at_ += n;
  return std::string(text_.substr(at_ - n, n));
}

Result<const OpName*> TextScanner::Op() {
  SkipSpace();
  const std::size_t begin = at_;
  DRAGOMAN_ASSIGN(const std::string dialect, OpComponent());
  if (AtRaw(":")) {
    ++at_;
    return OpInDomain(dialect);
  }
  if (!AtRaw(".")) return FailAt(begin, "expected an operator such as \"onnx.Conv\"");
  ++at_;
  DRAGOMAN_ASSIGN(const std::string type, OpComponent());
  std::string overload;
  if (AtRaw(".")) {
    ++at_;
    DRAGOMAN_ASSIGN(overload, OpComponent());
  }
  return InternOp(dialect, type, "", overload);
}

// "com.microsoft.Gelu", "com.microsoft.Gelu:overload", "\"odd domain\".Gelu": the part after the
// last point is the type.
Result<const OpName*> TextScanner::OpInDomain(const std::string& dialect) {
  std::string domain;
  DRAGOMAN_ASSIGN(std::string last, OpComponent());
  while (AtRaw(".")) {
    ++at_;
    domain += (domain.empty() ? "" : ".") + last;
    DRAGOMAN_ASSIGN(last, OpComponent());
  }
  if (domain.empty()) return Unexpected("a point and the type of the operator");
  std::string overload;
  if (AtRaw(":")) {
    ++at_;
    DRAGOMAN_ASSIGN(overload, OpComponent());
  }
  return InternOp(dialect, last, domain, overload);
}

Result<Type> TextScanner::ReadType() { return ReadTypeAt(1); }

Result<DType> TextScanner::ReadDType() {
  if (Accept("?")) return DType::kUnknown;
  const std::string_view word = PeekWord();
  if (word.empty()) return Unexpected("an element type");
  const std::optional<DType> dtype = DTypeFromName(word);
  if (!dtype) return Fail("\"" + std::string(word) + "\" is not an element type");
  at_ += word.size();
  return *dtype;
}

Result<Type> TextScanner::ReadTypeAt(int nesting) {
  if (nesting > Type::kMaxNesting) return Fail("types nest too deep");
  if (AcceptWord("sparse")) return ReadTensorType(true);
  if (AcceptWord("control")) return Type::Control();
  if (AcceptWord("seq")) {
    DRAGOMAN_ASSIGN(std::vector<Type> element, ReadNested(nesting));
    if (element.size() != 1) return Fail("a sequence has one element type");
    return Type::Sequence(std::move(element[0]));
  }
  if (AcceptWord("opt")) {
    DRAGOMAN_ASSIGN(std::vector<Type> element, ReadNested(nesting));
    if (element.size() != 1) return Fail("an optional has one element type");
    return Type::Optional(std::move(element[0]));
  }
  if (AcceptWord("tuple")) {
    DRAGOMAN_ASSIGN(std::vector<Type> elements, ReadNested(nesting));
    return Type::Tuple(std::move(elements));
  }
  if (AcceptWord("map")) {
    DRAGOMAN_TRY(Expect("<"));
    DRAGOMAN_ASSIGN(const DType key, ReadDType());
    DRAGOMAN_TRY(Expect(","));
    DRAGOMAN_ASSIGN(Type value, ReadTypeAt(nesting + 1));
    DRAGOMAN_TRY(Expect(">"));
    return Type::Map(key, std::move(value));
  }
  if (AcceptWord("opaque")) {
    DRAGOMAN_TRY(Expect("<"));
    DRAGOMAN_ASSIGN(std::string domain, String());
    DRAGOMAN_TRY(Expect(","));
    DRAGOMAN_ASSIGN(std::string name, String());
    DRAGOMAN_TRY(Expect(">"));
    return Type::Opaque(std::move(domain), std::move(name));
  }
  return ReadTensorType(false);
}

Result<std::vector<Type>> TextScanner::ReadNested(int nesting) {
  DRAGOMAN_TRY(Expect("<"));
  std::vector<Type> elements;
  while (!Accept(">")) {
    if (!elements.empty()) DRAGOMAN_TRY(Expect(","));
    DRAGOMAN_ASSIGN(Type element, ReadTypeAt(nesting + 1));
    elements.push_back(std::move(element));
  }
  return elements;
}

Result<Type> TextScanner::ReadTensorType(bool sparse) {
  SkipSpace();
  const bool question = AtRaw("?");
  DRAGOMAN_ASSIGN(const DType dtype, ReadDType());
  if (question && !sparse && Peek() != '[') return Type();
  DRAGOMAN_TRY(Expect("["));
  std::optional<Shape> shape;
  if (!Accept("*")) {
    shape.emplace();
    while (Peek() != ']') {
      if (!shape->empty()) DRAGOMAN_TRY(Expect(","));
      DRAGOMAN_ASSIGN(Dim dim, ReadDim());
      shape->push_back(std::move(dim));
    }
  }
  DRAGOMAN_TRY(Expect("]"));
  return sparse ? Type::SparseTensor(dtype, std::move(shape))
                : Type::Tensor(dtype, std::move(shape));
}

Result<Dim> TextScanner::ReadDim() {
  SkipSpace();
  int parentheses = 0;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n' || (parentheses == 0 && (c == ',' || c == ']'))) break;
    parentheses += c == '(' ? 1 : c == ')' ? -1 : 0;
    const std::size_t length = c == '"' ? QuotedLength(text_.substr(at_)) : 1;
    if (length == 0) return Fail("a string without end");
    at_ += length;
  }
  Result<Dim> dim = ParseDim(text_.substr(word_, at_ - word_));
  if (!dim.ok()) return Fail(dim.error().findings().front().message);
  return dim;
}

Result<std::vector<std::int64_t>> TextScanner::Sizes() {
  DRAGOMAN_TRY(Expect("["));
  std::vector<std::int64_t> sizes;
  while (!Accept("]")) {
    if (!sizes.empty()) DRAGOMAN_TRY(Expect(","));
    DRAGOMAN_ASSIGN(const std::int64_t size, Int());
    sizes.push_back(size);
  }
  return sizes;
}

Error TextScanner::Unexpected(std::string_view expected) {
  SkipSpace();
  std::size_t length =
      std::max<std::size_t>(QuotedLength(text_.substr(at_)), PlainNameLength(text_.substr(at_)));
  length = std::clamp<std::size_t>(length, 1, 40);
  const std::string found =
      at_ == text_.size() ? "the end" : "\"" + Escape(text_.substr(at_, length)) + "\"";
  return Fail("expected " + std::string(expected) + ", found " + found);
}

namespace {

// A part of a line as it stands there, but for what is not printable.
std::string Shown(std::string_view line) {
  std::string shown;
  while (!line.empty()) {
    const std::size_t plain = std::min(line.find_first_of("\"\\"), line.size());
    shown += Escape(line.substr(0, plain));
    if (plain < line.size()) shown += line[plain];
    line.remove_prefix(std::min(plain + 1, line.size()));
  }
  return shown;
}

}  // namespace

Error TextScanner::FailAt(std::size_t offset, std::string message) const {
  constexpr std::size_t kShown = 100;
  const std::string_view before = text_.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  const std::size_t column = offset - line_begin;
  const std::size_t begin = column < kShown ? line_begin : offset - kShown / 2;
  const std::size_t end =
      std::min(text_.find('\n', offset), std::min(text_.size(), begin + kShown));
  const std::string_view shown = text_.substr(begin, end - begin);
  if (shown.find_first_not_of(" \t\r") != std::string_view::npos) {
    message += "\n  " + Shown(shown) + "\n  ";
    message += std::string(NumCharacters(Shown(text_.substr(begin, offset - begin))), ' ') + "^";
  }
  return Error(Finding{ErrorKind::kInvalidInput, "",
                       "line " + std::to_string(line) + ":" + std::to_string(column + 1),
                       std::move(message)});
}

Result<Type> ParseType(std::string_view text) {
  TextScanner scanner(text);
  DRAGOMAN_ASSIGN(Type type, scanner.ReadType());
  if (!scanner.AtEnd()) return scanner.Unexpected("the end");
  return type;
}

}  // namespace dragoman
