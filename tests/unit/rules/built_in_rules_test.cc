// SPDX-License-Identifier: Apache-2.0
// The rules that come with Dragoman: each has no fault, is about common graphs, and gives the same
// by both sides on random inputs, as `dragoman rules FILE --check` judges it.
#include <gtest/gtest.h>

#include <string>

#include "core/rewrite/match/judge_rule.h"
#include "core/rewrite/match/read_rules.h"
#include "core/rewrite/rules/built_in_rules.h"

namespace dragoman {
namespace {

TEST(BuiltInRules, AreExact) {
  for (const RuleFile& file : BuiltInRuleFiles()) {
    Result<RuleSet> rules = ReadRules(file.text());
    ASSERT_TRUE(rules.ok()) << std::move(rules).error().InFile(std::string(file.name)).ToString();
    for (const RuleJudgement& judgement : JudgeRules(*rules)) {
      EXPECT_TRUE(judgement.ok) << judgement.rule << ": " << judgement.place;
      EXPECT_EQ(judgement.unchecked, "") << judgement.rule;
    }
  }
}

TEST(BuiltInRules, AreOfOneNodeOfCommonGraphs) {
  for (const RuleFile& file : BuiltInRuleFiles()) {
    const Result<RuleSet> rules = ReadRules(file.text());
    ASSERT_TRUE(rules.ok());
    for (const Rule& rule : rules->rules()) {
      EXPECT_EQ(rule.scope, Rule::Scope::kCommon) << rule.name;
      EXPECT_EQ(rule.roots.size(), 1u) << rule.name;
    }
  }
}

}  // namespace
}  // namespace dragoman
