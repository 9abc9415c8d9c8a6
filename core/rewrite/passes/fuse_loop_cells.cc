// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <vector>

#include "core/rewrite/passes.h"
#include "core/rewrite/recurrence/find_cells.h"
#include "core/rewrite/recurrence/fuse_chains.h"
#include "core/rewrite/recurrence/left_overs.h"
#include "core/rewrite/recurrence/loop_cells.h"

namespace dragoman {
namespace {

bool IsInLoop(const Graph& graph) {
  const Graph* at = &graph;
  while (at->parent() != nullptr && at->parent()->Is("If")) at = at->parent_graph();
  return at->parent() != nullptr && (at->parent()->Is("Loop") || at->parent()->Is("Scan"));
}

}  // namespace

Result<bool> FuseLoopCells(Graph& graph, PassContext& context) {
  if (!IsInLoop(graph)) return false;
  const LeftOvers left_overs(graph);
  AffineForms forms(context.inference);
  bool changed = false;
  for (const auto& [dtype, cells] : FindCells(graph, forms)) {
    const std::vector<CellChain> chains = FindLoopCells(graph, cells, forms, context);
    DRAGOMAN_ASSIGN(const bool fused, FuseChains(graph, chains, /*least_steps=*/1, forms, context));
    changed = changed || fused;
  }
  left_overs.Erase(graph, context);
  return changed;
}

}  // namespace dragoman
