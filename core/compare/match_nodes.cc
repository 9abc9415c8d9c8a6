// SPDX-License-Identifier: Apache-2.0
#include "core/compare/match_nodes.h"

#include <algorithm>
#include <compare>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/compare/align_orders.h"
#include "core/compare/cheapest_alignment.h"
#include "core/compare/match_cost.h"
#include "core/compare/places.h"
#include "core/compare/spread_matches.h"
#include "core/support/hash.h"

namespace dragoman::compare {
namespace {

using Key = std::function<std::optional<std::uint64_t>(const GraphSide::Entry&)>;

// A key that occurs several times: skip it, or pair as many as both sides have, equal names first.
enum class Several { kSkip, kPair };

class Matcher {
 public:
  Matcher(GraphSide& a, GraphSide& b) : a_(a), b_(b) {}

  void Run() {
    MatchByEvidence();
    Realign();
  }

 private:
  using Entry = GraphSide::Entry;

  void MatchByEvidence() {
    MatchBy([](const Entry& e) { return HashCombine(e.up, e.uses); });
    MatchBy([](const Entry& e) { return e.up; });
    MatchBy([](const Entry& e) { return IfUsed(e, Downstream(e)); });
    MatchBy([](const Entry& e) { return e.own == 0 ? std::nullopt : std::optional(e.own); });
    MatchBy([](const Entry& e) { return HashCombine(e.form, e.uses); });
    MatchBy([](const Entry& e) { return e.form; });
    MatchBy([](const Entry& e) { return e.far; });
    if (NamesAgree()) {
      MatchBy([](const Entry& e) { return IfNamed(e, HashString(e.node->name(), e.shape)); });
      MatchBy([](const Entry& e) { return IfNamed(e, HashString(e.node->name(), e.op)); });
    }
    MatchBy([](const Entry& e) { return IfUsed(e, HashCombine(e.op, e.uses)); });
    SpreadMatches(a_, b_, SpreadTo::kSameOp);
    SpreadMatches(a_, b_, SpreadTo::kSameOp, AlignOrders(a_, b_));
    MatchBy([](const Entry& e) { return HashCombine(e.up, e.uses); }, Several::kPair);
    MatchBy([](const Entry& e) { return e.up; }, Several::kPair);
    MatchBy([](const Entry& e) { return IfUsed(e, Downstream(e)); }, Several::kPair);
    MatchDeadNodes();
    MatchBy([](const Entry& e) { return IfNamed(e, HashString(e.node->name(), e.op)); });
    RepairMatches(a_, b_);
    SpreadMatches(a_, b_, SpreadTo::kReplacedOp);
    SpreadMatches(a_, b_, SpreadTo::kSameOp);
  }

  // Takes the matches of the cheapest alignment if they stand for fewer edits.
  void Realign() {
    const std::int64_t cost = CostOfMatches(a_, b_);
    if (cost <= kEditCost) return;
    const auto aligned = CheapestAlignment(a_, b_, cost);
    if (aligned.empty()) return;
    const std::vector<std::int64_t> of_a = PartnersOf(a_), of_b = PartnersOf(b_);
    Unpair(a_);
    Unpair(b_);
    for (const auto& [x, y] : aligned) Pair(x, y);
    RepairMatches(a_, b_);
    SpreadMatches(a_, b_, SpreadTo::kSameOp);
    SpreadMatches(a_, b_, SpreadTo::kReplacedOp);
    SpreadMatches(a_, b_, SpreadTo::kSameOp);
    if (CostOfMatches(a_, b_) < cost) return;
    SetPartners(a_, of_a);
    SetPartners(b_, of_b);
  }

  static std::vector<std::int64_t> PartnersOf(const GraphSide& side) {
    std::vector<std::int64_t> partners;
    for (const Entry& entry : side.entries) partners.push_back(entry.partner);
    return partners;
  }
  static void SetPartners(GraphSide& side, std::span<const std::int64_t> partners) {
    for (std::size_t i = 0; i < partners.size(); ++i) side.entries[i].partner = partners[i];
  }
  static void Unpair(GraphSide& side) {
    for (Entry& entry : side.entries) entry.partner = -1;
  }

  static std::uint64_t Downstream(const Entry& entry) {
    return HashCombine(entry.local, entry.uses);
  }
  static std::optional<std::uint64_t> IfUsed(const Entry& entry, std::uint64_t key) {
    return entry.uses == 0 ? std::nullopt : std::optional(key);
  }
  static std::optional<std::uint64_t> IfNamed(const Entry& entry, std::uint64_t key) {
    return entry.node->name().empty() ? std::nullopt : std::optional(key);
  }

