// SPDX-License-Identifier: Apache-2.0
// Cells with equal weights that pass their states on become one LSTM, GRU or RNN. A cell is
// recognised by what it computes (core/analysis/recurrent_cell.h).
#include <cstddef>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/rewrite/passes.h"
#include "core/rewrite/recurrence/cell_nodes.h"
#include "core/rewrite/recurrence/constant_states.h"
#include "core/rewrite/recurrence/explain_states.h"
#include "core/rewrite/recurrence/find_cells.h"
#include "core/rewrite/recurrence/fuse_chains.h"
#include "core/rewrite/recurrence/fuse_loop.h"
#include "core/rewrite/recurrence/left_overs.h"
#include "core/rewrite/recurrence/merge_directions.h"
#include "core/rewrite/recurrence/open_steps.h"
#include "core/rewrite/recurrence/projected_inputs.h"
#include "core/rewrite/recurrence/reversed_sequences.h"
#include "core/rewrite/recurrence/zero_states.h"

namespace dragoman {
namespace {

constexpr std::size_t kLeastSteps = 2;

Result<bool> FuseLoops(Graph& graph, PassContext& context) {
  std::vector<Node*> loops;  // fusing one erases nodes after it, too
  for (Node& node : graph.nodes()) {
    if (node.Is("Loop") || node.Is("Scan")) loops.push_back(&node);
  }
  bool changed = false;
  for (Node* loop : loops) {
    DRAGOMAN_ASSIGN(const bool fused, FuseLoop(*loop, context));
    changed = changed || fused;
  }
  return changed;
}

// The cells of a graph, linked.
struct ChainSearch {
  // `states` are constants that are not weights.
  ChainSearch(Graph& graph, PassContext& context, const std::unordered_set<const Value*>& states)
      : forms(std::make_unique<AffineForms>(context.inference)) {
    forms->consts().Hide(states);
    cells = std::make_unique<CellsByType>(FindCells(graph, *forms));
    for (const auto& [dtype, of_type] : *cells) {
      if (of_type.size() < 2) continue;
      WeightComparer comparer(forms->consts(), dtype);
      for (CellChain& chain : LinkCells(of_type, comparer, *forms)) {
        chains.push_back(std::move(chain));
      }
    }
  }

  std::size_t CountSteps() const {
    std::size_t count = 0;
    for (const CellChain& chain : chains) count += chain.steps.size();
    return count;
  }

  // Those that are in no chain.
  std::vector<const RecurrentCell*> CellsAlone(const std::vector<RecurrentCell>& among) const {
    std::unordered_set<const RecurrentCell*> linked;
    for (const CellChain& chain : chains) {
      for (const CellStep& step : chain.steps) linked.insert(step.cell);
    }
    std::vector<const RecurrentCell*> alone;
    for (const RecurrentCell& cell : among) {
      if (!linked.contains(&cell)) alone.push_back(&cell);
    }
    return alone;
  }

  std::unique_ptr<AffineForms> forms;
  std::unique_ptr<CellsByType> cells;
  std::vector<CellChain> chains;
};

Result<bool> FuseUnrolled(Graph& graph, PassContext& context) {
  ChainSearch search(graph, context, {});
  const auto states = FindConstantStates(search.chains, *search.forms, NumberNodes(graph));
  if (!states.empty()) {
    ChainSearch deeper(graph, context, states);
    if (deeper.CountSteps() > search.CountSteps()) search = std::move(deeper);
  }
  for (const auto& [dtype, cells] : *search.cells) {
    ExplainClippedStates(cells, *search.forms, context);
    ExplainMixedStates(search.CellsAlone(cells), *search.forms, context);
  }
  return FuseChains(graph, search.chains, kLeastSteps, *search.forms, context);
}

}  // namespace

Result<bool> FuseRecurrences(Graph& graph, PassContext& context) {
  DRAGOMAN_ASSIGN(const bool opened, OpenSteps(graph, context));
  const LeftOvers left_overs(graph);
  DRAGOMAN_ASSIGN(const bool loops, FuseLoops(graph, context));
  DRAGOMAN_ASSIGN(const bool chains, FuseUnrolled(graph, context));
  left_overs.Erase(graph, context);
  const bool removed = RemoveZeroStates(graph, context);
  DRAGOMAN_ASSIGN(const bool taken, TakeProjections(graph, context));
  DRAGOMAN_ASSIGN(const bool turned, TurnReversedSequences(graph, context));
  DRAGOMAN_ASSIGN(const bool merged, MergeDirections(graph, context));
  return opened || loops || chains || removed || taken || turned || merged;
}

}  // namespace dragoman
