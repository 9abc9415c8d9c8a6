// SPDX-License-Identifier: Apache-2.0
// Applies rules to a model until none of them matches any more.
#ifndef DRAGOMAN_CORE_REWRITE_MATCH_RUN_RULES_H_
#define DRAGOMAN_CORE_REWRITE_MATCH_RUN_RULES_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/model.h"
#include "core/rewrite/match/rule.h"
#include "core/support/result.h"

namespace dragoman {

// A place at which a rule was applied.
struct RulePlace {
  std::string rule;
  std::vector<std::string> nodes;  // that it matched, as Node::Describe has them, the roots first
};

struct RuleOptions {
  // Called with each rewrite made, and each near miss, one line each; may be empty.
  std::function<void(std::string_view)> explain = nullptr;
  // Called with each rewrite made; may be empty.
  std::function<void(RulePlace place)> found = nullptr;
};

// Whether a rule is about graphs of that level.
bool IsAbout(const Rule& rule, Level level);
// Whether a rule is about what a model of that level is lowered to.
bool NeedLowering(const RuleSet& rules, Level level);

// Applies the rules that are about graphs of the model's level to all of its graphs and bodies.
// What no rule matches stays as it is. Gives whether anything changed. Errors: a rule that is
// applied again and again without end.
Result<bool> RunRules(Model& model, const RuleSet& rules, const RuleOptions& options = {});

// What one rule says of a node.
struct RuleAnswer {
  std::string rule;
  std::string place;   // the node at which the rule begins: that node, or one that reads it
  std::string reason;  // why it does not match there; empty: it does
};
// Of the rules about the model's level whose patterns have the operator of the node that is called
// `name`, or gives a value of that name. Errors: there is no such node.
Result<std::vector<RuleAnswer>> WhyNot(const Model& model, const RuleSet& rules,
                                       std::string_view name);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_MATCH_RUN_RULES_H_
