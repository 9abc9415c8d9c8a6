// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/schema/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <utility>

#include "core/support/python/lexer.h"
#include "importers/torch/schema/schema_text.h"

namespace dragoman::torch {
namespace {

using Kind = ScriptType::Kind;

// The types that code writes as int.
constexpr std::array<std::string_view, 5> kIntNames = {"ScalarType", "Layout", "MemoryFormat",
                                                       "SymInt", "QScheme"};

ScriptType SimpleType(std::string_view name) {
  if (name == "Tensor") return ScriptType(Kind::kTensor);
  if (name == "int") return ScriptType(Kind::kInt);
  if (name == "float") return ScriptType(Kind::kFloat);
  if (name == "complex") return ScriptType(Kind::kComplex);
  if (name == "bool") return ScriptType(Kind::kBool);
  if (name == "str" || name == "Dimname") return ScriptType(Kind::kString);
  if (name == "NoneType") return ScriptType(Kind::kNone);
  if (name == "Scalar" || name == "number") return ScriptType(Kind::kNumber);
  if (name == "Device") return ScriptType(Kind::kDevice);
  if (name == "Any") return ScriptType(Kind::kAny);
  for (std::string_view known : kIntNames) {
    if (known == name) return ScriptType(Kind::kInt);
  }
  if (name.starts_with("__torch__.")) return ScriptType::Named(Kind::kClass, std::string(name));
  const bool variable = name.front() >= 'a' && name.front() <= 'z';
  return ScriptType::Named(variable ? Kind::kVariable : Kind::kOther, std::string(name));
}

// Schema text is our own data and short: types nest a few levels deep.
class SchemaParser {
 public:
  explicit SchemaParser(std::string_view text) : rest_(text) {}

  Result<Schema> Parse() {
    ParseName();
    Expect("(");
    bool keyword_only = false;
    while (ok_ && !Accept(")")) {
      if (Accept("...")) {
        schema_.varargs = true;
      } else if (Accept("*")) {
        keyword_only = true;
      } else {
        SchemaArgument argument = ParseArgument();
        argument.keyword_only = keyword_only;
        schema_.arguments.push_back(std::move(argument));
      }
      Accept(",");
    }
    Expect("->");
    ParseResults();
    if (ok_ && rest_.empty()) return std::move(schema_);
    return Internal(fmt::format("schema of {} cannot be read at '{}'", schema_.FullName(), rest_));
  }

 private:
  static bool IsNameChar(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }

  void SkipSpace() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
  }

