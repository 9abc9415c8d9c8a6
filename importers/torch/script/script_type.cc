// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/script/script_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "importers/torch/script/type_parts.h"

namespace dragoman::torch {
namespace {

using Kind = ScriptType::Kind;

struct SimpleName {
  std::string_view name;
  Kind kind;
};

constexpr std::array<SimpleName, 11> kSimple = {{{"Tensor", Kind::kTensor},
                                                 {"int", Kind::kInt},
                                                 {"float", Kind::kFloat},
                                                 {"complex", Kind::kComplex},
                                                 {"bool", Kind::kBool},
                                                 {"str", Kind::kString},
                                                 {"NoneType", Kind::kNone},
                                                 {"None", Kind::kNone},
                                                 {"number", Kind::kNumber},
                                                 {"Device", Kind::kDevice},
                                                 {"Any", Kind::kAny}}};

std::string JoinTypes(const std::vector<ScriptType>& types) {
  std::string text;
  for (const ScriptType& type : types) {
    if (!text.empty()) text += ", ";
    text += type.ToString();
  }
  return text;
}

void AddMembers(const ScriptType& type, std::vector<ScriptType>& members) {
  if (type.Is(Kind::kUnion)) {
    for (const ScriptType& element : type.elements()) members.push_back(element);
  } else if (type.Is(Kind::kOptional)) {
    AddMembers(type.element(), members);
    members.push_back(ScriptType(Kind::kNone));
  } else {
    members.push_back(type);
  }
}

std::vector<ScriptType> MembersOf(const ScriptType& type) {
  std::vector<ScriptType> members;
  AddMembers(type, members);
  return members;
}

bool AllSubtypes(const std::vector<ScriptType>& a, const std::vector<ScriptType>& b,
                 const Implements& implements) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(),
      [&](const ScriptType& x, const ScriptType& y) { return IsSubtype(x, y, implements); });
}

}  // namespace

ScriptType::ScriptType(Kind kind)
    : data_(std::make_shared<const Data>(Data{kind, {}, {}, 1, kind == Kind::kVariable})) {}

ScriptType ScriptType::Of(Kind kind, std::vector<ScriptType> elements, std::string name) {
  int nesting = 0;
  bool variables = kind == Kind::kVariable;
  for (const ScriptType& element : elements) {
    nesting = std::max(nesting, element.nesting());
    variables |= element.has_variables();
  }
  ScriptType type;
  type.data_ = std::make_shared<const Data>(
      Data{kind, std::move(name), std::move(elements), nesting + 1, variables});
  return type;
}

ScriptType ScriptType::Named(Kind kind, std::string name) { return Of(kind, {}, std::move(name)); }

ScriptType ScriptType::List(ScriptType element) { return Of(Kind::kList, {std::move(element)}); }

ScriptType ScriptType::Optional(ScriptType element) {
  if (element.Is(Kind::kOptional) || element.Is(Kind::kNone)) return element;
  return Of(Kind::kOptional, {std::move(element)});
}

ScriptType ScriptType::Dict(ScriptType key, ScriptType value) {
  return Of(Kind::kDict, {std::move(key), std::move(value)});
}

ScriptType ScriptType::Tuple(std::vector<ScriptType> elements) {
  return Of(Kind::kTuple, std::move(elements));
}

ScriptType ScriptType::NamedTuple(std::string name, std::vector<ScriptType> elements) {
  return Of(Kind::kTuple, std::move(elements), std::move(name));
}

ScriptType ScriptType::Union(const std::vector<ScriptType>& members) {
  std::vector<ScriptType> all;
  for (const ScriptType& member : members) AddMembers(member, all);
  std::vector<ScriptType> kept;
  for (const ScriptType& member : all) {
    if (std::find(kept.begin(), kept.end(), member) == kept.end()) kept.push_back(member);
  }
  if (kept.size() == 1) return kept.front();
  if (kept.size() == 2 && kept[0].Is(Kind::kNone)) std::swap(kept[0], kept[1]);
  if (kept.size() == 2 && kept[1].Is(Kind::kNone)) return Optional(kept[0]);
  return Of(Kind::kUnion, std::move(kept));
}

bool operator==(const ScriptType& a, const ScriptType& b) {
  if (a.data_ == b.data_) return true;
  if (a.kind() != b.kind() || a.name() != b.name()) return false;
  if (!a.Is(Kind::kUnion)) return a.elements() == b.elements();
  return std::is_permutation(a.elements().begin(), a.elements().end(), b.elements().begin(),
                             b.elements().end());
}

std::string ScriptType::ToString() const {
  switch (kind()) {
    case Kind::kList:
      return "List[" + element().ToString() + "]";
    case Kind::kOptional:
      return "Optional[" + element().ToString() + "]";
    case Kind::kUnion:
      return "Union[" + JoinTypes(elements()) + "]";
    case Kind::kDict:
      return "Dict[" + JoinTypes(elements()) + "]";
    case Kind::kFuture:
      return "Future[" + element().ToString() + "]";
    case Kind::kTuple:
      if (!name().empty()) return name();
      return elements().empty() ? "Tuple[()]" : "Tuple[" + JoinTypes(elements()) + "]";
    case Kind::kClass:
    case Kind::kInterface:
    case Kind::kEnum:
    case Kind::kVariable:
    case Kind::kOther:
      return elements().empty() ? name() : name() + "[" + JoinTypes(elements()) + "]";
    default:
      break;
  }
  for (const SimpleName& simple : kSimple) {
    if (simple.kind == kind()) return std::string(simple.name);
  }
  return "?";
}

