// SPDX-License-Identifier: Apache-2.0
#include "core/ir/origin.h"

#include <algorithm>
#include <atomic>
#include <unordered_set>
#include <utility>

namespace dragoman {

OriginPtr Origin::Leaf(SourceOp op) {
  static std::atomic<std::uint64_t> next{0};
  auto* origin = new Origin;
  origin->leaf_ = std::make_unique<const SourceOp>(std::move(op));
  origin->sequence_ = next++;
  return OriginPtr(origin);
}

OriginPtr Origin::Merge(std::span<const OriginPtr> parts) {
  std::vector<OriginPtr> kept;
  for (const OriginPtr& part : parts) {
    if (part && (kept.empty() || kept.back() != part)) kept.push_back(part);
  }
  if (kept.empty()) return nullptr;
  if (kept.size() == 1) return kept.front();
  auto* origin = new Origin;
  origin->parts_ = std::move(kept);
  return OriginPtr(origin);
}

OriginPtr Origin::Merge(const OriginPtr& a, const OriginPtr& b) {
  const OriginPtr parts[] = {a, b};
  return Merge(parts);
}

// Chains of merges grow as long as a model has rewrites: they are taken apart on a list of their
// own, not on the stack.
Origin::~Origin() {
  std::vector<OriginPtr> pending = std::move(parts_);
  while (!pending.empty()) {
    OriginPtr part = std::move(pending.back());
    pending.pop_back();
    if (part.use_count() != 1) continue;
    auto& inner = const_cast<Origin&>(*part).parts_;
    std::move(inner.begin(), inner.end(), std::back_inserter(pending));
    inner.clear();
  }
}

std::vector<const SourceOp*> Flatten(const OriginPtr& origin) {
  std::vector<const Origin*> leaves;
  std::vector<const Origin*> pending;
  std::unordered_set<const Origin*> seen;
  if (origin) pending.push_back(origin.get());
  while (!pending.empty()) {
    const Origin* at = pending.back();
    pending.pop_back();
    if (!seen.insert(at).second) continue;
    if (at->leaf() != nullptr) leaves.push_back(at);
    for (const OriginPtr& part : at->parts()) pending.push_back(part.get());
  }
  std::sort(leaves.begin(), leaves.end(),
            [](const Origin* a, const Origin* b) { return a->sequence() < b->sequence(); });
  std::vector<const SourceOp*> ops;
  for (const Origin* leaf : leaves) ops.push_back(leaf->leaf());
  return ops;
}

}  // namespace dragoman
