// SPDX-License-Identifier: Apache-2.0
#include "core/ir/node_attributes.h"

namespace dragoman {
namespace {

template <class T>
const T* Find(const Node& node, std::string_view name) {
  const Attribute* attribute = node.attribute(name);
  return attribute != nullptr ? attribute->As<T>() : nullptr;
}

}  // namespace

std::int64_t IntAttribute(const Node& node, std::string_view name, std::int64_t absent) {
  const auto* value = Find<std::int64_t>(node, name);
  return value != nullptr ? *value : absent;
}

float FloatAttribute(const Node& node, std::string_view name, float absent) {
  const auto* value = Find<float>(node, name);
  return value != nullptr ? *value : absent;
}

std::string TextAttribute(const Node& node, std::string_view name, std::string_view absent) {
  const auto* value = Find<std::string>(node, name);
  return value != nullptr ? *value : std::string(absent);
}

const Attribute::Ints* IntsAttribute(const Node& node, std::string_view name) {
  return Find<Attribute::Ints>(node, name);
}

Graph* GraphAttribute(const Node& node, std::string_view name) {
  const Attribute* attribute = node.attribute(name);
  return attribute != nullptr ? attribute->graph() : nullptr;
}

}  // namespace dragoman
