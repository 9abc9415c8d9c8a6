// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/script/clean_up.h"

#include "importers/torch/script/erase_dead.h"
#include "importers/torch/script/fold_known.h"
#include "importers/torch/script/lower_tuples.h"
#include "importers/torch/script/order_results.h"

namespace dragoman::torch {

void CleanUp(Graph& graph, SchemaTable& schemas) {
  LowerSimpleTuples(graph);
  FoldKnown(graph);
  EraseDeadNodes(graph, schemas);
  OrderResults(graph);
}

}  // namespace dragoman::torch
