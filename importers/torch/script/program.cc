// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/script/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/support/bytes.h"
#include "core/support/python/source_error.h"
#include "importers/torch/script/parser.h"

namespace dragoman::torch {
namespace {

constexpr std::string_view kBuiltinClasses = "__torch__.torch.classes.";

ScriptClass::Kind KindOf(const ClassDef& def) {
  if (def.base == "Module") return ScriptClass::Kind::kModule;
  if (def.base == "NamedTuple") return ScriptClass::Kind::kNamedTuple;
  if (def.base == "Enum") return ScriptClass::Kind::kEnum;
  if (def.base.ends_with("Interface")) return ScriptClass::Kind::kInterface;
  return ScriptClass::Kind::kClass;
}

// "__torch__.a.b" and "f" of "__torch__.a.b.f".
std::pair<std::string, std::string> SplitName(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return {"", name};
  return {name.substr(0, dot), name.substr(dot + 1)};
}

}  // namespace

const FunctionDef* ScriptClass::FindMethod(std::string_view method) const {
  for (const FunctionDef& known : def->methods) {
    if (known.name == method) return &known;
  }
  return nullptr;
}

const Member* ScriptClass::FindMember(std::string_view member) const {
  for (const Member& known : def->members) {
    if (known.name == member) return &known;
  }
  return nullptr;
}

const CodeFile* Program::FindFile(const std::string& qualifier) {
  const auto [found, added] = files_.try_emplace(qualifier);
  if (!added) return found->second.get();
  std::string name = "code/" + qualifier + ".py";
  std::replace(name.begin() + 5, name.end() - 3, '.', '/');
  if (!archive_.Has(name)) return nullptr;
  auto bytes = archive_.Read(name);
  if (!bytes.ok()) {
    for (const Finding& finding : bytes.error().findings()) findings_.push_back(finding);
    return nullptr;
  }
  std::string text(AsText(bytes->bytes()));
  auto source = ParseSource(name, std::move(text));
  if (!source.ok()) {
    for (const Finding& finding : source.error().findings()) findings_.push_back(finding);
    return nullptr;
  }
  auto file = std::make_unique<CodeFile>();
  file->source = *std::move(source);
  file->ranges = SourceRanges::Read(archive_, name);
  found->second = std::move(file);
  return found->second.get();
}

const ScriptClass* Program::FindClass(const std::string& qualified_name) {
  const auto [found, added] = classes_.try_emplace(qualified_name);
  if (!added) return found->second.get();
  const auto [qualifier, name] = SplitName(qualified_name);
  const CodeFile* file = FindFile(qualifier);
  if (file == nullptr) return nullptr;
  for (const ClassDef& def : file->source.classes) {
    if (def.name != name) continue;
    found->second =
        std::make_unique<ScriptClass>(ScriptClass{KindOf(def), qualified_name, &def, file});
    break;
  }
  return found->second.get();
}

std::optional<ScriptFunction> Program::FindFunction(const std::string& qualified_name) {
  const auto [qualifier, name] = SplitName(qualified_name);
  const CodeFile* file = FindFile(qualifier);
  if (file == nullptr) return std::nullopt;
  for (const FunctionDef& def : file->source.functions) {
    if (def.name == name) return ScriptFunction{qualified_name, &def, file};
  }
  return std::nullopt;
}

std::optional<ScriptFunction> Program::FindMethod(const std::string& class_name,
                                                  std::string_view method) {
  const ScriptClass* owner = FindClass(class_name);
  if (owner == nullptr) return std::nullopt;
  const FunctionDef* def = owner->FindMethod(method);
  if (def == nullptr) return std::nullopt;
  return ScriptFunction{fmt::format("{}.{}", class_name, method), def, owner->file};
}

std::optional<ScriptType> Program::ResolveName(const std::string& qualified_name) {
  using Kind = ScriptType::Kind;
  const ScriptClass* found = FindClass(qualified_name);
  if (found == nullptr) {
    if (!qualified_name.starts_with(kBuiltinClasses)) return std::nullopt;
    return ScriptType::Named(Kind::kClass, qualified_name);
  }
  switch (found->kind) {
    case ScriptClass::Kind::kModule:
    case ScriptClass::Kind::kClass:
      return ScriptType::Named(Kind::kClass, qualified_name);
    case ScriptClass::Kind::kInterface:
      return ScriptType::Named(Kind::kInterface, qualified_name);
    case ScriptClass::Kind::kEnum:
      return ScriptType::Named(Kind::kEnum, qualified_name);
    case ScriptClass::Kind::kNamedTuple:
      break;
  }
  // A NamedTuple that contains itself is refused.
  if (!resolving_.insert(qualified_name).second) return std::nullopt;
  std::vector<ScriptType> fields;
  bool ok = true;
  for (const Member& member : found->def->members) {
    if (!member.type) continue;
    auto type = ResolveType(*member.type);
    ok &= type.ok();
    if (type.ok()) fields.push_back(*std::move(type));
  }
  resolving_.erase(qualified_name);
  if (!ok) return std::nullopt;
  return ScriptType::NamedTuple(qualified_name, std::move(fields));
}

Result<ScriptType> Program::ResolveType(const Expr& expr) {
  return TypeOf(expr, [this](const std::string& name) { return ResolveName(name); });
}

Result<ScriptType> Program::ResolveTypeText(std::string_view text) {
  DRAGOMAN_ASSIGN(const Expr expr, ParseTypeText(text));
  return ResolveType(expr);
}

std::optional<ScriptType> Program::AttributeType(const ScriptClass& owner,
                                                 std::string_view attribute) {
  const Member* member = owner.FindMember(attribute);
  if (member == nullptr || !member->type) return std::nullopt;
  auto type = ResolveType(*member->type);
  if (type.ok()) return *std::move(type);
  for (const Finding& finding : type.error().findings()) {
    findings_.push_back(FindingAt(finding.kind, owner.file->source.name, owner.file->source.text,
                                  member->offset, finding.message));
  }
  return std::nullopt;
}

std::vector<const ScriptClass*> Program::Classes() const {
  std::vector<const ScriptClass*> classes;
  for (const auto& [name, known] : classes_) {
    if (known != nullptr) classes.push_back(known.get());
  }
  return classes;
}

bool Program::Implements(const std::string& class_name, const std::string& interface) {
  const auto [found, added] = implements_.try_emplace({class_name, interface}, false);
  if (!added) return found->second;
  const ScriptClass* owner = FindClass(class_name);
  const ScriptClass* wanted = FindClass(interface);
  if (owner == nullptr || wanted == nullptr) return false;
  const auto& methods = wanted->def->methods;
  const bool all = std::all_of(methods.begin(), methods.end(), [&](const FunctionDef& method) {
    return owner->FindMethod(method.name) != nullptr;
  });
  return implements_[{class_name, interface}] = all;
}

std::optional<Attribute> Program::DefaultOf(const Expr& expr) const {
  if (expr.kind != Expr::Kind::kAttribute || !expr.parts[0].IsName("CONSTANTS"))
    return LiteralOf(expr);
  if (constants_ == nullptr) return std::nullopt;
  for (std::size_t i = 0; i < constants_->size(); ++i) {
    if (expr.text == "c" + std::to_string(i)) return (*constants_)[i].first;
  }
  return std::nullopt;
}

Result<const Schema*> Program::SignatureOf(const ScriptFunction& function) {
  const auto known = signatures_.find(function.name);
  if (known != signatures_.end()) return static_cast<const Schema*>(known->second.get());
  const SourceFile& source = function.file->source;
  const auto fail = [&](std::uint32_t offset, std::string message) {
    return Error(
        FindingAt(ErrorKind::kInvalidInput, source.name, source.text, offset, std::move(message)));
  };
  auto schema = std::make_unique<Schema>();
  schema->name = function.name;
  for (const Parameter& parameter : function.def->parameters) {
    SchemaArgument argument;
    argument.name = parameter.name;
    if (parameter.type) {
      auto type = ResolveType(*parameter.type);
      if (!type.ok()) return fail(parameter.offset, type.error().findings().front().message);
      argument.type = *std::move(type);
    } else if (&parameter == &function.def->parameters.front() && parameter.name == "self") {
      const auto owner = ResolveName(SplitName(function.name).first);
      if (owner) argument.type = *owner;
    }
    if (parameter.default_value) {
      argument.default_value = DefaultOf(*parameter.default_value);
      if (!argument.default_value) {
        return fail(parameter.default_value->offset,
                    "a default that is neither a literal nor a constant of the file");
      }
    }
    schema->arguments.push_back(std::move(argument));
  }
  schema->results.emplace_back();
  if (function.def->result) {
    auto type = ResolveType(*function.def->result);
    if (!type.ok()) return fail(function.def->offset, type.error().findings().front().message);
    schema->results.back().type = *std::move(type);
  }
  const Schema* result = schema.get();
  signatures_.emplace(function.name, std::move(schema));
  return result;
}

namespace {

std::optional<Attribute> NegatedLiteral(const Expr& expr) {
  auto value = LiteralOf(expr.parts[0]);
  if (!value || expr.text != "-") return std::nullopt;
  if (const auto* number = value->As<std::int64_t>()) {
    return Attribute(static_cast<std::int64_t>(-static_cast<std::uint64_t>(*number)));
  }
  if (const auto* number = value->As<double>()) return Attribute(-*number);
  if (const auto* number = value->As<Attribute::Complex>()) return Attribute(-*number);
  return std::nullopt;
}

// "1.5+2.j"
std::optional<Attribute> ComplexLiteral(const Expr& expr) {
  if (expr.text != "+" && expr.text != "-") return std::nullopt;
  const auto left = LiteralOf(expr.parts[0]);
  const auto right = LiteralOf(expr.parts[1]);
  if (!left || !right) return std::nullopt;
  const auto* imaginary = right->As<Attribute::Complex>();
  if (imaginary == nullptr) return std::nullopt;
  const double sign = expr.text == "-" ? -1 : 1;
  if (const auto* real = left->As<double>()) {
    return Attribute(Attribute::Complex(*real, sign * imaginary->imag()));
  }
  if (const auto* real = left->As<std::int64_t>()) {
    return Attribute(Attribute::Complex(static_cast<double>(*real), sign * imaginary->imag()));
  }
  return std::nullopt;
}

std::optional<Attribute> NamedLiteral(const std::string& name) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  if (name == "inf") return Attribute(kInfinity);
  if (name == "nan") return Attribute(kNan);
  if (name == "infj") return Attribute(Attribute::Complex(0, kInfinity));
  if (name == "nanj") return Attribute(Attribute::Complex(0, kNan));
  return std::nullopt;
}

}  // namespace

std::optional<Attribute> LiteralOf(const Expr& expr) {
  switch (expr.kind) {
    case Expr::Kind::kInt:
      return Attribute(expr.int_value);
    case Expr::Kind::kFloat:
      return Attribute(expr.float_value);
    case Expr::Kind::kImaginary:
      return Attribute(Attribute::Complex(0, expr.float_value));
    case Expr::Kind::kString:
      return Attribute(expr.text);
    case Expr::Kind::kNone:
      return Attribute();
    case Expr::Kind::kTrue:
      return Attribute(true);
    case Expr::Kind::kFalse:
      return Attribute(false);
    case Expr::Kind::kName:
      return NamedLiteral(expr.text);
    case Expr::Kind::kUnary:
      return NegatedLiteral(expr);
    case Expr::Kind::kBinary:
      return ComplexLiteral(expr);
    case Expr::Kind::kList:
    case Expr::Kind::kTuple:
    case Expr::Kind::kDict: {
      Attribute::List items;
      for (const Expr& part : expr.parts) {
        auto item = LiteralOf(part);
        if (!item) return std::nullopt;
        items.push_back(*std::move(item));
      }
      return Attribute(std::move(items));
    }
    default:
      return std::nullopt;
  }
}

}  // namespace dragoman::torch
