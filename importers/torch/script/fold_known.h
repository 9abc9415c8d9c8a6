// SPDX-License-Identifier: Apache-2.0
// Computes what is known without running a program.
#ifndef DRAGOMAN_IMPORTERS_TORCH_SCRIPT_FOLD_KNOWN_H_
#define DRAGOMAN_IMPORTERS_TORCH_SCRIPT_FOLD_KNOWN_H_

#include "core/ir/graph.h"

namespace dragoman::torch {

// An If on a known condition is replaced by its branch, a Loop that never runs by what it would
// carry; tuples of constants, devices of known names, and arithmetic and comparisons of known ints
// become constants (as pytorch torch/csrc/jit/passes/constant_propagation.cpp).
void FoldKnown(Graph& graph);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_SCRIPT_FOLD_KNOWN_H_
