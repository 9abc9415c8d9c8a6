// SPDX-License-Identifier: Apache-2.0
// Attributes of nodes of the common dialect: what the node says, or the default that its operator
// declares (OpDef::attributes). So no caller repeats a default.
#ifndef DRAGOMAN_CORE_OPS_DECLARED_ATTRIBUTES_H_
#define DRAGOMAN_CORE_OPS_DECLARED_ATTRIBUTES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "core/ir/graph.h"
#include "core/ops/params.h"

namespace dragoman {

// What the operator of `node` declares of attribute `name`; nullptr: nothing, or it is foreign.
const AttributeDef* FindDeclared(const Node& node, std::string_view name);

// 0 or "" if neither the node nor the operator has a value of that kind: attributes without a fixed
// default, foreign nodes.
std::int64_t IntAttribute(const Node& node, std::string_view name);
float FloatAttribute(const Node& node, std::string_view name);
std::string TextAttribute(const Node& node, std::string_view name);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_DECLARED_ATTRIBUTES_H_
