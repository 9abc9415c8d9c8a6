// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/script/parser.h"

#include <memory>
#include <utility>

#include "core/support/python/stmt_parser.h"

namespace dragoman::torch {
namespace {

class Parser : public python::StmtParser {
 public:
  using StmtParser::StmtParser;

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
      } else if (!AcceptKind(python::Token::Kind::kNewline)) {
        Fail("a class or function is expected");
        Advance();
        SkipBlock();
      }
    }
  }

  Expr ParseOnlyType() {
    Expr type = ParseExpr();
    AcceptKind(python::Token::Kind::kNewline);
    if (!AtEnd()) Fail("more text after the type");
    return type;
  }

 private:
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
};

}  // namespace

Result<SourceFile> ParseSource(std::string name, std::string text) {
  SourceFile file;
  file.name = std::move(name);
  file.text = std::move(text);
  file.lines = python::LineTable(file.text);
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
