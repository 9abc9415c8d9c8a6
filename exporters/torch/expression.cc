// SPDX-License-Identifier: Apache-2.0
#include "exporters/torch/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/support/text.h"

namespace dragoman::pytorch {

using Kind = Expr::Kind;

Expr ValueOf(std::string name) { return {Kind::kValue, std::move(name)}; }
Expr SelfAt(std::string path) { return {Kind::kSelf, std::move(path)}; }
Expr Code(std::string_view text) { return {Kind::kText, std::string(text)}; }
Expr Number(std::int64_t number, std::string_view what) {
  return {Kind::kInt, std::string(what), {}, number};
}
Expr NumberList(const std::vector<std::int64_t>& numbers, std::string_view what) {
  Exprs parts;
  for (std::int64_t number : numbers) parts.push_back(Number(number, what));
  return Tuple(std::move(parts));
}

// Quotes are those that need fewer escapes.
Expr StringLiteral(std::string_view text) {
  std::string quoted = Quote(text);
  if (text.find('"') == std::string_view::npos || text.find('\'') != std::string_view::npos)
    return Code(quoted);
  std::string single;
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    if (quoted[i] == '\\' && quoted[i + 1] == '"') continue;
    single += quoted[i];
  }
  single.front() = '\'';
  single.back() = '\'';
  return Code(single);
}

Expr FloatLiteral(double value) {
  if (std::isfinite(value)) return Code(FormatDouble(value));
  if (std::isnan(value)) return Code("float(\"nan\")");
  return Code(value > 0 ? "float(\"inf\")" : "float(\"-inf\")");
}

Expr BoolLiteral(bool value) { return Code(value ? "True" : "False"); }
Expr Tuple(Exprs parts) { return {Kind::kTuple, "", std::move(parts)}; }
Expr List(Exprs parts) { return {Kind::kList, "", std::move(parts)}; }

Expr CallOf(Expr callee, Exprs arguments) {
  arguments.insert(arguments.begin(), std::move(callee));
  return {Kind::kCall, "", std::move(arguments)};
}
Expr CallOf(std::string_view callee, Exprs arguments) {
  return CallOf(Code(callee), std::move(arguments));
}
Expr Keyword(std::string_view name, Expr value) {
  return {Kind::kKeyword, std::string(name), {std::move(value)}};
}
Expr Method(Expr receiver, std::string_view name, Exprs arguments) {
  arguments.insert(arguments.begin(), std::move(receiver));
  return {Kind::kMethod, std::string(name), std::move(arguments)};
}
Expr AttributeOf(Expr receiver, std::string_view name) {
  return {Kind::kAttribute, std::string(name), {std::move(receiver)}};
}
Expr Binary(Expr left, std::string_view op, Expr right) {
  return {Kind::kBinary, std::string(op), {std::move(left), std::move(right)}};
}
Expr Unary(std::string_view op, Expr operand) {
  return {Kind::kUnary, std::string(op), {std::move(operand)}};
}
Expr Generator(Expr element, std::string_view variable, Expr iterable) {
  return {Kind::kGenerator,
          "for " + std::string(variable) + " in",
          {std::move(element), std::move(iterable)}};
}
Expr Index(Expr receiver, Exprs places) {
  places.insert(places.begin(), std::move(receiver));
  return {Kind::kIndex, "", std::move(places)};
}

Expr Slice(Expr begin, Expr end) { return {Kind::kSlice, "", {std::move(begin), std::move(end)}}; }

