// What an entry returns, as flat outputs of the common graph.
#ifndef DRAGOMAN_IMPORTERS_TORCHSCRIPT_RESULTS_H_
#define DRAGOMAN_IMPORTERS_TORCHSCRIPT_RESULTS_H_

#include "core/analysis/builder.h"
#include "core/support/result.h"
#include "importers/torchscript/abstract.h"
#include "importers/torchscript/heap.h"

namespace dragoman::torchscript {

// Adds the leaves of `result` to the graph's outputs, in order: "output", "output.0",
// "output.key". None is left out; what only run time tells to be None or not is an output of type
// optional. Errors: objects, dicts whose keys only run time tells.
Status AddResults(const Abstract& result, Heap& heap, GraphBuilder& builder);

}  // namespace dragoman::torchscript

#endif  // DRAGOMAN_IMPORTERS_TORCHSCRIPT_RESULTS_H_
