#include "core/compare/match_nodes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

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

  struct Item {
    std::uint64_t key;
    bool of_b;
    std::int64_t index;
  };

  // Op, attributes, and partners of the producers of operands: for what nothing uses.
  void MatchByOperands() {
    for (const bool with_local : {true, false}) {
      for (GraphSide* side : {&a_, &b_}) {
        for (GraphSide::Entry& entry : side->entries) {
          entry.operands = with_local ? entry.local : entry.scope;
          for (const Use& use : entry.node->operands()) {
            entry.operands = HashCombine(entry.operands, OperandCode(*side, use.value()));
          }
        }
      }
      MatchBy([](const GraphSide::Entry& e) { return e.operands; },
              with_local ? Several::kPair : Several::kSkip);
      MatchNeighbours();
    }
  }

  std::uint64_t OperandCode(const GraphSide& side, const Value* value) const {
    if (value == nullptr) return 0;
    const auto kind = static_cast<std::uint64_t>(value->kind());
    const std::int64_t i = value->producer() == nullptr ? -1 : side.IndexOf(value->producer());
    if (i < 0) return HashCombine(kind, value->is_constant() ? 0 : value->index());
    const GraphSide::Entry& producer = side.entries[static_cast<std::size_t>(i)];
    const std::int64_t pair = &side == &a_ ? i : producer.partner;
    return HashCombine(producer.partner < 0 ? producer.up : static_cast<std::uint64_t>(pair),
                       value->index());
  }

  static void Collect(const GraphSide& side, bool of_b, const Key& key, std::vector<Item>& items) {
    for (std::size_t i = 0; i < side.entries.size(); ++i) {
      if (side.entries[i].partner >= 0) continue;
      if (const auto k = key(side.entries[i])) {
        items.push_back({*k, of_b, static_cast<std::int64_t>(i)});
      }
    }
  }

  void MatchBy(const Key& key, Several several) {
    std::vector<Item> items;
    Collect(a_, false, key, items);
    Collect(b_, true, key, items);
    const std::size_t made = queue_.size();
    std::sort(items.begin(), items.end(), [](const Item& x, const Item& y) {
      return std::tie(x.key, x.of_b, x.index) < std::tie(y.key, y.of_b, y.index);
    });
    for (std::size_t first = 0, last = 0; first < items.size(); first = last) {
      std::size_t middle = first;
      while (middle < items.size() && items[middle].key == items[first].key &&
             !items[middle].of_b) {
        ++middle;
      }
      last = middle;
      while (last < items.size() && items[last].key == items[first].key) ++last;
      const std::span group_a(&items[first], middle - first);
      const std::span group_b(items.data() + middle, last - middle);
      if (group_a.size() == 1 && group_b.size() == 1) {
        queue_.emplace_back(group_a[0].index, group_b[0].index);
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
      by_name.try_emplace(b_.entries[Index(item)].node->name(), item.index);
    for (const Item& item : group_a) {
      const auto found = by_name.find(a_.entries[Index(item)].node->name());
      if (found == by_name.end() || found->first.empty()) continue;
      Pair(item.index, found->second);
      by_name.erase(found);
    }
    std::size_t next = 0;
    for (const Item& item : group_a) {
      if (a_.entries[Index(item)].partner >= 0) continue;
      while (next < group_b.size() && b_.entries[Index(group_b[next])].partner >= 0) ++next;
      if (next == group_b.size()) return;
      Pair(item.index, group_b[next].index);
    }
  }

  static std::size_t Index(const Item& item) { return static_cast<std::size_t>(item.index); }

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
      const auto [a, b] = queue_[next_];
      const Node& x = *a_.entries[static_cast<std::size_t>(a)].node;
      const Node& y = *b_.entries[static_cast<std::size_t>(b)].node;
      for (std::size_t i = 0; i < std::min(x.num_operands(), y.num_operands()); ++i) {
        PairIfAlike(ProducerOf(x.operand(i)), ProducerOf(y.operand(i)));
      }
      for (std::size_t i = 0; i < std::min(x.num_results(), y.num_results()); ++i) {
        if (x.result(i) != nullptr && y.result(i) != nullptr) {
          MatchUsers(*x.result(i), *y.result(i));
        }
      }
    }
  }

  static const Node* ProducerOf(const Value* value) {
    return value == nullptr ? nullptr : value->producer();
  }

  void PairIfAlike(const Node* x, const Node* y) {
    if (x == nullptr || y == nullptr || !SameOp(x->op(), y->op())) return;
    const std::int64_t a = a_.IndexOf(x), b = b_.IndexOf(y);
    if (a < 0 || b < 0) return;
    const GraphSide::Entry& in_a = a_.entries[static_cast<std::size_t>(a)];
    const GraphSide::Entry& in_b = b_.entries[static_cast<std::size_t>(b)];
    if (in_a.partner < 0 && in_b.partner < 0 && in_a.scope == in_b.scope) Pair(a, b);
  }

  // The unmatched users of a value by op and operand; nullptr where there are several.
  using Users = std::map<std::pair<std::string, std::size_t>, const Node*>;
  static Users UsersOf(const Value& value, const GraphSide& side) {
    Users users;
    for (const Use* use = value.first_use(); use != nullptr; use = use->next()) {
      const std::int64_t i = use->user() == nullptr ? -1 : side.IndexOf(use->user());
      if (i < 0 || side.entries[static_cast<std::size_t>(i)].partner >= 0) continue;
      const auto [at, added] =
          users.try_emplace({use->user()->op().ToString(), use->index()}, use->user());
      if (!added) at->second = nullptr;
    }
    return users;
  }

  void MatchUsers(const Value& x, const Value& y) {
    const Users users_a = UsersOf(x, a_);
    if (users_a.empty()) return;
    const Users users_b = UsersOf(y, b_);
    for (const auto& [kind, node] : users_a) {
      const auto found = users_b.find(kind);
      if (found != users_b.end()) PairIfAlike(node, found->second);
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
