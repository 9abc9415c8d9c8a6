#include "codegen/onednn/plan/place.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <utility>

#include "core/ops/kernel_name.h"
#include "runtime/fast/layout.h"

namespace dragoman::onednn {
namespace {

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
  std::vector<std::size_t> placed;  // by offset
  for (std::size_t i : order) {
    const Lifetime& lifetime = lifetimes[i];
    const std::int64_t bytes = AlignedBytes(lifetime.bytes);
    std::int64_t offset = 0;
    for (std::size_t other : placed) {
      const bool apart =
          lifetimes[other].last < lifetime.first || lifetime.last < lifetimes[other].first;
      if (apart) continue;
      if (offsets[other] >= offset + bytes) break;
      offset = std::max(offset, offsets[other] + AlignedBytes(lifetimes[other].bytes));
    }
    offsets[i] = offset;
    placed.insert(std::ranges::upper_bound(placed, offset, {},
                                           [&](std::size_t other) { return offsets[other]; }),
                  i);
  }
  return offsets;
}

void PlaceBuffers(Plan& plan) {
  PlaceArena(plan);
  PlaceSlots(plan);
}

}  // namespace dragoman::onednn
