// SPDX-License-Identifier: Apache-2.0
#include "core/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/support/find_by_key.h"
#include "core/support/python_keywords.h"

namespace dragoman {
namespace {

// Keywords of C++20 that are none of Python. Sorted.
constexpr std::string_view kCppKeywords[] = {
    "alignas",     "alignof",  "and_eq",     "asm",       "auto",      "bitand",
    "bitor",       "bool",     "case",       "catch",     "char",      "char16_t",
    "char32_t",    "char8_t",  "co_await",   "co_return", "co_yield",  "compl",
    "concept",     "const",    "const_cast", "consteval", "constexpr", "constinit",
    "decltype",    "default",  "delete",     "do",        "double",    "dynamic_cast",
    "enum",        "explicit", "export",     "extern",    "false",     "float",
    "friend",      "goto",     "inline",     "int",       "long",      "mutable",
    "namespace",   "new",      "noexcept",   "not_eq",    "nullptr",   "operator",
    "or_eq",       "private",  "protected",  "public",    "register",  "reinterpret_cast",
    "requires",    "short",    "signed",     "sizeof",    "static",    "static_assert",
    "static_cast", "struct",   "switch",     "template",  "this",      "thread_local",
    "throw",       "true",     "typedef",    "typeid",    "typename",  "union",
    "unsigned",    "using",    "virtual",    "void",      "volatile",  "wchar_t",
    "xor",         "xor_eq",
};
static_assert(IsSortedBy(kCppKeywords));

// Names that macros of C's and POSIX's headers or C++ give a meaning. Sorted.
constexpr std::string_view kReservedInCpp[] = {
    "BUFSIZ",    "CHAR_BIT", "CHAR_MAX", "CHAR_MIN",     "CLOCKS_PER_SEC", "DBL_EPSILON",
    "DBL_MAX",   "DBL_MIN",  "EOF",      "EXIT_FAILURE", "EXIT_SUCCESS",   "FLT_EPSILON",
    "FLT_MAX",   "FLT_MIN",  "HUGE_VAL", "HUGE_VALF",    "HUGE_VALL",      "INFINITY",
    "INT_MAX",   "INT_MIN",  "LONG_MAX", "LONG_MIN",     "MAXFLOAT",       "NAN",
    "NDEBUG",    "NULL",     "PATH_MAX", "RAND_MAX",     "SEEK_CUR",       "SEEK_END",
    "SEEK_SET",  "SHRT_MAX", "SHRT_MIN", "SIZE_MAX",     "TIME_UTC",       "TMP_MAX",
    "UCHAR_MAX", "UINT_MAX", "alloca",   "errno",        "linux",          "main",
    "major",     "makedev",  "minor",    "offsetof",     "setjmp",         "std",
    "stderr",    "stdin",    "stdout",   "unix",
};
static_assert(IsSortedBy(kReservedInCpp));

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }

// Whether <cmath>, <cerrno> or <csignal> may have a macro of that name: M_PI, EDOM, SIGINT. C
// reserves the latter two families.
bool IsNamedLikeMacro(std::string_view name) {
  if (name.starts_with("M_")) return true;
  if (!name.starts_with("SIG") && !(name.starts_with('E') && name.size() > 1)) return false;
  return std::ranges::all_of(name, [](char c) { return IsUpper(c) || IsDigit(c); });
}

bool IsWordCharacter(char c) {
  return IsDigit(c) || IsUpper(c) || (c >= 'a' && c <= 'z') || c == '_';
}

std::uint32_t DecodeUtf8(std::string_view character) {
  const std::size_t n = character.size();
  std::uint32_t code = static_cast<unsigned char>(character[0]);
  if (n > 1) code &= 0x7fu >> n;
  for (const char c : character.substr(1))
    code = code << 6 | (static_cast<unsigned char>(c) & 0x3fu);
  return code;
}

bool IsPrintable(std::uint32_t code) {
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return false;
  const bool marks = (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
                     (code >= 0x2060 && code <= 0x206f) || (code >= 0xfff9 && code <= 0xfffb) ||
                     (code >= 0xe0000 && code <= 0xe007f);
  return !marks && code != 0xad && code != 0x061c && code != 0x180e && code != 0xfeff;
}

std::string_view ShortEscape(char c) {
  switch (c) {
    case '\\':
      return "\\\\";
    case '"':
      return "\\\"";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return {};
  }
}

template <class T>
std::optional<T> ParseNumber(std::string_view text, int base = 10) {
  T value{};
  const char* end = text.data() + text.size();
  const std::from_chars_result result = std::from_chars(text.data(), end, value, base);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

template <class Float, class Bits>
std::string FormatReal(Float value, Bits quiet_nan) {
  const Bits bits = std::bit_cast<Bits>(value);
  if (std::isnan(value)) return bits == quiet_nan ? "nan" : fmt::format("nan:{:#x}", bits);
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 64> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  std::string text(buffer.data(), end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

// What from_chars does not distinguish when it finds the number out of range.
template <class Float>
Float OutOfRange(std::string_view text) {
  const bool negative = text.front() == '-';
  const std::size_t exponent = text.find_first_of("eE");
  const bool tiny =
      exponent != std::string_view::npos && text.substr(exponent + 1).starts_with('-');
  const std::string_view digits = text.substr(negative ? 1 : 0, exponent);
  const bool leading_zero = digits.starts_with("0.") || digits.starts_with('.');
  const bool zero = tiny || (exponent == std::string_view::npos && leading_zero);
  const Float magnitude = zero ? Float(0) : std::numeric_limits<Float>::infinity();
  return negative ? -magnitude : magnitude;
}

template <class Float, class Bits>
std::optional<Float> ParseReal(std::string_view text, Bits quiet_nan) {
  if (text == "nan") return std::bit_cast<Float>(quiet_nan);
  if (text == "inf") return std::numeric_limits<Float>::infinity();
  if (text == "-inf") return -std::numeric_limits<Float>::infinity();
  if (text.starts_with("nan:0x")) {
    const std::optional<Bits> bits = ParseNumber<Bits>(text.substr(6), 16);
    if (!bits || !std::isnan(std::bit_cast<Float>(*bits))) return std::nullopt;
    return std::bit_cast<Float>(*bits);
  }
  if (text.find_first_not_of("0123456789+-.eE") != std::string_view::npos) return std::nullopt;
  Float value = 0;
  const char* end = text.data() + text.size();
  const std::from_chars_result result = std::from_chars(text.data(), end, value);
  if (result.ptr != end || result.ec == std::errc::invalid_argument) return std::nullopt;
  return result.ec == std::errc::result_out_of_range ? OutOfRange<Float>(text) : value;
}

}  // namespace

std::size_t Utf8Length(std::string_view text) {
  if (text.empty()) return 0;
  const unsigned char lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return 1;
  const std::size_t n = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < n) return 0;
  for (std::size_t i = 1; i < n; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  }
  const std::uint32_t code = DecodeUtf8(text.substr(0, n));
  const bool overlong = (n == 3 && code < 0x800) || (n == 4 && code < 0x10000);
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return overlong || surrogate || code > 0x10ffff ? 0 : n;
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t n = Utf8Length(text);
    if (n == 0) return false;
    text.remove_prefix(n);
  }
  return true;
}

std::string Escape(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t n = std::max<std::size_t>(Utf8Length(bytes), 1);
    const std::string_view character = bytes.substr(0, n);
    bytes.remove_prefix(n);
    if (const std::string_view escape = ShortEscape(character[0]); !escape.empty()) {
      text += escape;
    } else if (Utf8Length(character) != 0 && IsPrintable(DecodeUtf8(character))) {
      text += character;
    } else {
      for (const char c : character)
        text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return text;
}

Result<std::string> Unescape(std::string_view text) {
  static constexpr std::string_view kLetters = "\\\"'nrt0";
  static constexpr std::string_view kBytes = std::string_view("\\\"'\n\r\t\0", 7);
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      bytes += text[i];
      continue;
    }
    const char letter = ++i < text.size() ? text[i] : 'x';
    if (const std::size_t at = kLetters.find(letter); at != std::string_view::npos) {
      bytes += kBytes[at];
      continue;
    }
    const std::string_view digits = text.substr(std::min(i + 1, text.size()), 2);
    const std::optional<unsigned> byte = ParseNumber<unsigned>(digits, 16);
    if (letter != 'x' || digits.size() != 2 || !byte) {
      return InvalidInput(fmt::format("bad escape at byte {} of a string", i));
    }
    bytes += static_cast<char>(*byte);
    i += 2;
  }
  return bytes;
}

std::string Quote(std::string_view bytes) { return '"' + Escape(bytes) + '"'; }

std::size_t QuotedLength(std::string_view text) {
  if (!text.starts_with('"')) return 0;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') return i + 1;
    if (text[i] == '\\') ++i;
  }
  return 0;
}

