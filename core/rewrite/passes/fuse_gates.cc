// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ops/op_def.h"
#include "core/rewrite/passes.h"
#include "core/rewrite/patterns/outline.h"
#include "core/rewrite/reader.h"
#include "core/rewrite/recurrence/find_cells.h"

namespace dragoman {
namespace {

// A sum of products has at most so many terms, one after the other.
constexpr int kMaxTerms = 8;

bool ComputesFloats(const Node& node) {
  return IsElementwise(node) && !OnlyMoves(node) && !node.Is("Cast") && node.result() != nullptr &&
         IsFloating(node.result()->type().dtype());
}
bool IsActivation(const Node& node) { return IsUnary(node) && ComputesFloats(node); }

// By name: products whose weight, operand 1, has the results' features on an axis of its own.
bool IsDense(const Node& node) {
  return (node.IsDragoman("Linear") || node.Is("MatMul") || node.Is("Gemm") || node.Is("Conv")) &&
         ConstantOf(node.operand(1)) != nullptr;
}

// A node that takes parts out of a value.
bool IsParting(const Node& node) {
  if (node.Is("Split")) return true;
  if (!node.Is("Slice")) return false;
  for (std::size_t i = 1; i < node.num_operands(); ++i) {
    if (node.operand(i) != nullptr && ConstantOf(node.operand(i)) == nullptr) return false;
  }
  return true;
}

// Whether `value` is a product with a weight, or a sum with one in it, or an activation of that.
bool IsDenseSum(const Value& value, const Graph& graph) {
  std::vector<const Node*> open = {value.producer()};
  for (int terms = 0; !open.empty() && terms < kMaxTerms; ++terms) {
    const Node* node = open.back();
    open.pop_back();
    if (node == nullptr || node->graph() != &graph) continue;
    if (IsDense(*node)) return true;
    if (!node->Is("Add") && !IsActivation(*node)) continue;
    for (const Use& use : node->operands()) {
      if (use.value() != nullptr) open.push_back(use.value()->producer());
    }
  }
  return false;
}

// What a group begins with: the nodes that part `whole`, or the products of it, one a gate.
struct GroupBegin {
  const Value* whole = nullptr;
  bool products = false;

  bool Holds(const Node& node) const {
    return (products ? IsDense(node) : IsParting(node)) && node.operand(0) == whole;
  }
};

// Finds groups in one graph. A group is closed under "reads": it grows along the order of nodes and
// ends before the first reader that is not a member, so no node between members depends on it.
class GateGroups {
 public:
  GateGroups(Graph& graph, PassContext& context) : graph_(graph), context_(context) {
    std::size_t index = 0;
    for (Node& node : graph.nodes()) index_[&node] = index++;
  }

  Result<bool> Run() {
    bool changed = false;
    for (const bool products : {false, true}) {
      std::vector<Node*> roots;
      for (Node& node : graph_.nodes()) {
        if (products ? IsDense(node) : IsParting(node)) roots.push_back(&node);
      }
      for (Node* root : roots) {
        if (!index_.contains(root)) continue;
        DRAGOMAN_ASSIGN(const bool fused, Fuse(*root, {root->operand(0), products}));
        changed = changed || fused;
      }
    }
    return changed;
  }

 private:
  using Members = std::map<std::size_t, Node*>;  // by place

  Result<bool> Fuse(Node& root, const GroupBegin& begin) {
    if (!begin.products && !IsDenseSum(*begin.whole, graph_)) return false;
    Members members = Grow(begin, /*may_reset=*/true);
    const bool joins = Joins(members, begin);
    if (!joins) members = Grow(begin, /*may_reset=*/false);
    const auto count = [&](bool (*is)(const Node&)) {
      return std::ranges::count_if(members, [&](const auto& m) { return is(*m.second); });
    };
    if (members.empty() || count(ComputesFloats) < 1) return false;
    const bool is_cell = joins || (Meet(members) && (IsIterationOfLoop() || HoldsCell(members)));
    if (begin.products && !is_cell) return false;
    const auto resets = begin.products ? 0 : count(IsDense);
    AddSources(members);
    if (count(ComputesFloats) < 2 || count(IsActivation) < 1) return false;
    if (count(IsDense) == resets) {
      context_.Explain(root, "not fused, since other nodes read the product that it parts");
      return false;
    }
    std::vector<Node*> nodes;
    for (const auto& [place, node] : members) nodes.push_back(node);
    context_.Explain(root, "fused with " + std::to_string(nodes.size() - 1) + " other nodes");
    const std::size_t place = members.rbegin()->first;
    for (const Node* node : nodes) index_.erase(node);
    DRAGOMAN_ASSIGN(Node * fused, OutlineAsFused(nodes, context_));
    index_[fused] = place;
    return true;
  }

  // Whether a step of an LSTM or a GRU is among the members.
  bool HoldsCell(const Members& members) {
    if (!cells_) {
      cells_.emplace();
      AffineForms forms(context_.inference);
      for (const auto& [dtype, cells] : FindCells(graph_, forms)) {
        for (const RecurrentCell& cell : cells) {
          if (cell.kind != RecurrentCell::Kind::kRnn) cells_->insert(cell.node);
        }
      }
    }
    return std::ranges::any_of(members, [&](const auto& m) { return cells_->contains(m.second); });
  }

