// SPDX-License-Identifier: Apache-2.0
// What the parts of the parser share: tokens, names in scope, and the module that is made.
#ifndef DRAGOMAN_IMPORTERS_RELAY_TEXT_PARSE_STATE_H_
#define DRAGOMAN_IMPORTERS_RELAY_TEXT_PARSE_STATE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/support/deep_call.h"
#include "core/support/result.h"
#include "importers/relay/text/ast.h"
#include "importers/relay/text/lexer.h"
#include "importers/tvm/metadata.h"

namespace dragoman::relay {

// A type of the text: `text` is given where Type does not say all of it.
struct TypeText {
  Type type;
  std::string text;
};

class Parser {
 public:
  Parser(Tokens tokens, tvm::Metadata metadata, std::string_view source);

  Result<std::unique_ptr<Module>> Run();

 private:
  // parser.cc: tokens and definitions
  const Token& Peek(std::size_t ahead = 0) const;
  const Token& Next();
  bool At(std::string_view text, std::size_t ahead = 0) const;
  bool Take(std::string_view text);
  Status Expect(std::string_view text);
  Error Fail(std::string message) const { return Fail(Peek(), std::move(message)); }
  static Error Fail(const Token& token, std::string message);
  Status ParseDefinition();
  Status ParseTypeDefinition();
  Status ParseLooseExpression();
  std::string SourceBetween(const Token& first, const Token& end) const;

  // Makes an expression at `token`.
  Expr* Make(ExprKind kind, const Token& token);
  // Numbers the expression that was just read, and takes the annotation after it.
  void Annotate(Expr* expr);

  // parse_expr.cc: expressions
  Deep<Result<Expr*>> ParseBody(int depth);
  Deep<Status> ParseLet(std::vector<Expr*>& lets, int depth);
  Status ParseFreeVariable();
  Deep<Result<Expr*>> ParseBinary(int lowest, int depth);
  Deep<Result<Expr*>> ParseCall(int depth);
  Deep<Result<Expr*>> ParseArguments(Expr* callee, int depth);
  Deep<Result<Expr*>> ParseAtom(int depth);
  Deep<Result<Expr*>> ParseWord(int depth);
  Deep<Result<Expr*>> ParseParentheses(int depth);
  Deep<Result<Expr*>> ParseIf(int depth);
  Deep<Result<Expr*>> ParseReference(int depth);
  Expr* MakeReference(std::string_view what, const Token& token, std::vector<Expr*> operands);
  Deep<Result<Expr*>> ParseFunction(const Token& start, int depth);
  Status ParseParameters(Expr* function, Block& block);
  Result<Expr*> ParseLocal();
  Result<Expr*> ParseMetaValue();
  Result<Expr*> Project(Expr* tuple, std::string_view digits, const Token& token);

  // parse_match.cc
  Deep<Result<Expr*>> ParseMatch(int depth);
  Result<Attribute> ParsePattern(Block& block, int depth);
  Result<Attribute> ParsePatterns(Block& block, int depth);

  // parse_type.cc: types, attributes, numbers
  Result<TypeText> ParseType(int depth);
  Result<TypeText> ParseTensorType(const Token& start);
  Result<Dim> ParseDim();
  Status ReadAnnotation(std::string_view comment, Expr* expr);
  bool AtAttribute() const;
  Result<NamedAttribute> ParseAttribute();
  Result<Attribute> ParseAttributeValue(int depth);
  static Result<Tensor> NumberOf(const Token& token);

  void Bind(const std::string& name, Expr* expr);
  void UnbindTo(std::size_t mark);
  Expr* Find(const std::string& name) const;

  Tokens tokens_;
  std::size_t at_ = 0;
  tvm::Metadata metadata_;
  std::string_view source_;
  std::unique_ptr<Module> module_;
  std::unordered_map<std::string, std::vector<Expr*>> scope_;
  std::vector<std::string> bound_;  // names of scope_, in order
  std::unordered_map<std::string, Expr*> graph_variables_;
  std::map<std::string, Expr*, std::less<>> constants_;  // of this definition, by meta name
  std::map<std::string, Tensor, std::less<>> tensors_;   // of the module, by meta name
  std::vector<Expr*> free_variables_;
  std::uint64_t sequence_ = 0;
};

}  // namespace dragoman::relay

#endif  // DRAGOMAN_IMPORTERS_RELAY_TEXT_PARSE_STATE_H_
