// A function of a module as a source graph (importers/relax/README.md).
#ifndef DRAGOMAN_IMPORTERS_RELAX_GRAPH_BUILD_FUNCTION_H_
#define DRAGOMAN_IMPORTERS_RELAX_GRAPH_BUILD_FUNCTION_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "core/ir/graph.h"
#include "core/support/python/syntax.h"
#include "core/support/result.h"
#include "importers/relax/graph/parse_module.h"

namespace dragoman::tvmscript {

// The line of the text that was reached, and where it begins.
struct LineCount {
  std::size_t number = 1;
  std::size_t begin = 0;
};

// Adds what is no Relax to `findings`, one a statement. Functions come in the order of the text,
// and share `lines`.
std::unique_ptr<Graph> BuildFunction(const ModuleSyntax& module,
                                     const python::FunctionDef& function, LineCount& lines,
                                     std::vector<Finding>& findings);

}  // namespace dragoman::tvmscript

#endif  // DRAGOMAN_IMPORTERS_RELAX_GRAPH_BUILD_FUNCTION_H_
