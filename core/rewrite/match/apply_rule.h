// SPDX-License-Identifier: Apache-2.0
// Puts the replacement of a rule in the place of what its pattern matched.
#ifndef DRAGOMAN_CORE_REWRITE_MATCH_APPLY_RULE_H_
#define DRAGOMAN_CORE_REWRITE_MATCH_APPLY_RULE_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "core/ir/dtype.h"
#include "core/ops/op_def.h"
#include "core/rewrite/match/match_rule.h"
#include "core/rewrite/match/rule.h"
#include "core/rewrite/pass_context.h"

namespace dragoman {

// Replaces the results of `match` in a graph of level `level`; nodes of it that nothing reads any
// more go. Gives why it cannot be done, and has changed nothing then: results of other types,
// operands that the replacement's operators refuse, a number that an attribute does not hold.
// nullopt: it is done.
std::optional<std::string> ApplyRule(const Rule& rule, const RuleMatch& match, Level level,
                                     PassContext& context);

// The element type of a number that is operand `index` of an operator (nullptr: one of which
// nothing is known) beside `operands`: that of the operands with the same type variable, else that
// of the first one that its own variable allows, else `otherwise`.
DType ElementTypeOf(std::size_t index, const OpDef* def, std::span<Value* const> operands,
                    DType otherwise);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_MATCH_APPLY_RULE_H_
