// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/script/class_table.h"

#include <string>
#include <utility>

namespace dragoman::torch {
namespace {

std::string KindName(ScriptClass::Kind kind) {
  switch (kind) {
    case ScriptClass::Kind::kModule:
      return "module";
    case ScriptClass::Kind::kClass:
      return "class";
    case ScriptClass::Kind::kNamedTuple:
      return "namedtuple";
    case ScriptClass::Kind::kEnum:
      return "enum";
    case ScriptClass::Kind::kInterface:
      return "interface";
  }
  return "class";
}

// A type as it is written; types are short and nest a few levels deep.
std::string TypeText(const Expr& expr) {
  if (expr.kind == Expr::Kind::kNone) return "NoneType";
  if (expr.kind == Expr::Kind::kTuple) {
    std::string text;
    for (const Expr& part : expr.parts) text += (text.empty() ? "" : ", ") + TypeText(part);
    return text.empty() ? "()" : text;
  }
  if (expr.kind == Expr::Kind::kSubscript) {
    return TypeText(expr.parts[0]) + "[" + TypeText(expr.parts[1]) + "]";
  }
  return QualifiedName(expr).value_or("?");
}

void AddNames(const char* key, const std::vector<std::string>& names, Attribute::Dict& entry) {
  if (!names.empty()) entry.emplace_back(key, names);
}

Attribute::Dict Describe(const ScriptClass& described) {
  Attribute::Dict attributes;
  Attribute::Dict values;
  for (const Member& member : described.def->members) {
    if (member.type) attributes.emplace_back(member.name, TypeText(*member.type));
    const auto value = member.value ? LiteralOf(*member.value) : std::nullopt;
    if (value) values.emplace_back(member.name, *value);
  }
  std::vector<std::string> methods;
  for (const FunctionDef& method : described.def->methods) methods.push_back(method.name);
  Attribute::Dict entry;
  entry.emplace_back("kind", KindName(described.kind));
  if (!attributes.empty()) entry.emplace_back("attributes", std::move(attributes));
  if (!values.empty()) entry.emplace_back("values", std::move(values));
  AddNames("parameters", described.def->parameters, entry);
  AddNames("buffers", described.def->buffers, entry);
  AddNames("forward_hooks", described.def->forward_hooks, entry);
  AddNames("forward_pre_hooks", described.def->forward_pre_hooks, entry);
  AddNames("methods", methods, entry);
  return entry;
}

}  // namespace

void AddClassTable(const Program& program, Model& model) {
  Attribute::Dict table;
  for (const ScriptClass* known : program.Classes()) {
    table.emplace_back(known->name, Describe(*known));
  }
  model.extra.emplace_back(kClassTable, std::move(table));
}

}  // namespace dragoman::torch
