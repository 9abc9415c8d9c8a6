// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/container/check_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <unordered_map>

#include "core/support/size_budget.h"
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

// Of a container that has been seen whole.
struct Seen {
  int height = 0;  // 0: being visited
  // That whoever writes tuples out, and refers to other containers, writes in its place.
  std::uint64_t values = 1;
};

struct Visit {
  const void* address;
  std::vector<Stored> items;
  bool is_tuple;
  std::size_t next = 0;
  int height = 1;  // of what has been seen of it
  std::uint64_t values = 1;
};

// Without end for what a file can double: the sum stays where it would overflow.
void Add(std::uint64_t more, std::uint64_t& values) {
  if (__builtin_add_overflow(values, more, &values)) values = UINT64_MAX;
}

// A tuple that is held several times is written out as often. Errors: the size budget.
Status TakeCopies(std::uint64_t held, std::uint64_t written) {
  constexpr std::uint64_t kBytes = 100;  // of a value, with what refers to it
  return TakeExpanded(held * kBytes, written > UINT64_MAX / kBytes ? UINT64_MAX : written * kBytes);
}

}  // namespace

Status CheckValues(const Stored& root) {
  std::unordered_map<const void*, Seen> seen;
  std::vector<Visit> path;
  std::uint64_t held = 0, written = 0;  // values
  const auto enter = [&](const Stored& value) -> Status {
    if (IsArgument(value)) return InvalidInput("found " + Describe(value) + ", expected a value");
    ++held;
    const void* address = ContainerAddress(value);
    if (address == nullptr) {
      if (!path.empty()) Add(1, path.back().values);
      return {};
    }
    const auto [known, is_new] = seen.emplace(address, Seen());
    if (is_new) {
      DRAGOMAN_TRY(CheckContainer(value));
      const bool is_tuple = std::holds_alternative<const StoredTuple*>(value);
      path.push_back({address, Items(value), is_tuple});
    } else if (!path.empty()) {
      path.back().height = std::max(path.back().height, known->second.height + 1);
      Add(known->second.values, path.back().values);
    }
    const int depth = static_cast<int>(path.size()) + (is_new ? 0 : known->second.height);
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
    const Seen done{visit.height, visit.is_tuple ? visit.values : 1};
    if (!visit.is_tuple || path.size() == 1) Add(visit.values, written);
    seen[visit.address] = done;
    path.pop_back();
    if (path.empty()) break;
    path.back().height = std::max(path.back().height, done.height + 1);
    Add(done.values, path.back().values);
  }
  return TakeCopies(held, written);
}

}  // namespace dragoman::torch
