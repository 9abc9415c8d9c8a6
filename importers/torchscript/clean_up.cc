#include "importers/torchscript/clean_up.h"

#include "importers/torchscript/erase_dead.h"
#include "importers/torchscript/fold_known.h"
#include "importers/torchscript/lower_tuples.h"
#include "importers/torchscript/order_results.h"

namespace dragoman::torchscript {

void CleanUp(Graph& graph, SchemaTable& schemas) {
  LowerSimpleTuples(graph);
  FoldKnown(graph);
  EraseDeadNodes(graph, schemas);
  OrderResults(graph);
}

}  // namespace dragoman::torchscript
