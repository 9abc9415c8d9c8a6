// SPDX-License-Identifier: Apache-2.0
// The rules that come with Dragoman: families of patterns that are written as text.
#ifndef DRAGOMAN_CORE_REWRITE_RULES_BUILT_IN_RULES_H_
#define DRAGOMAN_CORE_REWRITE_RULES_BUILT_IN_RULES_H_

#include <span>
#include <string_view>

#include "core/rewrite/match/rule.h"
#include "core/rewrite/pass_context.h"

namespace dragoman {

std::span<const Pattern> FunctionRules();
std::span<const Pattern> IdentityRules();
std::span<const Pattern> SpellingRules();

struct RuleFile {
  std::string_view name;  // in this folder
  std::string_view (*text)();
};
// All files of the folder.
std::span<const RuleFile> BuiltInRuleFiles();
// The rules of all of them.
RuleSet AllBuiltInRules();

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RULES_BUILT_IN_RULES_H_
