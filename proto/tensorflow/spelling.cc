// SPDX-License-Identifier: Apache-2.0
#include "proto/tensorflow/spelling.h"

#include <utility>

#include "core/ir/find_as.h"

namespace dragoman::tf_codec {
namespace {

constexpr std::string_view kWritten = "written";
constexpr std::string_view kMeaning = "meaning";

}  // namespace

std::optional<std::string> SpellReference(const Value* value, bool in_body) {
  if (value == nullptr) return std::nullopt;
  if (value->kind() == Value::Kind::kInput) {
    return in_body ? std::optional(value->name()) : std::nullopt;
  }
  const Node* producer = value->producer();
  if (producer == nullptr) return std::nullopt;
  if (value->type().kind() == Type::Kind::kControl) return "^" + producer->name();
  if (!in_body) {
    return value->index() == 0 ? producer->name()
                               : producer->name() + ":" + std::to_string(value->index());
  }
  const std::string& name = value->name();
  if (name.starts_with(producer->name() + ":")) return name;
  const std::size_t colon = name.find(':');
  if (colon == std::string::npos) return std::nullopt;
  return producer->name() + name.substr(colon);
}

Attribute AsWritten(std::vector<std::string> written, std::vector<std::string> meaning) {
  Attribute::Dict dict;
  dict.emplace_back(std::string(kWritten), std::move(written));
  dict.emplace_back(std::string(kMeaning), std::move(meaning));
  return dict;
}

const std::vector<std::string>* FindAsWritten(const Extra* extra, std::string_view key,
                                              const std::vector<std::string>& meaning) {
  const auto* dict = FindAs<Attribute::Dict>(extra, key);
  const auto* then = FindAs<Attribute::Strings>(dict, kMeaning);
  return then != nullptr && *then == meaning ? FindAs<Attribute::Strings>(*dict, kWritten)
                                             : nullptr;
}

}  // namespace dragoman::tf_codec
