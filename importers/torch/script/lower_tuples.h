// SPDX-License-Identifier: Apache-2.0
// Tuples that are constructed and taken apart again.
#ifndef DRAGOMAN_IMPORTERS_TORCH_SCRIPT_LOWER_TUPLES_H_
#define DRAGOMAN_IMPORTERS_TORCH_SCRIPT_LOWER_TUPLES_H_

#include "core/ir/graph.h"

namespace dragoman::torch {

// The results of TupleUnpack and TupleIndex of a TupleConstruct are its operands.
void LowerSimpleTuples(Graph& graph);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_SCRIPT_LOWER_TUPLES_H_
