// SPDX-License-Identifier: Apache-2.0
// Calls: operators, functions, methods, constructors, special forms.
#include <fmt/format.h>

#include <utility>

#include "importers/torch/script/function_emitter.h"

namespace dragoman::torch {
namespace {

using Kind = ScriptType::Kind;

constexpr int kMaxScriptInlining = 16;

// "aten" and "add" of "aten::add".
std::pair<std::string_view, std::string_view> SplitOp(std::string_view name) {
  const std::size_t colons = name.find("::");
  return {name.substr(0, colons), name.substr(colons + 2)};
}

std::string CastOperator(const std::string& name) {
  if (name == "int") return "aten::Int";
  if (name == "float") return "aten::Float";
  if (name == "bool") return "aten::Bool";
  if (name == "complex") return "aten::Complex";
  return "aten::str";
}

Kind CastKind(const std::string& name) {
  if (name == "int") return Kind::kInt;
  if (name == "float") return Kind::kFloat;
  if (name == "bool") return Kind::kBool;
  if (name == "complex") return Kind::kComplex;
  return Kind::kString;
}

}  // namespace

Result<CallArguments> FunctionEmitter::EmitArguments(const Expr& call) {
  CallArguments arguments;
  const std::size_t first_keyword = call.parts.size() - call.keywords.size();
  for (std::size_t i = 1; i < call.parts.size(); ++i) {
    DRAGOMAN_ASSIGN(Typed value, EmitExpr(call.parts[i]));
    if (i < first_keyword) {
      arguments.positional.push_back(std::move(value));
    } else {
      arguments.keywords.push_back({call.keywords[i - first_keyword], std::move(value)});
    }
  }
  builder_.SetOffset(call.offset);
  return arguments;
}

Result<Typed> FunctionEmitter::EmitCall(const Expr& expr, const ScriptType* hint) {
  DRAGOMAN_ASSIGN(Sugared callee, EmitSugared(expr.parts[0]));
  builder_.SetOffset(expr.offset);
  if (callee.kind == Sugared::Kind::kSpecial) {
    if (callee.name == "tolist" && hint != nullptr) return EmitToList(callee.value, *hint);
    return EmitSpecial(callee, expr);
  }
  if (callee.kind == Sugared::Kind::kNew) return CreateObject(callee.name);
  DRAGOMAN_ASSIGN(CallArguments arguments, EmitArguments(expr));
  switch (callee.kind) {
    case Sugared::Kind::kBuiltin:
      if (callee.has_self) arguments.self = callee.value;
      return CallBuiltin(callee.name, arguments);
    case Sugared::Kind::kQualified:
      return CallQualified(callee.name, arguments);
    case Sugared::Kind::kMethod:
      return CallMethod(callee.value, callee.name, arguments);
    case Sugared::Kind::kCast:
      if (arguments.positional.size() == 1 && arguments.keywords.empty() &&
          arguments.positional[0].type.Is(CastKind(callee.name))) {
        return arguments.positional[0];
      }
      return CallBuiltin(CastOperator(callee.name), arguments);
    case Sugared::Kind::kValue:
      if (callee.value.type.Is(Kind::kClass) || callee.value.type.Is(Kind::kInterface)) {
        return CallMethod(callee.value, "forward", arguments);
      }
      return Fail(fmt::format("a {} cannot be called", callee.value.type.ToString()));
    default:
      return Fail(fmt::format("'{}' cannot be called", callee.name));
  }
}

Result<Typed> FunctionEmitter::EmitAnnotate(const Expr& call) {
  DRAGOMAN_ASSIGN(const ScriptType type, TypeAt(call.parts[1]));
  DRAGOMAN_ASSIGN(const Typed value, EmitExpr(call.parts[2], &type));
  builder_.SetOffset(call.offset);
  auto converted = matcher_.Convert(value, type, true);
  if (!converted) {
    return Fail(fmt::format("a {} annotated as {}", value.type.ToString(), type.ToString()));
  }
  if (converted->type.Is(Kind::kNone)) converted->type = type;
  return *converted;
}

Result<Typed> FunctionEmitter::EmitGetattr(const Expr& call) {
  if (call.parts[2].kind != Expr::Kind::kString) {
    return FailUnsupported("getattr with a name that is not a literal");
  }
  DRAGOMAN_ASSIGN(const Typed object, EmitExpr(call.parts[1]));
  DRAGOMAN_ASSIGN(Sugared attribute, AttributeOf(object, call.parts[2].text));
  return AsValue(std::move(attribute));
}

Result<Typed> FunctionEmitter::EmitSpecial(const Sugared& form, const Expr& call) {
  const std::size_t count = call.parts.size() - 1;
  if (form.name == "annotate" && count == 2) return EmitAnnotate(call);
  if (form.name == "unchecked_cast" && count == 2) {
    DRAGOMAN_ASSIGN(const ScriptType type, TypeAt(call.parts[1]));
    DRAGOMAN_ASSIGN(const Typed value, EmitExpr(call.parts[2]));
    builder_.SetOffset(call.offset);
    return builder_.Append({"prim", "unchecked_cast"}, {value.value}, type);
  }
  if (form.name == "uninitialized" && count == 1) {
    DRAGOMAN_ASSIGN(const ScriptType type, TypeAt(call.parts[1]));
    return builder_.Append({"prim", "Uninitialized"}, {}, type);
  }
  if (form.name == "isinstance") {
    DRAGOMAN_ASSIGN(Condition condition, EmitIsInstance(call));
    return condition.value;
  }
  if (form.name == "getattr" && count >= 2) return EmitGetattr(call);
  if (form.name == "fork") return EmitFork(call);
  if (form.name == "print") {
    DRAGOMAN_ASSIGN(const CallArguments arguments, EmitArguments(call));
    return CallBuiltin("prim::Print", arguments);
  }
  if (form.name == "list" || form.name == "dict") {
    DRAGOMAN_ASSIGN(const CallArguments arguments, EmitArguments(call));
    return CallBuiltin("aten::" + form.name, arguments);
  }
  return FailUnsupported(fmt::format("'{}' of {} arguments", form.name, count));
}

// annotate(List[List[int]], t.tolist()): the depth and the element type become operands.
Result<Typed> FunctionEmitter::EmitToList(const Typed& tensor, const ScriptType& type) {
  std::int64_t depth = 0;
  const ScriptType* element = &type;
  for (; element->Is(Kind::kList); element = &element->element()) ++depth;
  // torch's own numbers of these types (prim::tolist).
  const std::int64_t code = element->Is(Kind::kInt)       ? 0
                            : element->Is(Kind::kFloat)   ? 1
                            : element->Is(Kind::kBool)    ? 2
                            : element->Is(Kind::kComplex) ? 3
                                                          : -1;
  if (code < 0) return Fail(fmt::format("tolist as {}", type.ToString()));
  return builder_.Append({"prim", "tolist"},
                         {tensor.value, builder_.Int(depth).value, builder_.Int(code).value}, type);
}

Typed FunctionEmitter::PackResults(Node& node, const std::vector<ScriptType>& types) {
  std::vector<Typed> results;
  for (const ScriptType& type : types) results.push_back({builder_.AddResult(node, type), type});
  if (results.size() == 1) return results.front();
  if (results.empty()) return builder_.None();
  return builder_.Tuple(results);
}

Result<Typed> FunctionEmitter::CallBuiltin(const std::string& name,
                                           const CallArguments& arguments) {
  const std::vector<Schema>& overloads = context_.schemas.Find(name);
  const std::vector<ScriptFunction>& further = context_.script_functions.Overloads(name);
  std::vector<const Schema*> schemas;
  std::vector<const ScriptFunction*> functions;
  for (const Schema& schema : overloads) {
    // What stands in script functions means what it means today.
    functions.push_back(inlining_ > 0 ? nullptr
                                      : context_.script_functions.Upgrader(schema.FullName()));
    if (functions.back() == nullptr) {
      schemas.push_back(&schema);
      continue;
    }
    DRAGOMAN_ASSIGN(const Schema* old, program_.SignatureOf(*functions.back()));
    schemas.push_back(old);
  }
  for (const ScriptFunction& function : further) {
    DRAGOMAN_ASSIGN(const Schema* schema, program_.SignatureOf(function));
    schemas.push_back(schema);
    functions.push_back(&function);
  }
  if (schemas.empty()) return CallUnknown(name, arguments);
  auto matched = matcher_.Match(schemas, arguments);
  if (!matched.ok()) {
    matched.error().findings().front().message.insert(0, name + ": ");
    return std::move(matched).error();
  }
  if (const ScriptFunction* function = functions[matched->overload]) {
    return InlineScriptFunction(*function, matched->operands);
  }
  const Schema& schema = *schemas[matched->overload];
  if (schema.varresults) return FailUnsupported(fmt::format("operator {}", name));
  const auto [ns, op] = SplitOp(name);
  std::vector<Value*> operands;
  for (const Typed& operand : matched->operands) operands.push_back(operand.value);
  Node* node = builder_.Append({ns, op, schema.overload}, operands);
  return PackResults(*node, matched->results);
}

// An operator without a schema is refused where it is reached. Its result is taken for a tensor, as
// most give one.
Typed FunctionEmitter::CallUnknown(const std::string& name, const CallArguments& arguments) {
  if (!unknown_) unknown_ = FailUnsupported(fmt::format("operator {} is not known", name));
  std::vector<Value*> operands;
  if (arguments.self) operands.push_back(arguments.self->value);
  for (const Typed& argument : arguments.positional) operands.push_back(argument.value);
  for (const KeywordArgument& keyword : arguments.keywords) operands.push_back(keyword.value.value);
  const auto [ns, op] = SplitOp(name);
  return builder_.Append({ns, op, ""}, operands, ScriptType(Kind::kTensor));
}

Result<Typed> FunctionEmitter::InlineScriptFunction(const ScriptFunction& function,
                                                    const std::vector<Typed>& arguments) {
  if (inlining_ >= kMaxScriptInlining) return Fail("script functions call each other in a circle");
  ++inlining_;
  const std::uint32_t offset = builder_.offset();
  Environment outer = std::exchange(environment_, Environment());
  auto declared = std::exchange(declared_result_, std::nullopt);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    environment_.Set(function.def->parameters[i].name, arguments[i]);
  }
  Result<Typed> value = Fail("a script function returns nothing");
  Status status;
  for (const Stmt& stmt : function.def->body) {
    if (stmt.kind == Stmt::Kind::kReturn) {
      value = EmitExpr(stmt.value);
      break;
    }
    status = EmitStatement(stmt);
    if (!status.ok()) break;
  }
  environment_ = std::move(outer);
  declared_result_ = std::move(declared);
  builder_.SetOffset(offset);
  --inlining_;
  if (!status.ok()) return std::move(status).error();
  return value;
}

