// SPDX-License-Identifier: Apache-2.0
// What makes a function a graph, statement by statement.
#ifndef DRAGOMAN_IMPORTERS_RELAX_GRAPH_FUNCTION_BUILDER_H_
#define DRAGOMAN_IMPORTERS_RELAX_GRAPH_FUNCTION_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/ir/graph.h"
#include "core/support/deep_call.h"
#include "core/support/python/source_error.h"
#include "core/support/python/syntax.h"
#include "core/support/result.h"
#include "importers/relax/graph/build_function.h"
#include "importers/relax/graph/parse_module.h"

namespace dragoman::tvmscript {

class FunctionBuilder {
 public:
  FunctionBuilder(const ModuleSyntax& module, const python::LineTable& lines,
                  std::vector<Finding>& findings)
      : module_(module), lines_(lines), findings_(findings) {}

  std::unique_ptr<Graph> Build(const python::FunctionDef& function);

 private:
  void Signature(const python::FunctionDef& function, Graph& graph);
  void Statements(const std::vector<python::Stmt>& statements, Graph& graph);
  void Statement(const python::Stmt& stmt, Graph& graph);
  void Assign(const python::Stmt& stmt, Graph& graph);
  void DeclareSizes(const python::Stmt& stmt, Graph& graph);
  void If(const python::Stmt& stmt, Graph& graph);
  std::shared_ptr<Graph> Branch(const std::vector<python::Stmt>& statements, std::string* name,
                                std::uint32_t offset);
  void Dataflow(const python::Stmt& stmt, Graph& graph);
  void Nested(const python::Stmt& stmt, Graph& graph);
  void Effect(const python::Stmt& stmt, Graph& graph);
  void FuncAttr(const python::Expr& call, Graph& graph);

  // build_expr.cc. A node for what `expr` says, without results.
  Deep<Node*> MakeNode(const python::Expr& expr, Graph& graph);
  Deep<Node*> MakeCall(const python::Expr& call, Graph& graph);
  Node* MakeConstant(const python::Expr& call, Graph& graph);
  Deep<Node*> MakeSubscript(const python::Expr& expr, Graph& graph);
  Deep<Node*> MakeParts(const char* op, const python::Expr& expr, Graph& graph);
  static Node* Append(std::string_view op, Graph& graph);
  // The value of `expr`: a variable, or the result of a node that stands in place.
  Deep<Value*> Operand(const python::Expr& expr, Graph& graph);
  // `node`, with the arguments of `call`.
  Deep<Node*> AddArguments(const python::Expr& call, const std::string& op, Node* node,
                           Graph& graph);
  void AddAttribute(Node& node, std::string name, const python::Expr& expr);
  // Whether `expr` is computed when the function runs: it reads variables or calls operators.
  bool IsValue(const python::Expr& expr) const;
  bool IsValueByParts(const python::Expr& expr) const;
  // Looks at each part of a tall expression once, for IsValue to remember.
  void FindTallValues(const python::Expr& expr);

  void Bind(const std::string& name, Value* value);
  void AddSizes(const Type& type);
  void AddPlace(Node& node, std::uint32_t offset);
  void AddComments(Node& node, std::uint32_t offset);
  void AddComments(Extra& extra, const std::string& place, Attribute::Strings above,
                   std::uint32_t offset);
  Attribute::Strings CommentsOf(const python::FunctionDef& function) const;
  void Fail(const python::Expr& expr, std::string message) {
    Fail(expr.offset, std::move(message));
  }
  void Fail(std::uint32_t offset, std::string message);

  const ModuleSyntax& module_;
  const python::LineTable& lines_;
  std::vector<Finding>& findings_;
  std::unordered_map<std::string, Value*> values_;
  std::unordered_set<std::string> sizes_;
  std::unordered_set<std::string> aliases_;           // of the module
  std::vector<std::pair<std::string, Value*>> undo_;  // what names meant before
  int branches_ = 0;                                  // around the present statement
  bool returned_ = false;
  bool takes_output_ = false;  // the present statement is the R.output of a dataflow block
  std::unordered_map<const python::Expr*, bool> tall_values_;  // of the present statement
};

}  // namespace dragoman::tvmscript

#endif  // DRAGOMAN_IMPORTERS_RELAX_GRAPH_FUNCTION_BUILDER_H_
