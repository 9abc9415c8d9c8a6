// SPDX-License-Identifier: Apache-2.0
#include "importers/relax/graph/build_function.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/support/python/lexer.h"
#include "core/support/python/source_error.h"
#include "importers/relax/graph/comments.h"
#include "importers/relax/graph/expr_text.h"
#include "importers/relax/graph/function_builder.h"

namespace dragoman::tvmscript {

using python::Expr;
using python::Stmt;
using Kind = Expr::Kind;

namespace {

bool IsSizeDeclaration(const Expr& expr) {
  return expr.kind == Kind::kCall && expr.parts.size() == expr.keywords.size() + 1 &&
         DottedName(expr.parts[0]).starts_with("T.");
}

bool IsOutput(const Stmt& stmt) {
  return stmt.kind == Stmt::Kind::kExpr && stmt.value.kind == Kind::kCall &&
         DottedName(stmt.value.parts[0]) == "R.output";
}

bool DeclaresSizes(const Stmt& stmt) {
  return stmt.targets.size() > 1 && stmt.value.kind == Kind::kTuple &&
         stmt.value.parts.size() == stmt.targets.size() &&
         std::ranges::all_of(stmt.value.parts, IsSizeDeclaration);
}

}  // namespace

void FunctionBuilder::Fail(std::uint32_t offset, std::string message) {
  if (findings_.size() >= python::kMaxSourceFindings) return;
  findings_.push_back(python::FindingAt(ErrorKind::kInvalidInput, module_.file, module_.text,
                                        offset, std::move(message)));
}

void FunctionBuilder::Bind(const std::string& name, Value* value) {
  Value*& slot = values_[name];
  undo_.emplace_back(name, slot);
  slot = value;
}

void FunctionBuilder::AddSizes(const Type& type) {
  for (const Type& element :
       type.kind() == Type::Kind::kTuple ? type.elements() : std::vector<Type>())
    AddSizes(element);
  const std::optional<Shape> sizes =
      type.is_tensor() && type.shape() != nullptr ? *type.shape() : SizesOfShapeType(type);
  if (!sizes) return;
  for (const Dim& dim : *sizes) {
    for (std::string& symbol : dim.Symbols()) sizes_.insert(std::move(symbol));
  }
}

void FunctionBuilder::AddPlace(Node& node, std::uint32_t offset) {
  const python::LineTable::Place place = lines_.At(offset);
  node.extra().emplace_back("relax.place", fmt::format("{}:{}", place.line, place.column));
}

void FunctionBuilder::AddComments(Node& node, std::uint32_t offset) {
  AddComments(node.extra(), "", CommentsAbove(module_.text, offset), offset);
}

// "relax.comments" and "relax.comment": above what stands at `offset`, and after it.
void FunctionBuilder::AddComments(Extra& extra, const std::string& place, Attribute::Strings above,
                                  std::uint32_t offset) {
  std::string behind = CommentBehind(module_.text, offset);
  if (!above.empty()) extra.emplace_back("relax." + place + "comments", std::move(above));
  if (!behind.empty()) extra.emplace_back("relax." + place + "comment", std::move(behind));
}

// Above the decorators, and between them and "def".
Attribute::Strings FunctionBuilder::CommentsOf(const python::FunctionDef& function) const {
  Attribute::Strings between = CommentsAbove(module_.text, function.offset);
  if (function.decorators.empty()) return between;
  const std::uint32_t first = function.decorators.front().offset;
  Attribute::Strings comments = CommentsAbove(module_.text, first, IndentAt(module_.text, first));
  comments.insert(comments.end(), between.begin(), between.end());
  return comments;
}

std::unique_ptr<Graph> FunctionBuilder::Build(const python::FunctionDef& function) {
  auto graph = std::make_unique<Graph>();
  graph->set_name(function.name);
  aliases_.insert(module_.name);
  Signature(function, *graph);
  Statements(function.body, *graph);
  if (!returned_) Fail(function.offset, "the function returns nothing");
  return graph;
}

void FunctionBuilder::Signature(const python::FunctionDef& function, Graph& graph) {
  AddComments(graph.extra(), "", CommentsOf(function), function.offset);
  Attribute::Strings decorators;
  for (const Expr& decorator : function.decorators) decorators.push_back(ExprText(decorator));
  graph.extra().emplace_back("relax.decorators", std::move(decorators));
  if (!function.type_parameters.empty()) {
    Attribute::Strings sizes;
    for (const python::Parameter& p : function.type_parameters) {
      sizes.push_back(p.name + (p.type ? ": " + ExprText(*p.type) : ""));
      sizes_.insert(p.name);
    }
    graph.extra().emplace_back("relax.type_parameters", std::move(sizes));
  }
  for (const python::Parameter& p : function.parameters) {
    Value* input = graph.AddInput(p.name);
    if (p.type) {
      Annotation annotation = AnnotationOf(*p.type);
      AddSizes(annotation.type);
      input->set_type(std::move(annotation.type));
      if (!annotation.plain) input->extra().emplace_back("relax.type", ExprText(*p.type));
    }
    Bind(p.name, input);
  }
  if (function.result) graph.extra().emplace_back("relax.returns", ExprText(*function.result));
}

void FunctionBuilder::Statements(const std::vector<Stmt>& statements, Graph& graph) {
  for (const Stmt& stmt : statements) Statement(stmt, graph);
}

void FunctionBuilder::Statement(const Stmt& stmt, Graph& graph) {
  if (returned_) return Fail(stmt.offset, "a statement after 'return'");
  FindTallValues(stmt.value);
  switch (stmt.kind) {
    case Stmt::Kind::kAssign:
      return Assign(stmt, graph);
    case Stmt::Kind::kExpr:
      return Effect(stmt, graph);
    case Stmt::Kind::kIf:
      return If(stmt, graph);
    case Stmt::Kind::kWith:
      return Dataflow(stmt, graph);
    case Stmt::Kind::kDef:
      return Nested(stmt, graph);
    case Stmt::Kind::kPass:
      return;
    case Stmt::Kind::kReturn:
      if (branches_ > 0 || stmt.value.kind == Kind::kMissing)
        return Fail(stmt.offset, "a value is returned at the end of the function only");
      AddComments(graph.extra(), "return_", CommentsAbove(module_.text, stmt.offset), stmt.offset);
      if (Attribute::Strings last = CommentsBelow(module_.text, stmt.offset); !last.empty())
        graph.extra().emplace_back("relax.last_comments", std::move(last));
      if (stmt.value.kind == Kind::kTuple) {
        graph.extra().emplace_back("relax.returns_tuple", true);
        for (const Expr& part : stmt.value.parts) graph.AddOutput(Operand(part, graph).Run());
      } else {
        graph.AddOutput(Operand(stmt.value, graph).Run());
      }
      returned_ = true;
      return;
    default:
      return Fail(stmt.offset, "no statement of Relax");
  }
}

// "m, n = T.int64(), T.int64()" is a statement for each of them.
void FunctionBuilder::DeclareSizes(const Stmt& stmt, Graph& graph) {
  for (std::size_t i = 0; i < stmt.targets.size(); ++i) {
    Node* node = MakeNode(stmt.value.parts[i], graph).Run();
    if (node == nullptr) return;
    AddPlace(*node, stmt.offset);
    if (i == 0) AddComments(*node, stmt.offset);
    node->AddResult(stmt.targets[i].text);
    sizes_.insert(stmt.targets[i].text);
  }
}

void FunctionBuilder::Assign(const Stmt& stmt, Graph& graph) {
  for (const Expr& target : stmt.targets) {
    if (target.kind != Kind::kName) return Fail(target, "a name is expected");
  }
  if (!stmt.augmented.empty()) return Fail(stmt.offset, "no statement of Relax");
  if (DeclaresSizes(stmt)) return DeclareSizes(stmt, graph);
  Node* node = MakeNode(stmt.value, graph).Run();
  if (node == nullptr) return;
  AddPlace(*node, stmt.offset);
  AddComments(*node, stmt.offset);
  const std::string& op = node->op().type;
  if (op == "module") aliases_.insert(stmt.targets.front().text);
  if (op.starts_with("T.") && stmt.targets.size() == 1) sizes_.insert(stmt.targets[0].text);
  if (op == "match_cast" && node->attribute("struct_info") != nullptr) {
    const Type* type = node->attribute("struct_info")->As<Type>();
    if (type != nullptr) AddSizes(*type);
  }
  for (const Expr& target : stmt.targets) {
    Value* result = node->AddResult(target.text);
    if (stmt.type && stmt.targets.size() == 1) {
      Annotation annotation = AnnotationOf(*stmt.type);
      result->set_type(std::move(annotation.type));
      if (!annotation.plain) result->extra().emplace_back("relax.type", ExprText(*stmt.type));
    }
    // Names of sizes are not variables.
    if (op != "module" && !op.starts_with("T.")) Bind(target.text, result);
  }
  if (stmt.unpacks && stmt.targets.size() == 1) Fail(stmt.offset, "a tuple of one name");
}

std::shared_ptr<Graph> FunctionBuilder::Branch(const std::vector<Stmt>& statements,
                                               std::string* name, std::uint32_t offset) {
  auto body = std::make_shared<Graph>();
  const std::size_t before = undo_.size();
  ++branches_;
  Statements(statements, *body);
  --branches_;
  Node* last = body->last_node();
  if (last != nullptr && last->num_results() == 1 && last->op().type != "dataflow") {
    *name = last->result()->name();
    body->AddOutput(last->result());
  } else {
    Fail(offset, "a branch does not end with the binding of a name");
  }
  for (; undo_.size() > before; undo_.pop_back()) values_[undo_.back().first] = undo_.back().second;
  return body;
}

void FunctionBuilder::If(const Stmt& stmt, Graph& graph) {
  Value* condition = Operand(stmt.value, graph).Run();
  if (condition == nullptr) return;
  Value* const operands[] = {condition};
  Node* node = graph.Append(InternOp("relax", "if"), operands);
  AddPlace(*node, stmt.offset);
  AddComments(*node, stmt.offset);
  std::string names[2];
  const std::vector<Stmt>* const sides[] = {&stmt.body, &stmt.other};
  for (int i = 0; i < 2; ++i) {
    node->SetAttribute(i == 0 ? "then_branch" : "else_branch",
                       Attribute(Branch(*sides[i], &names[i], stmt.offset)));
  }
  if (names[0] != names[1] && !names[0].empty() && !names[1].empty())
    Fail(stmt.offset,
         fmt::format("the branches bind different names, '{}' and '{}'", names[0], names[1]));
  Bind(names[0], node->AddResult(names[0]));
}

void FunctionBuilder::Dataflow(const Stmt& stmt, Graph& graph) {
  const bool is_block = stmt.value.kind == Kind::kCall && stmt.value.parts.size() == 1 &&
                        DottedName(stmt.value.parts[0]) == "R.dataflow";
  if (!is_block || !stmt.targets.empty()) return Fail(stmt.offset, "no statement of Relax");
  Node* begin = graph.Append(InternOp("relax", "dataflow"), {});
  AddComments(*begin, stmt.offset);
  bool has_output = false;
  for (const Stmt& inner : stmt.body) {
    const bool is_plain = inner.kind == Stmt::Kind::kAssign || inner.kind == Stmt::Kind::kExpr ||
                          inner.kind == Stmt::Kind::kDef || inner.kind == Stmt::Kind::kPass;
    if (!is_plain) {
      Fail(inner.offset, "a dataflow block has bindings only");
      continue;
    }
    takes_output_ = IsOutput(inner) && !std::exchange(has_output, true);
    Statement(inner, graph);
  }
  const Node* last = graph.last_node();
  if (last != nullptr && last->op().type == "output") return;
  // R.output may stand anywhere; the graph has it at the end of its block.
  for (Node* node = graph.last_node(); node != begin; node = node->prev()) {
    if (node->op().type == "output") return graph.MoveBefore(node, nullptr);
  }
  graph.Append(InternOp("relax", "output"), {})->extra().emplace_back("relax.implied", true);
}

void FunctionBuilder::Nested(const Stmt& stmt, Graph& graph) {
  const python::FunctionDef& function = *stmt.function;
  Node* node = graph.Append(InternOp("relax", "function"), {});
  AddPlace(*node, stmt.offset);
  Value* result = node->AddResult(function.name);
  Bind(function.name, result);
  const std::size_t before = undo_.size();
  auto body = std::make_shared<Graph>();
  body->set_name(function.name);
  const int branches = std::exchange(branches_, 0);
  Signature(function, *body);
  Statements(function.body, *body);
  branches_ = branches;
  if (!returned_) Fail(function.offset, "the function returns nothing");
  returned_ = false;
  for (; undo_.size() > before; undo_.pop_back()) values_[undo_.back().first] = undo_.back().second;
  node->SetAttribute("body", Attribute(std::move(body)));
}

void FunctionBuilder::FuncAttr(const Expr& call, Graph& graph) {
  if (call.parts.size() != 2 || call.parts[1].kind != Kind::kDict)
    return Fail(call, "R.func_attr takes a dictionary");
  Node* node = graph.Append(InternOp("relax", "func_attr"), {});
  AddComments(*node, call.offset);
  const std::vector<Expr>& parts = call.parts[1].parts;
  for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
    if (parts[i].kind != Kind::kString) return Fail(parts[i], "a string is expected");
    AddAttribute(*node, parts[i].text, parts[i + 1]);
  }
}

void FunctionBuilder::Effect(const Stmt& stmt, Graph& graph) {
  const Expr& expr = stmt.value;
  if (expr.kind == Kind::kString) return;  // the documentation of a function
  if (expr.kind != Kind::kCall) return Fail(stmt.offset, "no statement of Relax");
  if (DottedName(expr.parts[0]) == "R.func_attr") return FuncAttr(expr, graph);
  Node* node = MakeNode(expr, graph).Run();
  if (node == nullptr) return;
  AddPlace(*node, stmt.offset);
  AddComments(*node, stmt.offset);
}

std::unique_ptr<Graph> BuildFunction(const ModuleSyntax& module, const python::LineTable& lines,
                                     const python::FunctionDef& function,
                                     std::vector<Finding>& findings) {
  return FunctionBuilder(module, lines, findings).Build(function);
}

}  // namespace dragoman::tvmscript
