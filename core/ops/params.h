// SPDX-License-Identifier: Apache-2.0
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

// A float literal of C++; what has none as a call of std::numeric_limits<float>.
std::string CppFloat(float value);

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

// Whether enumerator type V has a name for its value: compilers print others as casts, "(E)5".
template <auto V>
constexpr bool IsEnumerator() {
  const std::string_view text = __PRETTY_FUNCTION__;
  return text[text.find("V = ") + 4] != '(';
}

// How many enumerators E has, which are numbered from 0 without gaps.
template <class E, int I = 0>
constexpr int CountEnumerators() {
  if constexpr (IsEnumerator<static_cast<E>(I)>()) {
    return CountEnumerators<E, I + 1>();
  } else {
    return I;
  }
}

// The type of the entries of a list member.
template <class M>
using EntryOf = std::decay_t<decltype(*std::declval<const M&>().begin())>;

// Enumerators meet ONNX's words without regard to case, underscores and the leading k: kHalfPixel
// is "half_pixel".
bool SameWord(std::string_view enumerator, std::string_view word);
std::string WordOf(std::string_view enumerator);
std::string CppInt(std::int64_t value);

template <class E>
bool ReadEnum(std::string_view word, E& value) {
  for (int i = 0; i < CountEnumerators<E>(); ++i) {
    if (!SameWord(Name(static_cast<E>(i)), word)) continue;
    value = static_cast<E>(i);
    return true;
  }
  return false;
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
  else if constexpr (std::is_enum_v<EntryOf<M>>)
    return Attribute::Kind::kStrings;
  else if constexpr (std::is_same_v<EntryOf<M>, float>)
    return Attribute::Kind::kFloats;
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
  else if constexpr (std::is_enum_v<EntryOf<M>>) {
    Attribute::Strings words;
    for (EntryOf<M> entry : member) words.push_back(WordOf(Name(entry)));
    return words;
  } else if constexpr (std::is_same_v<EntryOf<M>, float>)
    return Attribute::Floats(member.begin(), member.end());
  else
    return Attribute::Ints(member.begin(), member.end());
}

Status UnknownWord(std::string_view attribute, std::string_view word);
Status TooLong(std::string_view attribute, std::size_t size, int capacity);

// A list member from an attribute whose entries are of type Stored.
template <class Stored, class M>
Status FromList(const Node& node, std::string_view name, const Attribute& attribute,
                std::string_view expected, M& member) {
  const auto* entries = attribute.As<std::vector<Stored>>();
  if (entries == nullptr) return WrongKind(node, name, expected);
  if (entries->size() > static_cast<std::size_t>(M::kCapacity))
    return TooLong(name, entries->size(), M::kCapacity);
  member = M();
  for (const Stored& entry : *entries) {
    EntryOf<M> value{};
    if constexpr (std::is_enum_v<EntryOf<M>>) {
      if (!ReadEnum(entry, value)) return UnknownWord(name, entry);
    } else {
      value = entry;
    }
    member.push_back(value);
  }
  return {};
}

template <class M>
Status FromAttribute(const Node& node, std::string_view name, const Attribute& attribute,
                     M& member) {
  if constexpr (std::is_enum_v<M>) {
    const auto* word = attribute.As<std::string>();
    if (word == nullptr) return WrongKind(node, name, "string");
    if (!ReadEnum(*word, member)) return UnknownWord(name, *word);
  } else if constexpr (std::is_same_v<M, float>) {
    const auto* value = attribute.As<float>();
    if (value == nullptr) return WrongKind(node, name, "float");
    member = *value;
  } else if constexpr (std::is_same_v<M, bool> || std::is_same_v<M, std::int64_t>) {
    const auto* value = attribute.As<std::int64_t>();
    if (value == nullptr) return WrongKind(node, name, "int");
    member = static_cast<M>(*value);
  } else if constexpr (std::is_enum_v<EntryOf<M>>) {
    return FromList<std::string>(node, name, attribute, "list of strings", member);
  } else if constexpr (std::is_same_v<EntryOf<M>, float>) {
    return FromList<float>(node, name, attribute, "list of floats", member);
  } else {
    return FromList<std::int64_t>(node, name, attribute, "list of ints", member);
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
    return CppInt(member);
  else {
    std::string text = "{";
    for (EntryOf<M> entry : member) text += (text.size() > 1 ? ", " : "") + ToCpp(entry);
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
