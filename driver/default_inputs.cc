// SPDX-License-Identifier: Apache-2.0
#include "driver/default_inputs.h"

#include <algorithm>

namespace dragoman {
namespace {

bool HasDefault(const Value& input, const std::vector<std::string>& names) {
  return input.data() != nullptr && std::ranges::find(names, input.name()) != names.end();
}

}  // namespace

std::optional<Model> WithoutDefaults(const Model& source, const std::vector<std::string>& names) {
  const bool any = std::ranges::any_of(source.entries, [&](const Entry& entry) {
    return std::ranges::any_of(entry.graph->inputs(),
                               [&](const auto& input) { return HasDefault(*input, names); });
  });
  if (!any) return std::nullopt;
  Model model = Clone(source);
  for (const Entry& entry : model.entries) {
    for (const auto& input : entry.graph->inputs()) {
      if (HasDefault(*input, names)) input->clear_data();
    }
  }
  return model;
}

}  // namespace dragoman
