// SPDX-License-Identifier: Apache-2.0
#include "cli/fusion_summary.h"

#include <fmt/format.h>

#include "cli/report.h"
#include "core/rewrite/sequence_node.h"
#include "core/support/plural.h"

namespace dragoman::cli {
namespace {

std::size_t CountRecurrent(const NodeCount& count) {
  std::size_t sum = 0;
  for (const auto& [kind, number] : count.recurrent) sum += number;
  return sum;
}

std::int64_t StepsOf(const Node& node) {
  const Value* x = node.operand(0);
  const Shape* shape = x != nullptr ? x->type().shape() : nullptr;
  if (shape == nullptr || shape->size() != 3 || !shape->front().known()) return -1;
  return shape->front().value();
}

}  // namespace

NodeCount CountNodes(const Model& model) {
  NodeCount count;
  ForEachGraph(model, [&](const Graph& graph) {
    count.nodes += graph.num_nodes();
    for (const Node& node : graph.nodes()) {
      if (IsRecurrent(node)) ++count.recurrent[{node.op().type, StepsOf(node)}];
    }
  });
  return count;
}

std::string FusionSummary(const NodeCount& before, const NodeCount& after,
                          std::uint64_t bytes_before, std::uint64_t bytes_after) {
  if (CountRecurrent(after) <= CountRecurrent(before)) return {};
  std::string what;
  for (const auto& [kind, number] : after.recurrent) {
    what += fmt::format("{}{} {}", what.empty() ? "" : ", ", number, kind.first);
    if (kind.second >= 0) what += " of " + Plural(static_cast<std::size_t>(kind.second), "step");
  }
  const std::string line =
      fmt::format("{} nodes to {}: {}", Grouped(before.nodes), Grouped(after.nodes), what);
  if (bytes_before == 0 || bytes_after == 0) return line;
  return fmt::format("{}; {} to {}", line, SizeText(bytes_before), SizeText(bytes_after));
}

}  // namespace dragoman::cli
