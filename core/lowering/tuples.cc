// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/tuples.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace dragoman {
namespace {

using Items = std::vector<Abstract>;

constexpr int kMaxDepth = 10'000;

// Deletes items, and knows what a walk through them would find.
struct Release {
  int depth = 1;
  bool holds_poison = false;

  // What `dead` alone held is released within the call for the outermost one.
  void operator()(const Items* dead) const {
    static thread_local std::vector<const Items*>* dying = nullptr;
    if (dying != nullptr) {
      dying->push_back(dead);
      return;
    }
    std::vector<const Items*> open = {dead};
    dying = &open;
    while (!open.empty()) {
      const Items* next = open.back();
      open.pop_back();
      delete next;
    }
    dying = nullptr;
  }
};

// nullptr: a tuple that was made elsewhere, of which few lie within each other.
const Release* KnownOf(const Tuple& tuple) { return std::get_deleter<Release>(tuple.items); }

}  // namespace

Tuple NestedTuple(std::vector<Abstract> items) {
  Release known;
  for (const Abstract& item : items) {
    known.holds_poison = known.holds_poison || HoldsPoison(item);
    const auto* tuple = item.As<Tuple>();
    const Release* inner = tuple != nullptr ? KnownOf(*tuple) : nullptr;
    if (inner != nullptr) known.depth = std::max(known.depth, inner->depth + 1);
  }
  auto made = std::make_unique<const Items>(std::move(items));
  return Tuple{std::shared_ptr<const Items>(made.release(), known)};
}

Result<Abstract> BoundedTuple(std::vector<Abstract> items) {
  Tuple tuple = NestedTuple(std::move(items));
  if (KnownOf(tuple)->depth > kMaxDepth) return Unsupported("values nest too deep");
  return Abstract(std::move(tuple));
}

bool HoldsPoison(const Abstract& value) {
  const auto* tuple = value.As<Tuple>();
  if (tuple == nullptr) return value.Is<Poison>();
  if (const Release* known = KnownOf(*tuple)) return known->holds_poison;
  return std::ranges::any_of(*tuple->items, HoldsPoison);
}

}  // namespace dragoman
