// SPDX-License-Identifier: Apache-2.0
#include "core/ir/producer.h"

namespace dragoman {

const Node* ProducerOf(const Value* value, std::string_view type) {
  const Node* node = value != nullptr ? value->producer() : nullptr;
  return node != nullptr && node->Is(type) ? node : nullptr;
}

bool AnyResultUsed(const Node& node) {
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) != nullptr && node.result(i)->used()) return true;
  }
  return false;
}

}  // namespace dragoman
