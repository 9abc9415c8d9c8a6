// SPDX-License-Identifier: Apache-2.0
// A function of a module as a source graph (importers/relax/README.md).
#ifndef DRAGOMAN_IMPORTERS_RELAX_GRAPH_BUILD_FUNCTION_H_
#define DRAGOMAN_IMPORTERS_RELAX_GRAPH_BUILD_FUNCTION_H_

#include <memory>
#include <vector>

#include "core/ir/graph.h"
#include "core/support/python/source_error.h"
#include "core/support/python/syntax.h"
#include "core/support/result.h"
#include "importers/relax/graph/parse_module.h"

namespace dragoman::tvmscript {

// Adds what is not Relax to `findings`, one a statement.
std::unique_ptr<Graph> BuildFunction(const ModuleSyntax& module, const python::LineTable& lines,
                                     const python::FunctionDef& function,
                                     std::vector<Finding>& findings);

}  // namespace dragoman::tvmscript

#endif  // DRAGOMAN_IMPORTERS_RELAX_GRAPH_BUILD_FUNCTION_H_
