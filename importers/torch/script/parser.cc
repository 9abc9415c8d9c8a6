#include "importers/torch/script/parser.h"

#include <memory>
#include <utility>

#include "importers/torch/script/expr_parser.h"

namespace dragoman::torch {
namespace {

class Parser : public ExprParser {
 public:
  using ExprParser::ExprParser;

  void ParseFile(SourceFile& file) {
    while (!AtEnd()) {
      StartStatement();
      if (Accept("class")) {
        file.classes.push_back(ParseClass());
      } else if (Accept("def")) {
        file.functions.push_back(ParseFunction());
      } else if (At("import") || At("op_version_set")) {
        SkipLine();
        Advance();
      } else if (!AcceptKind(Token::Kind::kNewline)) {
        Fail("a class or function is expected");
        Advance();
        SkipBlock();
      }
    }
  }

  Expr ParseOnlyType() {
    Expr type = ParseExpr();
    AcceptKind(Token::Kind::kNewline);
    if (!AtEnd()) Fail("more text behind the type");
    return type;
  }

 private:
  // Calls `parse` for each statement of the indented block at the cursor.
  template <class F>
  void ParseBlock(const F& parse) {
    const Nested nested(*this);
    if (!nested.ok()) return Recover();
    Expect(":");
    if (failed()) return Recover();
    if (!AcceptKind(Token::Kind::kNewline)) {
      Fail("the end of the line is expected behind ':'");
      return Recover();
    }
    if (!AcceptKind(Token::Kind::kIndent)) {
      Fail("an indented block is expected");
      return;
    }
    while (!AtKind(Token::Kind::kDedent) && !AtEnd()) {
      StartStatement();
      if (AcceptKind(Token::Kind::kNewline)) continue;
      parse();
    }
    AcceptKind(Token::Kind::kDedent);
  }

  // Behind an error in the head of a statement: its line and its block are skipped.
  void Recover() {
    SkipLine();
    Advance();
    SkipBlock();
  }

  void SkipBlock() {
    if (!AtKind(Token::Kind::kIndent)) return;
    int depth = 0;
    do {
      if (AtKind(Token::Kind::kIndent)) ++depth;
      if (AtKind(Token::Kind::kDedent)) --depth;
      Advance();
    } while (depth > 0 && !AtEnd());
  }

  void EndStatement() {
    if (!failed() && !AtKind(Token::Kind::kNewline) && !AtEnd()) {
      Fail("the end of the line is expected");
    }
    AcceptKind(Token::Kind::kNewline);
  }

  ClassDef ParseClass() {
    ClassDef result;
    result.offset = Peek().offset;
    result.name = ExpectName();
    if (Accept("(")) {
      if (!At(")")) result.base = ExpectName();
      Expect(")");
    }
    ParseBlock([&] { ParseMember(result); });
    return result;
  }

  void ParseMember(ClassDef& result) {
    if (Accept("def")) {
      result.methods.push_back(ParseFunction());
      return;
    }
    if (Accept("pass")) return EndStatement();
    Member member;
    member.offset = Peek().offset;
    member.name = ExpectName();
    const bool subscripted = member.name == "__annotations__" && Accept("[");
    if (subscripted) {
      Expr key = ParseExpr();
      member.name = std::move(key.text);
      Expect("]");
      Expect("=");
      member.type = ParseExpr();
    } else {
      if (Accept(":")) member.type = ParseExpr();
      if (Accept("=")) member.value = ParseExpr();
    }
    const bool ok = !failed();
    EndStatement();
    if (ok) AddMember(std::move(member), result);
  }

  static void AddMember(Member member, ClassDef& result) {
    const std::pair<const char*, std::vector<std::string>*> lists[] = {
        {"__parameters__", &result.parameters},
        {"__buffers__", &result.buffers},
        {"__forward_hooks__", &result.forward_hooks},
        {"__forward_pre_hooks__", &result.forward_pre_hooks}};
    for (const auto& [name, list] : lists) {
      if (member.name != name || member.type || !member.value) continue;
      for (Expr& item : member.value->parts) list->push_back(std::move(item.text));
      return;
    }
    if (member.name == "__annotations__") return;
    if (member.type && member.type->kind == Expr::Kind::kSubscript &&
        member.type->parts[0].IsName("Final")) {
      Expr inner = std::move(member.type->parts[1]);
      member.type = std::move(inner);
      member.is_final = true;
    }
    result.members.push_back(std::move(member));
  }

  FunctionDef ParseFunction() {
    FunctionDef result;
    result.offset = Peek().offset;
    result.name = ExpectName();
    Expect("(");
    while (!At(")") && !failed()) {
      result.parameters.push_back(ParseParameter());
      if (!Accept(",")) break;
    }
    Expect(")");
    if (Accept("->")) result.result = ParseExpr();
    result.body = ParseStatements();
    return result;
  }

