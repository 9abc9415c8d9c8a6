// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/match/rule_patterns.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "core/rewrite/match/apply_rule.h"
#include "core/rewrite/match/match_rule.h"
#include "core/rewrite/match/read_rules.h"

namespace dragoman {
namespace {

// A miss by less is what any other graph is, too.
constexpr std::size_t kLeastMatched = 3;

}  // namespace

RulePatterns::RulePatterns(std::string_view text) : rules_(ReadRules(text).value()) {
  for (const Rule& rule : rules_.rules()) pointers_.push_back(&rule);
  for (std::size_t begin = 0; begin < pointers_.size();) {
    std::size_t end = begin + 1;
    while (end < pointers_.size() && pointers_[end]->name == pointers_[begin]->name) ++end;
    patterns_.push_back({.name = pointers_[begin]->name,
                         .rules = std::span(pointers_).subspan(begin, end - begin)});
    begin = end;
  }
}

Result<bool> ApplyRules(std::span<const Rule* const> rules, Node& node, PassContext& context) {
  RuleMiss nearest;
  for (const Rule* rule : rules) {
    if (!IsOperatorOf(rule->pattern.nodes[rule->roots.front()], node.op())) continue;
    RuleMatcher matcher(*rule, &context.inference, context.explain != nullptr);
    const std::optional<RuleMatch> match = matcher.Match(node);
    if (match) {
      const std::optional<std::string> refusal = ApplyRule(*rule, *match, Level::kCommon, context);
      if (!refusal) return true;
      if (match->nodes.size() >= kLeastMatched) context.Explain(node, *refusal);
    } else if (matcher.miss().near && matcher.miss().matched > nearest.matched) {
      nearest = matcher.miss();
    }
  }
  if (nearest.matched >= kLeastMatched) context.Explain(node, nearest.reason);
  return false;
}

}  // namespace dragoman
