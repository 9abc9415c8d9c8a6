// SPDX-License-Identifier: Apache-2.0
// Rules as patterns of a pass.
#ifndef DRAGOMAN_CORE_REWRITE_MATCH_RULE_PATTERNS_H_
#define DRAGOMAN_CORE_REWRITE_MATCH_RULE_PATTERNS_H_

#include <span>
#include <string_view>
#include <vector>

#include "core/rewrite/match/rule.h"
#include "core/rewrite/pass_context.h"
#include "core/support/result.h"

namespace dragoman {

// A text of rules about common graphs, each of one root, as patterns.
class RulePatterns {
 public:
  // `text` is part of the program, so it has no faults.
  explicit RulePatterns(std::string_view text);
  RulePatterns(const RulePatterns&) = delete;
  RulePatterns& operator=(const RulePatterns&) = delete;

  std::span<const Pattern> patterns() const { return patterns_; }

 private:
  RuleSet rules_;
  std::vector<const Rule*> pointers_;  // in the order of the text
  std::vector<Pattern> patterns_;
};

// The first of `rules`, which are of one name, that matches at `node` is applied. Explains the
// nearest miss, if it is a near one.
Result<bool> ApplyRules(std::span<const Rule* const> rules, Node& node, PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_MATCH_RULE_PATTERNS_H_
