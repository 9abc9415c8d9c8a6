#include "importers/relax/lower/evaluator.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/lowering/branch.h"
#include "core/lowering/number_value.h"
#include "importers/relax/graph/expr_text.h"
#include "importers/relax/graph/parse_module.h"
#include "importers/relax/graph/signatures.h"

namespace dragoman::tvmscript {
namespace {

constexpr std::size_t kMaxCalls = 64;             // that nest
constexpr std::size_t kMaxNodesRun = 16'000'000;  // calls are lowered anew wherever they stand

bool IsPoisoned(const Abstract& value) {
  if (value.Is<Poison>()) return true;
  const auto* tuple = value.As<Tuple>();
  return tuple != nullptr && std::ranges::any_of(*tuple->items, IsPoisoned);
}

// What the lowering has no use for.
bool SaysNothing(const std::string& op) {
  static constexpr std::string_view kOps[] = {"dataflow", "func_attr", "module", "output"};
  return std::ranges::count(kOps, op) > 0 || op.starts_with("T.");
}

std::string PlaceOf(const Node& node) {
  const Extra* extra = node.extra_if_any();
  const Attribute* place = extra != nullptr ? Find(*extra, "relax.place") : nullptr;
  const auto* text = place != nullptr ? place->As<std::string>() : nullptr;
  const std::string op = "R." + node.op().type;
  return text != nullptr ? fmt::format("line {} ({})", *text, op) : op;
}

Abstract NewTuple(std::vector<Abstract> items) {
  return Tuple{std::make_shared<const std::vector<Abstract>>(std::move(items))};
}

std::string_view OperatorOf(const std::string& sign, bool unary) {
  static constexpr std::pair<std::string_view, std::string_view> kSigns[] = {
      {"+", "add"},           {"-", "subtract"},  {"*", "multiply"},      {"/", "divide"},
      {"//", "floor_divide"}, {"%", "floor_mod"}, {"**", "power"},        {"<", "less"},
      {"<=", "less_equal"},   {">", "greater"},   {">=", "greater_equal"}};
  if (unary) return sign == "-" ? "negative" : "";
  for (const auto& [known, op] : kSigns) {
    if (known == sign) return op;
  }
  return "";
}

}  // namespace

Evaluator::Evaluator(const Model& source, Heap& heap, Graph& graph, Inference& inference)
    : heap_(heap), entry_(heap, graph, inference) {
  for (const Function& function : source.functions)
    functions_.emplace(function.op->type, function.graph.get());
  for (const Entry& entry : source.entries) functions_.emplace(entry.name, entry.graph.get());
}

const Abstract& Evaluator::Get(const Value* value, const Scope& scope) const {
  static const Abstract kNothing = Poison();
  const auto found = scope.values.find(value);
  return found != scope.values.end() ? found->second : kNothing;
}

Result<Value*> Evaluator::Tensor(const Value* value, const Scope& scope) {
  const Abstract& given = Get(value, scope);
  if (const auto* tensor = given.As<TensorRef>()) return heap_.Read(builder(), *tensor);
  return Unsupported("an operand is " + Describe(given) + ", not a tensor");
}

void Evaluator::Report(const Node& node, const Error& error) {
  for (Finding finding : error.findings()) {
    // What a common operator refuses, Relax allows.
    if (finding.kind == ErrorKind::kInvalidInput) finding.kind = ErrorKind::kUnsupported;
    if (!finding.place.starts_with("line ")) {
      if (!finding.place.empty()) finding.message = finding.place + ": " + finding.message;
      finding.place = PlaceOf(node);
    }
    entry_.findings.push_back(std::move(finding));
  }
}

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
    if (!result.known()) return Unsupported("a size that has no value");
    return Number::Int(result.value());
  }
  Composer c(builder());
  DRAGOMAN_ASSIGN(Value * x, NumberValue(builder(), a, DType::kI64));
  DRAGOMAN_ASSIGN(Value * y, NumberValue(builder(), b, DType::kI64));
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

