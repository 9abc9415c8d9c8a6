#include "importers/relax/graph/build_function.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "core/support/python/lexer.h"
#include "core/support/python/source_error.h"
#include "importers/relax/graph/expr_text.h"
#include "importers/relax/graph/signatures.h"

namespace dragoman::tvmscript {
namespace {

using python::Expr;
using python::Stmt;
using Kind = Expr::Kind;

class Builder {
 public:
  Builder(const ModuleSyntax& module, std::vector<Finding>& findings)
      : module_(module), findings_(findings) {}

  std::unique_ptr<Graph> Build(const python::FunctionDef& function);

 private:
  void Signature(const python::FunctionDef& function, Graph& graph);
  void Statements(const std::vector<Stmt>& statements, Graph& graph);
  void Statement(const Stmt& stmt, Graph& graph);
  void Assign(const Stmt& stmt, Graph& graph);
  void If(const Stmt& stmt, Graph& graph);
  std::shared_ptr<Graph> Branch(const std::vector<Stmt>& statements, std::string* name,
                                std::uint32_t offset);
  void Dataflow(const Stmt& stmt, Graph& graph);
  void Nested(const Stmt& stmt, Graph& graph);
  void Effect(const Stmt& stmt, Graph& graph);
  void FuncAttr(const Expr& call, Graph& graph);

  // A node for what `expr` says, without results.
  Node* MakeNode(const Expr& expr, Graph& graph);
  Node* MakeCall(const Expr& call, Graph& graph);
  Node* MakeConstant(const Expr& call, Graph& graph);
  Node* MakeSubscript(const Expr& expr, Graph& graph);
  Node* MakeParts(const char* op, const Expr& expr, Graph& graph);
  static Node* Append(std::string_view op, Graph& graph);
  // The value of `expr`: a variable, or the result of a node that stands in place.
  Value* Operand(const Expr& expr, Graph& graph);
  void Arguments(const Expr& call, const std::string& op, Node& node, Graph& graph);
  static void AddAttribute(Node& node, std::string name, const Expr& expr);
  // Whether `expr` is computed when the function runs: it reads variables or calls operators.
  bool IsValue(const Expr& expr) const;

  void Bind(const std::string& name, Value* value);
  void AddSizes(const Type& type);
  void AddPlace(Node& node, std::uint32_t offset);
  void AddComments(Node& node, std::uint32_t offset);
  void Fail(const Expr& expr, std::string message) { Fail(expr.offset, std::move(message)); }
  void Fail(std::uint32_t offset, std::string message);

