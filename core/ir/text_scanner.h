// SPDX-License-Identifier: Apache-2.0
// The words of the text form. Internal to the readers of types, graphs and models.
#ifndef DRAGOMAN_CORE_IR_TEXT_SCANNER_H_
#define DRAGOMAN_CORE_IR_TEXT_SCANNER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/graph.h"
#include "core/ir/type.h"
#include "core/support/result.h"

namespace dragoman {

// The words for the kinds of a Structure, by their numbers.
inline constexpr std::array<std::string_view, 6> kStructureNames = {"tensor", "scalar", "optional",
                                                                    "tuple",  "list",   "dict"};

// Whether `name` can stand after % or @ without quotes: letters, digits and _ . / anywhere, - and
// :: between them.
bool IsPlainName(std::string_view name);
// `name` as it is if it is plain, else quoted.
std::string FormatName(std::string_view name);
// The same for keys: identifiers joined by points.
bool IsPlainKey(std::string_view key);
std::string FormatKey(std::string_view key);

// Reads a text from front to back; white space and comments (# to the end of the line) separate
// words. Every error names line and column of the word read last and shows the line with a caret.
class TextScanner {
 public:
  explicit TextScanner(std::string_view text) : text_(text) {}

  bool AtEnd();
  // The next byte that is not space; '\0' at the end.
  char Peek();
  // The identifier that comes next, or nothing. `after`: the byte that follows it.
  std::string_view PeekWord(char* after = nullptr);
  // Skips `punctuation`, `word` if it comes next.
  bool Accept(std::string_view punctuation);
  bool AcceptWord(std::string_view word);
  Status Expect(std::string_view punctuation);

  Result<std::string> String();  // "..."
  Result<std::string> Name();    // after % or @, without a space between
  Result<std::string> Key();
  Result<std::int64_t> Int();
  Result<std::size_t> Index();         // an integer >= 0
  std::string_view Token();            // of letters, digits and + - . : _ ; may be empty
  Result<std::string_view> Element();  // a number, a string literal or (a, b), as it stands
  Result<const OpName*> Op();
  Result<Type> ReadType();                    // as Type::ToString writes it
  Result<std::vector<std::int64_t>> Sizes();  // [1, 2]

  // Whether `text` comes next without a space before it.
  bool AtRaw(std::string_view text) const { return text_.substr(at_).starts_with(text); }

  std::size_t offset() const { return at_; }
  void GoTo(std::size_t offset) { at_ = offset; }
  std::size_t word_offset() const { return word_; }  // where the word read last begins
  Error Fail(std::string message) const { return FailAt(word_, std::move(message)); }
  Error FailAt(std::size_t offset, std::string message) const;
  // The same for the next word, naming what was found there.
  Error Unexpected(std::string_view expected);

 private:
  void SkipSpace();
  Result<std::string> OpComponent();
  Result<const OpName*> OpInDomain(const std::string& dialect);
  Result<Type> ReadTypeAt(int nesting);
  Result<Type> ReadTensorType(bool sparse);
  Result<std::vector<Type>> ReadNested(int nesting);
  Result<DType> ReadDType();
  Result<Dim> ReadDim();

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t word_ = 0;
};

// The whole of `text` as a type: "f32[1, n, ?]", "seq<i64[*]>".
Result<Type> ParseType(std::string_view text);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_TEXT_SCANNER_H_
