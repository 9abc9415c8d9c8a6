// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/no_entry.h"

#include <string>
#include <vector>

#include "core/support/nearest_name.h"

namespace dragoman {

Error NoEntry(const Model& model, std::string_view name) {
  std::vector<std::string> entries;
  for (const Entry& entry : model.entries) entries.push_back(entry.name);
  return InvalidInput("the model has no entry '" + std::string(name) + "'" +
                      WhatThereIs(name, "its entries are", entries));
}

}  // namespace dragoman
