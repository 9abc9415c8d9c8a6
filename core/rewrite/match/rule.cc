// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/match/rule.h"

#include <algorithm>
#include <utility>

namespace dragoman {

bool Rule::MayBeShared(std::size_t node) const {
  return std::ranges::any_of(conditions, [&](const RuleCondition& condition) {
    return condition.kind == RuleCondition::Kind::kShared && condition.node.value_or(node) == node;
  });
}

RuleSet::RuleSet(std::vector<Rule> rules) : rules_(std::move(rules)) {
  const auto root_of = [](const Rule& rule) { return rule.pattern.nodes[rule.roots.front()].op; };
  for (const Rule& rule : rules_) {
    if (root_of(rule) != nullptr) by_type_[root_of(rule)->type];
  }
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    const OpName* root = root_of(rules_[i]);
    if (root != nullptr) {
      by_type_[root->type].push_back(i);
      continue;
    }
    of_any_type_.push_back(i);
    for (auto& [type, numbers] : by_type_) numbers.push_back(i);
  }
}

bool RuleSet::Has(Rule::Scope scope) const {
  return std::ranges::any_of(rules_, [&](const Rule& rule) { return rule.scope == scope; });
}

const std::vector<std::size_t>& RuleSet::BeginningWith(const OpName& op) const {
  const auto found = by_type_.find(op.type);
  return found != by_type_.end() ? found->second : of_any_type_;
}

}  // namespace dragoman
