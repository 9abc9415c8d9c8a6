// SPDX-License-Identifier: Apache-2.0
#include "core/compare/cheapest_alignment.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <span>

#include "core/compare/match_cost.h"

namespace dragoman::compare {
namespace {

using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

// Cells of the table at most, a byte each.
constexpr std::int64_t kMaxCells = std::int64_t{1} << 24;
// How far orders may differ beyond the nodes that were inserted and removed.
constexpr std::int64_t kSlack = 16;

// What differs besides edits, of which the least decides between pairs of equal cost.
constexpr std::int32_t kOtherWeight = 2, kOtherSurroundings = 1, kOtherUses = 1;

const GraphSide::Entry& At(const GraphSide& side, std::int64_t i) {
  return side.entries[static_cast<std::size_t>(i)];
}

// A topological order of `b` in which what has a partner stands as the partners do, and what has
// none follows its operands. What lies on cycles comes last.
std::vector<std::int64_t> OrderLikePartners(const GraphSide& b) {
  std::vector<std::int64_t> place(b.entries.size()), order;
  std::vector<std::size_t> waiting(b.entries.size(), 0);
  std::priority_queue<std::pair<std::int64_t, std::int64_t>,
                      std::vector<std::pair<std::int64_t, std::int64_t>>, std::greater<>>
      ready;
  const auto push = [&](std::int64_t i) {
    std::int64_t at = At(b, i).partner;
    for (const std::int64_t producer : b.ProducersOf(At(b, i))) {
      if (At(b, i).partner < 0 && producer >= 0)
        at = std::max(at, place[static_cast<std::size_t>(producer)]);
    }
    place[static_cast<std::size_t>(i)] = at;
    ready.emplace(at, i);
  };
  for (std::size_t i = 0; i < b.entries.size(); ++i) {
    waiting[i] = static_cast<std::size_t>(std::ranges::count_if(
        b.ProducersOf(b.entries[i]), [](std::int64_t producer) { return producer >= 0; }));
    if (waiting[i] == 0) push(static_cast<std::int64_t>(i));
  }
  std::vector<bool> done(b.entries.size(), false);
  while (!ready.empty()) {
    const std::int64_t next = ready.top().second;
    ready.pop();
    order.push_back(next);
    done[static_cast<std::size_t>(next)] = true;
    for (const GraphSide::Reader& reader : b.ReadersOf(At(b, next))) {
      if (--waiting[reader.entry] == 0) push(reader.entry);
    }
  }
  for (std::size_t i = 0; i < done.size(); ++i) {
    if (!done[i]) order.push_back(static_cast<std::int64_t>(i));
  }
  return order;
}

std::int32_t CostOf(const GraphSide::Entry& x, const GraphSide::Entry& y) {
  if (x.op != y.op) {
    if (x.scope != y.scope) return 2 * kEditCost;
    return kEditCost + kEditCost / 4;  // rather than to remove one and to insert the other
  }
  std::int32_t cost = x.local == y.local ? 0 : kEditCost;
  if (cost == 0 && x.shape != y.shape) cost = kEditCost;
  cost += x.own == y.own ? 0 : kOtherWeight;
  cost += x.near == y.near ? 0 : kOtherSurroundings;
  cost += x.far == y.far ? 0 : kOtherSurroundings;
  return cost + (x.uses == y.uses ? 0 : kOtherUses);
}

// Saul Needleman, Christian Wunsch, A General Method Applicable to the Search for Similarities
// (1970), in the band of the table within `reach` of the diagonal.
class Alignment {
 public:
  Alignment(const GraphSide& a, const GraphSide& b, std::vector<std::int64_t> of_b,
            std::int64_t reach)
      : a_(a), b_(b), of_b_(std::move(of_b)), reach_(reach), width_(2 * reach + 1) {}

  Pairs Run() {
    const std::int64_t rows = std::ssize(a_.entries) + 1;
    steps_.resize(static_cast<std::size_t>(rows * width_));
    std::vector<std::int32_t> row(static_cast<std::size_t>(width_), kFar), before(row);
    for (std::int64_t x = 0; x < rows; ++x) {
      row.swap(before);
      Fill(x, before, row);
    }
    return Backtrack();
  }

 private:
  enum Step : std::uint8_t { kNone, kPair, kRemove, kInsert };
  static constexpr std::int32_t kFar = std::numeric_limits<std::int32_t>::max() / 2;

  // Column k of row x stands for the first x nodes of a and the first x + k - reach of b.
  void Fill(std::int64_t x, std::span<const std::int32_t> before, std::span<std::int32_t> row) {
    for (std::int64_t k = 0; k < width_; ++k) {
      const std::int64_t y = x + k - reach_;
      const auto column = static_cast<std::size_t>(k);
      std::int32_t best = x == 0 && y == 0 ? 0 : kFar;
      Step step = kNone;
      const auto take = [&](std::int32_t cost, Step by) {
        if (cost < best) best = cost, step = by;
      };
      if (y >= 0 && y <= std::ssize(of_b_)) {
        if (x > 0 && y > 0) take(before[column] + CostOf(At(a_, x - 1), NodeOfB(y - 1)), kPair);
        if (x > 0 && k + 1 < width_) take(before[column + 1] + kGap, kRemove);
        if (y > 0 && k > 0) take(row[column - 1] + kGap, kInsert);
      }
      row[column] = best;
      steps_[static_cast<std::size_t>(x * width_ + k)] = step;
    }
  }

  const GraphSide::Entry& NodeOfB(std::int64_t y) const {
    return At(b_, of_b_[static_cast<std::size_t>(y)]);
  }

  Pairs Backtrack() const {
    Pairs pairs;
    std::int64_t x = std::ssize(a_.entries), y = std::ssize(of_b_);
    while (x > 0 || y > 0) {
      switch (steps_[static_cast<std::size_t>(x * width_ + y - x + reach_)]) {
        case kPair:
          --x;
          --y;
          if (At(a_, x).op == NodeOfB(y).op)
            pairs.emplace_back(x, of_b_[static_cast<std::size_t>(y)]);
          break;
        case kRemove:
          --x;
          break;
        case kInsert:
          --y;
          break;
        case kNone:
          return {};
      }
    }
    return pairs;
  }

  static constexpr auto kGap = static_cast<std::int32_t>(kEditCost);
  const GraphSide& a_;
  const GraphSide& b_;
  std::vector<std::int64_t> of_b_;
  std::int64_t reach_, width_;
  std::vector<Step> steps_;
};

}  // namespace

Pairs CheapestAlignment(const GraphSide& a, const GraphSide& b, std::int64_t cost) {
  const std::int64_t longer = std::abs(std::ssize(a.entries) - std::ssize(b.entries));
  const std::int64_t most = (kMaxCells / (std::ssize(a.entries) + 1) - 1) / 2;
  const std::int64_t reach = std::min(longer + cost / kEditCost + kSlack, most);
  if (reach < longer + kSlack) return {};
  return Alignment(a, b, OrderLikePartners(b), reach).Run();
}

}  // namespace dragoman::compare
