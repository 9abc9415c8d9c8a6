// SPDX-License-Identifier: Apache-2.0
// Which nodes run only in iterations of a loop or on one side of a condition of version 1.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_GUARDED_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_GUARDED_H_

#include <unordered_set>

#include "core/ir/graph.h"

namespace dragoman::tf_reader {

// Those of `graph` whose results a Switch guards or a frame holds: nobody outside can read them.
std::unordered_set<const Node*> GuardedNodes(const Graph& graph);

}  // namespace dragoman::tf_reader

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_GRAPH_GUARDED_H_
