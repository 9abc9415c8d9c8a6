// SPDX-License-Identifier: Apache-2.0
#include "core/ir/node_attributes.h"

#include "core/ir/find_as.h"

namespace dragoman {

std::int64_t IntAttribute(const Node& node, std::string_view name, std::int64_t absent) {
  const auto* value = FindAs<std::int64_t>(node.attributes(), name);
  return value != nullptr ? *value : absent;
}

float FloatAttribute(const Node& node, std::string_view name, float absent) {
  const auto* value = FindAs<float>(node.attributes(), name);
  return value != nullptr ? *value : absent;
}

std::string TextAttribute(const Node& node, std::string_view name, std::string_view absent) {
  const auto* value = FindAs<std::string>(node.attributes(), name);
  return value != nullptr ? *value : std::string(absent);
}

const Attribute::Ints* IntsAttribute(const Node& node, std::string_view name) {
  return FindAs<Attribute::Ints>(node.attributes(), name);
}

Graph* GraphAttribute(const Node& node, std::string_view name) {
  const Attribute* attribute = node.attribute(name);
  return attribute != nullptr ? attribute->graph() : nullptr;
}

}  // namespace dragoman