Result<Number> Evaluator::SizeOf(const python::Expr& expr, const Scope& scope) {
  using Kind = python::Expr::Kind;
  if (expr.kind == Kind::kInt) return Number::Int(expr.int_value);
  if (expr.kind == Kind::kName) {
    const auto found = scope.sizes.find(expr.text);
    if (found != scope.sizes.end()) return ValueOf(found->second);
    return Unsupported("the size '" + expr.text + "' is not told by any parameter or match_cast");
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
    op = name == "T.min" || name == "min" ? "min" : name == "T.max" || name == "max" ? "max" : "";
    first = 1;
  }
  if (op.empty() || expr.parts.size() != first + 2)
    return Unsupported("'" + ExprText(expr) + "' is no size");
  DRAGOMAN_ASSIGN(const Number a, SizeOf(expr.parts[first], scope));
  DRAGOMAN_ASSIGN(const Number b, SizeOf(expr.parts[first + 1], scope));
  return Combine(op, a, b);
}

Result<Number> Evaluator::FindSize(const std::string& text, const Scope& scope) {
  const Result<python::Expr> expr = ParseExpression(text);
  if (!expr.ok()) return Unsupported("'" + text + "' is no size");
  // "T.float32(1)" as of R.prim_value.
  if (expr->kind == python::Expr::Kind::kCall && expr->parts.size() == 2 &&
      DottedName(expr->parts[0]).starts_with("T.float")) {
    if (const std::optional<double> number = NumberOf(expr->parts[1]))
      return Number::Float(*number);
  }
  return SizeOf(*expr, scope);
}

