// SPDX-License-Identifier: Apache-2.0
// Reads rules from text; docs/rules.md describes the language.
#ifndef DRAGOMAN_CORE_REWRITE_MATCH_READ_RULES_H_
#define DRAGOMAN_CORE_REWRITE_MATCH_READ_RULES_H_

#include <string_view>

#include "core/rewrite/match/rule.h"
#include "core/support/result.h"

namespace dragoman {

// All rules of `text`, checked: operators and their operands, results and attributes, captures, and
// that both sides give the same element types. Errors are at line and column and show the line with
// a caret; one per rule that is at fault, unless its text cannot be separated from the next rule's.
Result<RuleSet> ReadRules(std::string_view text);

// The checks of one rule, whose text has been read. Used by ReadRules; errors are Findings at
// offsets of the text.
struct RuleFault {
  std::size_t offset = 0;
  std::string message;
};
std::optional<RuleFault> CheckRule(Rule& rule);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_MATCH_READ_RULES_H_
