// SPDX-License-Identifier: Apache-2.0
// What torch does with a function before it inlines it into others (pytorch
// torch/csrc/jit/api/function_impl.cpp, preoptimizeGraph).
#ifndef DRAGOMAN_IMPORTERS_TORCH_SCRIPT_SIMPLIFY_CALLEE_H_
#define DRAGOMAN_IMPORTERS_TORCH_SCRIPT_SIMPLIFY_CALLEE_H_

#include "core/ir/graph.h"
#include "importers/torch/schema/schema.h"

namespace dragoman::torch {

// Comparisons with None that types decide become constants, casts to the type that a value has
// vanish; then known branches are inlined, and what is dead is erased.
void SimplifyCallee(Graph& graph, SchemaTable& schemas);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_SCRIPT_SIMPLIFY_CALLEE_H_