  // Whether the nodes matched so far, by other evidence, kept their names: three of four did.
  bool NamesAgree() const {
    std::size_t named = 0, equal = 0;
    for (const Entry& entry : a_.entries) {
      if (entry.partner < 0 || entry.node->name().empty()) continue;
      const Entry& partner = b_.entries[static_cast<std::size_t>(entry.partner)];
      ++named;
      equal += entry.node->name() == partner.node->name();
    }
    return 4 * equal >= 3 * named;
  }

  // Nothing leads to a node that nothing uses but what it reads, which has changed: its name, then
  // its attributes, then its op identify it. With it go those that it alone uses.
  void MatchDeadNodes() {
    const auto if_dead = [](const Entry& e, std::uint64_t key) {
      return e.uses == 0 ? std::optional(key) : std::nullopt;
    };
    MatchBy([&](const Entry& e) { return if_dead(e, HashString(NameOf(*e.node), e.op)); });
    MatchBy([&](const Entry& e) { return if_dead(e, e.shape); });
    MatchBy([&](const Entry& e) { return if_dead(e, e.local); }, Several::kPair);
    MatchBy([&](const Entry& e) { return if_dead(e, e.op); }, Several::kPair);
    SpreadMatches(a_, b_, SpreadTo::kSameOp);
  }

  // An entry of the first side, or, with kOfB, of the second.
  struct Item {
    std::uint64_t key;
    std::uint64_t entry;

    bool of_b() const { return (entry & kOfB) != 0; }
    std::int64_t index() const { return static_cast<std::int64_t>(entry & ~kOfB); }
    auto operator<=>(const Item&) const = default;
  };
  static constexpr std::uint64_t kOfB = std::uint64_t{1} << 63;

  static void Collect(const GraphSide& side, std::uint64_t mark, const Key& key,
                      std::vector<Item>& items) {
    for (std::size_t i = 0; i < side.entries.size(); ++i) {
      if (side.entries[i].partner >= 0) continue;
      if (const auto k = key(side.entries[i])) items.push_back({*k, i | mark});
    }
  }

  void MatchBy(const Key& key, Several several = Several::kSkip) {
    std::vector<Item> items;
    Collect(a_, 0, key, items);
    Collect(b_, kOfB, key, items);
    std::ranges::sort(items);
    for (std::size_t first = 0, last = 0; first < items.size(); first = last) {
      std::size_t middle = first;
      while (middle < items.size() && items[middle].key == items[first].key &&
             !items[middle].of_b()) {
        ++middle;
      }
      last = middle;
      while (last < items.size() && items[last].key == items[first].key) ++last;
      const std::span group_a(&items[first], middle - first);
      const std::span group_b(items.data() + middle, last - middle);
      if (group_a.size() == 1 && group_b.size() == 1) {
        Pair(group_a[0].index(), group_b[0].index());
      } else if (several == Several::kPair) {
        PairGroups(group_a, group_b);
      }
    }
  }

  void PairGroups(std::span<const Item> group_a, std::span<const Item> group_b) {
    std::unordered_map<std::string_view, std::int64_t> by_name;
    for (const Item& item : group_b)
      by_name.try_emplace(b_.entries[Index(item)].node->name(), item.index());
    for (const Item& item : group_a) {
      const auto found = by_name.find(a_.entries[Index(item)].node->name());
      if (found == by_name.end() || found->first.empty()) continue;
      Pair(item.index(), found->second);
      by_name.erase(found);
    }
    std::size_t next = 0;
    for (const Item& item : group_a) {
      if (a_.entries[Index(item)].partner >= 0) continue;
      while (next < group_b.size() && b_.entries[Index(group_b[next])].partner >= 0) ++next;
      if (next == group_b.size()) return;
      Pair(item.index(), group_b[next].index());
    }
  }

  static std::size_t Index(const Item& item) { return static_cast<std::size_t>(item.index()); }

  void Pair(std::int64_t a, std::int64_t b) {
    a_.entries[static_cast<std::size_t>(a)].partner = b;
    b_.entries[static_cast<std::size_t>(b)].partner = a;
  }

  GraphSide& a_;
  GraphSide& b_;
};

}  // namespace

void MatchNodes(GraphSide& a, GraphSide& b) { Matcher(a, b).Run(); }

}  // namespace dragoman::compare
