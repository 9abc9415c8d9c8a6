// SPDX-License-Identifier: Apache-2.0
#include "core/compare/unused_constants.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <unordered_set>

#include "core/ir/model.h"

namespace dragoman::compare {
namespace {

struct Side {
  std::unordered_set<std::uint32_t> classes;
  std::vector<const Value*> unused;
};

Side Collect(const Graph& root, ConstantTable& constants) {
  Side side;
  ForEachGraph(root, [&](const Graph& graph) {
    for (const auto& constant : graph.constants()) {
      side.classes.insert(constants.ClassOf(constant->data()));
      if (!constant->used()) side.unused.push_back(constant.get());
    }
  });
  return side;
}

void DropThoseThat(std::vector<const Value*>& values, const Side& other, ConstantTable& constants) {
  std::erase_if(values, [&](const Value* value) {
    return other.classes.contains(constants.ClassOf(value->data()));
  });
}

// Takes pairs of equal keys, the first with the first, out of both lists.
void PairBy(const std::function<std::string(const Value&)>& key, std::vector<const Value*>& a,
            std::vector<const Value*>& b, std::vector<UnusedPair>& pairs) {
  std::map<std::string, std::vector<const Value*>> of_b;
  for (auto value = b.rbegin(); value != b.rend(); ++value) of_b[key(**value)].push_back(*value);
  std::unordered_set<const Value*> taken;
  std::erase_if(a, [&](const Value* value) {
    std::vector<const Value*>& partners = of_b[key(*value)];
    if (partners.empty()) return false;
    pairs.push_back({value, partners.back()});
    taken.insert(partners.back());
    partners.pop_back();
    return true;
  });
  std::erase_if(b, [&](const Value* value) { return taken.contains(value); });
}

// With a tolerance classes are stricter than what counts as the same.
void DropClose(std::vector<const Value*>& a, std::vector<const Value*>& b,
               ConstantTable& constants) {
  std::erase_if(a, [&](const Value* value) {
    const auto found = std::ranges::find_if(
        b, [&](const Value* other) { return constants.Same(value->data(), other->data()); });
    if (found == b.end()) return false;
    b.erase(found);
    return true;
  });
}

}  // namespace

std::vector<UnusedPair> FindChangedUnusedConstants(const Graph& a, const Graph& b,
                                                   ConstantTable& constants) {
  Side side_a = Collect(a, constants), side_b = Collect(b, constants);
  DropThoseThat(side_a.unused, side_b, constants);
  DropThoseThat(side_b.unused, side_a, constants);
  std::vector<UnusedPair> pairs;
  if (constants.tolerant()) DropClose(side_a.unused, side_b.unused, constants);
  PairBy([](const Value& value) { return value.name(); }, side_a.unused, side_b.unused, pairs);
  PairBy([](const Value& value) { return value.type().ToString(); }, side_a.unused, side_b.unused,
         pairs);
  for (const Value* value : side_a.unused) pairs.push_back({value, nullptr});
  for (const Value* value : side_b.unused) pairs.push_back({nullptr, value});
  return pairs;
}

}  // namespace dragoman::compare
