// The order of the results of If and Loop.
#ifndef DRAGOMAN_IMPORTERS_TORCHSCRIPT_ORDER_RESULTS_H_
#define DRAGOMAN_IMPORTERS_TORCHSCRIPT_ORDER_RESULTS_H_

#include "core/ir/graph.h"

namespace dragoman::torchscript {

// Sorts the results of every If and Loop by the place of their first use, as torch does (pytorch
// torch/csrc/jit/passes/canonicalize.cpp).
void OrderResults(Graph& graph);

}  // namespace dragoman::torchscript

#endif  // DRAGOMAN_IMPORTERS_TORCHSCRIPT_ORDER_RESULTS_H_
