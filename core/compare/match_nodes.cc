// SPDX-License-Identifier: Apache-2.0
#include "core/compare/match_nodes.h"

#include <algorithm>
#include <compare>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/compare/places.h"
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
    using Entry = GraphSide::Entry;
    const auto op = [](const Entry& e) { return HashString(e.node->op().ToString(), e.scope); };
    MatchBy([](const Entry& e) { return HashCombine(e.up, e.uses); }, Several::kPair);
    MatchBy([](const Entry& e) { return IfNamed(e, HashString(e.node->name(), e.up)); },
            Several::kSkip);
    MatchBy([](const Entry& e) { return IfNamed(e, HashString(e.node->name(), Downstream(e))); },
            Several::kSkip);
    MatchBy([](const Entry& e) { return e.up; }, Several::kSkip);
    MatchBy([](const Entry& e) { return IfUsed(e, Downstream(e)); }, Several::kPair);
    MatchBy([](const Entry& e) { return IfUsed(e, HashCombine(e.scope, e.uses)); }, Several::kSkip);
    MatchNeighbours();
    MatchBy([](const Entry& e) { return e.up; }, Several::kPair);
    MatchByOperands();
    MatchDeadNodes(op);
    MatchBy([&](const Entry& e) { return IfNamed(e, HashString(e.node->name(), op(e))); },
            Several::kSkip);
    MatchBy([](const Entry& e) { return IfNamed(e, HashString(e.node->name(), e.scope)); },
            Several::kSkip);
    MatchNeighbours();
  }

 private:
  static std::uint64_t Downstream(const GraphSide::Entry& entry) {
    return HashCombine(entry.local, entry.uses);
  }
  static std::optional<std::uint64_t> IfUsed(const GraphSide::Entry& entry, std::uint64_t key) {
    return entry.uses == 0 ? std::nullopt : std::optional(key);
  }
  static std::optional<std::uint64_t> IfNamed(const GraphSide::Entry& entry, std::uint64_t key) {
    return entry.node->name().empty() ? std::nullopt : std::optional(key);
  }

  // Nothing leads to a node that nothing uses but what it reads, which has changed: its name, then
  // its attributes, then its op say which it was. With it go those that it alone uses.
  void MatchDeadNodes(const std::function<std::uint64_t(const GraphSide::Entry&)>& op) {
    using Entry = GraphSide::Entry;
    const auto if_dead = [](const Entry& e, std::uint64_t key) {
      return e.uses == 0 ? std::optional(key) : std::nullopt;
    };
    MatchBy([&](const Entry& e) { return if_dead(e, HashString(NameOf(*e.node), op(e))); },
            Several::kSkip);
    MatchBy([&](const Entry& e) { return if_dead(e, e.local); }, Several::kPair);
    MatchBy([&](const Entry& e) { return if_dead(e, op(e)); }, Several::kPair);
    MatchNeighbours();
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

  // Op, attributes, and partners of the producers of operands: for what nothing uses.
  void MatchByOperands() {
    for (const bool with_local : {true, false}) {
      for (GraphSide* side : {&a_, &b_}) {
        for (GraphSide::Entry& entry : side->entries) {
          entry.operands = with_local ? entry.local : entry.scope;
          const std::span<const std::int64_t> producers = side->ProducersOf(entry);
          for (const Use& use : entry.node->operands()) {
            const std::uint64_t code = OperandCode(*side, use.value(), producers[use.index()]);
            entry.operands = HashCombine(entry.operands, code);
          }
        }
      }
      MatchBy([](const GraphSide::Entry& e) { return e.operands; },
              with_local ? Several::kPair : Several::kSkip);
      MatchNeighbours();
    }
  }

  std::uint64_t OperandCode(const GraphSide& side, const Value* value, std::int64_t i) const {
    if (value == nullptr) return 0;
    const auto kind = static_cast<std::uint64_t>(value->kind());
    if (i < 0) return HashCombine(kind, value->is_constant() ? 0 : value->index());
    const GraphSide::Entry& producer = side.entries[static_cast<std::size_t>(i)];
    const std::int64_t pair = &side == &a_ ? i : producer.partner;
    return HashCombine(producer.partner < 0 ? producer.up : static_cast<std::uint64_t>(pair),
                       value->index());
  }

  static void Collect(const GraphSide& side, std::uint64_t mark, const Key& key,
                      std::vector<Item>& items) {
    for (std::size_t i = 0; i < side.entries.size(); ++i) {
      if (side.entries[i].partner >= 0) continue;
      if (const auto k = key(side.entries[i])) items.push_back({*k, i | mark});
    }
  }

  void MatchBy(const Key& key, Several several) {
    std::vector<Item> items;
    Collect(a_, 0, key, items);
    Collect(b_, kOfB, key, items);
    const std::size_t made = queue_.size();
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
        queue_.emplace_back(group_a[0].index(), group_b[0].index());
      } else if (several == Several::kPair) {
        PairGroups(group_a, group_b);
      }
    }
    // In the order of memory, not of hashes.
    const std::span pairs = std::span(queue_).subspan(made);
    std::sort(pairs.begin(), pairs.end());
    for (const auto& [a, b] : pairs) Link(a, b);
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

  void Link(std::int64_t a, std::int64_t b) {
    a_.entries[static_cast<std::size_t>(a)].partner = b;
    b_.entries[static_cast<std::size_t>(b)].partner = a;
  }

  void Pair(std::int64_t a, std::int64_t b) {
    Link(a, b);
    queue_.emplace_back(a, b);
  }

  // Goes once through every pair made so far, and through those that it makes.
  void MatchNeighbours() {
    for (; next_ < queue_.size(); ++next_) {
      const GraphSide::Entry& a = At(a_, queue_[next_].first);
      const GraphSide::Entry& b = At(b_, queue_[next_].second);
      const auto producers_a = a_.ProducersOf(a), producers_b = b_.ProducersOf(b);
      for (std::size_t i = 0; i < std::min(producers_a.size(), producers_b.size()); ++i) {
        PairIfAlike(producers_a[i], producers_b[i]);
      }
      MatchReaders(a, b);
    }
  }

  static const GraphSide::Entry& At(const GraphSide& side, std::int64_t i) {
    return side.entries[static_cast<std::size_t>(i)];
  }

  void PairIfAlike(std::int64_t a, std::int64_t b) {
    if (a < 0 || b < 0) return;
    const GraphSide::Entry &x = At(a_, a), &y = At(b_, b);
    if (x.partner >= 0 || y.partner >= 0 || x.scope != y.scope) return;
    if (SameOp(x.node->op(), y.node->op())) Pair(a, b);
  }

  // The unmatched readers of a node by the result that they read, op and operand; -1 where there
  // are several.
  using Readers = std::map<std::tuple<std::size_t, std::string, std::size_t>, std::int64_t>;
  static Readers UnmatchedReaders(const GraphSide::Entry& entry, const GraphSide& side) {
    Readers readers;
    for (const GraphSide::Reader& reader : side.ReadersOf(entry)) {
      const GraphSide::Entry& user = side.entries[reader.entry];
      if (user.partner >= 0) continue;
      const std::size_t result = user.node->operand(reader.operand)->index();
      const auto [at, added] =
          readers.try_emplace({result, user.node->op().ToString(), reader.operand}, reader.entry);
      if (!added) at->second = -1;
    }
    return readers;
  }

  void MatchReaders(const GraphSide::Entry& a, const GraphSide::Entry& b) {
    const Readers readers_a = UnmatchedReaders(a, a_);
    if (readers_a.empty()) return;
    const Readers readers_b = UnmatchedReaders(b, b_);
    for (const auto& [kind, reader] : readers_a) {
      const auto found = readers_b.find(kind);
      if (found != readers_b.end()) PairIfAlike(reader, found->second);
    }
  }

  GraphSide& a_;
  GraphSide& b_;
  std::vector<std::pair<std::int64_t, std::int64_t>> queue_;
  std::size_t next_ = 0;
};

}  // namespace

void MatchNodes(GraphSide& a, GraphSide& b) { Matcher(a, b).Run(); }

}  // namespace dragoman::compare
