// SPDX-License-Identifier: Apache-2.0
// Makes source graphs of expressions (README.md of the folder above).
//
// Shared expressions belong to no place in the text: each becomes a node of the innermost graph
// around all that read it. So what an If computes on both sides lies before it, and what a function
// reads that does not depend on its parameters lies outside.
#ifndef DRAGOMAN_IMPORTERS_RELAY_GRAPH_BUILD_GRAPH_H_
#define DRAGOMAN_IMPORTERS_RELAY_GRAPH_BUILD_GRAPH_H_

#include <memory>

#include "core/ir/graph.h"
#include "core/support/result.h"
#include "importers/relay/text/ast.h"

namespace dragoman::relay {

struct FunctionGraph {
  std::unique_ptr<Graph> graph;
  std::vector<NamedAttribute> attributes;  // type_params, ret_type, attrs
};

// Writes into the blocks of `function`. Errors, with line and column: a variable that is read where
// it is not in scope; graphs that nest deeper than kMaxGraphNesting.
Result<FunctionGraph> BuildFunction(const Module& module, const FunctionDef& function);

}  // namespace dragoman::relay

#endif  // DRAGOMAN_IMPORTERS_RELAY_GRAPH_BUILD_GRAPH_H_
