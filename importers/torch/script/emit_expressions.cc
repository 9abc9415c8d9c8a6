// SPDX-License-Identifier: Apache-2.0
// Expressions without calls.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/support/python/lexer.h"
#include "importers/torch/script/function_emitter.h"
#include "importers/torch/script/type_parts.h"

namespace dragoman::torch {
namespace {

ScriptType TupleOf(const std::vector<Typed>& items) {
  std::vector<ScriptType> types;
  for (const Typed& item : items) types.push_back(item.type);
  return ScriptType::Tuple(std::move(types));
}

std::string TooLargeTuple() {
  return fmt::format("a tuple nested deeper than {}, or of more than {} parts", Type::kMaxNesting,
                     kMaxTypeParts);
}

using Kind = ScriptType::Kind;

struct Property {
  Kind owner;
  std::string_view name;
  std::string_view op;
};

constexpr std::array<Property, 20> kProperties = {{
    {Kind::kTensor, "dtype", "prim::dtype"},
    {Kind::kTensor, "device", "prim::device"},
    {Kind::kTensor, "grad", "prim::grad"},
    {Kind::kTensor, "data", "prim::data"},
    {Kind::kTensor, "shape", "prim::shape"},
    {Kind::kTensor, "is_cuda", "prim::is_cuda"},
    {Kind::kTensor, "is_cpu", "prim::is_cpu"},
    {Kind::kTensor, "is_sparse", "prim::is_sparse"},
    {Kind::kTensor, "is_mkldnn", "prim::is_mkldnn"},
    {Kind::kTensor, "is_quantized", "prim::is_quantized"},
    {Kind::kTensor, "layout", "prim::layout"},
    {Kind::kTensor, "ndim", "prim::ndim"},
    {Kind::kTensor, "name", "prim::name"},
    {Kind::kTensor, "requires_grad", "prim::requires_grad"},
    {Kind::kTensor, "T", "prim::T"},
    {Kind::kTensor, "mT", "aten::mT"},
    {Kind::kTensor, "real", "aten::real"},
    {Kind::kTensor, "imag", "aten::imag"},
    {Kind::kDevice, "type", "prim::type"},
    {Kind::kDevice, "index", "prim::index"},
}};

struct OperatorName {
  std::string_view text;
  std::string_view op;
};

constexpr std::array<OperatorName, 22> kOperators = {
    {{"+", "aten::add"},          {"-", "aten::sub"},       {"*", "aten::mul"},
     {"/", "aten::div"},          {"//", "aten::floordiv"}, {"%", "aten::remainder"},
     {"**", "aten::pow"},         {"@", "aten::matmul"},    {"&", "aten::__and__"},
     {"|", "aten::__or__"},       {"^", "aten::__xor__"},   {"<<", "aten::__lshift__"},
     {">>", "aten::__rshift__"},  {"<", "aten::lt"},        {"<=", "aten::le"},
     {">", "aten::gt"},           {">=", "aten::ge"},       {"==", "aten::eq"},
     {"!=", "aten::ne"},          {"is", "aten::__is__"},   {"is not", "aten::__isnot__"},
     {"in", "aten::__contains__"}}};

constexpr std::array<std::string_view, 12> kSpecialForms = {
    "annotate", "unchecked_cast", "uninitialized", "isinstance", "getattr", "fork",
    "hasattr",  "print",          "awaitable",     "tuple",      "list",    "dict"};
constexpr std::array<std::string_view, 5> kCasts = {"int", "float", "bool", "str", "complex"};

struct GlobalName {
  std::string_view name;
  std::string_view op;
};

constexpr std::array<GlobalName, 16> kGlobals = {{{"len", "aten::len"},
                                                  {"abs", "prim::abs"},
                                                  {"max", "prim::max"},
                                                  {"min", "prim::min"},
                                                  {"ord", "aten::ord"},
                                                  {"chr", "aten::chr"},
                                                  {"hex", "aten::hex"},
                                                  {"oct", "aten::oct"},
                                                  {"bin", "aten::bin"},
                                                  {"hash", "aten::hash"},
                                                  {"round", "aten::round"},
                                                  {"pow", "aten::pow"},
                                                  {"sum", "aten::sum"},
                                                  {"sorted", "aten::sorted"},
                                                  {"divmod", "aten::divmod"},
                                                  {"rangelist", "prim::rangelist"}}};

ScriptType TypeOfLiteral(const Attribute& value) {
  switch (value.kind()) {
    case Attribute::Kind::kInt:
      return ScriptType(Kind::kInt);
    case Attribute::Kind::kDouble:
      return ScriptType(Kind::kFloat);
    case Attribute::Kind::kComplex:
      return ScriptType(Kind::kComplex);
    case Attribute::Kind::kBool:
      return ScriptType(Kind::kBool);
    case Attribute::Kind::kString:
      return ScriptType(Kind::kString);
    default:
      return ScriptType(Kind::kNone);
  }
}

}  // namespace

Result<Typed> FunctionEmitter::EmitExpr(const Expr& expr, const ScriptType* hint) {
  builder_.SetOffset(expr.offset);
  switch (expr.kind) {
    case Expr::Kind::kList:
      return EmitList(expr, hint);
    case Expr::Kind::kDict:
      return EmitDict(expr, hint);
    case Expr::Kind::kTuple:
      return EmitTuple(expr, hint);
    case Expr::Kind::kSubscript:
      return EmitSubscript(expr, hint);
    case Expr::Kind::kConditional:
      return EmitConditional(expr, hint);
    case Expr::Kind::kCall:
      return EmitCall(expr, hint);
    case Expr::Kind::kName:
    case Expr::Kind::kAttribute: {
      DRAGOMAN_ASSIGN(Sugared sugared, EmitSugared(expr, hint));
      return AsValue(std::move(sugared));
    }
    default:
      break;
  }
  const auto literal = LiteralOf(expr);
  if (literal) return builder_.Constant(*literal, TypeOfLiteral(*literal));
  if (expr.kind == Expr::Kind::kUnary || expr.kind == Expr::Kind::kBinary) {
    return EmitOperator(expr);
  }
  return Fail("an expression is expected");
}

Result<Typed> FunctionEmitter::AsValue(Sugared sugared) {
  if (sugared.kind == Sugared::Kind::kValue) return std::move(sugared.value);
  return Fail(fmt::format("'{}' is not a value", sugared.name));
}

Result<FunctionEmitter::Sugared> FunctionEmitter::EmitSugared(const Expr& expr,
                                                              const ScriptType* hint) {
  if (expr.kind == Expr::Kind::kName) return EmitName(expr);
  if (expr.kind == Expr::Kind::kAttribute) return EmitAttribute(expr);
  DRAGOMAN_ASSIGN(Typed value, EmitExpr(expr, hint));
  return Sugared{Sugared::Kind::kValue, {}, std::move(value)};
}

Result<FunctionEmitter::Sugared> FunctionEmitter::EmitName(const Expr& expr) {
  const std::string& name = expr.text;
  if (const Typed* variable = environment_.Find(name)) {
    return Sugared{Sugared::Kind::kValue, {}, *variable};
  }
  if (const std::string* alias = environment_.FindAlias(name)) {
    return Sugared{Sugared::Kind::kQualified, *alias};
  }
  if (environment_.FindClosure(name) != nullptr) return Sugared{Sugared::Kind::kClosure, name};
  if (const auto literal = LiteralOf(expr)) {
    return Sugared{Sugared::Kind::kValue, {}, builder_.Constant(*literal, TypeOfLiteral(*literal))};
  }
  if (name == "torch" || name == "ops" || name == "CONSTANTS") {
    return Sugared{Sugared::Kind::kNamespace, name};
  }
  if (name == "__torch__") return Sugared{Sugared::Kind::kQualified, name};
  if (std::find(kSpecialForms.begin(), kSpecialForms.end(), name) != kSpecialForms.end()) {
    return Sugared{Sugared::Kind::kSpecial, name};
  }
  if (std::find(kCasts.begin(), kCasts.end(), name) != kCasts.end()) {
    return Sugared{Sugared::Kind::kCast, name};
  }
  for (const GlobalName& global : kGlobals) {
    if (global.name == name) return Sugared{Sugared::Kind::kBuiltin, std::string(global.op)};
  }
  return Fail(fmt::format("'{}' is not defined", name));
}

Result<FunctionEmitter::Sugared> FunctionEmitter::EmitAttribute(const Expr& expr) {
  DRAGOMAN_ASSIGN(const Sugared base, EmitSugared(expr.parts[0]));
  builder_.SetOffset(expr.offset);
  const std::string& name = expr.text;
  switch (base.kind) {
    case Sugared::Kind::kValue:
      return AttributeOf(base.value, name);
    case Sugared::Kind::kQualified:
      return QualifiedAttribute(base.name, name);
    case Sugared::Kind::kNamespace:
      break;
    default:
      return Fail(fmt::format("'{}' has no attribute '{}'", base.name, name));
  }
  if (base.name == "torch") {
    if (name == "autograd") return base;
    return Sugared{Sugared::Kind::kBuiltin, "aten::" + name};
  }
  if (base.name == "ops") return Sugared{Sugared::Kind::kNamespace, "ops." + name};
  if (base.name.starts_with("ops.")) {
    return Sugared{Sugared::Kind::kBuiltin, base.name.substr(4) + "::" + name};
  }
  const auto number =
      name.starts_with('c') ? python::IntOf(std::string_view(name).substr(1)) : std::nullopt;
  if (!number || static_cast<std::size_t>(*number) >= context_.constants.size()) {
    return Fail(fmt::format("the archive has no constant '{}'", name));
  }
  const auto& [value, type] = context_.constants[static_cast<std::size_t>(*number)];
  return Sugared{Sugared::Kind::kValue, {}, builder_.Constant(value, type)};
}

Result<FunctionEmitter::Sugared> FunctionEmitter::QualifiedAttribute(const std::string& head,
                                                                     const std::string& name) {
  const ScriptClass* owner = program_.FindClass(head);
  if (owner != nullptr && owner->kind == ScriptClass::Kind::kEnum) {
    const Member* member = owner->FindMember(name);
    if (member == nullptr) return Fail(fmt::format("{} has no enumerator '{}'", head, name));
    const Typed value =
        builder_.Constant(Symbol{head + "." + name}, ScriptType::Named(Kind::kEnum, head));
    return Sugared{Sugared::Kind::kValue, {}, value};
  }
  if (name == "__new__") return Sugared{Sugared::Kind::kNew, head};
  return Sugared{Sugared::Kind::kQualified, head + "." + name};
}

Result<FunctionEmitter::Sugared> FunctionEmitter::NamedTupleField(const Typed& tuple,
                                                                  const std::string& name) {
  const ScriptClass* owner = program_.FindClass(tuple.type.name());
  std::size_t index = 0;
  for (const Member& member : owner->def->members) {
    if (!member.type) continue;
    if (member.name == name && index < tuple.type.elements().size()) {
      const Typed position = builder_.Int(static_cast<std::int64_t>(index));
      return Sugared{Sugared::Kind::kValue,
                     {},
                     builder_.Append({"prim", "TupleIndex"}, {tuple.value, position.value},
                                     tuple.type.element(index))};
    }
    ++index;
  }
  return Fail(fmt::format("{} has no field '{}'", tuple.type.name(), name));
}

Result<FunctionEmitter::Sugared> FunctionEmitter::ClassAttribute(const Typed& object,
                                                                 const std::string& name) {
  const ScriptClass* owner = program_.FindClass(object.type.name());
  if (owner == nullptr) return Sugared{Sugared::Kind::kMethod, name, object};
  const Member* member = owner->FindMember(name);
  if (member != nullptr && member->is_final && member->value) {
    DRAGOMAN_ASSIGN(const ScriptType type, TypeAt(*member->type));
    const CodeFile* outer = builder_.SetFile(owner->file);
    auto value = EmitExpr(*member->value, &type);
    builder_.SetFile(outer);
    if (!value.ok()) return std::move(value).error();
    return Sugared{Sugared::Kind::kValue, {}, *std::move(value)};
  }
  if (const auto type = program_.AttributeType(*owner, name)) {
    const Typed value = builder_.Append({"prim", "GetAttr"}, {object.value}, *type);
    value.value->producer()->SetAttribute("name", name);
    return Sugared{Sugared::Kind::kValue, {}, value};
  }
  if (owner->FindMethod(name) != nullptr) return Sugared{Sugared::Kind::kMethod, name, object};
  return Fail(fmt::format("{} has no attribute or method '{}'", owner->name, name));
}

Result<FunctionEmitter::Sugared> FunctionEmitter::AttributeOf(const Typed& object,
                                                              const std::string& name) {
  const ScriptType& type = object.type;
  if (type.Is(Kind::kClass)) return ClassAttribute(object, name);
  if (type.Is(Kind::kInterface)) return Sugared{Sugared::Kind::kMethod, name, object};
  if (type.Is(Kind::kTuple) && !type.name().empty()) return NamedTupleField(object, name);
  if (type.Is(Kind::kEnum) && (name == "name" || name == "value")) {
    CallArguments arguments;
    arguments.positional = {object};
    if (name == "name") {
      DRAGOMAN_ASSIGN(Typed value, CallBuiltin("prim::EnumName", arguments));
      return Sugared{Sugared::Kind::kValue, {}, value};
    }
    return EnumValue(object);
  }
  if (type.Is(Kind::kTensor) && name == "tolist") {
    return Sugared{Sugared::Kind::kSpecial, name, object};
  }
  for (const Property& property : kProperties) {
    if (property.owner != type.kind() || property.name != name) continue;
    CallArguments arguments;
    arguments.positional = {object};
    DRAGOMAN_ASSIGN(Typed value, CallBuiltin(std::string(property.op), arguments));
    return Sugared{Sugared::Kind::kValue, {}, value};
  }
  return Sugared{Sugared::Kind::kBuiltin, "aten::" + name, object, true};
}

// The type of an enum's values is that of its first enumerator.
Result<FunctionEmitter::Sugared> FunctionEmitter::EnumValue(const Typed& object) {
  const ScriptClass* owner = program_.FindClass(object.type.name());
  if (owner == nullptr || owner->def->members.empty() || !owner->def->members[0].value) {
    return Fail(fmt::format("{} has no enumerators", object.type.name()));
  }
  const auto first = LiteralOf(*owner->def->members[0].value);
  if (!first) return Fail(fmt::format("the values of {} are not literals", object.type.name()));
  const ScriptType type = TypeOfLiteral(*first);
  const std::string_view overload = type.Is(Kind::kInt)     ? "int"
                                    : type.Is(Kind::kFloat) ? "float"
                                                            : "str";
  const Typed value = builder_.Append({"prim", "EnumValue", overload}, {object.value}, type);
  return Sugared{Sugared::Kind::kValue, {}, value};
}

Result<Typed> FunctionEmitter::EmitList(const Expr& expr, const ScriptType* hint) {
  std::optional<ScriptType> element;
  if (hint != nullptr && hint->WithoutOptional().Is(Kind::kList)) {
    element = hint->WithoutOptional().element();
  }
  if (expr.parts.empty()) {
    if (element) return builder_.List(*element, {});
    return builder_.EmptyList();
  }
  std::vector<Typed> items;
  std::optional<ScriptType> unified;
  for (const Expr& part : expr.parts) {
    DRAGOMAN_ASSIGN(Typed item, EmitExpr(part, element ? &*element : nullptr));
    const auto both = unified ? matcher_.Unify(*unified, item.type) : std::optional(item.type);
    unified = both ? *both : ScriptType::Union({*unified, item.type});
    items.push_back(std::move(item));
  }
  builder_.SetOffset(expr.offset);
  if (!element) return builder_.List(*unified, items);
  for (Typed& item : items) {
    const auto converted = matcher_.Convert(item, *element, true);
    if (!converted) {
      return Fail(fmt::format("a {} in a list of {}", item.type.ToString(), element->ToString()));
    }
    item = *converted;
  }
  return builder_.List(*element, items);
}

Result<Typed> FunctionEmitter::EmitDict(const Expr& expr, const ScriptType* hint) {
  std::optional<ScriptType> key;
  std::optional<ScriptType> value;
  const bool hinted = hint != nullptr && hint->WithoutOptional().Is(Kind::kDict);
  if (hinted) {
    key = hint->WithoutOptional().element(0);
    value = hint->WithoutOptional().element(1);
  }
  std::vector<Value*> operands;
  for (std::size_t i = 0; i < expr.parts.size(); ++i) {
    std::optional<ScriptType>& type = i % 2 == 0 ? key : value;
    DRAGOMAN_ASSIGN(const Typed item, EmitExpr(expr.parts[i], hinted ? &*type : nullptr));
    operands.push_back(item.value);
    if (hinted) continue;
    const auto both = type ? matcher_.Unify(*type, item.type) : std::optional(item.type);
    type = both ? *both : ScriptType::Union({*type, item.type});
  }
  builder_.SetOffset(expr.offset);
  if (!key) key = ScriptType(Kind::kString);
  if (!value) value = ScriptType(Kind::kTensor);
  return builder_.Append({"prim", "DictConstruct"}, operands, ScriptType::Dict(*key, *value));
}

Result<Typed> FunctionEmitter::EmitTuple(const Expr& expr, const ScriptType* hint) {
  std::vector<Typed> items;
  const bool hinted = hint != nullptr && hint->WithoutOptional().Is(Kind::kTuple) &&
                      hint->WithoutOptional().elements().size() == expr.parts.size();
  for (std::size_t i = 0; i < expr.parts.size(); ++i) {
    const ScriptType* wanted = hinted ? &hint->WithoutOptional().element(i) : nullptr;
    DRAGOMAN_ASSIGN(Typed item, EmitExpr(expr.parts[i], wanted));
    items.push_back(std::move(item));
  }
  builder_.SetOffset(expr.offset);
  if (!IsBounded(TupleOf(items))) return FailUnsupported(TooLargeTuple());
  return builder_.Tuple(items);
}

Result<Typed> FunctionEmitter::EmitTupleIndex(const Typed& tuple, const Expr& index) {
  const auto literal = LiteralOf(index);
  const auto* position = literal ? literal->As<std::int64_t>() : nullptr;
  if (position == nullptr) return EmitComputedTupleIndex(tuple, index);
  const auto size = static_cast<std::int64_t>(tuple.type.elements().size());
  const std::int64_t at = *position < 0 ? *position + size : *position;
  if (at < 0 || at >= size) {
    return Fail(fmt::format("index {} of a tuple of {} elements", *position, size));
  }
  const Typed constant = builder_.Int(*position);
  return builder_.Append({"prim", "TupleIndex"}, {tuple.value, constant.value},
                         tuple.type.element(static_cast<std::size_t>(at)));
}

// By a number that is known when the program runs, such as a loop's variable.
Result<Typed> FunctionEmitter::EmitComputedTupleIndex(const Typed& tuple, const Expr& index) {
  DRAGOMAN_ASSIGN(const Typed position, EmitExpr(index));
  builder_.SetOffset(index.offset);
  const std::vector<ScriptType>& types = tuple.type.elements();
  const auto is_first = [&](const ScriptType& type) { return type == types.front(); };
  if (types.empty() || !std::ranges::all_of(types, is_first))
    return Fail("an index that is not a literal, into a tuple of several types");
  return builder_.Append({"prim", "TupleIndex"}, {tuple.value, position.value}, types.front());
}

Result<Typed> FunctionEmitter::EmitTupleSlice(const Typed& tuple, const Expr& slice) {
  const auto size = static_cast<std::int64_t>(tuple.type.elements().size());
  std::int64_t bounds[2] = {0, size};
  for (std::size_t i = 0; i < 2; ++i) {
    if (slice.parts[i].kind == Expr::Kind::kMissing) continue;
    const auto literal = LiteralOf(slice.parts[i]);
    const auto* bound = literal ? literal->As<std::int64_t>() : nullptr;
    if (bound == nullptr) return FailUnsupported("a tuple slice whose bounds are not literals");
    bounds[i] = std::clamp<std::int64_t>(*bound < 0 ? *bound + size : *bound, 0, size);
  }
  if (slice.parts[2].kind != Expr::Kind::kMissing) {
    return FailUnsupported("a tuple slice with a step");
  }
  std::vector<Typed> items;
  for (std::int64_t i = bounds[0]; i < bounds[1]; ++i) {
    const Typed position = builder_.Int(i);
    items.push_back(builder_.Append({"prim", "TupleIndex"}, {tuple.value, position.value},
                                    tuple.type.element(static_cast<std::size_t>(i))));
  }
  if (!IsBounded(TupleOf(items))) return FailUnsupported(TooLargeTuple());
  return builder_.Tuple(items);
}

Result<Typed> FunctionEmitter::EmitSlice(const Typed& object, const Expr& slice, std::int64_t dim) {
  CallArguments arguments;
  arguments.positional = {object};
  if (object.type.Is(Kind::kTensor)) arguments.positional.push_back(builder_.Int(dim));
  for (std::size_t i = 0; i < 3; ++i) {
    if (slice.parts[i].kind == Expr::Kind::kMissing) {
      arguments.positional.push_back(i == 2 ? builder_.Int(1) : builder_.None());
      continue;
    }
    DRAGOMAN_ASSIGN(Typed bound, EmitExpr(slice.parts[i]));
    arguments.positional.push_back(bound);
  }
  return CallBuiltin("aten::slice", arguments);
}

// x[i, a:b, None]: one step an index, from the left.
Result<Typed> FunctionEmitter::EmitTensorIndex(Typed tensor, const Expr& index) {
  const bool several = index.kind == Expr::Kind::kTuple;
  std::int64_t dim = 0;
  for (std::size_t i = 0; i < (several ? index.parts.size() : 1); ++i) {
    const Expr& part = several ? index.parts[i] : index;
    if (part.kind == Expr::Kind::kSlice) {
      DRAGOMAN_ASSIGN(tensor, EmitSlice(tensor, part, dim++));
      continue;
    }
    DRAGOMAN_ASSIGN(const Typed position, EmitExpr(part));
    CallArguments arguments;
    arguments.positional = {tensor, builder_.Int(dim)};
    if (position.type.Is(Kind::kNone)) {
      DRAGOMAN_ASSIGN(tensor, CallBuiltin("aten::unsqueeze", arguments));
      ++dim;
      continue;
    }
    arguments.positional.push_back(position);
    if (!position.type.Is(Kind::kInt)) {
      if (several) return FailUnsupported("an index of several parts with a tensor");
      arguments.positional = {tensor,
                              builder_.List(ScriptType::Optional(position.type), {position})};
      return CallBuiltin("aten::index", arguments);
    }
    DRAGOMAN_ASSIGN(tensor, CallBuiltin("aten::select", arguments));
  }
  return tensor;
}

Result<Typed> FunctionEmitter::EmitSubscript(const Expr& expr, const ScriptType* hint) {
  DRAGOMAN_ASSIGN(const Typed object, EmitExpr(expr.parts[0]));
  builder_.SetOffset(expr.offset);
  const Expr& index = expr.parts[1];
  const bool slice = index.kind == Expr::Kind::kSlice;
  if (object.type.Is(Kind::kTuple)) {
    return slice ? EmitTupleSlice(object, index) : EmitTupleIndex(object, index);
  }
  if (object.type.Is(Kind::kTensor)) return EmitTensorIndex(object, index);
  if (slice) return EmitSlice(object, index, 0);
  DRAGOMAN_ASSIGN(const Typed position, EmitExpr(index));
  CallArguments arguments;
  if (object.type.Is(Kind::kClass)) {
    const ScriptClass* owner = program_.FindClass(object.type.name());
    if (hint != nullptr && owner != nullptr && owner->kind == ScriptClass::Kind::kModule) {
      return builder_.Append(
          {"prim", "ModuleContainerIndex", position.type.Is(Kind::kString) ? "dict" : "list"},
          {object.value, position.value}, *hint);
    }
    arguments.positional = {position};
    return CallMethod(object, "__getitem__", arguments);
  }
  arguments.positional = {object, position};
  return CallBuiltin("aten::__getitem__", arguments);
}

Result<Typed> FunctionEmitter::EmitOperator(const Expr& expr) {
  if (expr.text == "and" || expr.text == "or") return EmitShortCircuit(expr);
  CallArguments arguments;
  for (const Expr& part : expr.parts) {
    DRAGOMAN_ASSIGN(Typed operand, EmitExpr(part));
    arguments.positional.push_back(std::move(operand));
  }
  builder_.SetOffset(expr.offset);
  if (expr.kind == Expr::Kind::kUnary) {
    if (expr.text == "not") {
      DRAGOMAN_ASSIGN(arguments.positional[0], ToBool(arguments.positional[0]));
    }
    if (expr.text == "+") return arguments.positional[0];
    return CallBuiltin(expr.text == "not" ? "aten::__not__"
                       : expr.text == "-" ? "aten::neg"
                                          : "aten::bitwise_not",
                       arguments);
  }
  if (expr.text == "in" || expr.text == "not in") {
    std::swap(arguments.positional[0], arguments.positional[1]);
  }
  if (expr.text == "not in") {
    DRAGOMAN_ASSIGN(Typed found, CallBuiltin("aten::__contains__", arguments));
    arguments.positional = {found};
    return CallBuiltin("aten::__not__", arguments);
  }
  for (const OperatorName& known : kOperators) {
    if (known.text == expr.text) return CallBuiltin(std::string(known.op), arguments);
  }
  return FailUnsupported(fmt::format("operator {}", expr.text));
}

}  // namespace dragoman::torch
