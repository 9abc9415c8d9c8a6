// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/name_body.h"

#include <cstddef>

namespace dragoman {

void NameInModel(Graph& body, GraphBuilder& model) {
  const auto name = [&model](Value& value) { value.set_name(model.UniqueName(value.name())); };
  for (const auto& input : body.inputs()) name(*input);
  for (const auto& constant : body.constants()) name(*constant);
  for (Node& node : body.nodes()) {
    for (std::size_t i = 0; i < node.num_results(); ++i) {
      if (node.result(i) != nullptr) name(*node.result(i));
    }
  }
}

}  // namespace dragoman
