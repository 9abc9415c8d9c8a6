// SPDX-License-Identifier: Apache-2.0
#include "core/compare/align_orders.h"

#include <algorithm>
#include <span>

namespace dragoman::compare {
namespace {

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

// Insertions and deletions that are tried within one gap.
constexpr std::int64_t kMaxChanges = 400;

// The matched pairs of a longest chain that rises on both sides, by patience sorting.
Pairs OrderedPairs(const GraphSide& a) {
  std::vector<std::int64_t> ends, previous(a.entries.size(), -1);
  for (std::size_t i = 0; i < a.entries.size(); ++i) {
    const std::int64_t partner = a.entries[i].partner;
    if (partner < 0) continue;
    const auto at = std::ranges::lower_bound(ends, partner, {}, [&](std::int64_t end) {
      return a.entries[static_cast<std::size_t>(end)].partner;
    });
    if (at != ends.begin()) previous[i] = *(at - 1);
    if (at == ends.end()) {
      ends.push_back(static_cast<std::int64_t>(i));
    } else {
      *at = static_cast<std::int64_t>(i);
    }
  }
  Pairs pairs;
  for (std::int64_t i = ends.empty() ? -1 : ends.back(); i >= 0;
       i = previous[static_cast<std::size_t>(i)]) {
    pairs.emplace_back(i, a.entries[static_cast<std::size_t>(i)].partner);
  }
  std::ranges::reverse(pairs);
  return pairs;
}

// Eugene Myers, An O(ND) Difference Algorithm and Its Variations (1986): the furthest reach on each
// diagonal x - y, for one more change at a time.
class CommonSubsequence {
 public:
  CommonSubsequence(const GraphSide& a, const GraphSide& b, std::span<const std::int64_t> of_a,
                    std::span<const std::int64_t> of_b)
      : a_(a), b_(b), of_a_(of_a), of_b_(of_b) {}

  void AppendTo(Pairs& pairs) {
    const auto length_a = Length(of_a_), length_b = Length(of_b_);
    if (length_a == 0 || length_b == 0) return;
    const std::int64_t limit = std::min(kMaxChanges, length_a + length_b);
    std::vector<std::int64_t> reach(static_cast<std::size_t>(2 * limit + 3), 0);
    for (std::int64_t changes = 0; changes <= limit; ++changes) {
      trace_.push_back(reach);
      for (std::int64_t diagonal = -changes; diagonal <= changes; diagonal += 2) {
        const bool down = Down(reach, diagonal, changes, limit);
        std::int64_t x = At(reach, down ? diagonal + 1 : diagonal - 1, limit) + !down;
        while (x < length_a && x - diagonal < length_b && Alike(x, x - diagonal)) ++x;
        At(reach, diagonal, limit) = x;
        if (x >= length_a && x - diagonal >= length_b) return Backtrack(changes, limit, pairs);
      }
    }
  }

 private:
  static std::int64_t Length(std::span<const std::int64_t> nodes) {
    return static_cast<std::int64_t>(nodes.size());
  }
  static std::int64_t& At(std::vector<std::int64_t>& reach, std::int64_t diagonal,
                          std::int64_t limit) {
    return reach[static_cast<std::size_t>(diagonal + limit + 1)];
  }
  // Whether the best way to the diagonal inserts a node, rather than to remove one.
  static bool Down(std::vector<std::int64_t>& reach, std::int64_t diagonal, std::int64_t changes,
                   std::int64_t limit) {
    if (diagonal == -changes) return true;
    return diagonal != changes && At(reach, diagonal - 1, limit) < At(reach, diagonal + 1, limit);
  }

  std::int64_t NodeOfA(std::int64_t x) const { return of_a_[static_cast<std::size_t>(x)]; }
  std::int64_t NodeOfB(std::int64_t y) const { return of_b_[static_cast<std::size_t>(y)]; }
  bool Alike(std::int64_t x, std::int64_t y) const {
    return a_.entries[static_cast<std::size_t>(NodeOfA(x))].shape ==
           b_.entries[static_cast<std::size_t>(NodeOfB(y))].shape;
  }

  void Backtrack(std::int64_t changes, std::int64_t limit, Pairs& pairs) {
    std::int64_t x = Length(of_a_), y = Length(of_b_);
    for (; changes >= 0; --changes) {
      std::vector<std::int64_t>& reach = trace_[static_cast<std::size_t>(changes)];
      const std::int64_t diagonal = x - y;
      const bool down = Down(reach, diagonal, changes, limit);
      const std::int64_t from = down ? diagonal + 1 : diagonal - 1;
      const std::int64_t before = changes == 0 ? 0 : At(reach, from, limit);
      const std::int64_t start = changes == 0 ? 0 : before + !down;
      while (x > start) {
        pairs.emplace_back(NodeOfA(x - 1), NodeOfB(y - 1));
        --x;
        --y;
      }
      x = before;
      y = before - from;
    }
  }

  const GraphSide& a_;
  const GraphSide& b_;
  std::span<const std::int64_t> of_a_, of_b_;
  std::vector<std::vector<std::int64_t>> trace_;
};

// The unmatched entries in [first, last).
std::vector<std::int64_t> Unmatched(const GraphSide& side, std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> found;
  for (std::int64_t i = first; i < last; ++i) {
    if (side.entries[static_cast<std::size_t>(i)].partner < 0) found.push_back(i);
  }
  return found;
}

}  // namespace

Pairs AlignOrders(const GraphSide& a, const GraphSide& b) {
  Pairs borders = OrderedPairs(a), found;
  borders.emplace_back(a.entries.size(), b.entries.size());
  std::int64_t from_a = 0, from_b = 0;
  for (const auto& [to_a, to_b] : borders) {
    const std::vector<std::int64_t> of_a = Unmatched(a, from_a, to_a);
    const std::vector<std::int64_t> of_b = Unmatched(b, from_b, to_b);
    CommonSubsequence(a, b, of_a, of_b).AppendTo(found);
    from_a = to_a + 1;
    from_b = to_b + 1;
  }
  return found;
}

}  // namespace dragoman::compare
