// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/find_cells.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

namespace dragoman {
namespace {

// Whether a gate reads a product; what merely adds up is a cell along any axis.
bool ReadsProduct(const RecurrentCell& cell, AffineForms& forms) {
  for (const CellGate& gate : cell.gates) {
    for (const AffineTerm& term : gate.argument.terms) {
      if (forms.consts().at(term.coefficient).kind != ConstExpr::Kind::kDiagonal) return true;
    }
  }
  return false;
}

std::optional<RecurrentCell> MatchCell(Node& node, AffineForms& forms) {
  const int rank = node.result()->type().rank().value_or(0);
  std::optional<RecurrentCell> found;
  // Channels come first, before all that lies in space.
  for (int axis = rank - 1; axis >= std::min(1, std::max(rank - 2, 0)); --axis) {
    for (const auto match : {MatchLstm, MatchGru, MatchRnn}) {
      auto cell = match(node, axis, forms);
      if (cell && ReadsProduct(*cell, forms)) return cell;
      if (cell && !found) found = std::move(cell);
    }
  }
  return found;
}

}  // namespace

CellsByType FindCells(Graph& graph, AffineForms& forms) {
  CellsByType cells;
  std::unordered_set<const Value*> chosen;
  for (Node& node : graph.nodes()) {
    Value* result = node.result();
    if (result == nullptr || node.num_results() != 1) continue;
    if (!IsFloating(result->type().dtype())) continue;
    // In the order of nodes, so that each step of the analysis is short.
    forms.Of(result, result->type().rank().value_or(0) - 1);
    auto cell = MatchCell(node, forms);
    // An operator in place of the steps stands where the first of their states is computed.
    const bool crosses = cell && cell->c != kNoAtom && forms.atom(cell->c).value->graph() != &graph;
    if (cell && !crosses) {
      // A choice between equal states is the state, and neither of these is.
      if (node.Is("Where")) chosen.insert({node.operand(1), node.operand(2)});
      cells[result->type().dtype()].push_back(std::move(*cell));
    }
  }
  for (auto& [dtype, of_type] : cells) {
    std::erase_if(of_type,
                  [&](const RecurrentCell& cell) { return chosen.contains(cell.node->result()); });
  }
  return cells;
}

}  // namespace dragoman
