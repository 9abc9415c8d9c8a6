// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/node_metadata.h"

#include <string_view>

#include "proto/onnx/extra.h"

namespace dragoman {

std::vector<std::pair<std::string, std::string>> NodeMetadata(const Node& node) {
  std::vector<std::pair<std::string, std::string>> entries;
  const Extra* extra = node.extra_if_any();
  const Attribute* metadata = extra != nullptr ? Find(*extra, onnx_extra::kNodeMetadata) : nullptr;
  const auto* list = metadata != nullptr ? metadata->As<Attribute::List>() : nullptr;
  if (list == nullptr) return entries;
  for (const Attribute& entry : *list) {
    const auto* pair = entry.As<Attribute::Dict>();
    const auto text = [&](std::string_view field) {
      const Attribute* value = pair != nullptr ? Find(*pair, field) : nullptr;
      const auto* string = value != nullptr ? value->As<std::string>() : nullptr;
      return string != nullptr ? *string : std::string();
    };
    entries.emplace_back(text("key"), text("value"));
  }
  return entries;
}

}  // namespace dragoman
