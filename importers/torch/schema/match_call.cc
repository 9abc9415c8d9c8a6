// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/schema/match_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace dragoman::torch {
namespace {

using Kind = ScriptType::Kind;

constexpr std::size_t kMaxListedCandidates = 6;

// Schemas that torch never matches by name.
bool IsBlocked(const Schema& schema) {
  if (schema.ns != "aten") return false;
  if (schema.name == "view") return schema.overload == "dtype";
  return (schema.name == "max" || schema.name == "min") && schema.overload == "unary_out";
}

// A single number stands for `repeat` equal ones.
bool IsRepeated(const SchemaArgument& formal, const ScriptType& actual) {
  if (!formal.repeat || !formal.type.WithoutOptional().Is(Kind::kList)) return false;
  const ScriptType& element = formal.type.WithoutOptional().element();
  return actual == element && (actual.Is(Kind::kInt) || actual.Is(Kind::kFloat));
}

// Whether the rest of the positional arguments may be the elements of argument `i`.
bool TakesRestAsList(const Schema& schema, std::size_t i) {
  const auto& formals = schema.arguments;
  const bool last = i + 1 == formals.size() || formals[i + 1].keyword_only;
  const ScriptType& type = formals[i].type;
  return last && type.Is(Kind::kList) && !formals[i].repeat && !type.element().has_variables();
}

const KeywordArgument* FindKeyword(const SchemaArgument& formal, const CallArguments& arguments) {
  for (const KeywordArgument& keyword : arguments.keywords) {
    if (keyword.name == formal.name) return &keyword;
    if (formal.name == "self" && keyword.name == "input") return &keyword;
  }
  return nullptr;
}

std::string ShowArguments(const CallArguments& arguments) {
  std::vector<std::string> shown;
  if (arguments.self) shown.push_back(arguments.self->type.ToString());
  for (const Typed& value : arguments.positional) shown.push_back(value.type.ToString());
  for (const KeywordArgument& keyword : arguments.keywords) {
    shown.push_back(keyword.name + "=" + keyword.value.type.ToString());
  }
  return fmt::format("({})", fmt::join(shown, ", "));
}

std::string ShowSchema(const Schema& schema) {
  std::vector<std::string> shown;
  for (const SchemaArgument& argument : schema.arguments) {
    shown.push_back(argument.name + ": " + argument.type.ToString());
  }
  const std::string name = schema.ns.empty() ? schema.name : schema.FullName();
  return fmt::format("{}({})", name, fmt::join(shown, ", "));
}

}  // namespace

Implements CallMatcher::MakeImplements() const {
  return [this](const std::string& name, const std::string& interface) {
    return program_.Implements(name, interface);
  };
}

bool CallMatcher::IsSubtype(const ScriptType& a, const ScriptType& b) const {
  return torch::IsSubtype(a, b, MakeImplements());
}

std::optional<ScriptType> CallMatcher::Unify(const ScriptType& a, const ScriptType& b) const {
  return torch::Unify(a, b, MakeImplements());
}

bool CallMatcher::ConvertibleToList(const ScriptType& type, const ScriptType& list) const {
  if (!list.Is(Kind::kList)) return false;
  if (IsSubtype(type, list)) return true;
  return type.Is(Kind::kTuple) &&
         std::all_of(type.elements().begin(), type.elements().end(),
                     [&](const ScriptType& item) { return IsSubtype(item, list.element()); });
}

Typed CallMatcher::ConvertImplicitly(const Typed& value, const ScriptType& type) {
  const auto apply = [&](std::string_view name, std::string_view overload = "") {
    return builder_.Append({"aten", name, overload}, {value.value}, type);
  };
  if (value.type.Is(Kind::kTensor)) {
    if (type.Is(Kind::kFloat)) return apply("FloatImplicit");
    if (type.Is(Kind::kComplex)) return apply("ComplexImplicit");
    if (type.Is(Kind::kInt)) return apply("IntImplicit");
    if (type.Is(Kind::kNumber)) return apply("ScalarImplicit");
  }
  if (value.type.Is(Kind::kNumber)) {
    if (type.Is(Kind::kFloat)) return apply("Float", "Scalar");
    if (type.Is(Kind::kComplex)) return apply("Complex", "Scalar");
    if (type.Is(Kind::kInt)) return apply("Int", "Scalar");
  }
  if (value.type.Is(Kind::kBool)) {
    if (type.Is(Kind::kFloat)) return apply("Float", "bool");
    if (type.Is(Kind::kInt)) return apply("Int", "bool");
    if (type.Is(Kind::kNumber)) {
      return builder_.Append({"aten", "Int", "bool"}, {value.value}, ScriptType(Kind::kInt));
    }
  }
  if (value.type.Is(Kind::kString) && type.Is(Kind::kDevice)) return apply("device");
  return value;
}

std::optional<Typed> CallMatcher::Convert(const Typed& value, const ScriptType& type,
                                          bool allow_conversions) {
  if (type.Is(Kind::kOptional) && !value.type.Is(Kind::kOptional) && !value.type.Is(Kind::kNone)) {
    return Convert(value, type.element(), allow_conversions);
  }
  const ScriptType& list = type.WithoutOptional();
  Typed result = value;
  if (builder_.IsEmptyList(value.value) && type.Is(Kind::kList)) {
    if (!(type.element() == value.type.element())) result = builder_.List(type.element(), {});
  } else if (value.type.Is(Kind::kTuple) && ConvertibleToList(value.type, list)) {
    result = builder_.List(list.element(), builder_.UnpackTuple(value));
  } else if (value.type.Is(Kind::kTuple) && type.Is(Kind::kTuple) && !IsSubtype(value.type, type) &&
             value.type.elements().size() == type.elements().size()) {
    std::vector<Typed> items = builder_.UnpackTuple(value);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto item = Convert(items[i], type.element(i), allow_conversions);
      if (!item) return std::nullopt;
      items[i] = *item;
    }
    result = builder_.Tuple(items);
  } else if (allow_conversions) {
    result = ConvertImplicitly(value, type);
  }
  if (!IsSubtype(result.type, type)) return std::nullopt;
  return result;
}

