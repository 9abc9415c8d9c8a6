#include "core/ops/declared_attributes.h"

#include <algorithm>

#include "core/ir/node_attributes.h"
#include "core/ops/op_def.h"

namespace dragoman {
namespace {

template <class T>
T DeclaredDefault(const Node& node, std::string_view name) {
  const OpDef* def = FindOp(node);
  if (def == nullptr) return {};
  auto found = std::find_if(def->attributes.begin(), def->attributes.end(),
                            [&](const AttributeDef& known) { return known.name == name; });
  const T* value = found != def->attributes.end() ? found->default_value.template As<T>() : nullptr;
  return value != nullptr ? *value : T{};
}

}  // namespace

std::int64_t IntAttribute(const Node& node, std::string_view name) {
  return IntAttribute(node, name, DeclaredDefault<std::int64_t>(node, name));
}

float FloatAttribute(const Node& node, std::string_view name) {
  return FloatAttribute(node, name, DeclaredDefault<float>(node, name));
}

std::string TextAttribute(const Node& node, std::string_view name) {
  return TextAttribute(node, name, DeclaredDefault<std::string>(node, name));
}

}  // namespace dragoman
