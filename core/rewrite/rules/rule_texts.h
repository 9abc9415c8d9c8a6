// SPDX-License-Identifier: Apache-2.0
// The texts of the rules of this folder. The sources are generated (cmake/EmbedText.cmake).
#ifndef DRAGOMAN_CORE_REWRITE_RULES_RULE_TEXTS_H_
#define DRAGOMAN_CORE_REWRITE_RULES_RULE_TEXTS_H_

#include <string_view>

namespace dragoman {

std::string_view FunctionRuleText();
std::string_view IdentityRuleText();
std::string_view SpellingRuleText();

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RULES_RULE_TEXTS_H_
