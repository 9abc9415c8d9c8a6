#include "core/lowering/tuples.h"

#include <algorithm>
#include <utility>

namespace dragoman {

// What `dead` alone held is released within the call for the outermost one.
void TupleMaker::Alive::Release(const Items* dead) {
  tuples.erase(dead);
  dying.push_back(dead);
  if (std::exchange(is_busy, true)) return;
  while (!dying.empty()) {
    const Items* next = dying.back();
    dying.pop_back();
    delete next;
  }
  is_busy = false;
}

Result<Abstract> TupleMaker::Make(std::vector<Abstract> items) {
  Known known;
  for (const Abstract& item : items) {
    known.is_poisoned = known.is_poisoned || IsPoisoned(item);
    const auto* tuple = item.As<Tuple>();
    if (tuple == nullptr) continue;
    const auto inner = alive_->tuples.find(tuple->items.get());
    if (inner != alive_->tuples.end()) known.depth = std::max(known.depth, inner->second.depth + 1);
  }
  if (known.depth > kMaxDepth) return Unsupported("values nest too deep");
  const auto* made = new Items(std::move(items));
  alive_->tuples.emplace(made, known);
  const auto release = [alive = alive_](const Items* dead) { alive->Release(dead); };
  return Abstract(Tuple{std::shared_ptr<const Items>(made, release)});
}

bool TupleMaker::IsPoisoned(const Abstract& value) const {
  const auto* tuple = value.As<Tuple>();
  if (tuple == nullptr) return value.Is<Poison>();
  const auto known = alive_->tuples.find(tuple->items.get());
  if (known != alive_->tuples.end()) return known->second.is_poisoned;
  // Of those that were made elsewhere few lie within each other.
  return std::ranges::any_of(*tuple->items,
                             [this](const Abstract& item) { return IsPoisoned(item); });
}

}  // namespace dragoman
