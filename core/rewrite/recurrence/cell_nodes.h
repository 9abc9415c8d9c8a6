// Which nodes a cell consists of, and who else reads what is inside.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_CELL_NODES_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_CELL_NODES_H_

#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/rewrite/recurrence/cell_chain.h"

namespace dragoman {

using NodePositions = std::unordered_map<const Node*, std::size_t>;
NodePositions NumberNodes(const Graph& graph);

// The nodes between the operands of a cell and its new states, in the order of the graph. Those
// that compute from a state are interior: they can go only with the cell.
struct CellNodes {
  std::vector<Node*> all;
  std::unordered_set<const Node*> members;
  std::unordered_set<const Node*> interior;
};
// nullopt: more nodes than a cell may have.
std::optional<CellNodes> CollectCellNodes(const CellStep& step, const AffineForms& forms,
                                          const NodePositions& positions);

// A value inside of a cell that something else reads.
struct Escape {
  const Value* value = nullptr;
  const Use* use = nullptr;
  bool is_cell_state = false;  // the new c: the run can end here
};
// `next` are the nodes of the cell that follows, or nullptr.
std::optional<Escape> FindEscape(const CellStep& step, const CellNodes& nodes,
                                 const CellNodes* next, const AffineForms& forms);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_CELL_NODES_H_
