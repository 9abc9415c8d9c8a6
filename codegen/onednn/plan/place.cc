// SPDX-License-Identifier: Apache-2.0
#include "codegen/onednn/plan/place.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <queue>
#include <utility>

#include "core/ops/kernel_name.h"
#include "runtime/fast/blocked_sizes.h"

namespace dragoman::onednn {
namespace {

// Of so many buffers that have their place, one at most is needed at the same time as the next.
constexpr std::size_t kFewOverlapping = 16;

std::int64_t AlignedBytes(std::int64_t bytes) {
  return std::max(kArenaAlignment,
                  (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment);
}

// Of a unit: what lies inside of it is needed as long as it is.
struct Unit {
  BufferId root = kAbsent;
  Lifetime lifetime;
};

std::vector<Unit> FindUnits(const Plan& plan) {
  std::map<BufferId, Unit> units;
  for (BufferId id = 0; id < static_cast<BufferId>(plan.buffers.size()); ++id) {
    const Buffer& buffer = plan.buffer(id);
    if (buffer.storage != Storage::kArena) continue;
    BufferId root = id;
    while (plan.buffer(root).inside != kAbsent) root = plan.buffer(root).inside;
    const auto [at, is_new] = units.try_emplace(root, Unit{root, {0, buffer.first, buffer.last}});
    Lifetime& lifetime = at->second.lifetime;
    lifetime.first = std::min(lifetime.first, buffer.first);
    lifetime.last = std::max(lifetime.last, buffer.last);
    if (id == root) lifetime.bytes = PlacedBytes(buffer);
  }
  std::vector<Unit> found;
  for (const auto& [root, unit] : units) found.push_back(unit);
  return found;
}

// Lifetimes by when they are: a binary tree over positions, each of whose nodes stands for a range.
class LifetimeIndex {
 public:
  explicit LifetimeIndex(const std::vector<Lifetime>& lifetimes) : lifetimes_(lifetimes) {
    for (const Lifetime& lifetime : lifetimes) end_ = std::max(end_, lifetime.last + 1);
    const auto leaves = std::bit_ceil(static_cast<std::size_t>(end_));
    end_ = static_cast<int>(leaves);
    covering_.resize(2 * leaves);
    within_.resize(2 * leaves);
    seen_.resize(lifetimes.size(), kNone);
  }

  void Add(std::size_t i) {
    Visit(i, 1, 0, end_,
          [&](std::size_t node, bool whole) { (whole ? covering_ : within_)[node].push_back(i); });
  }

  // Those that were added and overlap with lifetime `i`; nullopt: more than `most`.
  std::optional<std::vector<std::size_t>> Overlapping(std::size_t i, std::size_t most) {
    std::vector<std::size_t> found;
    const auto take = [&](const std::vector<std::size_t>& among) {
      for (std::size_t at = 0; at < among.size() && found.size() <= most; ++at) {
        if (std::exchange(seen_[among[at]], i) != i) found.push_back(among[at]);
      }
    };
    Visit(i, 1, 0, end_, [&](std::size_t node, bool whole) {
      take(covering_[node]);
      if (whole) take(within_[node]);
    });
    return found.size() <= most ? std::optional(std::move(found)) : std::nullopt;
  }

 private:
  static constexpr std::size_t kNone = SIZE_MAX;

  // Offers the nodes whose range is needed as a whole, the largest such, and those above them.
  template <class F>
  void Visit(std::size_t i, std::size_t node, int begin, int end, const F& visit) {
    const auto& [bytes, first, last] = lifetimes_[i];
    if (last < begin || end <= first) return;
    const bool whole = first <= begin && end <= last + 1;
    visit(node, whole);
    if (whole) return;
    const int middle = begin + (end - begin) / 2;
    Visit(i, 2 * node, begin, middle, visit);
    Visit(i, 2 * node + 1, middle, end, visit);
  }

  const std::vector<Lifetime>& lifetimes_;
  int end_ = 1;
  std::vector<std::vector<std::size_t>>
      covering_;                                  // that need the range of a node, not its parent's
  std::vector<std::vector<std::size_t>> within_;  // that need a part of it
  std::vector<std::size_t> seen_;                 // for which lifetime one was found last
};

void PlaceArena(Plan& plan) {
  const std::vector<Unit> units = FindUnits(plan);
  std::vector<Lifetime> lifetimes;
  for (const Unit& unit : units) lifetimes.push_back(unit.lifetime);
  const std::vector<std::int64_t> offsets = PlaceLifetimes(lifetimes);
  for (std::size_t i = 0; i < units.size(); ++i) {
    plan.buffer(units[i].root).at = offsets[i];
    plan.arena_bytes = std::max(plan.arena_bytes, offsets[i] + AlignedBytes(lifetimes[i].bytes));
  }
  for (Buffer& buffer : plan.buffers) {
    if (buffer.storage != Storage::kArena || buffer.inside == kAbsent) continue;
    buffer.at = buffer.inside_at;
    for (BufferId id = buffer.inside; id != kAbsent; id = plan.buffer(id).inside) {
      const Buffer& outer = plan.buffer(id);
      buffer.at += outer.inside == kAbsent ? outer.at : outer.inside_at;
    }
  }
}

// In order of first use: each takes the slot that has been free for the longest time.
void PlaceSlots(Plan& plan) {
  std::vector<BufferId> ids;
  for (BufferId id = 0; id < static_cast<BufferId>(plan.buffers.size()); ++id) {
    if (plan.buffer(id).storage == Storage::kSlot) ids.push_back(id);
  }
  std::ranges::stable_sort(ids, {}, [&](BufferId id) { return plan.buffer(id).first; });
  using Busy = std::pair<int, int>;  // until, slot
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy;
  for (BufferId id : ids) {
    Buffer& buffer = plan.buffer(id);
    int slot = plan.num_slots;
    if (!busy.empty() && busy.top().first < buffer.first) {
      slot = busy.top().second;
      busy.pop();
    } else {
      ++plan.num_slots;
    }
    buffer.at = slot;
    busy.emplace(buffer.last, slot);
  }
}

}  // namespace

std::int64_t PlacedBytes(const Buffer& buffer) {
  std::vector<std::int64_t> sizes = *KnownShape(*buffer.shape);
  if (buffer.group != kRowMajor)
    sizes[1] = (sizes[1] + rt::kMaxBlock - 1) / rt::kMaxBlock * rt::kMaxBlock;
  std::int64_t bytes = static_cast<std::int64_t>(RuntimeBytes(buffer.dtype));
  for (std::int64_t size : sizes) bytes *= size;
  return bytes;
}

std::vector<std::int64_t> PlaceLifetimes(const std::vector<Lifetime>& lifetimes) {
  std::vector<std::size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return lifetimes[a].bytes > lifetimes[b].bytes; });
  std::vector<std::int64_t> offsets(lifetimes.size());
  const auto offset_of = [&](std::size_t i) { return offsets[i]; };
  LifetimeIndex index(lifetimes);
  std::vector<std::size_t> placed;  // by offset
  for (std::size_t i : order) {
    const Lifetime& lifetime = lifetimes[i];
    const std::int64_t bytes = AlignedBytes(lifetime.bytes);
    // Where many are needed at the same time, it takes less to look at all, which are in order.
    auto overlapping = index.Overlapping(i, placed.size() / kFewOverlapping);
    if (overlapping) std::ranges::sort(*overlapping, {}, offset_of);
    std::int64_t offset = 0;
    for (std::size_t other : overlapping ? *overlapping : placed) {
      const bool apart =
          lifetimes[other].last < lifetime.first || lifetime.last < lifetimes[other].first;
      if (apart) continue;
      if (offsets[other] >= offset + bytes) break;
      offset = std::max(offset, offsets[other] + AlignedBytes(lifetimes[other].bytes));
    }
    offsets[i] = offset;
    placed.insert(std::ranges::upper_bound(placed, offset, {}, offset_of), i);
    index.Add(i);
  }
  return offsets;
}

void PlaceBuffers(Plan& plan) {
  PlaceArena(plan);
  PlaceSlots(plan);
}

}  // namespace dragoman::onednn