bool IsSubtype(const ScriptType& a, const ScriptType& b, const Implements& implements) {
  if (b.Is(Kind::kAny) || a == b) return true;
  if (a.Is(Kind::kUnion) || (a.Is(Kind::kOptional) && !b.Is(Kind::kOptional))) {
    const std::vector<ScriptType> members = MembersOf(a);
    return std::all_of(members.begin(), members.end(),
                       [&](const ScriptType& member) { return IsSubtype(member, b, implements); });
  }
  switch (b.kind()) {
    case Kind::kNumber:
      return a.Is(Kind::kInt) || a.Is(Kind::kFloat) || a.Is(Kind::kComplex);
    case Kind::kOptional:
      return a.Is(Kind::kNone) || IsSubtype(a.WithoutOptional(), b.element(), implements);
    case Kind::kUnion: {
      const auto& members = b.elements();
      return std::any_of(members.begin(), members.end(), [&](const ScriptType& member) {
        return IsSubtype(a, member, implements);
      });
    }
    case Kind::kTuple:
      if (!a.Is(Kind::kTuple) || !b.name().empty()) return false;
      return AllSubtypes(a.elements(), b.elements(), implements);
    case Kind::kFuture:
      return a.Is(Kind::kFuture) && AllSubtypes(a.elements(), b.elements(), implements);
    case Kind::kInterface:
      return (a.Is(Kind::kClass) || a.Is(Kind::kInterface)) && implements(a.name(), b.name());
    case Kind::kOther:
      if (b.name() == "AnyEnumType") return a.Is(Kind::kEnum);
      if (b.name() == "AnyClassType") return a.Is(Kind::kClass);
      if (b.name() == "AnyListType") return a.Is(Kind::kList);
      if (b.name() == "AnyTupleType") return a.Is(Kind::kTuple);
      return false;
    default:
      return false;
  }
}

std::optional<ScriptType> Unify(const ScriptType& a, const ScriptType& b,
                                const Implements& implements) {
  if (IsSubtype(a, b, implements)) return b;
  if (IsSubtype(b, a, implements)) return a;
  if (a.Is(Kind::kNone)) return ScriptType::Optional(b);
  if (b.Is(Kind::kNone)) return ScriptType::Optional(a);
  if (a.Is(Kind::kOptional) || b.Is(Kind::kOptional)) {
    auto inner = Unify(a.WithoutOptional(), b.WithoutOptional(), implements);
    if (!inner) return std::nullopt;
    return ScriptType::Optional(*std::move(inner));
  }
  const bool tuples = a.Is(Kind::kTuple) && b.Is(Kind::kTuple);
  const bool futures = a.Is(Kind::kFuture) && b.Is(Kind::kFuture);
  if ((!tuples && !futures) || a.elements().size() != b.elements().size()) return std::nullopt;
  std::vector<ScriptType> elements;
  for (std::size_t i = 0; i < a.elements().size(); ++i) {
    auto unified = Unify(a.element(i), b.element(i), implements);
    if (!unified) return std::nullopt;
    elements.push_back(*std::move(unified));
  }
  return ScriptType::Of(a.kind(), std::move(elements));
}

namespace {

bool MatchVariable(const ScriptType& formal, const ScriptType& actual, TypeVariables& variables,
                   const Implements& implements) {
  const auto [found, added] = variables.try_emplace(formal.name(), actual);
  if (added) return true;
  auto unified = Unify(found->second, actual, implements);
  if (!unified) return false;
  found->second = *std::move(unified);
  return true;
}

bool MatchTupleAsList(const ScriptType& formal, const ScriptType& actual, TypeVariables& variables,
                      const Implements& implements) {
  if (actual.elements().empty()) return false;
  ScriptType element = actual.element();
  for (const ScriptType& other : actual.elements()) {
    auto unified = Unify(element, other, implements);
    if (!unified) return false;
    element = *std::move(unified);
  }
  return MatchVariables(formal.element(), element, variables, implements);
}

}  // namespace

bool MatchVariables(const ScriptType& formal, const ScriptType& actual, TypeVariables& variables,
                    const Implements& implements) {
  if (!formal.has_variables()) return true;
  if (formal.Is(Kind::kVariable)) return MatchVariable(formal, actual, variables, implements);
  if (formal.Is(Kind::kList) && actual.Is(Kind::kTuple)) {
    return MatchTupleAsList(formal, actual, variables, implements);
  }
  if (formal.Is(Kind::kOptional)) {
    if (actual.Is(Kind::kNone)) return false;
    return MatchVariables(formal.element(), actual.WithoutOptional(), variables, implements);
  }
  if (formal.kind() != actual.kind() || formal.name() != actual.name() ||
      formal.elements().size() != actual.elements().size()) {
    return false;
  }
  for (std::size_t i = 0; i < formal.elements().size(); ++i) {
    if (!MatchVariables(formal.element(i), actual.element(i), variables, implements)) return false;
  }
  return true;
}