  // Elsewhere, products of one value are as often branches that have little to do with each other,
  // unless they are the gates of a cell.
  bool IsIterationOfLoop() const {
    const Node* parent = graph_.parent();
    return parent != nullptr && (parent->Is("Loop") || parent->Is("Scan"));
  }

  // Whether what two of the products give meets.
  bool Meet(const Members& members) const {
    return std::ranges::any_of(members, [&](const auto& m) {
      std::unordered_set<const Node*> sources;
      for (const Use& use : m.second->operands()) {
        const Node* source = use.value() != nullptr ? use.value()->producer() : nullptr;
        if (IsMember(source, members)) sources.insert(source);
      }
      return sources.size() >= 2;
    });
  }

  void AddReaders(const Value& value, Members& readers) const {
    for (const Use* use = value.first_use(); use != nullptr; use = use->next()) {
      if (Node* reader = ReaderIn(graph_, *use)) readers.emplace(index_.at(reader), reader);
    }
  }

  // What the group begins with, then what computes element by element from that; and, if it may,
  // one product of what a gate has reset, with what is beside it.
  Members Grow(const GroupBegin& begin, bool may_reset) const {
    Members members, open;
    AddReaders(*begin.whole, open);
    while (!open.empty()) {
      const auto [place, node] = *open.begin();
      open.erase(open.begin());
      const bool computes = ComputesFloats(*node) || (may_reset && Resets(*node, members, begin));
      if (!begin.Holds(*node) && (members.empty() || !computes)) break;
      members.emplace(place, node);
      for (std::size_t i = 0; i < node->num_results(); ++i) {
        if (node->result(i) != nullptr) AddReaders(*node->result(i), open);
      }
    }
    return members;
  }

  bool IsMember(const Node* node, const Members& members) const {
    const auto found = index_.find(node);
    return found != index_.end() && members.contains(found->second);
  }

  // Whether `node` is the first product of a product of members, or what is put together for it.
  bool Resets(const Node& node, const Members& members, const GroupBegin& begin) const {
    const bool has_product = std::ranges::any_of(
        members, [&](const auto& m) { return IsDense(*m.second) && !begin.Holds(*m.second); });
    if (has_product) return false;
    const auto is_reset = [&](const Value* value) {
      const Node* producer = value->producer();
      return producer != nullptr && IsMember(producer, members) &&
             (producer->Is("Mul") || producer->Is("Concat"));
    };
    if (IsDense(node)) return is_reset(node.operand(0));
    if (!node.Is("Concat")) return false;
    for (const Use* use = node.result()->first_use(); use != nullptr; use = use->next()) {
      if (use->user() == nullptr || !IsDense(*use->user())) return false;
    }
    return std::ranges::any_of(node.operands(),
                               [&](const Use& use) { return is_reset(use.value()); });
  }

  // Whether a further product among the members and what other members compute meet again: the
  // update of a state.
  bool Joins(const Members& members, const GroupBegin& begin) const {
    std::unordered_set<const Node*> behind;
    for (const auto& [place, node] : members) {
      bool reads_behind = false, reads_before = false;
      for (const Use& use : node->operands()) {
        const Node* source = use.value() != nullptr ? use.value()->producer() : nullptr;
        const bool is_behind = behind.contains(source);
        reads_behind = reads_behind || is_behind;
        reads_before = reads_before || (!is_behind && IsMember(source, members));
      }
      if (reads_behind && reads_before) return true;
      if (reads_behind || (IsDense(*node) && !begin.Holds(*node))) behind.insert(node);
    }
    return false;
  }

  bool IsReadByMembersOnly(const Node& node, const Members& members) const {
    for (std::size_t i = 0; i < node.num_results(); ++i) {
      if (node.result(i) == nullptr) continue;
      for (const Use* use = node.result(i)->first_use(); use != nullptr; use = use->next()) {
        const auto found = use->user() != nullptr ? index_.find(use->user()) : index_.end();
        if (found == index_.end() || !members.contains(found->second)) return false;
      }
    }
    return true;
  }

  // The products, sums, activations and partings that only members read.
  void AddSources(Members& members) const {
    std::vector<Node*> open;
    for (const auto& [place, node] : members) open.push_back(node);
    while (!open.empty()) {
      const Node* node = open.back();
      open.pop_back();
      for (const Use& use : node->operands()) {
        Node* source = use.value() != nullptr ? use.value()->producer() : nullptr;
        if (source == nullptr || source->graph() != &graph_) continue;
        if (!IsDense(*source) && !IsParting(*source) && !source->Is("Add") &&
            !IsActivation(*source)) {
          continue;
        }
        if (!IsReadByMembersOnly(*source, members)) continue;
        if (members.emplace(index_.at(source), source).second) open.push_back(source);
      }
    }
  }

  Graph& graph_;
  PassContext& context_;
  std::unordered_map<const Node*, std::size_t> index_;    // looked up, never iterated
  std::optional<std::unordered_set<const Node*>> cells_;  // what yields their hidden states
};

}  // namespace

Result<bool> FuseGates(Graph& graph, PassContext& context) {
  if (graph.parent() != nullptr && graph.parent()->IsDragoman("Fused")) return false;
  return GateGroups(graph, context).Run();
}

}  // namespace dragoman
