// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/size_advice.h"

#include <algorithm>

namespace dragoman {
namespace {

const Graph& EntryOf(const Node& node) {
  const Graph* graph = node.graph();
  while (graph->parent() != nullptr) graph = graph->parent()->graph();
  return *graph;
}

bool HasOpenSize(const Type& type) {
  const Shape* shape = type.shape();
  return shape != nullptr &&
         std::ranges::any_of(*shape, [](const Dim& size) { return !size.known(); });
}

}  // namespace

std::string WithSizeAdvice(std::string_view why, const Node& node) {
  std::string text(why);
  const bool may_be_stated = why.find("known at run time only") != std::string_view::npos &&
                             std::ranges::any_of(EntryOf(node).inputs(), [](const auto& input) {
                               return HasOpenSize(input->type());
                             });
  if (may_be_stated) text += "; state the inputs' sizes with --shape";
  return text;
}

}  // namespace dragoman
