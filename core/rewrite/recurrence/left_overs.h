// SPDX-License-Identifier: Apache-2.0
// What a pass inserted before it found that it has no use for it.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_LEFT_OVERS_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_LEFT_OVERS_H_

#include <cstddef>

#include "core/rewrite/pass_context.h"
#include "core/rewrite/recurrence/cell_nodes.h"

namespace dragoman {

// What is in a graph, before a pass changes it.
class LeftOvers {
 public:
  explicit LeftOvers(const Graph& graph)
      : before_(NumberNodes(graph)), num_constants_(graph.constants().size()) {}

  // Removes nodes and constants that were not there and that nothing reads.
  void Erase(Graph& graph, PassContext& context) const;

 private:
  NodePositions before_;
  std::size_t num_constants_ = 0;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_LEFT_OVERS_H_
