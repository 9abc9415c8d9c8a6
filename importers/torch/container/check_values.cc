// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/container/check_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "importers/torch/container/unpickle.h"

namespace dragoman::torch {
namespace {

// The values that `value` holds, in order.
std::vector<Stored> Items(const Stored& value) {
  if (const auto* list = std::get_if<const StoredList*>(&value)) return (*list)->items;
  if (const auto* tuple = std::get_if<const StoredTuple*>(&value)) return (*tuple)->items;
  std::vector<Stored> items;
  if (const auto* dict = std::get_if<const StoredDict*>(&value)) {
    for (const auto& [key, item] : (*dict)->items) {
      items.push_back(key);
      items.push_back(item);
    }
  } else if (const auto* object = std::get_if<const StoredObject*>(&value)) {
    if ((*object)->state.has_value()) items.push_back(*(*object)->state);
  }
  return items;
}

const void* ContainerAddress(const Stored& value) {
  if (const auto* list = std::get_if<const StoredList*>(&value)) return *list;
  if (const auto* tuple = std::get_if<const StoredTuple*>(&value)) return *tuple;
  if (const auto* dict = std::get_if<const StoredDict*>(&value)) return *dict;
  if (const auto* object = std::get_if<const StoredObject*>(&value)) return *object;
  return nullptr;
}

bool IsKey(const Stored& value) { return !IsNone(value) && ContainerAddress(value) == nullptr; }

Status CheckKeys(const StoredDict& dict) {
  std::set<std::string_view> texts;
  std::set<Stored> others;
  for (const auto& [key, item] : dict.items) {
    if (!IsKey(key)) return InvalidInput(Describe(key) + " as a key of a dict");
    const auto* text = std::get_if<StoredString>(&key);
    const bool is_new = text != nullptr ? texts.insert(**text).second : others.insert(key).second;
    if (!is_new) return InvalidInput("a dict has a key twice: " + Describe(key));
  }
  return {};
}

Status CheckContainer(const Stored& value) {
  if (const auto* dict = std::get_if<const StoredDict*>(&value)) return CheckKeys(**dict);
  return {};
}

bool IsArgument(const Stored& value) {
  return std::holds_alternative<const StoredGlobal*>(value) ||
         std::holds_alternative<const StoredStorage*>(value);
}

struct Visit {
  const void* address;
  std::vector<Stored> items;
  std::size_t next = 0;
  int height = 1;  // of what has been seen of it
};

}  // namespace

Status CheckValues(const Stored& root) {
  std::unordered_map<const void*, int> heights;  // 0: being visited
  std::vector<Visit> path;
  const auto enter = [&](const Stored& value) -> Status {
    if (IsArgument(value)) return InvalidInput("found " + Describe(value) + ", expected a value");
    const void* address = ContainerAddress(value);
    if (address == nullptr) return {};
    const auto [known, is_new] = heights.emplace(address, 0);
    if (is_new) {
      DRAGOMAN_TRY(CheckContainer(value));
      path.push_back({address, Items(value)});
    } else if (!path.empty()) {
      path.back().height = std::max(path.back().height, known->second + 1);
    }
    const int depth = static_cast<int>(path.size()) + (is_new ? 0 : known->second);
    if (depth <= kMaxPickleDepth) return {};
    return Unsupported(fmt::format("values are nested more than {} deep", kMaxPickleDepth));
  };
  DRAGOMAN_TRY(enter(root));
  while (!path.empty()) {
    Visit& visit = path.back();
    if (visit.next < visit.items.size()) {
      DRAGOMAN_TRY(enter(visit.items[visit.next++]));
      continue;
    }
    const int height = visit.height;
    heights[visit.address] = height;
    path.pop_back();
    if (!path.empty()) path.back().height = std::max(path.back().height, height + 1);
  }
  return {};
}

}  // namespace dragoman::torch
