// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/fuse_chains.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/ops/op_def.h"
#include "core/rewrite/recurrence/cell_nodes.h"
#include "core/rewrite/recurrence/cell_states.h"
#include "core/rewrite/recurrence/emit_sequence.h"
#include "core/rewrite/recurrence/restack.h"

namespace dragoman {
namespace {

// So many steps' cell states are read apart from the cells at most where runs end there.
constexpr std::ptrdiff_t kMostCellStatesApart = 2;

// One graph whose cells are being fused.
class Fusion {
 public:
  Fusion(Graph& graph, std::size_t least_steps, AffineForms& forms, PassContext& context)
      : graph_(graph),
        least_steps_(least_steps),
        context_(context),
        forms_(forms),
        positions_(NumberNodes(graph)) {}

  Status FuseChains(const std::vector<CellChain>& chains) {
    std::vector<std::vector<CellNodes>> nodes;
    for (const CellChain& chain : chains) nodes.push_back(CollectNodes(chain));
    // A layer's masked states are read by those above it.
    for (std::size_t i = chains.size(); i-- > 0;) AddMaskedReaders(chains[i], nodes[i]);
    for (std::size_t i = 0; i < chains.size(); ++i) {
      if (!nodes[i].empty()) DRAGOMAN_TRY(FuseChain(chains[i], nodes[i]));
    }
    return {};
  }

  // Gives what is read of the fused cells from their operators, and removes the cells.
  Result<bool> Finish() {
    if (fused_.hidden.empty() && fused_.last.empty()) return false;
    DRAGOMAN_TRY(Restack());
    for (Value* value : FindNeeded()) {
      DRAGOMAN_ASSIGN(Value * current, CurrentValue(value, fused_, *value->producer(), context_));
      if (current != nullptr && PassContext::CanReplace(*value, *current)) {
        context_.Replace(*value->producer(), {{current}});
      }
    }
    EraseCells();
    return true;
  }

 private:
  // Of every step; none if a cell is too large.
  std::vector<CellNodes> CollectNodes(const CellChain& chain) const {
    std::vector<CellNodes> nodes;
    for (const CellStep& step : chain.steps) {
      auto collected = CollectCellNodes(step, /*initial=*/nodes.empty(), forms_, positions_);
      if (!collected) return {};
      nodes.push_back(std::move(*collected));
    }
    return nodes;
  }

  void AddMaskedReaders(const CellChain& chain, const std::vector<CellNodes>& nodes) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const CellStep& step = chain.steps[i];
      if (!step.masked()) continue;
      const auto escape = FindEscape(step, nodes[i], NextOf(nodes, i), masked_readers_, forms_);
      if (!escape || escape->is_cell_state) masked_readers_.Add(step.mask, nodes[i]);
    }
  }

  static const CellNodes* NextOf(const std::vector<CellNodes>& nodes, std::size_t i) {
    return i + 1 < nodes.size() ? &nodes[i + 1] : nullptr;
  }

  Status FuseChain(const CellChain& chain, const std::vector<CellNodes>& nodes) {
    if (std::ranges::any_of(chain.steps,
                            [&](const CellStep& step) { return ReadsFusedState(step); })) {
      return {};
    }
    cell_escapes_.assign(chain.steps.size(), false);
    const std::vector<bool> starts = FindRunStarts(chain, nodes);
    std::size_t begin = 0;
    std::size_t matched = 0;
    for (std::size_t i = 1; i <= chain.steps.size(); ++i) {
      if (!starts[i]) continue;
      if (i - begin >= least_steps_) {
        matched += i - begin;
        const bool gives_cell_states =
            std::find(cell_escapes_.begin() + begin, cell_escapes_.begin() + i - 1, true) !=
            cell_escapes_.begin() + i - 1;
        DRAGOMAN_TRY(FuseRun(std::span(chain.steps).subspan(begin, i - begin),
                             std::span(nodes).subspan(begin, i - begin), gives_cell_states));
      }
      begin = i;
    }
    Report(chain, starts, matched);
    return {};
  }

