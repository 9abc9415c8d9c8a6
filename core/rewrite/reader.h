// SPDX-License-Identifier: Apache-2.0
// Who reads values.
#ifndef DRAGOMAN_CORE_REWRITE_READER_H_
#define DRAGOMAN_CORE_REWRITE_READER_H_

#include <cstddef>

#include "core/ir/graph.h"

namespace dragoman {

// The node of `graph` that reads, or in whose body the reader is; nullptr for an output, and for a
// reader outside of `graph`, as values that it captures have.
inline Node* ReaderIn(const Graph& graph, const Use& use) {
  Node* node = use.user();
  for (const Graph* at = use.graph(); at != &graph; at = node->graph()) {
    node = at->parent();
    if (node == nullptr) return nullptr;
  }
  return node;
}

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_READER_H_