  const ModuleSyntax& module_;
  std::vector<Finding>& findings_;
  std::unordered_map<std::string, Value*> values_;
  std::unordered_set<std::string> sizes_;
  std::unordered_set<std::string> aliases_;           // of the module
  std::vector<std::pair<std::string, Value*>> undo_;  // what names meant before
  std::size_t line_number_ = 1;
  std::size_t line_begin_ = 0;
  int branches_ = 0;  // around the present statement
  bool returned_ = false;
};

void Builder::Fail(std::uint32_t offset, std::string message) {
  if (findings_.size() >= python::kMaxSourceFindings) return;
  findings_.push_back(python::FindingAt(ErrorKind::kInvalidInput, module_.file, module_.text,
                                        offset, std::move(message)));
}

void Builder::Bind(const std::string& name, Value* value) {
  Value*& slot = values_[name];
  undo_.emplace_back(name, slot);
  slot = value;
}

void Builder::AddSizes(const Type& type) {
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

// Statements come in order, so that lines are counted once.
void Builder::AddPlace(Node& node, std::uint32_t offset) {
  if (offset < line_begin_) {
    line_number_ = 1;
    line_begin_ = 0;
  }
  for (std::size_t at = module_.text.find('\n', line_begin_); at < offset;
       at = module_.text.find('\n', line_begin_)) {
    ++line_number_;
    line_begin_ = at + 1;
  }
  node.extra().emplace_back("relax.place",
                            fmt::format("{}:{}", line_number_, offset - line_begin_ + 1));
}

// Lines of comments that stand directly above the statement at `offset`.
void Builder::AddComments(Node& node, std::uint32_t offset) {
  const std::string_view text = module_.text;
  std::size_t line = text.rfind('\n', offset);
  Attribute::Strings comments;
  while (line != std::string_view::npos && line > 0) {
    const std::size_t before = text.rfind('\n', line - 1);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    std::string_view above = text.substr(begin, line - begin);
    above.remove_prefix(std::min(above.find_first_not_of(" \t"), above.size()));
    if (!above.starts_with('#')) break;
    while (above.ends_with('\r')) above.remove_suffix(1);
    comments.emplace_back(above);
    line = before;
  }
  std::reverse(comments.begin(), comments.end());
  if (!comments.empty()) node.extra().emplace_back("relax.comments", std::move(comments));
}

std::unique_ptr<Graph> Builder::Build(const python::FunctionDef& function) {
  auto graph = std::make_unique<Graph>();
  graph->set_name(function.name);
  aliases_.insert(module_.name);
  Signature(function, *graph);
  Statements(function.body, *graph);
  if (!returned_) Fail(function.offset, "the function returns nothing");
  return graph;
}

void Builder::Signature(const python::FunctionDef& function, Graph& graph) {
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

void Builder::Statements(const std::vector<Stmt>& statements, Graph& graph) {
  for (const Stmt& stmt : statements) Statement(stmt, graph);
}

void Builder::Statement(const Stmt& stmt, Graph& graph) {
  if (returned_) return Fail(stmt.offset, "a statement behind 'return'");
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
      if (stmt.value.kind == Kind::kTuple) {
        graph.extra().emplace_back("relax.returns_tuple", true);
        for (const Expr& part : stmt.value.parts) graph.AddOutput(Operand(part, graph));
      } else {
        graph.AddOutput(Operand(stmt.value, graph));
      }
      returned_ = true;
      return;
    default:
      return Fail(stmt.offset, "no statement of Relax");
  }
}

void Builder::Assign(const Stmt& stmt, Graph& graph) {
  for (const Expr& target : stmt.targets) {
    if (target.kind != Kind::kName) return Fail(target, "a name is expected");
  }
  if (!stmt.augmented.empty()) return Fail(stmt.offset, "no statement of Relax");
  Node* node = MakeNode(stmt.value, graph);
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
    // Names of sizes are no variables.
    if (op != "module" && !op.starts_with("T.")) Bind(target.text, result);
  }
  if (stmt.unpacks && stmt.targets.size() == 1) Fail(stmt.offset, "a tuple of one name");
}

std::shared_ptr<Graph> Builder::Branch(const std::vector<Stmt>& statements, std::string* name,
                                       std::uint32_t offset) {
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

void Builder::If(const Stmt& stmt, Graph& graph) {
  Value* condition = Operand(stmt.value, graph);
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

void Builder::Dataflow(const Stmt& stmt, Graph& graph) {
  const bool is_block = stmt.value.kind == Kind::kCall && stmt.value.parts.size() == 1 &&
                        DottedName(stmt.value.parts[0]) == "R.dataflow";
  if (!is_block || !stmt.targets.empty()) return Fail(stmt.offset, "no statement of Relax");
  Node* begin = graph.Append(InternOp("relax", "dataflow"), {});
  AddComments(*begin, stmt.offset);
  for (const Stmt& inner : stmt.body) {
    const bool is_plain = inner.kind == Stmt::Kind::kAssign || inner.kind == Stmt::Kind::kExpr ||
                          inner.kind == Stmt::Kind::kDef || inner.kind == Stmt::Kind::kPass;
    if (!is_plain) {
      Fail(inner.offset, "a dataflow block has bindings only");
      continue;
    }
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

void Builder::Nested(const Stmt& stmt, Graph& graph) {
  const python::FunctionDef& function = *stmt.function;
  Node* node = graph.Append(InternOp("relax", "function"), {});
  AddPlace(*node, stmt.offset);
  AddComments(*node, stmt.offset);
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

void Builder::FuncAttr(const Expr& call, Graph& graph) {
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

void Builder::Effect(const Stmt& stmt, Graph& graph) {
  const Expr& expr = stmt.value;
  if (expr.kind == Kind::kString) return;  // the documentation of a function
  if (expr.kind != Kind::kCall) return Fail(stmt.offset, "no statement of Relax");
  if (DottedName(expr.parts[0]) == "R.func_attr") return FuncAttr(expr, graph);
  Node* node = MakeNode(expr, graph);
  if (node == nullptr) return;
  AddPlace(*node, stmt.offset);
  AddComments(*node, stmt.offset);
}

bool Builder::IsValue(const Expr& expr) const {
  switch (expr.kind) {
    case Kind::kName: {
      const auto found = values_.find(expr.text);
      return found != values_.end() && found->second != nullptr;
    }
    case Kind::kCall: {
      if (IsAnnotation(expr)) return false;
      const std::string callee = DottedName(expr.parts[0]);
      return callee.starts_with("R.") || IsValue(expr.parts[0]) ||
             (expr.parts[0].kind == Kind::kAttribute &&
              aliases_.contains(DottedName(expr.parts[0].parts[0])));
    }
    case Kind::kSubscript:
      return expr.parts[0].IsName("metadata") || IsValue(expr.parts[0]) ||
             (expr.parts[0].kind == Kind::kSubscript && IsValue(expr.parts[0]));
    case Kind::kTuple:
    case Kind::kList:
    case Kind::kUnary:
    case Kind::kBinary:
      return std::any_of(expr.parts.begin(), expr.parts.end(),
                         [this](const Expr& part) { return IsValue(part); });
    default:
      return false;
  }
}

Node* Builder::Append(std::string_view op, Graph& graph) {
  return graph.Append(InternOp("relax", op), {});
}

Node* Builder::MakeParts(const char* op, const Expr& expr, Graph& graph) {
  std::vector<Value*> operands;
  for (const Expr& part : expr.parts) operands.push_back(Operand(part, graph));
  return graph.Append(InternOp("relax", op), operands);
}

// "metadata["…"][3]", "x[0]".
Node* Builder::MakeSubscript(const Expr& expr, Graph& graph) {
  const Expr& base = expr.parts[0];
  const Expr& index = expr.parts[1];
  if (base.kind == Kind::kSubscript && base.parts[0].IsName("metadata")) {
    Node* node = Append("metadata", graph);
    AddAttribute(*node, "type", base.parts[1]);
    AddAttribute(*node, "index", index);
    return node;
  }
  if (index.kind != Kind::kInt) {
    Fail(index, "an index of a tuple is a number");
    return nullptr;
  }
  Value* const operands[] = {Operand(base, graph)};
  Node* node = graph.Append(InternOp("relax", "TupleGetItem"), operands);
  AddAttribute(*node, "index", index);
  return node;
}

Node* Builder::MakeConstant(const Expr& call, Graph& graph) {
  const std::size_t positional = call.parts.size() - call.keywords.size();
  std::optional<DType> dtype;
  if (call.parts.size() < 2 || positional < 2 || call.parts.size() > 3) return nullptr;
  if (call.parts.size() == 3) {
    if (call.parts[2].kind != Kind::kString) return nullptr;
    dtype = DTypeFromName(call.parts[2].text);
    if (!dtype || NumpyName(*dtype) != call.parts[2].text) return nullptr;
  }
  std::optional<Tensor> tensor = ConstantOf(call.parts[1], dtype);
  if (!tensor) return nullptr;
  Node* node = Append("const", graph);
  node->SetAttribute("value", Attribute(std::move(*tensor)));
  return node;
}

void Builder::AddAttribute(Node& node, std::string name, const Expr& expr) {
  AttributeValue value = AttributeOf(expr);
  NamedAttribute attribute(std::move(name), std::move(value.value));
  if (!value.plain)
    attribute.extra = std::make_shared<const Extra>(
        Extra{NamedAttribute("relax.text", Attribute(ExprText(expr)))});
  node.AddAttribute(std::move(attribute));
}

// Operands by position and attributes by keyword go without saying; else a list tells, for each
// argument in order: "" an operand, "name=" an operand by keyword, "#name" an attribute by
// position, "name" an attribute by keyword.
void Builder::Arguments(const Expr& call, const std::string& op, Node& node, Graph& graph) {
  const std::size_t positional = call.parts.size() - call.keywords.size();
  const std::vector<SignatureParameter> signature = SignatureOf(op);
  Attribute::Strings layout;
  bool plain = true;
  bool attributes_begun = false;
  for (std::size_t i = 1; i < call.parts.size(); ++i) {
    const Expr& argument = call.parts[i];
    const bool by_keyword = i >= positional;
    std::string name = by_keyword ? call.keywords[i - positional]
                       : i <= signature.size() && !signature[i - 1].name.starts_with('*')
                           ? std::string(signature[i - 1].name)
                           : fmt::format("argument{}", i - 1);
    if (IsValue(argument)) {
      node.AddOperand(Operand(argument, graph));
      plain = plain && !by_keyword && !attributes_begun;
      layout.push_back(by_keyword ? name + "=" : "");
      continue;
    }
    attributes_begun = true;
    plain = plain && by_keyword;
    layout.push_back(by_keyword ? name : "#" + name);
    if (argument.kind == Kind::kName && !sizes_.contains(argument.text)) {
      Fail(argument, fmt::format("'{}' is not defined", argument.text));
    }
    AddAttribute(node, std::move(name), argument);
  }
  if (!plain) node.extra().emplace_back("relax.arguments", std::move(layout));
  graph.MoveBefore(&node, nullptr);  // behind the nodes of its operands
}

Node* Builder::MakeCall(const Expr& call, Graph& graph) {
  const Expr& callee = call.parts[0];
  const std::string name = DottedName(callee);
  if (name == "R.const") {
    if (Node* constant = MakeConstant(call, graph)) return constant;
  }
  if (callee.kind == Kind::kAttribute && aliases_.contains(DottedName(callee.parts[0]))) {
    Node* node = Append("call", graph);
    const std::string alias = DottedName(callee.parts[0]);
    node->SetAttribute("callee", Attribute(Symbol{callee.text}));
    if (alias != "cls") node->extra().emplace_back("relax.alias", alias);
    Arguments(call, "call", *node, graph);
    return node;
  }
  if (IsValue(callee)) {
    Node* node = Append("call_value", graph);
    node->AddOperand(Operand(callee, graph));
    Arguments(call, "call_value", *node, graph);
    return node;
  }
  if (name.empty() || name.find('.') == std::string::npos) {
    Fail(call, "this cannot be called");
    return nullptr;
  }
  const std::string op = name.starts_with("R.") ? name.substr(2) : name;
  Node* node = Append(op, graph);
  Arguments(call, op, *node, graph);
  return node;
}

Node* Builder::MakeNode(const Expr& expr, Graph& graph) {
  if (expr.kind == Kind::kCall && !IsAnnotation(expr) &&
      (IsValue(expr) || DottedName(expr.parts[0]).find('.') != std::string::npos ||
       expr.parts[0].kind != Kind::kName))
    return MakeCall(expr, graph);
  if (expr.kind == Kind::kName && IsValue(expr)) {
    Value* const operands[] = {values_.at(expr.text)};
    return graph.Append(InternOp("relax", "alias"), operands);
  }
  if (expr.kind == Kind::kName && aliases_.contains(expr.text)) {
    Node* node = Append("module", graph);
    node->SetAttribute("name", Attribute(expr.text));
    return node;
  }
  if (expr.kind == Kind::kName && !sizes_.contains(expr.text)) {
    Fail(expr, fmt::format("'{}' is not defined", expr.text));
    return nullptr;
  }
  if (expr.kind == Kind::kSubscript && IsValue(expr)) return MakeSubscript(expr, graph);
  const bool is_list = expr.kind == Kind::kTuple || expr.kind == Kind::kList;
  if (is_list && (IsValue(expr) || expr.parts.empty()))
    return MakeParts(expr.kind == Kind::kTuple ? "Tuple" : "List", expr, graph);
  if ((expr.kind == Kind::kBinary || expr.kind == Kind::kUnary) && IsValue(expr)) {
    Node* node = MakeParts(expr.kind == Kind::kBinary ? "binary" : "unary", expr, graph);
    node->SetAttribute("operator", Attribute(expr.text));
    return node;
  }
  Node* node = Append("literal", graph);
  AddAttribute(*node, "value", expr);
  return node;
}

Value* Builder::Operand(const Expr& expr, Graph& graph) {
  if (expr.kind == Kind::kName && IsValue(expr)) return values_.at(expr.text);
  Node* node = MakeNode(expr, graph);
  if (node == nullptr) return nullptr;
  node->extra().emplace_back("relax.inline", true);
  AddPlace(*node, expr.offset);
  return node->AddResult("");
}

}  // namespace

std::unique_ptr<Graph> BuildFunction(const ModuleSyntax& module,
                                     const python::FunctionDef& function,
                                     std::vector<Finding>& findings) {
  return Builder(module, findings).Build(function);
}

}  // namespace dragoman::tvmscript
