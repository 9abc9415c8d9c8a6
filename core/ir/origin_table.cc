// SPDX-License-Identifier: Apache-2.0
#include "core/ir/origin_table.h"

#include <algorithm>

namespace dragoman {

OriginTable::OriginTable(const Model& model) {
  ForEachGraph(model, [this](const Graph& graph) {
    for (const auto& input : graph.inputs()) Add(input->origin());
    for (const auto& constant : graph.constants()) Add(constant->origin());
    for (const Node& node : graph.nodes()) {
      Add(node.origin());
      for (std::size_t i = 0; i < node.num_results(); ++i) {
        if (node.result(i) != nullptr) Add(node.result(i)->origin());
      }
    }
  });
  const auto leaves_end = std::stable_partition(origins_.begin(), origins_.end(),
                                                [](const Origin* o) { return o->leaf(); });
  std::sort(origins_.begin(), leaves_end,
            [](const Origin* a, const Origin* b) { return a->sequence() < b->sequence(); });
  for (std::size_t i = 0; i < origins_.size(); ++i) indices_[origins_[i]] = i;
}

// Post-order on a stack of its own; an Origin is marked seen by its entry in indices_.
void OriginTable::Add(const OriginPtr& origin) {
  if (!origin || !indices_.emplace(origin.get(), 0).second) return;
  struct Step {
    const Origin* origin;
    std::size_t next_part;
  };
  std::vector<Step> path = {{origin.get(), 0}};
  while (!path.empty()) {
    Step& step = path.back();
    if (step.next_part == step.origin->parts().size()) {
      origins_.push_back(step.origin);
      path.pop_back();
      continue;
    }
    const Origin* part = step.origin->parts()[step.next_part++].get();
    if (indices_.emplace(part, 0).second) path.push_back({part, 0});
  }
}

const Origin* OwnOrigin(const Value& value) {
  const Origin* origin = value.origin().get();
  const bool inherited = value.producer() != nullptr && origin == value.producer()->origin().get();
  return inherited ? nullptr : origin;
}

}  // namespace dragoman