  Parameter ParseParameter() {
    Parameter parameter;
    parameter.offset = Peek().offset;
    parameter.name = ExpectName();
    if (Accept(":")) parameter.type = ParseExpr();
    if (Accept("=")) parameter.default_value = ParseExpr();
    return parameter;
  }

  std::vector<Stmt> ParseStatements() {
    std::vector<Stmt> statements;
    ParseBlock([&] {
      Stmt statement = ParseStatement();
      statements.push_back(std::move(statement));
    });
    return statements;
  }

  Stmt ParseStatement() {
    Stmt stmt;
    stmt.offset = Peek().offset;
    if (Accept("if")) {
      ParseIf(stmt);
    } else if (Accept("while")) {
      stmt.kind = Stmt::Kind::kWhile;
      stmt.value = ParseExpr();
      stmt.body = ParseStatements();
    } else if (Accept("for")) {
      ParseFor(stmt);
    } else if (Accept("with")) {
      ParseWith(stmt);
    } else if (Accept("def")) {
      stmt.kind = Stmt::Kind::kDef;
      stmt.function = std::make_shared<const FunctionDef>(ParseFunction());
    } else {
      ParseSimple(stmt);
      EndStatement();
    }
    return stmt;
  }

  void ParseIf(Stmt& stmt) {
    stmt.kind = Stmt::Kind::kIf;
    stmt.value = ParseExpr();
    stmt.body = ParseStatements();
    if (At("elif")) {
      const Nested nested(*this);
      if (!nested.ok()) return Recover();
      Stmt inner;
      inner.offset = Peek().offset;
      Accept("elif");
      ParseIf(inner);
      stmt.other.push_back(std::move(inner));
    } else if (Accept("else")) {
      stmt.other = ParseStatements();
    }
  }

  void ParseFor(Stmt& stmt) {
    stmt.kind = Stmt::Kind::kFor;
    do {
      Expr target = ParseTarget();
      stmt.targets.push_back(std::move(target));
    } while (Accept(","));
    Expect("in");
    stmt.value = ParseExprList();
    stmt.body = ParseStatements();
  }

  Expr ParseTarget() {
    Expr target;
    target.offset = Peek().offset;
    target.kind = Expr::Kind::kName;
    target.text = ExpectName();
    return target;
  }

  void ParseWith(Stmt& stmt) {
    stmt.kind = Stmt::Kind::kWith;
    stmt.value = ParseExpr();
    if (Accept("as")) stmt.targets.push_back(ParseTarget());
    stmt.body = ParseStatements();
  }

  void ParseSimple(Stmt& stmt) {
    if (Accept("pass")) {
      stmt.kind = Stmt::Kind::kPass;
    } else if (Accept("return")) {
      stmt.kind = Stmt::Kind::kReturn;
      if (!AtKind(Token::Kind::kNewline)) stmt.value = ParseExprList();
    } else if (Accept("raise")) {
      stmt.kind = Stmt::Kind::kRaise;
      if (!AtKind(Token::Kind::kNewline)) stmt.value = ParseExpr();
    } else if (Accept("assert")) {
      stmt.kind = Stmt::Kind::kAssert;
      stmt.value = ParseExpr();
      if (Accept(",")) stmt.message = ParseExpr();
    } else {
      ParseAssignment(stmt);
    }
  }

  void ParseAssignment(Stmt& stmt) {
    stmt.kind = Stmt::Kind::kExpr;
    bool comma = false;
    Expr first = ParseExprList(&comma);
    const Token& token = Peek();
    const std::string_view op = Text(token);
    if (token.kind == Token::Kind::kOperator && op.size() >= 2 && op.ends_with('=') &&
        op.find_first_of("=!<>") == op.size() - 1) {
      stmt.augmented = op.substr(0, op.size() - 1);
      Advance();
    } else if (At(":")) {
      Accept(":");
      stmt.type = ParseExpr();
      Expect("=");
    } else if (!Accept("=")) {
      stmt.value = std::move(first);
      return;
    }
    stmt.kind = Stmt::Kind::kAssign;
    stmt.unpacks = first.kind == Expr::Kind::kTuple;
    if (stmt.unpacks) {
      stmt.targets = std::move(first.parts);
    } else {
      stmt.targets.push_back(std::move(first));
    }
    stmt.value = ParseExprList();
  }
};

}  // namespace

Result<SourceFile> ParseSource(std::string name, std::string text) {
  SourceFile file;
  file.name = std::move(name);
  file.text = std::move(text);
  Parser parser(file.name, file.text);
  parser.ParseFile(file);
  if (!parser.findings().empty()) return Error(parser.findings());
  return file;
}

Result<Expr> ParseTypeText(std::string_view text) {
  Parser parser("type", text);
  Expr type = parser.ParseOnlyType();
  if (!parser.findings().empty()) return Error(parser.findings());
  return type;
}

}  // namespace dragoman::torch
