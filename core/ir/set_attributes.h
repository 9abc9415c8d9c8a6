// SPDX-License-Identifier: Apache-2.0
// Many attributes at once.
#ifndef DRAGOMAN_CORE_IR_SET_ATTRIBUTES_H_
#define DRAGOMAN_CORE_IR_SET_ATTRIBUTES_H_

#include <cstddef>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/ir/graph.h"

namespace dragoman {

// Node::SetAttribute of each, in time that does not grow with the square of their number.
inline void SetAttributes(Node& node, std::vector<NamedAttribute> attributes) {
  constexpr std::size_t kFew = 16;
  const bool many = attributes.size() > kFew;
  std::unordered_set<std::string> names;
  for (const NamedAttribute& attribute : node.attributes()) {
    if (many) names.insert(attribute.name);
  }
  for (NamedAttribute& attribute : attributes) {
    if (many && names.insert(attribute.name).second) {
      node.AddAttribute({attribute.name, std::move(attribute.value)});
    } else {
      node.SetAttribute(attribute.name, std::move(attribute.value));
    }
  }
}

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_SET_ATTRIBUTES_H_
