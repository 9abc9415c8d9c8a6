// SPDX-License-Identifier: Apache-2.0
#include "core/ops/signature.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>

namespace dragoman {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kClasses = {{
    {"any",
     "f32 u8 i8 u16 i16 i32 i64 str bool f16 f64 u32 u64 c64 c128 bf16 f8e4m3fn f8e4m3fnuz f8e5m2 "
     "f8e5m2fnuz u4 i4 f4e2m1 f8e8m0 u2 i2"},
    {"basic", "f32 u8 i8 u16 i16 i32 i64 str bool f16 f64 u32 u64 c64 c128"},
    {"number", "f16 bf16 f32 f64 i8 i16 i32 i64 u8 u16 u32 u64"},
    {"float", "f16 bf16 f32 f64"},
    {"int", "i8 i16 i32 i64 u8 u16 u32 u64"},
    {"signed", "i8 i16 i32 i64"},
    {"unsigned", "u8 u16 u32 u64"},
    {"index", "i32 i64"},
    {"float8", "f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz"},
    {"quant", "i8 u8 i16 u16 i4 u4 i2 u2 f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz f4e2m1"},
    {"complex", "c64 c128"},
}};

[[noreturn]] void Bad(std::string_view what, std::string_view text) {
  std::fprintf(stderr, "dragoman: bad operator signature: %.*s in '%.*s'\n",
               static_cast<int>(what.size()), what.data(), static_cast<int>(text.size()),
               text.data());
  std::abort();
}

std::string_view Trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \n") - first + 1);
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    std::string_view part = Trim(text.substr(0, end));
    if (!part.empty()) parts.push_back(part);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return parts;
}

void AddWord(std::string_view word, DTypeSet& set) {
  if (word == "value") {
    set.any_value = true;
    word = "any";
  }
  for (const auto& [name, members] : kClasses) {
    if (word != name) continue;
    for (std::string_view member : Split(members, ' ')) AddWord(member, set);
    return;
  }
  std::optional<DType> dtype = DTypeFromName(word);
  if (!dtype) Bad("no such element type", word);
  set.bits.set(static_cast<std::size_t>(*dtype));
}

std::vector<TypeVariable> ParseVariables(std::string_view text) {
  std::vector<TypeVariable> variables;
  for (std::string_view definition : Split(text, ';')) {
    const std::size_t colon = definition.find(':');
    if (colon == std::string_view::npos) Bad("no ':'", definition);
    TypeVariable variable;
    variable.name = Trim(definition.substr(0, colon));
    for (std::string_view word : Split(definition.substr(colon + 1), ' '))
      AddWord(word, variable.allowed);
    variables.push_back(std::move(variable));
  }
  return variables;
}

Formal ParseFormal(std::string_view text, const Signature& signature) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) Bad("no ':'", text);
  Formal formal;
  formal.name = Trim(text.substr(0, colon));
  std::string_view type = Trim(text.substr(colon + 1));
  for (; !type.empty(); type.remove_suffix(1)) {
    const char mark = type.back();
    if (mark == '?')
      formal.optional = true;
    else if (mark == '#')
      formal.sizes_results = true;
    else if (mark == '*')
      formal.variadic = true;
    else if (mark == '+')
      formal.variadic = formal.heterogeneous = true;
    else
      break;
  }
  formal.variable = signature.FindVariable(type);
  if (formal.variable >= 0) return formal;
  std::optional<DType> dtype = DTypeFromName(type);
  if (!dtype) Bad("no such type variable", text);
  formal.fixed = *dtype;
  return formal;
}

std::vector<Formal> ParseFormals(std::string_view text, const Signature& signature) {
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') Bad("no parentheses", text);
  std::vector<Formal> formals;
  for (std::string_view part : Split(text.substr(1, text.size() - 2), ',')) {
    formals.push_back(ParseFormal(part, signature));
  }
  return formals;
}

std::string Print(const std::vector<Formal>& formals, const Signature& signature) {
  std::string text = "(";
  for (const Formal& formal : formals) {
    if (text.size() > 1) text += ", ";
    text += formal.name + ": ";
    text += formal.variable >= 0
                ? signature.variables[static_cast<std::size_t>(formal.variable)].name
                : std::string(Name(formal.fixed));
    if (formal.optional) text += '?';
    if (formal.variadic) text += formal.heterogeneous ? '+' : '*';
  }
  return text + ")";
}

}  // namespace

std::string DTypeSet::ToString() const {
  if (any_value) return "value";
  std::string text;
  for (const DTypeInfo& info : AllDTypes()) {
    if (!Has(info.dtype)) continue;
    if (!text.empty()) text += ' ';
    text += info.name;
  }
  return text;
}

const Formal* Signature::FormalAt(const std::vector<Formal>& formals, std::size_t i) {
  if (i < formals.size()) return &formals[i];
  if (!formals.empty() && formals.back().variadic) return &formals.back();
  return nullptr;
}

int Signature::FindVariable(std::string_view name) const {
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (variables[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

std::string Signature::ToString() const {
  return Print(operands, *this) + " -> " + Print(results, *this);
}

Signature ParseSignature(std::string_view signature, std::string_view variables) {
  const std::size_t arrow = signature.find("->");
  if (arrow == std::string_view::npos) Bad("no '->'", signature);
  Signature parsed;
  parsed.variables = ParseVariables(variables);
  parsed.operands = ParseFormals(Trim(signature.substr(0, arrow)), parsed);
  parsed.results = ParseFormals(Trim(signature.substr(arrow + 2)), parsed);
  return parsed;
}

}  // namespace dragoman
