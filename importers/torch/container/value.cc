// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/container/value.h"

#include <fmt/format.h>

namespace dragoman::torch {
namespace {

struct Describer {
  std::string operator()(std::monostate) const { return "None"; }
  std::string operator()(bool value) const { return value ? "True" : "False"; }
  std::string operator()(std::int64_t value) const { return fmt::format("int {}", value); }
  std::string operator()(double) const { return "float"; }
  std::string operator()(StoredComplex) const { return "complex"; }
  std::string operator()(StoredString) const { return "str"; }
  std::string operator()(const StoredDevice*) const { return "device"; }
  std::string operator()(const StoredTensor*) const { return "tensor"; }
  std::string operator()(const StoredList*) const { return "list"; }
  std::string operator()(const StoredTuple*) const { return "tuple"; }
  std::string operator()(const StoredDict*) const { return "dict"; }
  std::string operator()(const StoredObject* object) const {
    return "object of " + object->class_name;
  }
  std::string operator()(const StoredEnum* value) const { return "enum " + value->class_name; }
  std::string operator()(const StoredStorage*) const { return "storage"; }
  std::string operator()(const StoredGlobal* global) const {
    return global->module + "." + global->name;
  }
};

}  // namespace

std::string Describe(const Stored& value) { return std::visit(Describer(), value); }

const Stored* StoredDict::Find(std::string_view key) const {
  for (const auto& [name, value] : items) {
    const StoredString* text = std::get_if<StoredString>(&name);
    if (text != nullptr && **text == key) return &value;
  }
  return nullptr;
}

const StoredDict* StoredObject::attributes() const {
  const auto* dict = state.has_value() ? std::get_if<const StoredDict*>(&*state) : nullptr;
  return dict == nullptr ? nullptr : *dict;
}

StoredHeap::StoredHeap() = default;
StoredHeap::StoredHeap(StoredHeap&&) noexcept = default;
StoredHeap& StoredHeap::operator=(StoredHeap&&) noexcept = default;
StoredHeap::~StoredHeap() = default;

}  // namespace dragoman::torch
