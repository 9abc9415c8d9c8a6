// SPDX-License-Identifier: Apache-2.0
// Reads one rule. Internal to read_rules.h.
#ifndef DRAGOMAN_CORE_REWRITE_MATCH_RULE_READER_H_
#define DRAGOMAN_CORE_REWRITE_MATCH_RULE_READER_H_

#include <string_view>

#include "core/ir/text_scanner.h"
#include "core/rewrite/match/rule.h"
#include "core/support/result.h"

namespace dragoman {

// The rule of `text`, which `scan` reads, behind the word `rule`, up to the next such word;
// checked.
Result<Rule> ReadRule(TextScanner& scan, std::string_view text);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_MATCH_RULE_READER_H_
