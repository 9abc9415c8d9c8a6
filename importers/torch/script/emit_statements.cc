// SPDX-License-Identifier: Apache-2.0
// Statements that have no blocks.
#include <fmt/format.h>

#include <array>

#include "importers/torch/script/function_emitter.h"

namespace dragoman::torch {
namespace {

using Kind = ScriptType::Kind;

struct AugmentedOp {
  std::string_view op;
  std::string_view in_place;  // on tensors and lists
  std::string_view plain;
};

constexpr std::array<AugmentedOp, 12> kAugmented = {{{"+", "add_", "add"},
                                                     {"-", "sub_", "sub"},
                                                     {"*", "mul_", "mul"},
                                                     {"/", "div_", "div"},
                                                     {"%", "fmod_", "fmod"},
                                                     {"//", "floor_divide_", "floordiv"},
                                                     {"**", "pow_", "pow"},
                                                     {"&", "__iand__", "__and__"},
                                                     {"|", "__ior__", "__or__"},
                                                     {"^", "__ixor__", "__xor__"},
                                                     {"<<", "__ilshift__", "__lshift__"},
                                                     {">>", "__irshift__", "__rshift__"}}};

}  // namespace

Status FunctionEmitter::Emit(const ScriptFunction& function) {
  Status status = EmitFunction(function);
  // What was taken for a tensor may not fit its uses.
  if (!status.ok() && unknown_) return *unknown_;
  return status;
}

Status FunctionEmitter::EmitFunction(const ScriptFunction& function) {
  builder_.SetOffset(function.def->offset);
  DRAGOMAN_ASSIGN(const Schema* signature, program_.SignatureOf(function));
  Graph& graph = builder_.block();
  for (const SchemaArgument& argument : signature->arguments) {
    Value* input = graph.AddInput(argument.name, ToIrType(argument.type));
    if (argument.default_value) input->set_data(*argument.default_value);
    environment_.Set(argument.name, {input, argument.type});
  }
  declared_result_ = signature->results.front().type;
  DRAGOMAN_TRY(EmitBlock(function.def->body));
  if (!returned_) {
    if (!function.def->body.empty()) builder_.SetOffset(function.def->body.back().offset);
    returned_ = builder_.None();
  }
  graph.AddOutput(returned_->value);
  return {};
}

Result<ScriptType> FunctionEmitter::TypeAt(const Expr& expr) {
  auto type = program_.ResolveType(expr);
  if (type.ok()) return type;
  builder_.SetOffset(expr.offset);
  return Fail(type.error().findings().front().message);
}

Status FunctionEmitter::EmitBlock(const std::vector<Stmt>& statements) {
  for (const Stmt& stmt : statements) {
    builder_.SetOffset(stmt.offset);
    if (returned_) return {};
    DRAGOMAN_TRY(EmitStatement(stmt));
  }
  return {};
}

Status FunctionEmitter::EmitStatement(const Stmt& stmt) {
  switch (stmt.kind) {
    case Stmt::Kind::kExpr: {
      auto value = EmitExpr(stmt.value);
      if (!value.ok()) return std::move(value).error();
      return {};
    }
    case Stmt::Kind::kAssign:
      return EmitAssignment(stmt);
    case Stmt::Kind::kIf:
      return EmitIf(stmt);
    case Stmt::Kind::kWhile:
    case Stmt::Kind::kFor:
      return EmitLoop(stmt);
    case Stmt::Kind::kWith:
      return EmitWith(stmt);
    case Stmt::Kind::kReturn:
      return EmitReturn(stmt);
    case Stmt::Kind::kPass:
      return {};
    case Stmt::Kind::kDef:
      environment_.SetClosure(stmt.function->name, stmt.function.get());
      return {};
    case Stmt::Kind::kRaise:
    case Stmt::Kind::kAssert:
      return FailUnsupported("raise and assert statements; torch writes them as calls");
  }
  return {};
}

Status FunctionEmitter::EmitReturn(const Stmt& stmt) {
  if (builder_.depth() > 1) return FailUnsupported("a return inside of a block");
  const ScriptType* hint = declared_result_ ? &*declared_result_ : nullptr;
  Typed value;
  if (stmt.value.kind == Expr::Kind::kMissing) {
    value = builder_.None();
  } else {
    DRAGOMAN_ASSIGN(value, EmitExpr(stmt.value, hint));
  }
  if (declared_result_) {
    const auto converted = matcher_.Convert(value, *declared_result_, true);
    if (!converted) {
      return Fail(fmt::format("the function is declared to return {}; found {}",
                              declared_result_->ToString(), value.type.ToString()));
    }
    value = *converted;
  }
  returned_ = value;
  return {};
}

Status FunctionEmitter::EmitAssignment(const Stmt& stmt) {
  if (!stmt.augmented.empty()) return EmitAugmented(stmt);
  if (stmt.unpacks) return EmitUnpacking(stmt);
  const Expr& target = stmt.targets.front();
  const auto name = QualifiedName(stmt.value);
  if (name && name->starts_with("__torch__.") && target.kind == Expr::Kind::kName) {
    DRAGOMAN_ASSIGN(Sugared function, EmitSugared(stmt.value));
    if (function.kind == Sugared::Kind::kQualified) {
      environment_.SetAlias(target.text, std::move(function.name));
      return {};
    }
  }
  std::optional<ScriptType> annotated;
  if (stmt.type) {
    DRAGOMAN_ASSIGN(annotated, TypeAt(*stmt.type));
  }
  DRAGOMAN_ASSIGN(Typed value, EmitExpr(stmt.value, annotated ? &*annotated : nullptr));
  return Assign(target, value, annotated);
}

Status FunctionEmitter::Assign(const Expr& target, Typed value,
                               const std::optional<ScriptType>& annotated) {
  if (target.kind == Expr::Kind::kName) return SetVariable(target.text, value, annotated);
  if (target.kind != Expr::Kind::kAttribute) {
    return FailUnsupported("an assignment to this; names and attributes can be assigned");
  }
  DRAGOMAN_ASSIGN(const Typed object, EmitExpr(target.parts[0]));
  const ScriptClass* owner =
      object.type.Is(Kind::kClass) ? program_.FindClass(object.type.name()) : nullptr;
  if (owner == nullptr) {
    return Fail(fmt::format("a {} has no attributes to assign", object.type.ToString()));
  }
  const auto type = program_.AttributeType(*owner, target.text);
  if (!type) return Fail(fmt::format("{} has no attribute '{}'", owner->name, target.text));
  const auto converted = matcher_.Convert(value, *type, false);
  if (!converted) {
    return Fail(fmt::format("attribute '{}' is {}; found {}", target.text, type->ToString(),
                            value.type.ToString()));
  }
  Node* node = builder_.Append({"prim", "SetAttr"}, {object.value, converted->value});
  node->SetAttribute("name", target.text);
  return {};
}

Status FunctionEmitter::SetVariable(const std::string& name, Typed value,
                                    const std::optional<ScriptType>& annotated) {
  const Typed* outer = environment_.FindOutside(name);
  const ScriptType* wanted = annotated ? &*annotated : outer != nullptr ? &outer->type : nullptr;
  if (wanted != nullptr) {
    const auto converted = matcher_.Convert(value, *wanted, true);
    if (!converted) {
      return Fail(fmt::format("variable '{}' is {}; found {}", name, wanted->ToString(),
                              value.type.ToString()));
    }
    value = *converted;
  }
  if (annotated) value.type = *annotated;
  if (value.value->name().empty() && value.value->graph() == &builder_.block()) {
    value.value->set_name(name);
  }
  environment_.Set(name, value);
  return {};
}

Result<std::vector<Typed>> FunctionEmitter::Unpack(const Typed& value, std::size_t count) {
  std::vector<Typed> items;
  if (value.type.Is(Kind::kTuple)) {
    items = builder_.UnpackTuple(value);
  } else if (value.type.Is(Kind::kList)) {
    Node* node = builder_.Append({"prim", "ListUnpack"}, {value.value});
    for (std::size_t i = 0; i < count; ++i) {
      items.push_back({builder_.AddResult(*node, value.type.element()), value.type.element()});
    }
  } else {
    return Fail(fmt::format("a {} cannot be unpacked", value.type.ToString()));
  }
  if (items.size() == count) return items;
  return Fail(fmt::format("{} values for {} names", items.size(), count));
}

Status FunctionEmitter::EmitUnpacking(const Stmt& stmt) {
  DRAGOMAN_ASSIGN(const Typed value, EmitExpr(stmt.value));
  DRAGOMAN_ASSIGN(const std::vector<Typed> items, Unpack(value, stmt.targets.size()));
  for (std::size_t i = 0; i < items.size(); ++i) {
    DRAGOMAN_TRY(Assign(stmt.targets[i], items[i], std::nullopt));
  }
  return {};
}

Status FunctionEmitter::EmitAugmented(const Stmt& stmt) {
  const Expr& target = stmt.targets.front();
  CallArguments arguments;
  DRAGOMAN_ASSIGN(const Typed old, EmitExpr(target));
  DRAGOMAN_ASSIGN(Typed operand, EmitExpr(stmt.value));
  arguments.positional = {old, operand};
  for (const AugmentedOp& known : kAugmented) {
    if (known.op != stmt.augmented) continue;
    const bool in_place = old.type.Is(Kind::kTensor) || old.type.Is(Kind::kList);
    const std::string name(in_place ? known.in_place : known.plain);
    DRAGOMAN_ASSIGN(Typed result, CallBuiltin("aten::" + name, arguments));
    return Assign(target, result, std::nullopt);
  }
  return FailUnsupported(fmt::format("operator {}=", stmt.augmented));
}

}  // namespace dragoman::torch
