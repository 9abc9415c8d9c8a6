// SPDX-License-Identifier: Apache-2.0
// Runs both sides of a rule on random inputs.
#ifndef DRAGOMAN_CORE_REWRITE_MATCH_JUDGE_RULE_H_
#define DRAGOMAN_CORE_REWRITE_MATCH_JUDGE_RULE_H_

#include <map>
#include <string>
#include <vector>

#include "core/ir/dtype.h"
#include "core/rewrite/match/rule.h"

namespace dragoman {

struct RuleJudgement {
  std::string rule;
  int draws = 0;  // of inputs on which both sides ran
  // By the element type of a result: the difference of two elements, in proportion to the largest
  // one of that result.
  std::map<DType, double> largest;
  // Of the first that is too large: "result 0 is 1.0, was 2.0, for $x: f32[2, 3]".
  std::string place;
  bool ok = true;         // no difference is more than rounding explains
  bool is_meant = false;  // the rule says that its sides differ
  std::string unchecked;  // why there is no draw; empty: there are
};

// Draws element types, sizes, attributes and elements (negative ones, zeros, large ones) for the
// captures until the pattern is legal and the rule applies to it, then runs the pattern and its
// replacement on the plain kernels. Operators of ai.onnx that a rule names as those of a file are
// taken at the common operator set. Elements that the pattern makes infinite or NaN are not
// compared. Deterministic.
RuleJudgement JudgeRule(const Rule& rule);
// Of all rules, one by name: of its alternatives together, which have as many draws each.
std::vector<RuleJudgement> JudgeRules(const RuleSet& rules);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_MATCH_JUDGE_RULE_H_