Result<Typed> FunctionEmitter::CallNamedTuple(const ScriptType& type,
                                              const CallArguments& arguments) {
  const ScriptClass* owner = program_.FindClass(type.name());
  Schema schema;
  schema.name = type.name();
  for (const Member& member : owner->def->members) {
    if (!member.type) continue;
    SchemaArgument field;
    field.name = member.name;
    field.type = type.element(schema.arguments.size());
    schema.arguments.push_back(std::move(field));
  }
  DRAGOMAN_ASSIGN(const MatchedCall matched, matcher_.Match({&schema}, arguments));
  std::vector<Value*> operands;
  for (const Typed& operand : matched.operands) operands.push_back(operand.value);
  return builder_.Append({"prim", "TupleConstruct"}, operands, type);
}

Result<Typed> FunctionEmitter::CreateObject(const std::string& class_name) {
  if (program_.FindClass(class_name) == nullptr) {
    return Fail(fmt::format("'{}' is not defined in this archive", class_name));
  }
  context_.created.insert(class_name);
  return builder_.Append({"prim", "CreateObject"}, {}, ScriptType::Named(Kind::kClass, class_name));
}

Result<Typed> FunctionEmitter::CallQualified(const std::string& name,
                                             const CallArguments& arguments) {
  if (const ScriptClass* found = program_.FindClass(name)) {
    if (found->kind == ScriptClass::Kind::kNamedTuple) {
      const auto type = program_.ResolveName(name);
      if (!type) return Fail(fmt::format("the fields of {} have no types", name));
      return CallNamedTuple(*type, arguments);
    }
    DRAGOMAN_ASSIGN(const Typed object, CreateObject(name));
    DRAGOMAN_ASSIGN([[maybe_unused]] const Typed none, CallMethod(object, "__init__", arguments));
    return object;
  }
  if (const auto function = program_.FindFunction(name)) return CallFunction(*function, arguments);
  const std::size_t dot = name.rfind('.');
  const auto method = dot == std::string::npos
                          ? std::nullopt
                          : program_.FindMethod(name.substr(0, dot), name.substr(dot + 1));
  if (method) return CallFunction(*method, arguments);
  return Fail(fmt::format("'{}' is not defined in this archive", name));
}

