// SPDX-License-Identifier: Apache-2.0
#include "importers/relax/graph/parse_module.h"

#include <utility>

#include "core/support/python/stmt_parser.h"
#include "importers/relax/graph/comments.h"

namespace dragoman::tvmscript {
namespace {

using python::Expr;
using python::Token;

// "R.function", or a call of it.
bool IsRelaxFunction(const Expr& decorator) {
  const Expr& callee = decorator.kind == Expr::Kind::kCall ? decorator.parts.front() : decorator;
  return callee.kind == Expr::Kind::kAttribute && callee.text == "function" &&
         callee.parts.front().IsName("R");
}

// A module is a file as it lies on disk: it holds what it says.
constexpr std::size_t kMaxModuleBytes = std::size_t{1} << 30;
constexpr std::size_t kMaxModuleNesting = 1'000'000;
constexpr python::SourceLimits kModuleLimits = {kMaxModuleBytes, kMaxModuleNesting,
                                                kMaxModuleNesting};

class Parser : public python::StmtParser {
 public:
  Parser(std::string_view file, std::string_view text, const python::SourceLimits& limits)
      : StmtParser(file, text, limits), source_(text) {
    decorates_ = true;
  }

  void ParseFile(ModuleSyntax& module) {
    while (!AtEnd() && !AtModule()) {
      SkipLine();
      Advance();
    }
    if (AtEnd()) return Fail("no class with the decorator '@I.ir_module'");
    module.preamble = source_.substr(0, Peek().offset);
    const std::size_t decorator = Peek(1).offset;
    ParseDecorators();
    module.decorator = source_.substr(decorator, source_.find('\n', decorator) - decorator);
    module.decorator.erase(module.decorator.find_last_not_of(" \t\r") + 1);
    Expect("class");
    module.name = ExpectName();
    if (const std::size_t begin = Peek(1).offset; Accept("(")) {
      while (!AtEnd() && !At(")")) Advance();
      module.bases = source_.substr(begin, Peek().offset - begin);
      Expect(")");
    }
    ParseBlock([&] { ParseItem(module); });
    StartStatement();
    if (!AtEnd()) Fail("more text after the module");
  }

  Expr ParseOnly() {
    Expr expr = ParseExpr();
    AcceptKind(Token::Kind::kNewline);
    if (!failed() && !AtEnd()) Fail("more text after the expression");
    return expr;
  }

 private:
  // "@I.ir_module", "@tvm.script.ir_module" and the like.
  bool AtModule() const {
    if (!At("@")) return false;
    std::size_t last = 1;
    while (Text(Peek(last + 1)) == ".") last += 2;
    return Text(Peek(last)) == "ir_module";
  }

  void ParseItem(ModuleSyntax& module) {
    ModuleItem item;
    const std::size_t begin = Peek().offset;
    item.offset = begin;
    if (Accept("pass")) return EndStatement();
    if (!At("@")) {
      item.kind = ModuleItem::Kind::kStatement;
      ParseExprList();
      item.text = TextSince(begin);
      EndStatement();
      module.items.push_back(std::move(item));
      return;
    }
    std::vector<Expr> decorators = ParseDecorators();
    const bool is_relax = !decorators.empty() && IsRelaxFunction(decorators.front());
    Expect("def");
    if (failed()) return Recover();
    if (is_relax) {
      item.function = ParseFunction();
      item.function.decorators = std::move(decorators);
      item.name = item.function.name;
    } else {
      item.kind = ModuleItem::Kind::kForeign;
      item.name = ExpectName();
      Recover();
      item.text = TextSince(begin);
    }
    module.items.push_back(std::move(item));
  }

  // From the comments above byte `begin` to the cursor, without blank space at the end and comments
  // that belong to what follows.
  std::string TextSince(std::size_t begin) const {
    const std::size_t indent = IndentAt(source_, begin);
    std::string text;
    for (const std::string& comment : CommentsAbove(source_, begin, indent))
      text += comment + "\n    ";
    text += WithoutCommentsBelow(source_.substr(begin, Peek().offset - begin), indent);
    text.erase(text.find_last_not_of(" \t\r\n") + 1);
    return text;
  }

  std::string_view source_;
};

}  // namespace

Result<ModuleSyntax> ParseModule(std::string file, std::string text) {
  ModuleSyntax module;
  module.file = std::move(file);
  module.text = std::move(text);
  Parser parser(module.file, module.text, kModuleLimits);
  parser.ParseFile(module);
  if (!parser.findings().empty()) return Error(parser.findings());
  return module;
}

Result<python::Expr> ParseExpression(const std::string& text) {
  Parser parser("expression", text, {});
  Expr expr = parser.ParseOnly();
  if (!parser.findings().empty()) return Error(parser.findings());
  return expr;
}

}  // namespace dragoman::tvmscript