std::optional<Typed> CallMatcher::TryArgument(const SchemaArgument& formal, Typed actual,
                                              TypeVariables& variables, bool allow_conversions) {
  if (IsRepeated(formal, actual.type)) {
    const std::vector<Typed> items(static_cast<std::size_t>(*formal.repeat), actual);
    actual = builder_.List(ScriptType(actual.type), items);
  }
  if (!MatchVariables(formal.type, actual.type, variables, MakeImplements())) return std::nullopt;
  const auto type = Substitute(formal.type, variables);
  if (!type) return std::nullopt;
  return Convert(actual, *type, allow_conversions);
}

std::optional<Typed> CallMatcher::TryVarargsList(const SchemaArgument& formal,
                                                 const CallArguments& arguments, std::size_t first,
                                                 TypeVariables& variables, bool allow_conversions) {
  const ScriptType& element = formal.type.WithoutOptional().element();
  SchemaArgument item_formal;
  item_formal.type = element;
  std::vector<Typed> items;
  for (std::size_t i = first; i < arguments.positional.size(); ++i) {
    const auto item =
        TryArgument(item_formal, arguments.positional[i], variables, allow_conversions);
    if (!item) return std::nullopt;
    items.push_back(*item);
  }
  return builder_.List(element, items);
}

std::optional<CallMatcher::Attempt> CallMatcher::Try(const Schema& schema,
                                                     const CallArguments& arguments,
                                                     bool allow_conversions) {
  if (IsBlocked(schema)) return std::nullopt;
  Attempt attempt;
  TypeVariables variables;
  std::set<const KeywordArgument*> used;
  bool self_used = !arguments.self.has_value();
  std::size_t next = 0;
  const auto& positional = arguments.positional;
  for (std::size_t i = 0; i < schema.arguments.size(); ++i) {
    const SchemaArgument& formal = schema.arguments[i];
    Actual actual;
    if (formal.name == "self" && !self_used) {
      actual.value = arguments.self;
      self_used = true;
    } else if (!formal.keyword_only && next < positional.size()) {
      const ScriptType& type = positional[next].type;
      if (allow_conversions && TakesRestAsList(schema, i) && !type.Is(Kind::kList) &&
          !ConvertibleToList(type, formal.type.WithoutOptional())) {
        actual.value = TryVarargsList(formal, arguments, next, variables, allow_conversions);
        if (!actual.value) return std::nullopt;
        next = positional.size();
        attempt.actuals.push_back(std::move(actual));
        continue;
      }
      actual.value = positional[next++];
    } else if (const KeywordArgument* keyword = FindKeyword(formal, arguments)) {
      if (!used.insert(keyword).second) return std::nullopt;
      actual.value = keyword->value;
    } else if (formal.default_value) {
      actual.default_value = &*formal.default_value;
    } else {
      return std::nullopt;
    }
    if (actual.value) {
      actual.value = TryArgument(formal, *actual.value, variables, allow_conversions);
      if (!actual.value) return std::nullopt;
    }
    attempt.actuals.push_back(std::move(actual));
  }
  if (!self_used || used.size() != arguments.keywords.size()) return std::nullopt;
  if (next < positional.size() && !schema.varargs) return std::nullopt;
  for (; next < positional.size(); ++next) attempt.actuals.push_back({positional[next], nullptr});
  for (const SchemaArgument& result : schema.results) {
    auto type = Substitute(result.type, variables);
    if (!type) return std::nullopt;
    attempt.results.push_back(*std::move(type));
  }
  return attempt;
}

Result<MatchedCall> CallMatcher::Match(const std::vector<const Schema*>& schemas,
                                       const CallArguments& arguments) {
  Node* mark = builder_.Mark();
  for (const bool allow_conversions : {false, true}) {
    if (schemas.size() == 1 && !allow_conversions) continue;
    for (std::size_t i = 0; i < schemas.size(); ++i) {
      const auto attempt = Try(*schemas[i], arguments, allow_conversions);
      if (!attempt) {
        builder_.RollBack(mark);
        continue;
      }
      MatchedCall match;
      match.overload = i;
      match.results = attempt->results;
      for (std::size_t j = 0; j < attempt->actuals.size(); ++j) {
        const Actual& actual = attempt->actuals[j];
        if (actual.value) {
          match.operands.push_back(*actual.value);
          continue;
        }
        const SchemaArgument& formal = schemas[i]->arguments[j];
        const Attribute value = DefaultConstant(*actual.default_value, formal);
        match.operands.push_back(builder_.Constant(value, TypeOfDefault(value, formal.type)));
      }
      return match;
    }
  }
  return NoMatch(schemas, arguments);
}

Error CallMatcher::NoMatch(const std::vector<const Schema*>& schemas,
                           const CallArguments& arguments) const {
  std::string message = fmt::format("no overload takes {}; there", ShowArguments(arguments));
  message += schemas.size() == 1 ? " is" : " are";
  for (std::size_t i = 0; i < std::min(schemas.size(), kMaxListedCandidates); ++i) {
    message += (i == 0 ? " " : ", ") + ShowSchema(*schemas[i]);
  }
  if (schemas.size() > kMaxListedCandidates) {
    message += fmt::format(" and {} more", schemas.size() - kMaxListedCandidates);
  }
  return builder_.Fail(ErrorKind::kInvalidInput, std::move(message));
}

}  // namespace dragoman::torch