Result<Typed> FunctionEmitter::CallFunction(const ScriptFunction& function,
                                            const CallArguments& arguments) {
  DRAGOMAN_ASSIGN(const Schema* signature, program_.SignatureOf(function));
  DRAGOMAN_ASSIGN(const MatchedCall matched, matcher_.Match({signature}, arguments));
  context_.called.insert(function.name);
  std::vector<Value*> operands;
  for (const Typed& operand : matched.operands) operands.push_back(operand.value);
  Node* node = builder_.Append({"prim", "CallFunction"}, operands);
  node->SetAttribute("callee", Symbol{function.name});
  return PackResults(*node, matched.results);
}

Result<Typed> FunctionEmitter::CallMethod(const Typed& object, const std::string& name,
                                          const CallArguments& arguments) {
  const bool interface = object.type.Is(Kind::kInterface);
  if (!interface && !object.type.Is(Kind::kClass)) {
    return Fail(fmt::format("a {} has no method '{}'", object.type.ToString(), name));
  }
  const auto method = program_.FindMethod(object.type.name(), name);
  if (!method) {
    return FailUnsupported(fmt::format("{} has no method '{}'", object.type.name(), name));
  }
  DRAGOMAN_ASSIGN(const Schema* signature, program_.SignatureOf(*method));
  CallArguments all = arguments;
  all.positional.insert(all.positional.begin(), object);
  DRAGOMAN_ASSIGN(const MatchedCall matched, matcher_.Match({signature}, all));
  if (interface) {
    context_.interface_calls.emplace(object.type.name(), name);
  } else {
    context_.called.insert(method->name);
  }
  std::vector<Value*> operands;
  for (const Typed& operand : matched.operands) operands.push_back(operand.value);
  Node* node = builder_.Append({"prim", "CallMethod"}, operands);
  node->SetAttribute("name", name);
  return PackResults(*node, matched.results);
}

}  // namespace dragoman::torch
