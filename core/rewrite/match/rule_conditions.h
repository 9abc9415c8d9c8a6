// SPDX-License-Identifier: Apache-2.0
// Reads the conditions of a rule. Internal to rule_reader.h.
#ifndef DRAGOMAN_CORE_REWRITE_MATCH_RULE_CONDITIONS_H_
#define DRAGOMAN_CORE_REWRITE_MATCH_RULE_CONDITIONS_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/ir/text_scanner.h"
#include "core/rewrite/match/rule.h"
#include "core/support/result.h"

namespace dragoman {

// Errors: no word is next.
Result<std::string> ReadRuleWord(TextScanner& scan);

// What $name is in `rule`. Errors, at `offset`: the pattern has no such capture.
Result<std::size_t> FindRuleCapture(const Rule& rule, const TextScanner& scan,
                                    std::string_view name, std::size_t offset);

// The node of the pattern that is called %name; nullopt: none.
using FindNamedNode = std::function<std::optional<std::size_t>(const std::string& name)>;

// Adds to `rule` what `text` says after the word `where`.
Status ReadRuleConditions(TextScanner& scan, std::string_view text, Rule& rule,
                          const FindNamedNode& find_node);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_MATCH_RULE_CONDITIONS_H_
