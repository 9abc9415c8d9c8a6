// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/ops/supported.h"

#include <algorithm>

#include "importers/torch/ops/op_table.h"
#include "importers/torch/ops/script_lowerings.h"
#include "importers/torch/schema/schema_text.h"

namespace dragoman::torch {

std::string InPlaceBase(std::string_view type) {
  if (type.starts_with("__i") && type.ends_with("__"))
    return "__" + std::string(type.substr(std::string_view("__i").size()));
  const bool in_place = type.size() > 1 && type.back() == '_' && type[type.size() - 2] != '_';
  return std::string(in_place ? type.substr(0, type.size() - 1) : std::string_view());
}

bool IsSupported(const OpName& op) {
  const std::string base = InPlaceBase(op.type);
  return HasScriptLowering(op) || FindOpRow(op.dialect + "." + op.type) != nullptr ||
         (!base.empty() && FindOpRow(op.dialect + "." + base) != nullptr);
}

std::vector<SupportedOverload> SupportedOverloads(std::string_view dialect) {
  const std::string prefix = std::string(dialect) + "::";
  std::vector<SupportedOverload> overloads;
  std::string_view text = TorchSchemaText();
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!line.starts_with(prefix)) continue;
    const std::string_view head = line.substr(prefix.size(), line.find('(') - prefix.size());
    const std::string type(head.substr(0, head.find('.')));
    if (!IsSupported({std::string(dialect), "", type, ""})) continue;
    overloads.push_back({std::string(dialect) + "." + std::string(head), std::string(line)});
  }
  for (const std::string_view name : ScriptOperators()) {
    const auto is_named = [&](const SupportedOverload& overload) {
      return overload.name == name || overload.name.starts_with(std::string(name) + ".");
    };
    if (name.starts_with(std::string(dialect) + ".") && std::ranges::none_of(overloads, is_named))
      overloads.push_back({std::string(name), ""});
  }
  std::ranges::stable_sort(overloads, {}, &SupportedOverload::name);
  return overloads;
}

}  // namespace dragoman::torch
