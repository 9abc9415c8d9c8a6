// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/match/read_rules.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/text_scanner.h"
#include "core/rewrite/match/rule_reader.h"

namespace dragoman {

Result<RuleSet> ReadRules(std::string_view text) {
  TextScanner scan(text);
  std::vector<Rule> rules;
  std::vector<Finding> findings;
  std::set<std::string> names;
  const auto note = [&](Error error) {
    findings.push_back(error.findings().front());
    scan.GoTo(std::min(text.find("\nrule ", scan.offset()), text.size()));
  };
  while (!scan.AtEnd()) {
    if (!scan.AcceptWord("rule")) {
      note(scan.Unexpected("\"rule NAME: PATTERN => REPLACEMENT\""));
      continue;
    }
    Result<Rule> rule = ReadRule(scan, text);
    if (!rule.ok()) {
      note(std::move(rule).error());
    } else if (!names.insert(rule->name).second) {
      note(scan.FailAt(rule->offset, "a rule before this one has the name " + rule->name));
    } else {
      rules.push_back(std::move(*rule));
    }
  }
  if (!findings.empty()) return Error(std::move(findings));
  return RuleSet(std::move(rules));
}

}  // namespace dragoman
