// SPDX-License-Identifier: Apache-2.0
// The syntax tree of programs in subsets of Python: what model formats write as text.
//
// Unless its user asks for more (SourceLimits), the parser bounds the height of a tree by
// kMaxSourceHeight, so that walks over one may recurse.
#ifndef DRAGOMAN_CORE_SUPPORT_PYTHON_SYNTAX_H_
#define DRAGOMAN_CORE_SUPPORT_PYTHON_SYNTAX_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dragoman::python {

// Brackets and blocks within each other: as many as Python itself reads.
inline constexpr std::size_t kMaxSourceNesting = 200;
// Of an expression: a chain "a + b + c" or "a.b.c" is as high as it is long.
inline constexpr std::size_t kMaxSourceHeight = 500;
inline constexpr std::size_t kMaxSourceBytes = std::size_t{32} << 20;

struct SourceLimits {
  std::size_t bytes = kMaxSourceBytes;      // of the text; its expressions have one in proportion
  std::size_t nesting = kMaxSourceNesting;  // of brackets and signs within each other
  std::size_t height = kMaxSourceHeight;    // of an expression
};

struct Expr {
  enum class Kind : std::uint8_t {
    kName,       // text
    kInt,        // int_value
    kFloat,      // float_value
    kImaginary,  // float_value, of 2.j
    kString,     // text, unescaped
    kNone,
    kTrue,
    kFalse,
    kAttribute,  // parts[0] . text
    kCall,       // parts[0] ( parts[1…] ), the last keywords.size() of them by keyword
    kSubscript,  // parts[0] [ parts[1] ]
    kSlice,      // parts = begin, end, step; kMissing where left out; only as an index
    kTuple,
    kList,
    kDict,         // parts = key, value, key, value, …
    kUnary,        // text parts[0]: "-", "+", "~", "not"
    kBinary,       // parts[0] text parts[1]: "+", "<=", "and", "is not", …
    kConditional,  // parts[1] if parts[0] else parts[2]
    kMissing,
  };

  Kind kind = Kind::kMissing;
  std::uint32_t height = 0;
  std::uint32_t offset = 0;  // byte of the file where it starts
  std::int64_t int_value = 0;
  double float_value = 0;
  std::string text;
  std::vector<Expr> parts;
  std::vector<std::string> keywords;

  Expr() = default;
  Expr(const Expr&) = default;
  Expr(Expr&&) noexcept = default;
  Expr& operator=(const Expr&) = default;
  Expr& operator=(Expr&&) noexcept = default;
  ~Expr() {
    if (height > kMaxSourceHeight) TakeApart();
  }

  bool IsName(const char* name) const { return kind == Kind::kName && text == name; }

 private:
  // Destroys the parts one by one, however high they are.
  void TakeApart();
};

struct Parameter {
  std::string name;
  std::uint32_t offset = 0;
  std::optional<Expr> type;
  std::optional<Expr> default_value;
};

struct FunctionDef;

struct Stmt {
  enum class Kind : std::uint8_t {
    kExpr,    // value
    kAssign,  // targets = value
    kIf,      // value: body else: other
    kWhile,   // value: body
    kFor,     // targets in value: body
    kWith,    // value as targets (none or one): body
    kReturn,  // value; kMissing: none
    kPass,
    kDef,     // a nested function
    kRaise,   // value
    kAssert,  // value, message
  };

  Kind kind = Kind::kPass;
  std::uint32_t offset = 0;
  std::vector<Expr> targets;
  bool unpacks = false;   // kAssign: the value is taken apart into the targets
  std::string augmented;  // kAssign: "+" of "+=", else empty
  std::optional<Expr> type;
  Expr value;
  Expr message;
  std::vector<Stmt> body;
  std::vector<Stmt> other;
  std::shared_ptr<const FunctionDef> function;
};

struct FunctionDef {
  std::string name;
  std::uint32_t offset = 0;
  std::vector<Expr> decorators;
  std::vector<Parameter> type_parameters;
  std::vector<Parameter> parameters;
  std::optional<Expr> result;
  std::vector<Stmt> body;
};

}  // namespace dragoman::python

#endif  // DRAGOMAN_CORE_SUPPORT_PYTHON_SYNTAX_H_
