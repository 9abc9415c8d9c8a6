// SPDX-License-Identifier: Apache-2.0
#include "exporters/pt2/json.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

namespace dragoman::pt2 {

Json FloatJson(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

Result<std::string> JsonText(const Json& json) {
  try {
    return json.dump();
  } catch (const Json::type_error&) {
    return InvalidInput("a text is not UTF-8, which JSON cannot hold");
  }
}

Result<Json> FromAttribute(const Attribute& attribute) {
  if (attribute.kind() == Attribute::Kind::kNone) return Json();
  if (const auto* v = attribute.As<bool>()) return Json(*v);
  if (const auto* v = attribute.As<std::int64_t>()) return Json(*v);
  if (const auto* v = attribute.As<double>()) return FloatJson(*v);
  if (const auto* v = attribute.As<std::string>()) return Json(*v);
  if (const auto* v = attribute.As<Attribute::Ints>()) return Json(*v);
  if (const auto* v = attribute.As<Attribute::Strings>()) return Json(*v);
  if (const auto* v = attribute.As<Attribute::List>()) {
    Json items = Json::array();
    for (const Attribute& item : *v) {
      DRAGOMAN_ASSIGN(Json made, FromAttribute(item));
      items.push_back(std::move(made));
    }
    return items;
  }
  if (const auto* v = attribute.As<Attribute::Dict>()) {
    Json members = Json::object();
    for (const NamedAttribute& member : *v) {
      DRAGOMAN_ASSIGN(members[member.name], FromAttribute(member.value));
    }
    return members;
  }
  return InvalidInput("an attribute that is a " + std::string(Name(attribute.kind())) +
                      " is no JSON");
}

Result<const Attribute*> Required(const Extra* extra, std::string_view key) {
  const Attribute* found = extra != nullptr ? Find(*extra, key) : nullptr;
  if (found != nullptr) return found;
  return InvalidInput("lacks " + std::string(key) + ", which a model of format pt2 has");
}

Result<Json> RequiredJson(const Extra* extra, std::string_view key) {
  DRAGOMAN_ASSIGN(const Attribute* found, Required(extra, key));
  return FromAttribute(*found);
}

}  // namespace dragoman::pt2
