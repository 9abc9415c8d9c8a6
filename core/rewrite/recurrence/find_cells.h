// SPDX-License-Identifier: Apache-2.0
// All recurrent cells of a graph.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_FIND_CELLS_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_FIND_CELLS_H_

#include <map>
#include <vector>

#include "core/analysis/recurrent_cell.h"

namespace dragoman {

// By element type, in the order of the nodes that yield hidden states. Bodies are not looked into.
using CellsByType = std::map<DType, std::vector<RecurrentCell>>;
CellsByType FindCells(Graph& graph, AffineForms& forms);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_FIND_CELLS_H_
