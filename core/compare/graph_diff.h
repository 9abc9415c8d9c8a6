// SPDX-License-Identifier: Apache-2.0
// The edits between two graphs and all below them.
#ifndef DRAGOMAN_CORE_COMPARE_GRAPH_DIFF_H_
#define DRAGOMAN_CORE_COMPARE_GRAPH_DIFF_H_

#include <functional>
#include <string>
#include <vector>

#include "core/compare/constant_table.h"
#include "core/compare/diff.h"
#include "core/compare/diff_trace.h"
#include "core/compare/traits.h"

namespace dragoman::compare {

struct GraphDiffContext {
  const CompareOptions& options;
  ConstantTable& constants;
  ConstantTable& forms;  // ConstantTable::Floats::kByType
  TraitTable& traits;
  // The name in the first model of a function that the second one calls otherwise.
  std::function<const OpName&(const OpName&)> canonical_op;
  DiffTrace* trace = nullptr;
};

// Appends the edits that lead from `a` to `b`, graphs of the entry or function `name`, in order of
// the nodes of `a`. An operand that differs only because a node was inserted into its edge, or
// removed from it, is not listed by itself.
void DiffGraphs(const Graph& a, const Graph& b, const std::string& name,
                const GraphDiffContext& context, std::vector<Edit>& edits);

}  // namespace dragoman::compare

#endif  // DRAGOMAN_CORE_COMPARE_GRAPH_DIFF_H_
