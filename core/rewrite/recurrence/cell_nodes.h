// SPDX-License-Identifier: Apache-2.0
// Which nodes a cell consists of, and who else reads what is inside.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_CELL_NODES_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_CELL_NODES_H_

#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/rewrite/recurrence/cell_chain.h"
#include "core/support/flat_map.h"

namespace dragoman {

using NodePositions = FlatMap<const Node*, std::size_t>;
NodePositions NumberNodes(const Graph& graph);

// The nodes between the operands of a cell and its new states, in the order of the graph. Those
// that compute from a state are interior: they can go only with the cell.
struct CellNodes {
  std::vector<Node*> all;
  std::unordered_set<const Node*> members;
  std::unordered_set<const Node*> interior;
};
// `initial`: no cell before it gives its states. nullopt: more nodes than a cell may have.
std::optional<CellNodes> CollectCellNodes(const CellStep& step, bool initial,
                                          const AffineForms& forms, const NodePositions& positions);

// The nodes of cells that see what they read only where a mask holds: nothing else reads what is
// inside of them. So a cell with the same mask may give them any numbers elsewhere.
class MaskedReaders {
 public:
  // `nodes` of a cell without an escape (below), but for its new cell state.
  void Add(const StepMask& mask, const CellNodes& nodes);
  // Whether all that is computed through `use` stays within cells with that mask.
  bool Cover(const StepMask& mask, const Use& use) const;

 private:
  // Per mask, and whether it is the opposite: the nodes, and whether these are interior.
  std::map<std::pair<const Value*, bool>, std::unordered_map<const Node*, bool>> nodes_;
};

// A value inside of a cell that something else reads.
struct Escape {
  const Value* value = nullptr;
  const Use* use = nullptr;
  bool is_cell_state = false;  // the new c: the run can end here
};
// `next` are the nodes of the cell that follows, or nullptr; `readers` may read what `step` gives.
std::optional<Escape> FindEscape(const CellStep& step, const CellNodes& nodes,
                                 const CellNodes* next, const MaskedReaders& readers,
                                 const AffineForms& forms);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_CELL_NODES_H_