Result<std::string> Unquote(std::string_view literal) {
  if (literal.empty() || QuotedLength(literal) != literal.size()) {
    return InvalidInput("found no string between double quotes");
  }
  return Unescape(literal.substr(1, literal.size() - 2));
}

std::string FileName(std::string_view name) {
  constexpr std::size_t kMaxBytes = 200;
  std::string result(name.substr(0, kMaxBytes));
  for (char& c : result) {
    if (!IsWordCharacter(c) && c != '.' && c != '-') c = '_';
  }
  if (result.empty() || result == "." || result == "..") result.insert(result.begin(), '_');
  return result;
}

std::string Identifier(std::string_view name) {
  std::string result;
  for (const char c : name) {
    const char next = IsWordCharacter(c) ? c : '_';
    if (next == '_' && result.ends_with('_')) continue;
    result += next;
  }
  if (result.empty()) return "_0";
  if (result.size() == 1 && result[0] == '_') return "_0";
  if (IsDigit(result[0])) result.insert(result.begin(), '_');
  if (result.size() > 1 && result[0] == '_' && IsUpper(result[1]))
    result.insert(result.begin(), 'v');
  const bool is_keyword = FindByKey(kCppKeywords, result) != nullptr || IsPythonKeyword(result);
  const bool is_macro = FindByKey(kReservedInCpp, result) != nullptr || IsNamedLikeMacro(result);
  if (is_keyword || is_macro) result += '_';
  return result;
}

