// SPDX-License-Identifier: Apache-2.0
// Which nodes a diff is about, for those who show both models.
#ifndef DRAGOMAN_CORE_COMPARE_DIFF_TRACE_H_
#define DRAGOMAN_CORE_COMPARE_DIFF_TRACE_H_

#include <utility>
#include <vector>

#include "core/ir/graph.h"

namespace dragoman {

// Pointers are into the models that were compared; nullptr: none of that model.
struct DiffTrace {
  template <class T>
  using Pair = std::pair<const T*, const T*>;
  // What an edit is about: nodes, inputs, or what gives outputs.
  struct Place {
    Pair<Node> nodes;
    Pair<Value> values;
  };

  std::vector<Pair<Node>> matched;  // of either model each node at most once
  std::vector<Place> edited;        // of each edit of the report
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_COMPARE_DIFF_TRACE_H_
