#include "core/rewrite/recurrence/find_cells.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace dragoman {
namespace {

std::optional<RecurrentCell> MatchCell(Node& node, AffineForms& forms) {
  const int rank = node.result()->type().rank().value_or(0);
  for (int axis = rank - 1; axis >= std::max(rank - 2, 0); --axis) {
    for (const auto match : {MatchLstm, MatchGru, MatchRnn}) {
      if (auto cell = match(node, axis, forms)) return cell;
    }
  }
  return std::nullopt;
}

}  // namespace

CellsByType FindCells(Graph& graph, AffineForms& forms) {
  CellsByType cells;
  for (Node& node : graph.nodes()) {
    Value* result = node.result();
    if (result == nullptr || node.num_results() != 1) continue;
    if (!IsFloating(result->type().dtype())) continue;
    // In the order of nodes, so that each step of the analysis is short.
    forms.Of(result, result->type().rank().value_or(0) - 1);
    if (auto cell = MatchCell(node, forms)) {
      cells[result->type().dtype()].push_back(std::move(*cell));
    }
  }
  return cells;
}

}  // namespace dragoman
