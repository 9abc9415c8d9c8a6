// SPDX-License-Identifier: Apache-2.0
// What torch does with a graph once it is compiled (pytorch torch/csrc/jit/frontend/ir_emitter.cpp,
// runCleanupPasses), so that listings agree.
#ifndef DRAGOMAN_IMPORTERS_TORCH_SCRIPT_CLEAN_UP_H_
#define DRAGOMAN_IMPORTERS_TORCH_SCRIPT_CLEAN_UP_H_

#include "core/ir/graph.h"
#include "importers/torch/schema/schema.h"

namespace dragoman::torch {

// Tuples that are constructed and taken apart again vanish; operators on known numbers and strings
// are computed; branches that are known are inlined; nodes without uses and effects are erased.
void CleanUp(Graph& graph, SchemaTable& schemas);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_SCRIPT_CLEAN_UP_H_
