// SPDX-License-Identifier: Apache-2.0
// The order of the results of If and Loop.
#ifndef DRAGOMAN_IMPORTERS_TORCH_SCRIPT_ORDER_RESULTS_H_
#define DRAGOMAN_IMPORTERS_TORCH_SCRIPT_ORDER_RESULTS_H_

#include "core/ir/graph.h"

namespace dragoman::torch {

// Sorts the results of every If and Loop by the place of their first use, as torch does (pytorch
// torch/csrc/jit/passes/canonicalize.cpp).
void OrderResults(Graph& graph);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_SCRIPT_ORDER_RESULTS_H_