  // A GRU's reset gate times its state looks like an LSTM's hidden state: whether the cell state
  // is what a fused cell yields.
  bool ReadsFusedState(const CellStep& step) const {
    const AtomId c = step.cell->c;
    return c != kNoAtom && cells_.contains(forms_.atom(c).value->producer());
  }

  // Where weights change, and where something else reads what is inside of a cell: such a cell is
  // a run of its own, or the end of one if it is its new cell state that is read and few others'
  // are. The end of the chain counts as a start.
  std::vector<bool> FindRunStarts(const CellChain& chain, const std::vector<CellNodes>& nodes) {
    const std::size_t count = chain.steps.size();
    std::vector<bool> starts(count + 1, false);
    starts[count] = true;
    std::vector<std::optional<Escape>> escapes;
    for (std::size_t i = 0; i < count; ++i) {
      escapes.push_back(
          FindEscape(chain.steps[i], nodes[i], NextOf(nodes, i), masked_readers_, forms_));
      cell_escapes_[i] = escapes[i] && escapes[i]->is_cell_state && i + 1 < count &&
                         GivesCellStates(chain.steps[i]);
    }
    if (std::ranges::count(cell_escapes_, true) <= kMostCellStatesApart) {
      cell_escapes_.assign(count, false);
    }
    for (std::size_t i = 0; i < count; ++i) {
      starts[i] = starts[i] || !chain.breaks[i].empty();
      const std::optional<Escape>& escape = escapes[i];
      const bool last = i + 1 == count;
      if (!escape || (escape->is_cell_state && (last || cell_escapes_[i]))) continue;
      ReportEscape(chain, i, *escape);
      starts[i] = starts[i] || !escape->is_cell_state;
      starts[i + 1] = true;
    }
    return starts;
  }

  // Explains which steps are left as they are, or where runs end, and why.
  void Report(const CellChain& chain, const std::vector<bool>& starts, std::size_t matched) {
    const std::size_t count = chain.steps.size();
    for (std::size_t i = 0; i < count; ++i) {
      const bool alone = i > 0 && starts[i] && starts[i + 1];
      if (chain.breaks[i].empty() || (!alone && i > 0 && starts[i - 1])) continue;
      near_misses_.push_back(
          {chain.steps[i].cell->node, fmt::format("step {} uses another {}", i, chain.breaks[i])});
    }
    for (const auto& [node, what] : near_misses_) {
      context_.Explain(*node, fmt::format("matched {} of {} steps; {}", matched, count, what));
    }
    near_misses_.clear();
  }

  void ReportEscape(const CellChain& chain, std::size_t i, const Escape& escape) {
    const RecurrentCell& cell = *chain.steps[i].cell;
    const Node& node = *cell.node;
    std::string what = escape.is_cell_state ? "the cell state" : "an inner value";
    for (std::size_t gate = 0; gate < cell.gates.size(); ++gate) {
      const AtomId id = cell.gates[gate].value;
      if (id != kNoAtom && forms_.atom(id).value == escape.value) {
        what = fmt::format("the {} gate", GateName(cell.kind, gate));
      }
    }
    near_misses_.push_back(
        {&node, fmt::format("step {}: {} %{} is used elsewhere", i, what, escape.value->name())});
  }