std::optional<ScriptType> Substitute(const ScriptType& formal, const TypeVariables& variables) {
  if (!formal.has_variables()) return formal;
  if (formal.Is(Kind::kVariable)) {
    const auto found = variables.find(formal.name());
    if (found == variables.end()) return std::nullopt;
    return found->second;
  }
  std::vector<ScriptType> elements;
  for (const ScriptType& element : formal.elements()) {
    auto substituted = Substitute(element, variables);
    if (!substituted) return std::nullopt;
    elements.push_back(*std::move(substituted));
  }
  if (formal.Is(Kind::kOptional)) return ScriptType::Optional(elements.front());
  return ScriptType::Of(formal.kind(), std::move(elements), formal.name());
}

namespace {

DType MapKey(const ScriptType& key) {
  switch (key.kind()) {
    case Kind::kString:
      return DType::kString;
    case Kind::kInt:
      return DType::kI64;
    case Kind::kFloat:
      return DType::kF64;
    case Kind::kBool:
      return DType::kBool;
    case Kind::kComplex:
      return DType::kC128;
    default:
      return DType::kUnknown;
  }
}

}  // namespace

Type ToIrType(const ScriptType& type) {
  switch (type.kind()) {
    case Kind::kTensor:
      return Type::Tensor(DType::kUnknown);
    case Kind::kList:
      return Type::Sequence(ToIrType(type.element()));
    case Kind::kOptional:
      return Type::Optional(ToIrType(type.element()));
    case Kind::kDict: {
      const DType key = MapKey(type.element(0));
      if (key == DType::kUnknown) break;
      return Type::Map(key, ToIrType(type.element(1)));
    }
    case Kind::kTuple: {
      if (!type.name().empty()) break;
      std::vector<Type> elements;
      for (const ScriptType& element : type.elements()) elements.push_back(ToIrType(element));
      return Type::Tuple(std::move(elements));
    }
    default:
      break;
  }
  return Type::Opaque("torch", type.ToString());
}

std::optional<std::string> QualifiedName(const Expr& expr) {
  if (expr.kind == Expr::Kind::kName) return expr.text;
  if (expr.kind != Expr::Kind::kAttribute) return std::nullopt;
  auto head = QualifiedName(expr.parts[0]);
  if (!head) return std::nullopt;
  return *head + "." + expr.text;
}

namespace {

// Of List[…] and its like; `parts` are the types between the brackets.
Result<ScriptType> Generic(const std::string& name, std::vector<ScriptType> parts) {
  const std::size_t count = parts.size();
  if (name == "List" && count == 1) return ScriptType::List(parts[0]);
  if (name == "Optional" && count == 1) return ScriptType::Optional(parts[0]);
  if (name == "Dict" && count == 2) return ScriptType::Dict(parts[0], parts[1]);
  if (name == "Tuple") return ScriptType::Tuple(std::move(parts));
  if (name == "Union" && count > 0) return ScriptType::Union(parts);
  if (name == "Future" && count == 1) return ScriptType::Of(Kind::kFuture, std::move(parts));
  if (name == "Final" && count == 1) return parts[0];
  if (count == 1) return ScriptType::Of(Kind::kOther, std::move(parts), name);
  return InvalidInput(fmt::format("'{}' of {} types is not a type", name, count));
}

}  // namespace

Result<ScriptType> TypeOf(const Expr& expr, const NameResolver& resolve) {
  if (expr.kind == Expr::Kind::kNone) return ScriptType(Kind::kNone);
  if (expr.kind == Expr::Kind::kSubscript) {
    const auto name = QualifiedName(expr.parts[0]);
    if (!name) return InvalidInput("this is not a type");
    std::vector<ScriptType> parts;
    const Expr& index = expr.parts[1];
    const bool several = index.kind == Expr::Kind::kTuple;
    for (std::size_t i = 0; i < (several ? index.parts.size() : 1); ++i) {
      DRAGOMAN_ASSIGN(ScriptType part, TypeOf(several ? index.parts[i] : index, resolve));
      parts.push_back(std::move(part));
    }
    DRAGOMAN_ASSIGN(ScriptType type, Generic(*name, std::move(parts)));
    if (IsBounded(type)) return type;
    return InvalidInput(fmt::format("types nested deeper than {}, or of more than {} parts",
                                    Type::kMaxNesting, kMaxTypeParts));
  }
  const auto name = QualifiedName(expr);
  if (!name) return InvalidInput("this is not a type");
  for (const SimpleName& simple : kSimple) {
    if (simple.name == *name) return ScriptType(simple.kind);
  }
  if (name->starts_with("__torch__.")) {
    auto type = resolve(*name);
    if (!type) return InvalidInput(fmt::format("'{}' is not defined in this archive", *name));
    return *std::move(type);
  }
  return ScriptType::Named(Kind::kOther, *name);
}

}  // namespace dragoman::torch