namespace {

// Expressions nest as deep as the spelling of one operator does.
template <class E, class Visit>
void VisitParts(E& expr, const Visit& visit) {
  visit(expr);
  for (auto& part : expr.parts) VisitParts(part, visit);
}

template <class S, class Visit>
void VisitExprs(S& statements, const Visit& visit) {
  for (auto& statement : statements) {
    VisitParts(statement.value, visit);
    VisitExprs(statement.body, visit);
    VisitExprs(statement.orelse, visit);
  }
}

constexpr int kPostfix = 20;

int PrecedenceOf(std::string_view op) {
  if (op == "|") return 6;
  if (op == "^") return 7;
  if (op == "&") return 8;
  if (op == "<<" || op == ">>") return 9;
  if (op == "+" || op == "-") return 10;
  if (op == "*" || op == "/" || op == "//" || op == "%" || op == "@") return 11;
  return 5;  // comparisons
}

int PrecedenceOf(const Expr& expr) {
  if (expr.kind == Kind::kBinary) return PrecedenceOf(expr.text);
  if (expr.kind == Kind::kGenerator) return 0;
  if (expr.kind == Kind::kUnary) return expr.text == "not " ? 4 : 12;
  const bool is_negative = (expr.kind == Kind::kInt && expr.number < 0) ||
                           (expr.kind == Kind::kText && expr.text.starts_with('-'));
  return is_negative ? 12 : kPostfix;
}

// In parentheses where an operator that binds like `than`, or stronger, is around it.
std::string Operand(const Expr& expr, int than) {
  const std::string text = FlatText(expr);
  return PrecedenceOf(expr) < than ? "(" + text + ")" : text;
}

std::string Joined(const Exprs& parts, std::size_t first) {
  std::string text;
  for (std::size_t i = first; i < parts.size(); ++i)
    text += (i > first ? ", " : "") + FlatText(parts[i]);
  return text;
}

// What stands before the bracket that holds the arguments.
std::string HeadOf(const Expr& expr) {
  switch (expr.kind) {
    case Kind::kCall:
      return FlatText(expr.parts[0]) + "(";
    case Kind::kMethod:
      return Operand(expr.parts[0], kPostfix) + "." + expr.text + "(";
    case Kind::kIndex:
      return Operand(expr.parts[0], kPostfix) + "[";
    default:
      return expr.kind == Kind::kList ? "[" : expr.kind == Kind::kDict ? "{" : "(";
  }
}

// Names and numbers; beside others a colon has spaces.
bool IsSimple(const Expr& expr) {
  if (expr.kind == Kind::kInt || expr.kind == Kind::kValue) return true;
  return expr.kind == Kind::kText && expr.text.find('.') == std::string::npos;
}

std::string SliceText(const Expr& expr) {
  const bool is_simple = std::ranges::all_of(expr.parts, IsSimple);
  std::string text = FlatText(expr.parts[0]);
  for (std::size_t i = 1; i < expr.parts.size(); ++i) {
    const std::string part = FlatText(expr.parts[i]);
    text += is_simple || text.empty() ? ":" : " :";
    text += (is_simple || part.empty() ? "" : " ") + part;
  }
  return text;
}

bool HasReceiver(const Expr& expr) {
  return expr.kind == Kind::kCall || expr.kind == Kind::kMethod || expr.kind == Kind::kIndex;
}

}  // namespace

void ForEachPart(const Expr& expr, const std::function<void(const Expr&)>& visit) {
  VisitParts(expr, visit);
}
void ForEachPart(Expr& expr, const std::function<void(Expr&)>& visit) { VisitParts(expr, visit); }
void ForEachExpr(const Statements& statements, const std::function<void(const Expr&)>& visit) {
  VisitExprs(statements, visit);
}
void ForEachExpr(Statements& statements, const std::function<void(Expr&)>& visit) {
  VisitExprs(statements, visit);
}

