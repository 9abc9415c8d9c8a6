// SPDX-License-Identifier: Apache-2.0
#include "core/compare/match_cost.h"

#include <algorithm>
#include <vector>

namespace dragoman::compare {
namespace {

// Where an operand comes from: result `index` of an entry, or a leaf (producer -1).
struct Source {
  std::int64_t producer = -1;
  std::size_t index = 0;
  GraphSide::Leaf leaf;
};

class Counter {
 public:
  Counter(const GraphSide& a, const GraphSide& b) : a_(a), b_(b) {}

  std::int64_t Run() {
    std::int64_t cost = 0;
    for (const GraphSide::Entry& x : a_.entries)
      cost += x.partner < 0 ? kEditCost : CostOfPair(x, b_.entries[Index(x.partner)]);
    for (const GraphSide::Entry& y : b_.entries) cost += y.partner < 0 ? kEditCost : 0;
    return cost + CostOfOutputs(*a_.graphs.front(), *b_.graphs.front());
  }

 private:
  static std::size_t Index(std::int64_t i) { return static_cast<std::size_t>(i); }

  std::int64_t CostOfPair(const GraphSide::Entry& x, const GraphSide::Entry& y) {
    std::int64_t cost = x.local == y.local ? 0 : kEditCost;
    const std::size_t of_x = x.node->num_operands(), of_y = y.node->num_operands();
    for (std::size_t i = 0; i < std::min(of_x, of_y); ++i)
      cost += CostOfEdge(SourceOf(a_, x, i), SourceOf(b_, y, i));
    return cost + (of_x == of_y ? 0 : kEditCost);
  }

  std::int64_t CostOfOutputs(const Graph& a, const Graph& b) {
    std::int64_t cost = 0;
    for (std::size_t i = 0; i < std::min(a.num_outputs(), b.num_outputs()); ++i) {
      const Source x = SourceOf(a_, a.output(i)), y = SourceOf(b_, b.output(i));
      if (x.producer >= 0 && y.producer >= 0) cost += CostOfEdge(x, y);
    }
    return cost;
  }

  static Source SourceOf(const GraphSide& side, const GraphSide::Entry& entry, std::size_t i) {
    const std::int64_t producer = side.ProducersOf(entry)[i];
    if (producer < 0) return {-1, 0, side.LeavesOf(entry)[i]};
    return {producer, entry.node->operand(i)->index(), {}};
  }
  static Source SourceOf(const GraphSide& side, const Value* output) {
    if (output == nullptr || output->producer() == nullptr) return {};
    return {side.IndexOf(output->producer()), output->index(), {}};
  }

  std::int64_t CostOfEdge(const Source& x, const Source& y) {
    if (Same(x, y)) return 0;
    if (x.producer < 0 && y.producer < 0)
      return x.leaf.form == y.leaf.form ? kContentsCost : kEditCost;
    if (!IsUnmatched(a_, x) && !IsUnmatched(b_, y)) return kEditCost;
    return IsExplained(x, y) ? 0 : kEditCost;
  }

  bool Same(const Source& x, const Source& y) const {
    if (x.producer < 0 || y.producer < 0)
      return x.producer == y.producer && x.leaf.exact == y.leaf.exact;
    return a_.entries[Index(x.producer)].partner == y.producer && x.index == y.index;
  }

  static bool IsUnmatched(const GraphSide& side, const Source& source) {
    return source.producer >= 0 && side.entries[Index(source.producer)].partner < 0;
  }

  bool IsExplained(const Source& x, const Source& y) {
    Behind(a_, x, behind_a_);
    Behind(b_, y, behind_b_);
    return std::ranges::any_of(behind_a_, [&](const Source& u) {
      return std::ranges::any_of(behind_b_, [&](const Source& v) { return Same(u, v); });
    });
  }

  // The source, and those that it is computed from by unmatched nodes only, nearest first.
  static void Behind(const GraphSide& side, const Source& source, std::vector<Source>& found) {
    found.assign(1, source);
    for (std::size_t i = 0; i < found.size() && found.size() < kMaxBehind; ++i) {
      if (!IsUnmatched(side, found[i])) continue;
      const GraphSide::Entry& entry = side.entries[Index(found[i].producer)];
      for (std::size_t k = 0; k < entry.node->num_operands() && found.size() < kMaxBehind; ++k)
        found.push_back(SourceOf(side, entry, k));
    }
  }

  const GraphSide& a_;
  const GraphSide& b_;
  std::vector<Source> behind_a_, behind_b_;
};

}  // namespace

std::int64_t CostOfMatches(const GraphSide& a, const GraphSide& b) { return Counter(a, b).Run(); }

}  // namespace dragoman::compare
