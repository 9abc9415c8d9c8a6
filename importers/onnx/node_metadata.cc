// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/node_metadata.h"

#include <string_view>

#include "core/ir/find_as.h"
#include "proto/onnx/extra.h"

namespace dragoman {

std::vector<std::pair<std::string, std::string>> NodeMetadata(const Node& node) {
  std::vector<std::pair<std::string, std::string>> entries;
  const auto* list = FindAs<Attribute::List>(node.extra_if_any(), onnx_extra::kNodeMetadata);
  if (list == nullptr) return entries;
  for (const Attribute& entry : *list) {
    const auto* pair = entry.As<Attribute::Dict>();
    entries.emplace_back(FindText(pair, "key"), FindText(pair, "value"));
  }
  return entries;
}

}  // namespace dragoman
