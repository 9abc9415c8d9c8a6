// SPDX-License-Identifier: Apache-2.0
// What an entry returns, as flat outputs of the common graph.
#ifndef DRAGOMAN_CORE_LOWERING_RESULTS_H_
#define DRAGOMAN_CORE_LOWERING_RESULTS_H_

#include <functional>

#include "core/analysis/builder.h"
#include "core/lowering/abstract.h"
#include "core/lowering/heap.h"
#include "core/support/result.h"

namespace dragoman {

// How a tensor leaves the model, where a format stores it in another way than it computes with it.
using ResultForm = std::function<Result<Value*>(GraphBuilder&, Value*)>;

// Adds the leaves of `result` to the graph's outputs, in order: "output", "output.0",
// "output.key". None is left out; what is None or not at run time only is an output of type
// optional. A dict whose keys are known at run time only is two outputs, "output.map_keys", which
// ascend, and "output.map_values". Errors: objects; such dicts of other things than numbers and
// strings.
Status AddResults(const Abstract& result, Heap& heap, GraphBuilder& builder,
                  const ResultForm& form = nullptr);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_RESULTS_H_
