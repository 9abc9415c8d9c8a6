// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/script/traced_inputs.h"

namespace dragoman::torch {
namespace {

Attribute StructureOf(const Stored& value);

Attribute ListOf(const std::vector<Stored>& items) {
  Attribute::List list;
  for (const Stored& item : items) list.push_back(StructureOf(item));
  return list;
}

// The reader of pickles bounds the nesting.
Attribute StructureOf(const Stored& value) {
  if (const auto* tensor = std::get_if<const StoredTensor*>(&value)) {
    return Type::Tensor(Info((*tensor)->dtype).element, (*tensor)->sizes);
  }
  if (const auto* list = std::get_if<const StoredList*>(&value)) return ListOf((*list)->items);
  if (const auto* tuple = std::get_if<const StoredTuple*>(&value)) return ListOf((*tuple)->items);
  if (const auto* dict = std::get_if<const StoredDict*>(&value)) {
    Attribute::Dict entries;
    for (const auto& [key, item] : (*dict)->items) {
      const auto* name = std::get_if<StoredString>(&key);
      if (name != nullptr) entries.emplace_back(**name, StructureOf(item));
    }
    return entries;
  }
  return Attribute();
}

}  // namespace

void AddTracedInputs(const std::vector<std::pair<std::string, Stored>>& traced, Model& model) {
  for (Entry& entry : model.entries) {
    for (const auto& [method, inputs] : traced) {
      if (method != entry.name) continue;
      const Attribute structure = StructureOf(inputs);
      const auto* arguments = structure.As<Attribute::List>();
      if (arguments == nullptr || arguments->size() + 1 != entry.graph->num_inputs()) continue;
      for (std::size_t i = 0; i < arguments->size(); ++i) {
        if ((*arguments)[i].kind() == Attribute::Kind::kNone) continue;
        entry.graph->input(i + 1)->extra().emplace_back(kTraced, (*arguments)[i]);
      }
    }
  }
}

}  // namespace dragoman::torch