std::string FlatText(const Expr& expr) {
  switch (expr.kind) {
    case Kind::kValue:
    case Kind::kText:
      return expr.text;
    case Kind::kSelf:
      if (expr.text.empty()) return "self";
      return (expr.text.front() == '[' ? "self" : "self.") + expr.text;
    case Kind::kInt:
      return std::to_string(expr.number);
    case Kind::kTuple:
      return "(" + Joined(expr.parts, 0) + (expr.parts.size() == 1 ? ",)" : ")");
    case Kind::kList:
      return "[" + Joined(expr.parts, 0) + "]";
    case Kind::kCall:
    case Kind::kMethod:
      return HeadOf(expr) + Joined(expr.parts, 1) + ")";
    case Kind::kIndex:
      return HeadOf(expr) + Joined(expr.parts, 1) + "]";
    case Kind::kSlice:
      return SliceText(expr);
    case Kind::kDict:
      return "{" + Joined(expr.parts, 0) + "}";
    case Kind::kPair:
      return expr.text + ": " + FlatText(expr.parts[0]);
    case Kind::kKeyword:
      return expr.text + "=" + FlatText(expr.parts[0]);
    case Kind::kSplat:
      return "*" + FlatText(expr.parts[0]);
    case Kind::kAttribute:
      return Operand(expr.parts[0], kPostfix) + "." + expr.text;
    case Kind::kUnary:
      return expr.text + Operand(expr.parts[0], expr.text == "not " ? 4 : 12);
    case Kind::kGenerator:
      return FlatText(expr.parts[0]) + " " + expr.text + " " + FlatText(expr.parts[1]);
    case Kind::kBinary: {
      const int own = PrecedenceOf(expr.text);
      const bool compares = own == 5;
      return Operand(expr.parts[0], compares ? own + 1 : own) + " " + expr.text + " " +
             Operand(expr.parts[1], own + 1);
    }
  }
  return "";
}

void PythonText::Line(std::size_t indent, std::string_view text) {
  text_ += std::string(indent, ' ');
  text_ += text;
  text_ += '\n';
}

void PythonText::Print(std::size_t indent, const std::string& prefix, const Expr& expr,
                       const std::string& suffix, const std::string& comment) {
  const std::string line = prefix + FlatText(expr) + suffix;
  const std::string remark = comment.empty() ? "" : "  # " + comment;
  if (indent + line.size() + remark.size() <= kLineWidth) return Line(indent, line + remark);
  if (!comment.empty()) Line(indent, "# " + comment);
  if (indent + line.size() <= kLineWidth) return Line(indent, line);
  Split(indent, prefix, expr, suffix);
}

// One part a line, or all on one line between the brackets if they fit and are arguments.
void PythonText::PrintList(std::size_t indent, const std::string& head, const Exprs& parts,
                           std::string_view tail, bool may_join) {
  Line(indent, head);
  // A generator stands alone, without a comma.
  if (parts.size() == 1 && parts[0].kind == Kind::kGenerator) {
    Print(indent + 4, "", parts[0].parts[0], "");
    Line(indent + 4, parts[0].text + " " + FlatText(parts[0].parts[1]));
    return Line(indent, tail);
  }
  const std::string joined = Joined(parts, 0);
  if (may_join && indent + 4 + joined.size() <= kLineWidth) {
    Line(indent + 4, joined);
  } else {
    for (const Expr& part : parts) {
      const std::string_view sign = part.kind == Kind::kKeyword ? "=" : ": ";
      const bool has_name = part.kind == Kind::kKeyword || part.kind == Kind::kPair;
      Print(indent + 4, has_name ? fmt::format("{}{}", part.text, sign) : "",
            has_name ? part.parts[0] : part, ",");
    }
  }
  Line(indent, tail);
}

// One operand a line, if they are too long for one.
void PythonText::PrintOperands(std::size_t indent, const Expr& expr) {
  const std::string line = FlatText(expr);
  if (expr.kind != Kind::kBinary || indent + line.size() <= kLineWidth) return Line(indent, line);
  const int own = PrecedenceOf(expr.text);
  Line(indent, Operand(expr.parts[0], own == 5 ? own + 1 : own));
  Line(indent, expr.text + " " + Operand(expr.parts[1], own + 1));
}

void PythonText::Split(std::size_t indent, const std::string& prefix, const Expr& expr,
                       const std::string& suffix) {
  const bool is_display =
      expr.kind == Kind::kTuple || expr.kind == Kind::kList || expr.kind == Kind::kDict;
  if (HasReceiver(expr) || is_display) {
    const Exprs parts(expr.parts.begin() + (is_display ? 0 : 1), expr.parts.end());
    const char* tail = expr.kind == Kind::kIndex || expr.kind == Kind::kList ? "]"
                       : expr.kind == Kind::kDict                            ? "}"
                                                                             : ")";
    if (!parts.empty()) {
      return PrintList(indent, prefix + HeadOf(expr), parts, tail + suffix,
                       expr.kind == Kind::kCall || expr.kind == Kind::kMethod);
    }
  }
  if (suffix.empty() && !prefix.empty()) {
    Line(indent, prefix + "(");
    PrintOperands(indent + 4, expr);
    return Line(indent, ")");
  }
  Line(indent, prefix + FlatText(expr) + suffix);
}

