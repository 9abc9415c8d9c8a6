// SPDX-License-Identifier: Apache-2.0
// Expressions of a source graph of Relax, and what its extras hold, as text.
#ifndef DRAGOMAN_CODEGEN_RELAX_SOURCE_EXPRESSION_H_
#define DRAGOMAN_CODEGEN_RELAX_SOURCE_EXPRESSION_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman::relax {

// The texts that `extra`, which may be nullptr, holds of that name, if any.
Attribute::Strings TextsOf(const Extra* extra, std::string_view name);

std::string SourceAttributeText(const NamedAttribute& attribute);
// Whether the node stands within another expression, the only one that reads it.
bool StandsInline(const Node& node);
// What is missing is added to `findings`. Expressions nest as deep as they like.
std::string SourceExpressionText(const Node& node, std::vector<Finding>& findings);
// The name of a value, or the expression that stands in its place.
std::string SourceOperandText(const Value* value, std::vector<Finding>& findings);

}  // namespace dragoman::relax

#endif  // DRAGOMAN_CODEGEN_RELAX_SOURCE_EXPRESSION_H_
