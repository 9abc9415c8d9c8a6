// SPDX-License-Identifier: Apache-2.0
// Nodes that nothing uses.
#ifndef DRAGOMAN_IMPORTERS_TORCH_SCRIPT_ERASE_DEAD_H_
#define DRAGOMAN_IMPORTERS_TORCH_SCRIPT_ERASE_DEAD_H_

#include "core/ir/graph.h"
#include "importers/torch/schema/schema.h"

namespace dragoman::torch {

// Erases nodes whose results are unused and that neither write to an operand nor have another
// effect, bodies included; results of If and Loop that are unused, with what only they need.
void EraseDeadNodes(Graph& graph, SchemaTable& schemas);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_SCRIPT_ERASE_DEAD_H_
