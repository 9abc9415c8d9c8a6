// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/match/read_rules.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/text_scanner.h"
#include "core/rewrite/match/rule_reader.h"

namespace dragoman {

namespace {

// Reads the rules and formulas of a text, and all that is wrong with them.
class RulesReader {
 public:
  explicit RulesReader(std::string_view text) : text_(text), scan_(text) {}

  Result<RuleSet> Read() {
    while (!scan_.AtEnd()) {
      const std::size_t begin = scan_.offset();
      if (Status status = ReadNext(); !status.ok()) {
        findings_.push_back(status.error().findings().front());
        // It may be in a formula that stands before.
        const std::size_t at = std::max(begin, scan_.offset());
        scan_.GoTo(std::min(FindLine("rule ", at), FindLine("formula ", at)));
      }
    }
    if (!findings_.empty()) return Error(std::move(findings_));
    return RuleSet(std::move(rules_));
  }

 private:
  Status ReadNext() {
    if (scan_.AcceptWord("formula")) {
      DRAGOMAN_ASSIGN(RuleFormula formula, ReadFormula(scan_, text_, formulas_));
      DRAGOMAN_TRY(Claim(formula.name, formula.offset, "a formula"));
      formulas_.push_back(std::move(formula));
      return {};
    }
    if (!scan_.AcceptWord("rule")) return scan_.Unexpected("\"rule NAME: PATTERN => REPLACEMENT\"");
    DRAGOMAN_ASSIGN(std::vector<Rule> cases, ReadRule(scan_, text_, formulas_));
    DRAGOMAN_TRY(Claim(cases.front().name, cases.front().offset, "a rule"));
    std::ranges::move(cases, std::back_inserter(rules_));
    return {};
  }

  Status Claim(const std::string& name, std::size_t offset, const std::string& what) {
    if (names_.insert(name).second) return {};
    return scan_.FailAt(offset, what + " before this one has the name " + name);
  }

  std::size_t FindLine(const std::string& word, std::size_t from) const {
    return std::min(text_.find("\n" + word, from), text_.size());
  }

  std::string_view text_;
  TextScanner scan_;
  std::vector<Rule> rules_;
  std::vector<RuleFormula> formulas_;
  std::vector<Finding> findings_;
  std::set<std::string> names_;
};

}  // namespace

Result<RuleSet> ReadRules(std::string_view text) { return RulesReader(text).Read(); }

}  // namespace dragoman
