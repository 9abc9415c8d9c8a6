// SPDX-License-Identifier: Apache-2.0
// Expressions as nodes.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "importers/relax/graph/expr_text.h"
#include "importers/relax/graph/function_builder.h"
#include "importers/relax/graph/signatures.h"

namespace dragoman::tvmscript {

using python::Expr;
using Kind = Expr::Kind;

namespace {

// What is higher is looked at once.
constexpr std::size_t kTall = 32;

// Operators of nodes that stand for statements.
bool IsStatement(std::string_view op) {
  return op == "dataflow" || op == "func_attr" || op == "function" || op == "if" || op == "output";
}

}  // namespace

void FunctionBuilder::FindTallValues(const Expr& expr) {
  tall_values_.clear();
  std::vector<std::pair<const Expr*, bool>> open;  // whether its parts are done
  if (expr.height > kTall) open.emplace_back(&expr, false);
  while (!open.empty()) {
    const Expr* at = open.back().first;
    if (std::exchange(open.back().second, true)) {
      tall_values_.emplace(at, IsValueByParts(*at));
      open.pop_back();
      continue;
    }
    for (const Expr& part : at->parts) {
      if (part.height > kTall) open.emplace_back(&part, false);
    }
  }
}

bool FunctionBuilder::IsValue(const Expr& expr) const {
  const auto known = expr.height > kTall ? tall_values_.find(&expr) : tall_values_.end();
  return known != tall_values_.end() ? known->second : IsValueByParts(expr);
}

bool FunctionBuilder::IsValueByParts(const Expr& expr) const {
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
      return expr.parts[0].IsName("metadata") || IsValue(expr.parts[0]);
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

Node* FunctionBuilder::Append(std::string_view op, Graph& graph) {
  return graph.Append(InternOp("relax", op), {});
}

Deep<Node*> FunctionBuilder::MakeParts(const char* op, const Expr& expr, Graph& graph) {
  std::vector<Value*> operands;
  for (const Expr& part : expr.parts) operands.push_back(co_await Operand(part, graph));
  co_return graph.Append(InternOp("relax", op), operands);
}

// "metadata["…"][3]", "x[0]".
Deep<Node*> FunctionBuilder::MakeSubscript(const Expr& expr, Graph& graph) {
  const Expr& base = expr.parts[0];
  const Expr& index = expr.parts[1];
  if (base.kind == Kind::kSubscript && base.parts[0].IsName("metadata")) {
    Node* node = Append("metadata", graph);
    AddAttribute(*node, "type", base.parts[1]);
    AddAttribute(*node, "index", index);
    co_return node;
  }
  if (index.kind != Kind::kInt) {
    Fail(index, "an index of a tuple is a number");
    co_return nullptr;
  }
  Value* const operands[] = {co_await Operand(base, graph)};
  Node* node = graph.Append(InternOp("relax", "TupleGetItem"), operands);
  AddAttribute(*node, "index", index);
  co_return node;
}

Node* FunctionBuilder::MakeConstant(const Expr& call, Graph& graph) {
  const std::size_t positional = call.parts.size() - call.keywords.size();
  std::optional<DType> dtype;
  if (call.parts.size() < 2 || positional < 2 || call.parts.size() > 3) return nullptr;
  if (call.height > python::kMaxSourceHeight) return nullptr;
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

void FunctionBuilder::AddAttribute(Node& node, std::string name, const Expr& expr) {
  if (expr.height > python::kMaxSourceHeight) {
    Fail(expr, fmt::format("an attribute of more than {} levels", python::kMaxSourceHeight));
    return;
  }
  AttributeValue value = AttributeOf(expr);
  NamedAttribute attribute(std::move(name), std::move(value.value));
  if (!value.plain)
    attribute.extra = std::make_shared<const Extra>(
        Extra{NamedAttribute("relax.text", Attribute(ExprText(expr)))});
  node.AddAttribute(std::move(attribute));
}

// Operands by position and attributes by keyword go without saying; else a list says, for each
// argument in order: "" an operand, "name=" an operand by keyword, "#name" an attribute by
// position, "name" an attribute by keyword.
Deep<Node*> FunctionBuilder::AddArguments(const Expr& call, const std::string& op, Node* node,
                                          Graph& graph) {
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
      node->AddOperand(co_await Operand(argument, graph));
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
    AddAttribute(*node, std::move(name), argument);
  }
  if (!plain) node->extra().emplace_back("relax.arguments", std::move(layout));
  graph.MoveBefore(node, nullptr);  // after the nodes of its operands
  co_return node;
}

Deep<Node*> FunctionBuilder::MakeCall(const Expr& call, Graph& graph) {
  const Expr& callee = call.parts[0];
  const std::string name = DottedName(callee);
  if (name == "R.const") {
    if (Node* constant = MakeConstant(call, graph)) co_return constant;
  }
  if (name == "R.TupleGetItem" && call.parts.size() == 3 && call.keywords.empty() &&
      call.parts[2].kind == Kind::kInt) {
    Value* const operands[] = {co_await Operand(call.parts[1], graph)};
    Node* node = graph.Append(InternOp("relax", "TupleGetItem"), operands);
    AddAttribute(*node, "index", call.parts[2]);
    co_return node;
  }
  if (callee.kind == Kind::kAttribute && aliases_.contains(DottedName(callee.parts[0]))) {
    Node* node = Append("call", graph);
    const std::string alias = DottedName(callee.parts[0]);
    node->SetAttribute("callee", Attribute(Symbol{callee.text}));
    if (alias != "cls") node->extra().emplace_back("relax.alias", alias);
    co_return co_await AddArguments(call, "call", node, graph);
  }
  if (IsValue(callee)) {
    Node* node = Append("call_value", graph);
    node->AddOperand(co_await Operand(callee, graph));
    co_return co_await AddArguments(call, "call_value", node, graph);
  }
  if (name.empty() || name.find('.') == std::string::npos) {
    Fail(call, "this cannot be called");
    co_return nullptr;
  }
  const std::string op = name.starts_with("R.") ? name.substr(2) : name;
  if (IsStatement(op) && !std::exchange(takes_output_, false)) {
    Fail(call, name + " cannot stand here");
    co_return nullptr;
  }
  co_return co_await AddArguments(call, op, Append(op, graph), graph);
}

Deep<Node*> FunctionBuilder::MakeNode(const Expr& expr, Graph& graph) {
  if (expr.kind == Kind::kCall && !IsAnnotation(expr) &&
      (IsValue(expr) || DottedName(expr.parts[0]).find('.') != std::string::npos ||
       expr.parts[0].kind != Kind::kName))
    co_return co_await MakeCall(expr, graph);
  if (expr.kind == Kind::kName && IsValue(expr)) {
    Value* const operands[] = {values_.at(expr.text)};
    co_return graph.Append(InternOp("relax", "alias"), operands);
  }
  if (expr.kind == Kind::kName && aliases_.contains(expr.text)) {
    Node* node = Append("module", graph);
    node->SetAttribute("name", Attribute(expr.text));
    co_return node;
  }
  if (expr.kind == Kind::kName && !sizes_.contains(expr.text)) {
    Fail(expr, fmt::format("'{}' is not defined", expr.text));
    co_return nullptr;
  }
  if (expr.kind == Kind::kSubscript && IsValue(expr)) co_return co_await MakeSubscript(expr, graph);
  const bool is_list = expr.kind == Kind::kTuple || expr.kind == Kind::kList;
  if (is_list && (IsValue(expr) || expr.parts.empty()))
    co_return co_await MakeParts(expr.kind == Kind::kTuple ? "Tuple" : "List", expr, graph);
  if ((expr.kind == Kind::kBinary || expr.kind == Kind::kUnary) && IsValue(expr)) {
    const char* op = expr.kind == Kind::kBinary ? "binary" : "unary";
    Node* node = co_await MakeParts(op, expr, graph);
    node->SetAttribute("operator", Attribute(expr.text));
    co_return node;
  }
  if (expr.kind == Kind::kCall && expr.parts[0].kind == Kind::kName &&
      std::any_of(expr.parts.begin() + 1, expr.parts.end(),
                  [this](const Expr& part) { return IsValue(part); })) {
    Fail(expr, fmt::format("'{}' is not defined", expr.parts[0].text));
    co_return nullptr;
  }
  Node* node = Append("literal", graph);
  AddAttribute(*node, "value", expr);
  co_return node;
}

Deep<Value*> FunctionBuilder::Operand(const Expr& expr, Graph& graph) {
  if (expr.kind == Kind::kName && IsValue(expr)) co_return values_.at(expr.text);
  Node* node = co_await MakeNode(expr, graph);
  if (node == nullptr) co_return nullptr;
  node->extra().emplace_back("relax.inline", true);
  AddPlace(*node, expr.offset);
  co_return node->AddResult("");
}

}  // namespace dragoman::tvmscript
