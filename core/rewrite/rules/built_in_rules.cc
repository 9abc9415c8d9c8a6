// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/rules/built_in_rules.h"

#include <string>

#include "core/rewrite/match/read_rules.h"
#include "core/rewrite/match/rule_patterns.h"
#include "core/rewrite/rules/rule_texts.h"

namespace dragoman {

std::span<const Pattern> FunctionRules() {
  static const RulePatterns kRules(FunctionRuleText());
  return kRules.patterns();
}

std::span<const Pattern> IdentityRules() {
  static const RulePatterns kRules(IdentityRuleText());
  return kRules.patterns();
}

std::span<const Pattern> SpellingRules() {
  static const RulePatterns kRules(SpellingRuleText());
  return kRules.patterns();
}

std::span<const RuleFile> BuiltInRuleFiles() {
  static constexpr RuleFile kFiles[] = {{"functions.rules", FunctionRuleText},
                                        {"identities.rules", IdentityRuleText},
                                        {"spellings.rules", SpellingRuleText}};
  return kFiles;
}

RuleSet AllBuiltInRules() {
  std::string text;
  for (const RuleFile& file : BuiltInRuleFiles()) text += file.text();
  return ReadRules(text).value();
}

}  // namespace dragoman