  bool Accept(std::string_view token) {
    SkipSpace();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  void Expect(std::string_view token) { ok_ &= Accept(token); }

  std::string_view Take(const std::function<bool(char)>& wanted) {
    SkipSpace();
    std::size_t length = 0;
    while (length < rest_.size() && wanted(rest_[length])) ++length;
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }

  void ParseName() {
    schema_.ns = Take(IsNameChar);
    Expect("::");
    schema_.name = Take(IsNameChar);
    if (Accept(".")) schema_.overload = Take(IsNameChar);
  }

  SchemaArgument ParseArgument() {
    SchemaArgument argument;
    argument.type = ParseType(argument);
    argument.name = Take(IsNameChar);
    ok_ &= !argument.name.empty();
    if (Accept("=")) argument.default_value = ParseDefault(argument.type);
    return argument;
  }

  void ParseResults() {
    if (Accept("...")) {
      schema_.varresults = true;
      return;
    }
    if (!Accept("(")) {
      schema_.results.push_back(ParseResult());
      return;
    }
    while (ok_ && !Accept(")")) {
      schema_.results.push_back(ParseResult());
      Accept(",");
    }
  }

  SchemaArgument ParseResult() {
    SchemaArgument result;
    result.type = ParseType(result);
    result.name = Take(IsNameChar);
    return result;
  }

  ScriptType ParseType(SchemaArgument& argument) {
    ScriptType type = ParsePlainType();
    while (ok_) {
      if (rest_.starts_with('?')) {
        rest_.remove_prefix(1);
        type = ScriptType::Optional(std::move(type));
      } else if (rest_.starts_with('[')) {
        rest_.remove_prefix(1);
        const std::string_view count = Take([](char c) { return c >= '0' && c <= '9'; });
        if (!count.empty()) argument.repeat = static_cast<int>(python::IntOf(count).value_or(1));
        Expect("]");
        type = ScriptType::List(std::move(type));
      } else if (rest_.starts_with('(')) {
        argument.alias = ParseAlias();
      } else {
        break;
      }
    }
    return type;
  }

  std::string ParseAlias() {
    Expect("(");
    std::string alias(Take([](char c) { return c != ')'; }));
    Expect(")");
    return alias;
  }

  ScriptType ParsePlainType() {
    SchemaArgument ignored;
    if (Accept("(")) {
      std::vector<ScriptType> elements;
      while (ok_ && !Accept(")")) {
        elements.push_back(ParseType(ignored));
        Accept(",");
      }
      return ScriptType::Tuple(std::move(elements));
    }
    const std::string_view name = Take([](char c) { return IsNameChar(c) || c == '.'; });
    if (name.empty()) {
      ok_ = false;
      return {};
    }
    if (name != "Dict" && name != "Future" && name != "Await" && name != "RRef") {
      return SimpleType(name);
    }
    Expect("(");
    std::vector<ScriptType> parts;
    while (ok_ && !Accept(")")) {
      parts.push_back(ParseType(ignored));
      Accept(",");
    }
    if (name == "Dict") return ScriptType::Of(Kind::kDict, std::move(parts));
    if (name == "Future") return ScriptType::Of(Kind::kFuture, std::move(parts));
    return ScriptType::Of(Kind::kOther, std::move(parts), std::string(name));
  }

  Attribute ParseDefault(const ScriptType& type) {
    if (Accept("None")) return Attribute();
    if (Accept("True")) return Attribute(true);
    if (Accept("False")) return Attribute(false);
    if (rest_.starts_with('"')) return ParseString();
    if (Accept("[")) {
      Attribute::Ints values;
      while (ok_ && !Accept("]")) {
        values.push_back(ParseInt(Take([](char c) { return c != ',' && c != ']'; })));
        Accept(",");
      }
      return Attribute(std::move(values));
    }
    const std::string_view number = Take([](char c) { return c != ',' && c != ')'; });
    const bool is_float = number.find_first_of(".e") != std::string_view::npos ||
                          type.WithoutOptional().Is(Kind::kFloat);
    if (!is_float) return Attribute(ParseInt(number));
    const bool negative = number.starts_with('-');
    const double value = python::FloatOf(number.substr(negative ? 1 : 0));
    return Attribute(negative ? -value : value);
  }

  std::int64_t ParseInt(std::string_view text) {
    std::int64_t value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    ok_ &= result.ec == std::errc() && result.ptr == text.data() + text.size();
    return value;
  }

  Attribute ParseString() {
    std::size_t length = 1;
    while (length < rest_.size() && rest_[length] != '"') length += rest_[length] == '\\' ? 2 : 1;
    const std::string_view token = rest_.substr(0, length + 1);
    rest_.remove_prefix(token.size());
    return Attribute(python::StringOf(token));
  }

  std::string_view rest_;
  Schema schema_;
  bool ok_ = true;
};

}  // namespace

ScriptType TypeOfDefault(const Attribute& value, const ScriptType& formal) {
  switch (value.kind()) {
    case Attribute::Kind::kNone:
      return ScriptType(Kind::kNone);
    case Attribute::Kind::kBool:
      return ScriptType(Kind::kBool);
    case Attribute::Kind::kInt:
      return ScriptType(formal.WithoutOptional().Is(Kind::kFloat) ? Kind::kFloat : Kind::kInt);
    case Attribute::Kind::kDouble:
      return ScriptType(Kind::kFloat);
    case Attribute::Kind::kComplex:
      return ScriptType(Kind::kComplex);
    case Attribute::Kind::kString:
      return ScriptType(Kind::kString);
    default:
      return formal.WithoutOptional();
  }
}

Attribute DefaultConstant(const Attribute& value, const SchemaArgument& formal) {
  const auto* number = value.As<std::int64_t>();
  if (number == nullptr) return value;
  const ScriptType& type = formal.type.WithoutOptional();
  if (type.Is(Kind::kFloat)) return Attribute(static_cast<double>(*number));
  if (!type.Is(Kind::kList)) return value;
  return Attribute(Attribute::Ints(static_cast<std::size_t>(formal.repeat.value_or(1)), *number));
}

std::string Schema::FullName() const {
  return ns + "::" + name + (overload.empty() ? "" : "." + overload);
}

Result<Schema> ParseSchema(std::string_view text) { return SchemaParser(text).Parse(); }

SchemaTable::SchemaTable() {
  std::string_view text = TorchSchemaText();
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::string_view head = line.substr(0, line.find('('));
    const std::string_view name = head.substr(0, head.find('.'));
    if (!name.empty()) lines_[name].push_back(line);
  }
}

SchemaTable::~SchemaTable() = default;

const std::vector<Schema>& SchemaTable::Find(std::string_view name) {
  const auto known = parsed_.find(name);
  if (known != parsed_.end()) return known->second;
  std::vector<Schema>& schemas = parsed_[std::string(name)];
  const auto lines = lines_.find(name);
  if (lines == lines_.end()) return schemas;
  for (std::string_view line : lines->second) {
    auto schema = ParseSchema(line);
    if (schema.ok()) schemas.push_back(*std::move(schema));
  }
  return schemas;
}

const Schema* SchemaTable::Find(std::string_view ns, std::string_view name,
                                std::string_view overload) {
  for (const Schema& schema : Find(fmt::format("{}::{}", ns, name))) {
    if (schema.overload == overload) return &schema;
  }
  return nullptr;
}

}  // namespace dragoman::torch
