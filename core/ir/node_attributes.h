// SPDX-License-Identifier: Apache-2.0
// What an attribute of a node says, or `absent` if the node has none of that name and kind: the
// default that its operator states.
#ifndef DRAGOMAN_CORE_IR_NODE_ATTRIBUTES_H_
#define DRAGOMAN_CORE_IR_NODE_ATTRIBUTES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "core/ir/graph.h"

namespace dragoman {

std::int64_t IntAttribute(const Node& node, std::string_view name, std::int64_t absent);
float FloatAttribute(const Node& node, std::string_view name, float absent);
std::string TextAttribute(const Node& node, std::string_view name, std::string_view absent);
// nullptr in place of `absent`.
const Attribute::Ints* IntsAttribute(const Node& node, std::string_view name);
// A body; nullptr in place of `absent`.
Graph* GraphAttribute(const Node& node, std::string_view name);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_NODE_ATTRIBUTES_H_