Result<Abstract> Evaluator::Literal(const Attribute& attribute, Scope& scope) {
  if (const auto* number = attribute.As<std::int64_t>()) return Abstract(Number::Int(*number));
  if (const auto* number = attribute.As<double>()) return Abstract(Number::Float(*number));
  if (const auto* flag = attribute.As<bool>()) return Abstract(Number::Bool(*flag));
  if (const auto* text = attribute.As<std::string>()) return Abstract(String{*text});
  if (const auto* symbol = attribute.As<Symbol>()) {
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
    const bool has_form = known.elements && known.elements->size() == 1 && actual != nullptr;
    const Truth same = has_form ? Equal(known.elements->front(), (*actual)[i]) : Truth::kUnknown;
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

// R.print, R.assert_op.
Result<Abstract> Evaluator::EvaluateEffect(const Node& node, Scope& scope) {
  std::vector<Value*> operands;
  for (const Use& use : node.operands()) {
    const Abstract& value = Get(use.value(), scope);
    if (const auto* list = value.As<Tuple>()) {
      for (const Abstract& item : *list->items) {
        const auto* tensor = item.As<TensorRef>();
        if (tensor == nullptr) return Unsupported("only tensors can be printed");
        DRAGOMAN_ASSIGN(Value * read, heap_.Read(builder(), *tensor));
        operands.push_back(read);
      }
      continue;
    }
    DRAGOMAN_ASSIGN(Value * read, Tensor(use.value(), scope));
    operands.push_back(read);
  }
  const Attribute* format = node.attribute("format");
  const auto* text = format != nullptr ? format->As<std::string>() : nullptr;
  std::string message;
  for (const char c : text != nullptr ? *text : std::string()) {
    const bool doubled = (c == '{' || c == '}') && message.ends_with(c);
    if (!doubled) message += c;
  }
  const bool asserts = node.op().type == "assert_op";
  if (asserts && operands.empty()) return InvalidInput("it has no condition");
  const std::vector<NamedAttribute> attributes = {{"message", Attribute(message)}};
  DRAGOMAN_TRY(
      builder().Append(asserts ? "dragoman.Assert" : "dragoman.Print", operands, attributes, {}));
  return NewTuple({});
}

Result<Abstract> Evaluator::EvaluateCall(const Node& node, Scope& scope) {
  const Attribute* callee = node.attribute("callee");
  const auto* symbol = callee != nullptr ? callee->As<Symbol>() : nullptr;
  const auto found = symbol != nullptr ? functions_.find(symbol->name) : functions_.end();
  if (found == functions_.end())
    return Unsupported("the module has no Relax function '" +
                       (symbol != nullptr ? symbol->name : "") + "'");
  const Graph& function = *found->second;
  if (std::ranges::count(calls_, &function) > 0)
    return Unsupported("the function '" + symbol->name + "' calls itself, which is not supported");
  if (calls_.size() >= kMaxCalls) return Unsupported("calls nest too deep");
  if (node.num_operands() != function.num_inputs())
    return InvalidInput(fmt::format("'{}' takes {} arguments, the call has {}", symbol->name,
                                    function.num_inputs(), node.num_operands()));
  Scope inner;
  for (std::size_t i = 0; i < function.num_inputs(); ++i)
    SetInput(*function.input(i), Get(node.operand(i), scope), inner);
  return Run(function, inner);
}

Result<Abstract> Evaluator::EvaluateIf(const Node& node, Scope& scope) {
  DRAGOMAN_ASSIGN(Value * condition, Tensor(node.operand(0), scope));
  if (condition->type().dtype() != DType::kBool) return Unsupported("a condition that is no bool");
  Composer c(builder());
  if (c.MaybeRank(condition) != 0) condition = c.Reshape(condition, std::vector<std::int64_t>{});
  DRAGOMAN_ASSIGN(condition, c.Done(condition));
  const auto run = [&](bool holds, std::vector<Abstract>& results) {
    const Attribute* body = node.attribute(holds ? "then_branch" : "else_branch");
    Scope inner = scope;
    for (const Node& statement : body->graph()->nodes()) RunNode(statement, inner);
    results.push_back(Get(body->graph()->output(0), inner));
    return Flow::kNext;
  };
  if (node.attribute("then_branch") == nullptr || node.attribute("else_branch") == nullptr)
    return InvalidInput("an if without branches");
  const Number known = NumberFrom(builder(), Number::Kind::kBool, condition);
  std::vector<Abstract> results;
  if (known.known()) {
    run(known.AsInt() != 0, results);
    return results.front();
  }
  Branches branches;
  branches.names = {node.result(0)->name()};
  branches.run = [&](bool holds, bool, std::vector<Abstract>& given) { return run(holds, given); };
  const std::size_t findings = entry_.findings.size();
  DRAGOMAN_ASSIGN(const Flow flow, RunBranches(entry_, condition, branches, results));
  if (entry_.findings.size() != findings || flow != Flow::kNext || results.empty())
    return Abstract(Poison());
  return results.front();
}

Result<Abstract> Evaluator::EvaluateOperator(const Node& node, const std::string& op,
                                             Scope& scope) {
  const LoweringRow* row = FindLowering(op);
  if (row == nullptr) return Unsupported("the operator has no lowering");
  const std::vector<SignatureParameter> signature = SignatureOf(op);
  std::map<std::string, Argument, std::less<>> arguments;
  for (const SignatureParameter& parameter : signature) {
    if (!parameter.absent) continue;
    const Result<python::Expr> value = ParseExpression(std::string(*parameter.absent));
    if (value.ok()) arguments[std::string(parameter.name)].attribute = AttributeOf(*value).value;
  }
  const Extra* extra = node.extra_if_any();
  const Attribute* layout = extra != nullptr ? Find(*extra, "relax.arguments") : nullptr;
  const auto* names = layout != nullptr ? layout->As<Attribute::Strings>() : nullptr;
  std::size_t operand = 0;
  const std::size_t count = names != nullptr ? names->size() : node.num_operands();
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = names != nullptr ? (*names)[i] : "";
    if (!name.empty() && !name.ends_with('=')) continue;
    if (name.empty() && i >= signature.size()) return InvalidInput("it has too many arguments");
    const std::string parameter =
        name.empty() ? std::string(signature[i].name) : name.substr(0, name.size() - 1);
    arguments[parameter] = {Get(node.operand(operand++), scope), std::nullopt};
  }
  for (const NamedAttribute& attribute : node.attributes()) {
    const auto known =
        std::ranges::find(signature, std::string_view(attribute.name), &SignatureParameter::name);
    if (known == signature.end() && attribute.name != "operator")
      return Unsupported("the argument '" + attribute.name + "' is not known");
    arguments[attribute.name] = {Abstract(), attribute.value};
  }
  Call call(
      heap_, builder(), std::move(arguments),
      [&](const std::string& text) { return FindSize(text, scope); }, row->target);
  Abstract result = row->lower(call);
  DRAGOMAN_TRY(call.status());
  return result;
}

Result<Abstract> Evaluator::Evaluate(const Node& node, Scope& scope) {
  const std::string& op = node.op().type;
  if (op == "const" && node.attribute("value") != nullptr) {
    const dragoman::Tensor* tensor = node.attribute("value")->tensor();
    if (tensor == nullptr) return Unsupported("such a constant is not supported");
    return heap_.NewTensor(builder().Constant(*tensor));
  }
  if (op == "literal" || op == "shape" || op == "prim_value") {
    if (node.attributes().size() != 1) return Unsupported("such a literal is not supported");
    return Literal(node.attributes().front().value, scope);
  }
  if (op == "alias") return Get(node.operand(0), scope);
  if (op == "Tuple" || op == "List" || op == "tuple") {
    std::vector<Abstract> items;
    for (const Use& use : node.operands()) items.push_back(Get(use.value(), scope));
    return NewTuple(std::move(items));
  }
  if (op == "TupleGetItem") {
    const auto* tuple = Get(node.operand(0), scope).As<Tuple>();
    const Attribute* attribute = node.attribute("index");
    const auto* index = attribute != nullptr ? attribute->As<std::int64_t>() : nullptr;
    if (tuple == nullptr || index == nullptr || *index < 0 ||
        *index >= static_cast<std::int64_t>(tuple->items->size()))
      return Unsupported("an element of what is no tuple of so many elements");
    return (*tuple->items)[static_cast<std::size_t>(*index)];
  }
  if (op == "if") return EvaluateIf(node, scope);
  if (op == "call") return EvaluateCall(node, scope);
  if (op == "match_cast") return EvaluateCast(node, scope);
  if (op == "shape_of") return ShapeOf(node, scope);
  if (op == "tensor_to_shape") return TensorToShape(node, scope);
  if (op == "shape_to_tensor") return ShapeToTensor(node, scope);
  if (op == "print" || op == "assert_op") return EvaluateEffect(node, scope);
  if (op == "binary" || op == "unary") {
    const Attribute* sign = node.attribute("operator");
    const auto* text = sign != nullptr ? sign->As<std::string>() : nullptr;
    return EvaluateOperator(
        node, std::string(OperatorOf(text != nullptr ? *text : "", op == "unary")), scope);
  }
  return EvaluateOperator(node, op, scope);
}

void Evaluator::RunNode(const Node& node, Scope& scope) {
  if (SaysNothing(node.op().type)) return;
  const auto poisoned = [&](const Use& use) { return IsPoisoned(Get(use.value(), scope)); };
  Result<Abstract> result = Abstract(Poison());
  if (++nodes_ > kMaxNodesRun) {
    result = Unsupported("the functions that are called are too large");
  } else if (std::ranges::none_of(node.operands(), poisoned)) {
    std::vector<NamedAttribute> attributes;
    for (const NamedAttribute& attribute : node.attributes()) {
      if (attribute.value.graph() == nullptr) attributes.push_back(attribute);
    }
    const std::string name = node.num_results() > 0 ? node.result()->name() : "";
    builder().set_origin(Origin::Leaf(
        {.op = node.op().ToString(), .name = name, .attributes = std::move(attributes)}));
    result = Evaluate(node, scope);
  }
  if (!result.ok()) Report(node, result.error());
  const Abstract value = result.ok() ? *result : Abstract(Poison());
  if (node.num_results() == 1) {
    scope.values[node.result()] = value;
    return;
  }
  const auto* tuple = value.As<Tuple>();
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    const bool has = tuple != nullptr && i < tuple->items->size();
    scope.values[node.result(i)] = has ? (*tuple->items)[i] : Abstract(Poison());
  }
}

Abstract Evaluator::Run(const Graph& function, Scope& scope) {
  for (const auto& constant : function.constants()) {
    if (constant->tensor() == nullptr) continue;
    SetInput(*constant, heap_.NewTensor(builder().Constant(*constant->tensor(), constant->name())),
             scope);
  }
  calls_.push_back(&function);
  for (const Node& node : function.nodes()) RunNode(node, scope);
  calls_.pop_back();
  const Extra* extra = function.extra_if_any();
  if (extra == nullptr || Find(*extra, "relax.returns_tuple") == nullptr)
    return function.num_outputs() == 1 ? Get(function.output(0), scope) : Abstract(Poison());
  std::vector<Abstract> results;
  for (const Use& output : function.outputs()) results.push_back(Get(output.value(), scope));
  return NewTuple(std::move(results));
}

}  // namespace dragoman::tvmscript