  Status FuseRun(std::span<const CellStep> steps, std::span<const CellNodes> nodes,
                 bool gives_cell_states) {
    const RecurrentCell& cell = *steps.front().cell;
    if (!cell.uniform) {
      context_.Explain(*cell.node, "not fused, since its gates have different activations");
      return {};
    }
    if (!context_.sites.Take(*cell.node)) return {};
    DRAGOMAN_ASSIGN(EmitResult result,
                    EmitSequence(steps, nodes, gives_cell_states, forms_, fused_, context_));
    if (result.node == nullptr) {
      context_.Explain(*cell.node, fmt::format("{} steps of {} are not fused, since {}",
                                               steps.size(), Name(cell.kind), result.obstacle));
      return {};
    }
    context_.Explain(*cell.node,
                     steps.size() == 1
                         ? fmt::format("becomes one {} of one step", Name(cell.kind))
                         : fmt::format("{} steps become one {}", steps.size(), Name(cell.kind)));
    std::vector<OriginPtr> origins;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      for (Node* node : nodes[i].all) {
        if (cells_.insert(node).second) origins.push_back(node->origin());
      }
      EnterAxis(steps[i].cell->h);
      if (steps[i].cell->c != kNoAtom) EnterAxis(steps[i].cell->c);
      for (AtomId id : {steps[i].projected, steps[i].carried_h, steps[i].carried_c}) {
        if (id != kNoAtom) EnterAxis(id);
      }
      for (AtomId id : steps[i].zeroed_h) EnterAxis(id);
    }
    result.node->set_origin(Origin::Merge(origins));
    return {};
  }

  void EnterAxis(AtomId id) {
    const Atom& atom = forms_.atom(id);
    fused_.axes.emplace(atom.value, atom.axis);
  }

  Status Restack() {
    std::vector<std::pair<Node*, Value*>> replacements;
    for (Node& node : graph_.nodes()) {
      if (!node.Is("Concat") || !positions_.contains(&node) || cells_.contains(&node)) continue;
      DRAGOMAN_ASSIGN(Value * whole, RestackSteps(node, forms_, fused_, context_));
      if (whole != nullptr) replacements.emplace_back(&node, whole);
    }
    for (auto& [node, whole] : replacements) {  // several may be of one value, which has one name
      DRAGOMAN_TRY(context_.InsertCopies(*node, {&whole, 1}));
      context_.Replace(*node, {{whole}});
    }
    return {};
  }

  // The values of fused cells that live nodes or outputs read, in the order of the graph.
  std::vector<Value*> FindNeeded() {
    std::unordered_set<const Value*> read;
    for (const Use& use : graph_.outputs()) read.insert(use.value());
    std::vector<Value*> needed;
    for (Node* node = graph_.last_node(); node != nullptr; node = node->prev()) {
      bool live = FindOp(*node) == nullptr || HasEffect(*node);
      for (std::size_t i = 0; i < node->num_results(); ++i) {
        Value* result = node->result(i);
        if (result == nullptr || !read.contains(result)) continue;
        const bool is_fused = fused_.hidden.contains(result) || fused_.last.contains(result);
        if (is_fused) needed.push_back(result);
        live = live || !is_fused;
      }
      if (live) MarkRead(*node, read);
    }
    std::reverse(needed.begin(), needed.end());
    return needed;
  }

  static void MarkRead(const Node& node, std::unordered_set<const Value*>& read) {
    for (const Use& use : node.operands()) read.insert(use.value());
    for (const Graph* body : node.subgraphs()) {
      ForEachGraph(*body, [&](const Graph& graph) {
        for (const Use& use : graph.outputs()) read.insert(use.value());
        for (const Node& inner : graph.nodes()) {
          for (const Use& use : inner.operands()) read.insert(use.value());
        }
      });
    }
  }

  void EraseCells() {
    for (Node* node = graph_.last_node(); node != nullptr;) {
      Node* before = node->prev();
      bool used = false;
      for (std::size_t i = 0; i < node->num_results(); ++i) {
        used = used || (node->result(i) != nullptr && node->result(i)->used());
      }
      // Views of steps die with the cells that read them.
      if (!used && positions_.contains(node) && FindOp(*node) != nullptr && !HasEffect(*node)) {
        context_.Erase(*node);
      }
      node = before;
    }
  }

  Graph& graph_;
  const std::size_t least_steps_;
  PassContext& context_;
  AffineForms& forms_;
  NodePositions positions_;
  FusedValues fused_;
  MaskedReaders masked_readers_;
  std::vector<std::pair<const Node*, std::string>> near_misses_;  // of the chain at hand
  std::vector<bool> cell_escapes_;         // of the chain: cell states that the operators give
  std::unordered_set<const Node*> cells_;  // nodes that were fused
};

}  // namespace

Result<bool> FuseChains(Graph& graph, const std::vector<CellChain>& chains, std::size_t least_steps,
                        AffineForms& forms, PassContext& context) {
  Fusion fusion(graph, least_steps, forms, context);
  DRAGOMAN_TRY(fusion.FuseChains(chains));
  return fusion.Finish();
}

}  // namespace dragoman
