// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/match/rule_conditions.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/rewrite/match/rule_number.h"
#include "core/rewrite/match/rule_reader.h"
#include "core/support/nearest_name.h"

namespace dragoman {
namespace {

using ConditionKind = RuleCondition::Kind;

class ConditionReader {
 public:
  ConditionReader(TextScanner& scan, std::string_view text, Rule& rule,
                  const FindNamedNode& find_node)
      : scan_(scan), text_(text), rule_(rule), find_node_(find_node) {}

  Status Read() {
    do {
      scan_.Peek();
      RuleCondition condition{.offset = scan_.offset()};
      DRAGOMAN_TRY(ReadCondition(condition));
      rule_.conditions.push_back(std::move(condition));
    } while (scan_.Accept(",") || scan_.AcceptWord("and"));
    return {};
  }

 private:
  Status ReadCondition(RuleCondition& condition) {
    struct Word {
      std::string_view word;
      ConditionKind kind;
    };
    static constexpr Word kWords[] = {{"scalar", ConditionKind::kScalar},
                                      {"constant", ConditionKind::kConstant},
                                      {"input", ConditionKind::kInput}};
    for (const auto& [word, kind] : kWords) {
      if (!scan_.AcceptWord(word)) continue;
      condition.kind = kind;
      DRAGOMAN_TRY(scan_.Expect("("));
      DRAGOMAN_ASSIGN(condition.capture, ReadOperandCapture());
      return scan_.Expect(")");
    }
    if (scan_.AcceptWord("same_shape")) return ReadSameShape(condition);
    if (scan_.AcceptWord("dtype")) return ReadDTypes(condition);
    if (scan_.AcceptWord("shared")) return ReadShared(condition);
    if (scan_.AcceptWord("differs")) {
      condition.kind = ConditionKind::kDiffers;
      return {};
    }
    return ReadComparison(condition);
  }

  Result<std::size_t> ReadOperandCapture() {
    scan_.Peek();
    const std::size_t offset = scan_.offset();
    DRAGOMAN_TRY(scan_.Expect("$"));
    DRAGOMAN_ASSIGN(const std::string name, ReadRuleWord(scan_));
    DRAGOMAN_ASSIGN(const std::size_t capture, FindRuleCapture(rule_, scan_, name, offset));
    if (rule_.captures[capture].kind > RuleCapture::Kind::kOptional)
      return scan_.FailAt(offset, "$" + name + " is " + Describe(rule_.captures[capture].kind) +
                                      ", expected an operand");
    return capture;
  }

  Status ReadSameShape(RuleCondition& condition) {
    condition.kind = ConditionKind::kSameShape;
    DRAGOMAN_TRY(scan_.Expect("("));
    DRAGOMAN_ASSIGN(condition.capture, ReadOperandCapture());
    DRAGOMAN_TRY(scan_.Expect(","));
    DRAGOMAN_ASSIGN(condition.other, ReadOperandCapture());
    return scan_.Expect(")");
  }

  // dtype($x) = f16 | f32
  Status ReadDTypes(RuleCondition& condition) {
    condition.kind = ConditionKind::kDType;
    DRAGOMAN_TRY(scan_.Expect("("));
    DRAGOMAN_ASSIGN(condition.capture, ReadOperandCapture());
    DRAGOMAN_TRY(scan_.Expect(")"));
    DRAGOMAN_TRY(scan_.Expect("="));
    do {
      const std::string word(scan_.PeekWord());
      const std::optional<DType> dtype = DTypeFromName(word);
      if (!dtype) return scan_.Unexpected("an element type");
      scan_.AcceptWord(word);
      condition.dtypes.push_back(*dtype);
    } while (scan_.Accept("|"));
    return {};
  }

  // shared or shared(%e)
  Status ReadShared(RuleCondition& condition) {
    condition.kind = ConditionKind::kShared;
    if (!scan_.Accept("(")) return {};
    scan_.Peek();
    const std::size_t offset = scan_.offset();
    DRAGOMAN_TRY(scan_.Expect("%"));
    DRAGOMAN_ASSIGN(const std::string name, ReadRuleWord(scan_));
    condition.node = find_node_(name);
    if (!condition.node) return scan_.FailAt(offset, "the pattern has no %" + name);
    return scan_.Expect(")");
  }

  Status ReadComparison(RuleCondition& condition) {
    condition.kind = ConditionKind::kCompare;
    if (!AtRuleNumber(scan_) && scan_.Peek() != '$')
      return scan_.Unexpected("a condition such as scalar($a), $a > 0 or rank($x) = 4");
    DRAGOMAN_ASSIGN(condition.left, ReadNumber());
    for (const std::string_view sign : {"<=", ">=", "!=", "=", "<", ">"}) {
      if (!scan_.Accept(sign)) continue;
      condition.comparison = sign;
      DRAGOMAN_ASSIGN(condition.right, ReadNumber());
      return {};
    }
    return scan_.Unexpected("a comparison");
  }

  Result<RuleNumber> ReadNumber() {
    return ReadRuleNumber(scan_, text_, [&](std::string_view name, std::size_t offset) {
      return FindRuleCapture(rule_, scan_, name, offset);
    });
  }

  TextScanner& scan_;
  std::string_view text_;
  Rule& rule_;
  const FindNamedNode& find_node_;
};

}  // namespace

Result<std::string> ReadRuleWord(TextScanner& scan) {
  std::string word(scan.PeekWord());
  if (word.empty()) return scan.Unexpected("a name");
  scan.AcceptWord(word);
  return word;
}

Result<std::size_t> FindRuleCapture(const Rule& rule, const TextScanner& scan,
                                    std::string_view name, std::size_t offset) {
  const auto found = std::ranges::find(rule.captures, name, &RuleCapture::name);
  if (found != rule.captures.end()) return static_cast<std::size_t>(found - rule.captures.begin());
  std::vector<std::string> names;
  for (const RuleCapture& capture : rule.captures) names.push_back("$" + capture.name);
  const std::string shown = "$" + std::string(name);
  return scan.FailAt(offset, "the pattern has no " + shown + WhatThereIs(shown, "it has", names));
}

Status ReadRuleConditions(TextScanner& scan, std::string_view text, Rule& rule,
                          const FindNamedNode& find_node) {
  return ConditionReader(scan, text, rule, find_node).Read();
}

}  // namespace dragoman
