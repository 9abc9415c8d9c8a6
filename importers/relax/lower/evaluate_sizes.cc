// SPDX-License-Identifier: Apache-2.0
// Sizes and shapes: named sizes, arithmetic on them, casts.
#include <algorithm>
#include <utility>

#include "core/lowering/number_value.h"
#include "core/ops/elements.h"
#include "importers/relax/graph/expr_text.h"
#include "importers/relax/graph/parse_module.h"
#include "importers/relax/lower/evaluator.h"

namespace dragoman::tvmscript {

void Evaluator::SetInput(const Value& input, Abstract value, Scope& scope) {
  NameSizes(input.type(), value, scope);
  scope.values[&input] = std::move(value);
}

// Each size of `type` that is a new name alone is that of `value`.
void Evaluator::NameSizes(const Type& type, const Abstract& value, Scope& scope) {
  const auto* tuple = value.As<Tuple>();
  if (type.kind() == Type::Kind::kTuple && tuple != nullptr) {
    for (std::size_t i = 0; i < std::min(type.elements().size(), tuple->items->size()); ++i)
      NameSizes(type.element(i), (*tuple->items)[i], scope);
    return;
  }
  const bool is_tensor = type.is_tensor() && value.Is<TensorRef>();
  const std::optional<Shape> sizes = is_tensor && type.shape() != nullptr
                                         ? std::optional(*type.shape())
                                     : tuple != nullptr ? SizesOfShapeType(type)
                                                        : std::nullopt;
  if (!sizes) return;
  for (std::size_t i = 0; i < sizes->size(); ++i) {
    const std::string* symbol = (*sizes)[i].symbol();
    if (symbol == nullptr || scope.sizes.contains(*symbol)) continue;
    if (!is_tensor) {
      const auto* number = i < tuple->items->size() ? (*tuple->items)[i].As<Number>() : nullptr;
      if (number != nullptr) scope.sizes.emplace(*symbol, NamedSize{*number});
      continue;
    }
    const Result<Value*> tensor = heap_.Read(builder(), *value.As<TensorRef>());
    if (!tensor.ok()) continue;
    const std::optional<int> rank = (*tensor)->type().rank();
    if (!rank || *rank != static_cast<int>(sizes->size())) continue;
    scope.sizes.emplace(*symbol, NamedSize{{}, *tensor, static_cast<int>(i)});
  }
}

namespace {

// nullopt: `op` is not a comparison.
std::optional<bool> Compared(std::string_view op, std::int64_t a, std::int64_t b) {
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  if (op == ">") return a > b;
  if (op == ">=") return a >= b;
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  return std::nullopt;
}

Value* Comparison(Composer& c, std::string_view op, Value* a, Value* b) {
  if (op == "==") return c.Equal(a, b);
  if (op == "!=") return c.NotEqual(a, b);
  if (op == "<" || op == ">") return op == "<" ? c.Less(a, b) : c.Less(b, a);
  return op == ">=" ? c.GreaterOrEqual(a, b) : c.GreaterOrEqual(b, a);
}

}  // namespace

Result<Number> Evaluator::Combine(const std::string& op, const Number& a, const Number& b) {
  const auto operand = [](const Number& n) { return Dim(n.AsInt()); };
  if (a.known() && b.known()) {
    const Dim x = operand(a), y = operand(b);
    const Dim result = op == "+"     ? x + y
                       : op == "-"   ? x - y
                       : op == "*"   ? x * y
                       : op == "//"  ? FloorDiv(x, y)
                       : op == "%"   ? Mod(x, y)
                       : op == "min" ? Min(x, y)
                       : op == "max" ? Max(x, y)
                                     : Dim();
    if (const std::optional<bool> holds = Compared(op, a.AsInt(), b.AsInt()))
      return Number::Bool(*holds);
    if (!result.known()) return Unsupported("a size that has no value");
    return Number::Int(result.value());
  }
  Composer c(builder());
  DRAGOMAN_ASSIGN(Value * x, NumberValue(builder(), a, DType::kI64));
  DRAGOMAN_ASSIGN(Value * y, NumberValue(builder(), b, DType::kI64));
  if (Compared(op, 0, 0)) {
    DRAGOMAN_ASSIGN(Value * holds, c.Done(Comparison(c, op, x, y)));
    return NumberFrom(builder(), Number::Kind::kBool, holds);
  }
  Value* remainder = op == "//" || op == "%" ? c.Op("Mod", {x, y}) : nullptr;
  Value* result = op == "+"     ? c.Add(x, y)
                  : op == "-"   ? c.Sub(x, y)
                  : op == "*"   ? c.Mul(x, y)
                  : op == "//"  ? c.Div(c.Sub(x, remainder), y)
                  : op == "%"   ? remainder
                  : op == "min" ? c.Min(x, y)
                  : op == "max" ? c.Max(x, y)
                                : c.Fail("'" + op + "' of sizes is not supported");
  DRAGOMAN_ASSIGN(result, c.Done(result));
  return NumberFrom(builder(), Number::Kind::kInt, result);
}

Result<Number> Evaluator::ValueOf(const NamedSize& size) {
  if (size.tensor == nullptr) return size.number;
  Composer c(builder());
  DRAGOMAN_ASSIGN(Value * value, c.Done(c.Size(size.tensor, size.axis)));
  return NumberFrom(builder(), Number::Kind::kInt, value);
}

namespace {

// What a function of sizes computes, as Combine has it; else "".
std::string OperationOf(const std::string& function) {
  static constexpr std::pair<std::string_view, std::string_view> kFunctions[] = {
      {"T.min", "min"}, {"min", "min"},       {"T.max", "max"},
      {"max", "max"},   {"T.floordiv", "//"}, {"T.floormod", "%"}};
  for (const auto& [name, op] : kFunctions) {
    if (name == function) return std::string(op);
  }
  return "";
}

}  // namespace

Result<Number> Evaluator::SizeOf(const python::Expr& expr, const Scope& scope) {
  using Kind = python::Expr::Kind;
  if (expr.kind == Kind::kInt) return Number::Int(expr.int_value);
  if (expr.kind == Kind::kName) {
    const auto found = scope.sizes.find(expr.text);
    if (found != scope.sizes.end()) return ValueOf(found->second);
    return Unsupported("the size '" + expr.text +
                       "' does not follow from any parameter or match_cast");
  }
  if (expr.kind == Kind::kUnary && expr.text == "-") {
    DRAGOMAN_ASSIGN(const Number number, SizeOf(expr.parts[0], scope));
    return Combine("-", Number::Int(0), number);
  }
  std::string op = expr.kind == Kind::kBinary ? expr.text : "";
  std::size_t first = 0;
  if (expr.kind == Kind::kCall) {
    const std::string name = DottedName(expr.parts[0]);
    if (name == "T.int64" && expr.parts.size() == 2) return SizeOf(expr.parts[1], scope);
    if (name == "T.Cast" && expr.parts.size() == 3) return SizeOf(expr.parts[2], scope);
    op = OperationOf(name);
    first = 1;
  }
  if (op.empty() || expr.parts.size() != first + 2)
    return Unsupported("'" + ExprText(expr) + "' is not a size");
  DRAGOMAN_ASSIGN(const Number a, SizeOf(expr.parts[first], scope));
  DRAGOMAN_ASSIGN(const Number b, SizeOf(expr.parts[first + 1], scope));
  return Combine(op, a, b);
}

Result<Value*> Evaluator::SizesValue(const Shape& shape, const Scope& scope) {
  Composer c(builder());
  std::vector<Value*> parts;
  for (const Dim& size : shape) {
    DRAGOMAN_ASSIGN(const Number number, FindSize(size.ToString(), scope));
    DRAGOMAN_ASSIGN(Value * value, NumberValue(builder(), number, DType::kI64));
    parts.push_back(c.Vector(value));
  }
  return c.Done(parts.empty() ? c.Ints({}) : c.ConcatSizes(std::move(parts)));
}

Result<Number> Evaluator::FindSize(const std::string& text, const Scope& scope) {
  const Result<python::Expr> expr = ParseExpression(text);
  if (!expr.ok()) return Unsupported("'" + text + "' is not a size");
  // "T.float32(1)" as of R.prim_value.
  if (expr->kind == python::Expr::Kind::kCall && expr->parts.size() == 2) {
    const std::string name = DottedName(expr->parts[0]);
    const std::optional<DType> dtype =
        name.starts_with("T.") ? DTypeFromName(name.substr(2)) : std::nullopt;
    const std::optional<double> number = NumberOf(expr->parts[1]);
    if (dtype && IsFloating(*dtype) && number) return Number::Float(*number);
  }
  return SizeOf(*expr, scope);
}

Result<Abstract> Evaluator::Literal(const Attribute& attribute, Scope& scope) {
  if (const auto* number = attribute.As<std::int64_t>()) return Abstract(Number::Int(*number));
  if (const auto* number = attribute.As<double>()) return Abstract(Number::Float(*number));
  if (const auto* flag = attribute.As<bool>()) return Abstract(Number::Bool(*flag));
  if (const auto* text = attribute.As<std::string>()) return Abstract(String{*text});
  if (const auto* symbol = attribute.As<Symbol>()) {
    // "cls.f"
    const std::size_t dot = symbol->name.find('.');
    if (dot != std::string::npos && functions_.contains(symbol->name.substr(dot + 1))) {
      DRAGOMAN_ASSIGN(FunctionValue function, FunctionOf(symbol->name.substr(dot + 1)));
      return Abstract(std::move(function));
    }
    DRAGOMAN_ASSIGN(Number number, FindSize(symbol->name, scope));
    return Abstract(number);
  }
  std::vector<Abstract> items;
  if (const auto* ints = attribute.As<Attribute::Ints>()) {
    for (const std::int64_t value : *ints) items.emplace_back(Number::Int(value));
    return NewTuple(std::move(items));
  }
  if (const auto* list = attribute.As<Attribute::List>()) {
    for (const Attribute& item : *list) {
      DRAGOMAN_ASSIGN(Abstract value, Literal(item, scope));
      items.push_back(std::move(value));
    }
    return NewTuple(std::move(items));
  }
  return Unsupported("such a literal is not supported");
}

Result<Abstract> Evaluator::ShapeOf(const Node& node, Scope& scope) {
  DRAGOMAN_ASSIGN(Value * x, Tensor(node.operand(0), scope));
  Composer c(builder());
  const int rank = c.Rank(x);
  std::vector<Abstract> sizes;
  for (int i = 0; i < rank && !c.failed(); ++i) {
    Value* size = c.Size(x, i);
    if (!c.failed()) sizes.emplace_back(NumberFrom(builder(), Number::Kind::kInt, size));
  }
  DRAGOMAN_TRY(c.status());
  return NewTuple(std::move(sizes));
}

Result<Abstract> Evaluator::TensorToShape(const Node& node, Scope& scope) {
  DRAGOMAN_ASSIGN(Value * x, Tensor(node.operand(0), scope));
  Composer c(builder());
  const std::optional<std::int64_t> count = c.KnownSize(x, 0);
  if (!count || *count > 64) return Unsupported("a shape of unknown length");
  std::vector<Abstract> sizes;
  for (std::int64_t i = 0; i < *count && !c.failed(); ++i) {
    Value* size = c.Cast(c.Select(x, 0, i), DType::kI64);
    if (!c.failed()) sizes.emplace_back(NumberFrom(builder(), Number::Kind::kInt, size));
  }
  DRAGOMAN_TRY(c.status());
  return NewTuple(std::move(sizes));
}

Result<Abstract> Evaluator::ShapeToTensor(const Node& node, Scope& scope) {
  std::map<std::string, Argument, std::less<>> arguments;
  arguments["expr"].value = Get(node.operand(0), scope);
  Call call(heap_, builder(), std::move(arguments), nullptr, "");
  DRAGOMAN_ASSIGN(Value * tensor, call.Done(call.Sizes("expr")));
  return heap_.NewTensor(tensor);
}

// A run that does not have the sizes of `type` ends.
Result<Abstract> Evaluator::CastTensor(Value* value, const Type& type, Scope& scope) {
  if (type.dtype() != DType::kUnknown && type.dtype() != value->type().dtype())
    return Unsupported("the cast is to " + type.ToString() + ", the operand is of type " +
                       value->type().ToString());
  NameSizes(type, heap_.NewTensor(value), scope);
  const Shape* actual = value->type().shape();
  if (type.shape() == nullptr) return heap_.NewTensor(value);
  if (actual != nullptr && actual->size() != type.shape()->size())
    return Unsupported("the cast is to another rank");
  Composer c(builder());
  std::vector<Value*> sizes;
  bool proved = true;
  for (std::size_t i = 0; i < type.shape()->size(); ++i) {
    const Dim& dim = (*type.shape())[i];
    if (dim.unknown()) return heap_.NewTensor(value);
    const auto named =
        dim.symbol() != nullptr ? scope.sizes.find(*dim.symbol()) : scope.sizes.end();
    const bool is_own = named != scope.sizes.end() && named->second.tensor == value &&
                        named->second.axis == static_cast<int>(i);
    const bool is_known = dim.known() && actual != nullptr && (*actual)[i].known();
    if (is_known && dim.value() != (*actual)[i].value()) return Unsupported("the cast never holds");
    if (is_own || is_known) {
      sizes.push_back(nullptr);
      continue;
    }
    DRAGOMAN_ASSIGN(const Number size, FindSize(dim.ToString(), scope));
    DRAGOMAN_ASSIGN(Value * number, NumberValue(builder(), size, DType::kI64));
    sizes.push_back(c.Vector(number));
    const Knowledge known = entry_.inference().Know(number);
    const Truth same =
        actual != nullptr ? Equal(OnlyElement(known), (*actual)[i]) : Truth::kUnknown;
    if (same == Truth::kNo) return Unsupported("the cast never holds");
    proved = proved && same == Truth::kYes;
  }
  if (proved) return heap_.NewTensor(value);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == nullptr) sizes[i] = c.Vector(c.Size(value, static_cast<int>(i)));
  }
  Value* stated = c.ConcatSizes(sizes);
  Value* same = c.Equal(c.Shape(value), stated);
  same = c.Cast(c.ReduceAll("ReduceMin", c.Cast(same, DType::kI32)), DType::kBool);
  c.Assert(same, "match_cast: the sizes are not " + type.ToString());
  DRAGOMAN_ASSIGN(Value * cast, c.Done(c.Op("Reshape", {value, stated}, {{"allowzero", 1}})));
  return heap_.NewTensor(cast);
}

Result<Abstract> Evaluator::EvaluateCast(const Node& node, Scope& scope) {
  const Attribute* attribute =
      node.attributes().empty() ? nullptr : &node.attributes().front().value;
  const Type* type = attribute != nullptr ? attribute->As<Type>() : nullptr;
  if (type == nullptr) return Unsupported("a cast without a type");
  const Abstract value = Get(node.operand(0), scope);
  if (!type->is_tensor()) {
    NameSizes(*type, value, scope);
    return value;
  }
  DRAGOMAN_ASSIGN(Value * tensor, Tensor(node.operand(0), scope));
  return CastTensor(tensor, *type, scope);
}

}  // namespace dragoman::tvmscript
