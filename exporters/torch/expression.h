// SPDX-License-Identifier: Apache-2.0
// Python as trees: expressions and statements, and their text in the layout of `ruff format`.
#ifndef DRAGOMAN_EXPORTERS_TORCH_EXPRESSION_H_
#define DRAGOMAN_EXPORTERS_TORCH_EXPRESSION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::pytorch {

struct Expr {
  enum class Kind : std::uint8_t {
    kValue,      // a value of the program, by its name there
    kSelf,       // what the module has at path `text`; "": the module
    kText,       // code as it is
    kInt,        // a number that may differ between modules of one class; `text` says what it is
    kTuple,      // parts
    kList,       // parts
    kCall,       // the first part, with the others as arguments
    kKeyword,    // an argument `text` = the only part
    kSplat,      // each element of the only part is an argument
    kMethod,     // method `text` of the first part, with the others as arguments
    kAttribute,  // `text` of the only part
    kBinary,     // two parts around operator `text`
    kDict,       // parts, pairs
    kPair,       // key `text` of a dict, and the only part
    kUnary,      // operator `text` before the only part
    kIndex,      // the first part at the others
    kGenerator,  // the first part for each element of the second; `text`: "for NAME in"
    kSlice,      // from the first part to the second, either of which may be empty code, in steps
                 // of the third, if there is one
  };

  Kind kind = Kind::kText;
  std::string text;
  std::vector<Expr> parts = {};
  std::int64_t number = 0;  // of kInt
};
using Exprs = std::vector<Expr>;

Expr ValueOf(std::string name);
Expr SelfAt(std::string path);
Expr Code(std::string_view text);
Expr Number(std::int64_t number, std::string_view what);
Expr NumberList(const std::vector<std::int64_t>& numbers, std::string_view what);
Expr StringLiteral(std::string_view text);
Expr FloatLiteral(double value);
Expr BoolLiteral(bool value);
Expr Tuple(Exprs parts);
Expr List(Exprs parts);
Expr CallOf(Expr callee, Exprs arguments);
Expr CallOf(std::string_view callee, Exprs arguments);
Expr Keyword(std::string_view name, Expr value);
Expr Method(Expr receiver, std::string_view name, Exprs arguments);
Expr AttributeOf(Expr receiver, std::string_view name);
Expr Binary(Expr left, std::string_view op, Expr right);
Expr Unary(std::string_view op, Expr operand);
Expr Generator(Expr element, std::string_view variable, Expr iterable);
Expr Index(Expr receiver, Exprs places);
Expr Slice(Expr begin, Expr end);

// Calls `visit` with `expr` and all that it is made of, outer parts first.
void ForEachPart(const Expr& expr, const std::function<void(const Expr&)>& visit);
void ForEachPart(Expr& expr, const std::function<void(Expr&)>& visit);

struct Statement {
  enum class Kind : std::uint8_t {
    kAssign,   // targets = value; to the parts of a tuple if there are several
    kSet,      // code `text` = value
    kDo,       // value
    kReturn,   // value
    kIf,       // value decides between body and orelse
    kForever,  // body, until it breaks
    kFor,      // targets in value
    kBreak,
  };

  Kind kind = Kind::kAssign;
  std::vector<std::string> targets =
      {};  // values; of printed code their names. "": nothing reads it
  Expr value = {};
  std::vector<Statement> body = {};
  std::vector<Statement> orelse = {};
  // kSet: what is set. kAssign: "pair", of three targets the last two are a pair; "list", of
  // tensors.
  std::string text = {};
  std::string comment = {};  // after the code, or before it where the line would be too long
};
using Statements = std::vector<Statement>;

// Calls `visit` with every expression of the statements, those of bodies too.
void ForEachExpr(const Statements& statements, const std::function<void(const Expr&)>& visit);
void ForEachExpr(Statements& statements, const std::function<void(Expr&)>& visit);

// On one line. Values and numbers stand as their names and digits.
std::string FlatText(const Expr& expr);
// What PEP 8's width leaves, as ruff has it.
inline constexpr std::size_t kLineWidth = 88;

// Lines, indented by `indent` spaces.
class PythonText {
 public:
  void Line(std::size_t indent, std::string_view text);
  void Blank() { text_ += '\n'; }
  // `prefix` expr `suffix`, on as many lines as it takes.
  void Print(std::size_t indent, const std::string& prefix, const Expr& expr,
             const std::string& suffix, const std::string& comment = "");
  void Print(std::size_t indent, const Statements& statements);

  const std::string& text() const { return text_; }

 private:
  bool PrintChain(std::size_t indent, const Statement& statement);
  void PrintStatement(std::size_t indent, const Statement& statement);
  void Split(std::size_t indent, const std::string& prefix, const Expr& expr,
             const std::string& suffix);
  void PrintOperands(std::size_t indent, const Expr& expr);
  void PrintList(std::size_t indent, const std::string& head, const Exprs& parts,
                 std::string_view tail, bool may_join);

  std::string text_;
};

}  // namespace dragoman::pytorch

#endif  // DRAGOMAN_EXPORTERS_TORCH_EXPRESSION_H_
