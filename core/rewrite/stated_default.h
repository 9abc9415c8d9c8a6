// SPDX-License-Identifier: Apache-2.0
// Attributes that say what holds without them.
#ifndef DRAGOMAN_CORE_REWRITE_STATED_DEFAULT_H_
#define DRAGOMAN_CORE_REWRITE_STATED_DEFAULT_H_

#include "core/ir/graph.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"

namespace dragoman {

// Whether an attribute of `node` has the value that its operator takes without it.
inline bool SaysDefault(const Node& node, const NamedAttribute& attribute) {
  const AttributeDef* known = FindDeclared(node, attribute.name);
  return known != nullptr && Identical(known->default_value, attribute.value);
}

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_STATED_DEFAULT_H_
