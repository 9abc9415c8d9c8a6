// SPDX-License-Identifier: Apache-2.0
// An entry's arguments: structured values over flat inputs.
#ifndef DRAGOMAN_IMPORTERS_TORCH_LOWER_ARGUMENTS_H_
#define DRAGOMAN_IMPORTERS_TORCH_LOWER_ARGUMENTS_H_

#include <string>
#include <vector>

#include "core/analysis/builder.h"
#include "core/analysis/facts.h"
#include "core/ir/model.h"
#include "core/lowering/abstract.h"
#include "core/lowering/heap.h"
#include "core/support/result.h"

namespace dragoman::torch {

// Makes the arguments of `function` but self from its inputs' types, the facts, and the examples of
// a traced file; each leaf becomes an input of the builder's graph.
//
// A tensor has the sizes and the element type that the facts state. Without them, an example gives
// rank and element type, and each size is a symbol ("x_0"); else the element type is float32, and
// the input's name is added to `assumed`.
Result<std::vector<Abstract>> MakeArguments(const Model& source, const Graph& function,
                                            const Facts& facts, Heap& heap, GraphBuilder& builder,
                                            std::vector<std::string>& assumed);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_LOWER_ARGUMENTS_H_