bool IsIdentifier(std::string_view text) {
  return !text.empty() && !IsDigit(text[0]) &&
         std::all_of(text.begin(), text.end(), IsWordCharacter);
}

bool NameScope::Reserve(std::string_view name) { return taken_.emplace(name).second; }

std::string NameScope::Unique(std::string_view name) {
  if (Reserve(name)) return std::string(name);
  std::int64_t& next = next_.emplace(name, 2).first->second;
  const std::string_view separator = name.ends_with('_') ? "" : "_";
  std::string candidate;
  do {
    candidate = fmt::format("{}{}{}", name, separator, next++);
  } while (!Reserve(candidate));
  return candidate;
}

std::string FormatFloat(float value) {
  return FormatReal<float, std::uint32_t>(value, 0x7fc00000u);
}

std::string FormatDouble(double value) {
  return FormatReal<double, std::uint64_t>(value, 0x7ff8000000000000u);
}

std::optional<std::int64_t> ParseInt64(std::string_view text) {
  return ParseNumber<std::int64_t>(text);
}

std::optional<std::uint64_t> ParseUint64(std::string_view text) {
  return ParseNumber<std::uint64_t>(text);
}

std::optional<float> ParseFloat(std::string_view text) {
  return ParseReal<float, std::uint32_t>(text, 0x7fc00000u);
}

std::optional<double> ParseDouble(std::string_view text) {
  return ParseReal<double, std::uint64_t>(text, 0x7ff8000000000000u);
}

}  // namespace dragoman