namespace {

std::string NameOf(const std::string& target) { return target.empty() ? "_" : target; }

std::string TargetsText(const Statement& statement) {
  const std::vector<std::string>& targets = statement.targets;
  const bool is_pair = statement.text == "pair" && targets.size() == 3;
  if (is_pair && targets[1].empty() && targets[2].empty()) return NameOf(targets[0]) + ", _";
  if (is_pair) {
    return NameOf(targets[0]) + ", (" + NameOf(targets[1]) + ", " + NameOf(targets[2]) + ")";
  }
  std::string text;
  for (const std::string& target : targets) text += (text.empty() ? "" : ", ") + NameOf(target);
  return text + (statement.text == "list" ? ": list[Tensor]" : "");
}

// A tuple without its parentheses, as statements have it.
Expr Bare(const Expr& expr) {
  if (expr.kind != Kind::kTuple || expr.parts.size() < 2) return expr;
  return Code(Joined(expr.parts, 0));
}

}  // namespace

// A chain of methods that is too long for a line, as two statements. False: the second would read
// what the first replaces.
bool PythonText::PrintChain(std::size_t indent, const Statement& statement) {
  const Expr& value = statement.value;
  const bool is_chain = statement.kind == Statement::Kind::kAssign &&
                        statement.targets.size() == 1 && value.kind == Kind::kMethod &&
                        HasReceiver(value.parts[0]);
  if (!is_chain) return false;
  const std::string& target = statement.targets[0];
  if (indent + target.size() + 3 + FlatText(value).size() <= kLineWidth) return false;
  for (std::size_t i = 1; i < value.parts.size(); ++i) {
    bool reads = false;
    ForEachPart(value.parts[i], [&](const Expr& part) { reads = reads || part.text == target; });
    if (reads) return false;
  }
  Statement first = {.targets = statement.targets, .value = value.parts[0]};
  Statement second = statement;
  second.value.parts[0] = Code(target);
  PrintStatement(indent, first);
  PrintStatement(indent, second);
  return true;
}

void PythonText::PrintStatement(std::size_t indent, const Statement& statement) {
  if (PrintChain(indent, statement)) return;
  using enum Statement::Kind;
  switch (statement.kind) {
    case kAssign:
    case kSet:
    case kReturn: {
      const std::string prefix = statement.kind == kReturn ? "return "
                                 : statement.kind == kSet  ? statement.text + " = "
                                                           : TargetsText(statement) + " = ";
      const Expr bare = Bare(statement.value);
      const bool fits = indent + prefix.size() + FlatText(bare).size() <= kLineWidth;
      return Print(indent, prefix, fits ? bare : statement.value, "", statement.comment);
    }
    case kDo:
      return Print(indent, "", statement.value, "", statement.comment);
    case kIf:
      Print(indent, "if ", statement.value, ":");
      Print(indent + 4, statement.body);
      if (statement.orelse.empty()) return;
      Line(indent, "else:");
      return Print(indent + 4, statement.orelse);
    case kForever:
      Line(indent, "while True:");
      return Print(indent + 4, statement.body);
    case kFor:
      Print(indent, "for " + TargetsText(statement) + " in ", statement.value, ":");
      return Print(indent + 4, statement.body);
    case kBreak:
      return Line(indent, "break");
  }
}

void PythonText::Print(std::size_t indent, const Statements& statements) {
  if (statements.empty()) return Line(indent, "pass");
  for (const Statement& statement : statements) PrintStatement(indent, statement);
}

}  // namespace dragoman::pytorch
