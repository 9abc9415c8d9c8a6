// SPDX-License-Identifier: Apache-2.0
#include "python/src/handles.h"

#include <nanobind/nanobind.h>

#include <algorithm>

namespace dragoman::binding {

std::shared_ptr<Place> SharedModel::PlaceOf(void* part) {
  std::weak_ptr<Place>& known = places_[part];
  std::shared_ptr<Place> place = known.lock();
  if (place != nullptr) return place;
  place = std::make_shared<Place>(Place{part});
  known = place;
  if (places_.size() > prune_at_) {
    std::erase_if(places_, [](const auto& entry) { return entry.second.expired(); });
    prune_at_ = std::max<std::size_t>(1024, 2 * places_.size());
  }
  return place;
}

void SharedModel::CutOff(const void* part) {
  const auto known = places_.find(part);
  if (known == places_.end()) return;
  if (const std::shared_ptr<Place> place = known->second.lock()) place->part = nullptr;
  places_.erase(known);
}

void SharedModel::CutOff(const Graph& graph) {
  CutOff(static_cast<const void*>(&graph));
  for (const auto& input : graph.inputs()) CutOff(static_cast<const void*>(input.get()));
  for (const auto& constant : graph.constants()) CutOff(static_cast<const void*>(constant.get()));
  for (const Node& node : graph.nodes()) CutOff(node);
}

void SharedModel::CutOff(const Node& node) {
  CutOff(static_cast<const void*>(&node));
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) != nullptr) CutOff(static_cast<const void*>(node.result(i)));
  }
  for (const Graph* body : node.subgraphs()) CutOff(*body);
}

void RaiseErased() {
  PyErr_SetString(PyExc_ReferenceError, "this part of the graph has been erased");
  throw nanobind::python_error();
}

}  // namespace dragoman::binding
