// A node's attributes as the runtime's parameter struct. The struct's Visit is the one declaration
// of an operator's attributes: names, kinds and defaults here, printing as C++ and comparison
// follow from it.
#ifndef DRAGOMAN_CORE_OPS_PARAMS_H_
#define DRAGOMAN_CORE_OPS_PARAMS_H_

#include <any>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/ir/graph.h"
#include "core/support/result.h"
#include "runtime/params/shape.h"

namespace dragoman {

// An attribute that an operator knows.
struct AttributeDef {
  std::string name;
  Attribute::Kind kind = Attribute::Kind::kNone;
  Attribute default_value;  // None: required, or without a fixed default
  bool required = false;    // a node without it is refused
};

// A filled parameter struct of any type.
class Params {
 public:
  Params() = default;
  template <class P>
  static Params Of(P params, std::string cpp) {
    Params made;
    made.value_ = std::move(params);
    made.cpp_ = std::move(cpp);
    return made;
  }
  bool empty() const { return !value_.has_value(); }
  template <class P>
  const P& As() const {
    return *std::any_cast<P>(&value_);
  }
  // As a C++ expression: "rt::SoftmaxParams{/*axis=*/1}".
  const std::string& cpp() const { return cpp_; }

 private:
  std::any value_;
  std::string cpp_;
};

namespace params_internal {

// "dragoman::rt::PadMode" as generated programs call it: "rt::PadMode".
template <class T>
std::string CppTypeName() {
  std::string_view text = __PRETTY_FUNCTION__;
  const std::size_t start = text.find("T = ") + 4;
  std::string name(text.substr(start, text.find_first_of(";]", start) - start));
  constexpr std::string_view kOurs = "dragoman::";
  if (name.starts_with(kOurs)) name.erase(0, kOurs.size());
  return name;
}

// Enumerators meet ONNX's words without regard to case, underscores and the leading k: kHalfPixel
// is "half_pixel".
bool SameWord(std::string_view enumerator, std::string_view word);
std::string WordOf(std::string_view enumerator);
std::string CppFloat(float value);

// Enumerators are numbered from 0 without gaps; Name() gives nothing beyond the last.
template <class E>
bool ReadEnum(std::string_view word, E& value) {
  for (int i = 0;; ++i) {
    const char* name = Name(static_cast<E>(i));
    if (name == nullptr || *name == '\0') return false;
    if (!SameWord(name, word)) continue;
    value = static_cast<E>(i);
    return true;
  }
}

Status WrongKind(const Node& node, std::string_view attribute, std::string_view expected);

template <class M>
constexpr Attribute::Kind KindOf() {
  if constexpr (std::is_enum_v<M>)
    return Attribute::Kind::kString;
  else if constexpr (std::is_same_v<M, float>)
    return Attribute::Kind::kFloat;
  else if constexpr (std::is_same_v<M, bool> || std::is_same_v<M, std::int64_t>)
    return Attribute::Kind::kInt;
  else
    return Attribute::Kind::kInts;
}

template <class M>
Attribute ToAttribute(const M& member) {
  if constexpr (std::is_enum_v<M>)
    return WordOf(Name(member));
  else if constexpr (std::is_same_v<M, float>)
    return member;
  else if constexpr (std::is_same_v<M, bool> || std::is_same_v<M, std::int64_t>)
    return std::int64_t{member};
  else
    return Attribute::Ints(member.begin(), member.end());
}

template <class M>
Status FromAttribute(const Node& node, std::string_view name, const Attribute& attribute,
                     M& member) {
  if constexpr (std::is_enum_v<M>) {
    const auto* word = attribute.As<std::string>();
    if (word == nullptr) return WrongKind(node, name, "string");
    if (!ReadEnum(*word, member)) {
      return InvalidInput("attribute '" + std::string(name) + "' has the unknown value '" + *word +
                          "'");
    }
  } else if constexpr (std::is_same_v<M, float>) {
    const auto* value = attribute.As<float>();
    if (value == nullptr) return WrongKind(node, name, "float");
    member = *value;
  } else if constexpr (std::is_same_v<M, bool> || std::is_same_v<M, std::int64_t>) {
    const auto* value = attribute.As<std::int64_t>();
    if (value == nullptr) return WrongKind(node, name, "int");
    member = static_cast<M>(*value);
  } else {
    const auto* values = attribute.As<Attribute::Ints>();
    if (values == nullptr) return WrongKind(node, name, "list of ints");
    if (values->size() > static_cast<std::size_t>(M::kCapacity)) {
      return Unsupported("attribute '" + std::string(name) + "' has " +
                         std::to_string(values->size()) + " entries, more than " +
                         std::to_string(M::kCapacity));
    }
    member = M();
    for (std::int64_t v : *values) member.push_back(v);
  }
  return {};
}

template <class M>
std::string ToCpp(const M& member) {
  if constexpr (std::is_enum_v<M>)
    return CppTypeName<M>() + "::" + Name(member);
  else if constexpr (std::is_same_v<M, float>)
    return CppFloat(member);
  else if constexpr (std::is_same_v<M, bool>)
    return member ? "true" : "false";
  else if constexpr (std::is_same_v<M, std::int64_t>)
    return std::to_string(member);
  else {
    std::string text = "{";
    for (std::int64_t v : member) text += (text.size() > 1 ? ", " : "") + std::to_string(v);
    return text + "}";
  }
}

}  // namespace params_internal

// The attributes that P declares, with P's defaults.
template <class P>
std::vector<AttributeDef> AttributesOf() {
  std::vector<AttributeDef> defs;
  P defaults;
  P::Visit(defaults, [&](std::string_view name, const auto& member) {
    using M = std::decay_t<decltype(member)>;
    defs.push_back(
        {std::string(name), params_internal::KindOf<M>(), params_internal::ToAttribute(member)});
  });
  return defs;
}

// The C++ expression of filled params, every member by position with its name beside it.
template <class P>
std::string ParamsToCpp(const P& params) {
  std::string text;
  P::Visit(params, [&](std::string_view name, const auto& member) {
    text +=
        (text.empty() ? "/*" : ", /*") + std::string(name) + "=*/" + params_internal::ToCpp(member);
  });
  return params_internal::CppTypeName<P>() + "{" + text + "}";
}

// P filled from the attributes of `node`; an absent attribute leaves P's default.
// Errors: an attribute of another kind, an unknown enumerator, a list that is too long.
template <class P>
Result<Params> FillParams(const Node& node) {
  P params;
  Status status;
  P::Visit(params, [&](std::string_view name, auto& member) {
    const Attribute* attribute = node.attribute(name);
    if (attribute == nullptr || !status.ok()) return;
    status = params_internal::FromAttribute(node, name, *attribute, member);
  });
  if (!status.ok()) return std::move(status).error().At(node.Describe());
  std::string cpp = ParamsToCpp(params);
  return Params::Of(std::move(params), std::move(cpp));
}

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_PARAMS_H_
