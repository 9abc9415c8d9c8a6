// SPDX-License-Identifier: Apache-2.0
#include "core/ops/declared_attributes.h"

#include <algorithm>

#include "core/ir/find_as.h"
#include "core/ops/op_def.h"

namespace dragoman {
namespace {

template <class T>
T ValueOf(const Node& node, std::string_view name) {
  if (const T* value = FindAs<T>(node.attributes(), name)) return *value;
  const AttributeDef* known = FindDeclared(node, name);
  const T* usual = known != nullptr ? known->default_value.As<T>() : nullptr;
  return usual != nullptr ? *usual : T{};
}

}  // namespace

const AttributeDef* FindDeclared(const Node& node, std::string_view name) {
  const OpDef* def = FindOp(node);
  if (def == nullptr) return nullptr;
  const auto found = std::ranges::find(def->attributes, name, &AttributeDef::name);
  return found != def->attributes.end() ? &*found : nullptr;
}

std::int64_t IntAttribute(const Node& node, std::string_view name) {
  return ValueOf<std::int64_t>(node, name);
}

float FloatAttribute(const Node& node, std::string_view name) { return ValueOf<float>(node, name); }

std::string TextAttribute(const Node& node, std::string_view name) {
  return ValueOf<std::string>(node, name);
}

}  // namespace dragoman
