// SPDX-License-Identifier: Apache-2.0
// Numbers of rules: read from text, computed, and held against those of a graph.
#ifndef DRAGOMAN_CORE_REWRITE_MATCH_RULE_NUMBER_H_
#define DRAGOMAN_CORE_REWRITE_MATCH_RULE_NUMBER_H_

#include <cstddef>
#include <functional>
#include <optional>

#include "core/ir/text_scanner.h"
#include "core/rewrite/match/rule.h"
#include "core/support/result.h"

namespace dragoman {

// What a capture is called in the text, to its number; or why it cannot be.
using FindCapture = std::function<Result<std::size_t>(std::string_view name, std::size_t offset)>;

// Whether a number comes next: a digit, a sign, a parenthesis, or one of the words of numbers.
bool AtRuleNumber(TextScanner& scan);
// "1/6", "sqrt(2)", "-$a", "size($x, 1) - 1"; of literals alone it is one literal.
Result<RuleNumber> ReadRuleNumber(TextScanner& scan, std::string_view text,
                                  const FindCapture& find);

// What captures are at a place: `value` of kCapture, and of kRank and kSize.
using NumberOfCapture = std::function<std::optional<double>(const RuleNumber& leaf)>;
// nullopt: a capture is not a number, or one divides by zero.
std::optional<double> Evaluate(const RuleNumber& number, const NumberOfCapture& value);

// "0.5", "3": as the reader of the rules wrote it.
std::string FormatNumber(double number);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_MATCH_RULE_NUMBER_H_
