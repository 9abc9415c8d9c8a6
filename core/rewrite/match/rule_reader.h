// SPDX-License-Identifier: Apache-2.0
// Reads one rule. Internal to read_rules.h.
#ifndef DRAGOMAN_CORE_REWRITE_MATCH_RULE_READER_H_
#define DRAGOMAN_CORE_REWRITE_MATCH_RULE_READER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/text_scanner.h"
#include "core/rewrite/match/rule.h"
#include "core/support/result.h"

namespace dragoman {

// A part that patterns share: "formula half($x) = Div($x, 2) | Mul($x, 0.5)". A call of it is read
// by reading its body again, with operands in place of its parameters.
struct RuleFormula {
  std::string name;
  std::vector<std::string> parameters;
  std::size_t body = 0;  // where it begins
  std::size_t offset = 0;
};

// Which alternative is taken at each place of a pattern that has several. A rule is read once for
// each choice; places are counted in the order in which they are read, and what is taken at one may
// decide which follow.
class RuleChoices {
 public:
  // The number of the place that comes next.
  std::size_t Enter();
  std::size_t Taken(std::size_t place) const { return places_[place].taken; }
  // That place has so many alternatives.
  void Leave(std::size_t place, std::size_t count) { places_[place].count = count; }
  // To the next choice, from the first place on; false: there is none.
  bool Advance();

 private:
  struct Place {
    std::size_t taken = 0;
    std::size_t count = 1;
  };
  std::vector<Place> places_;
  std::size_t next_ = 0;
};

// What follows the word `formula`: operators, and calls of `formulas`.
Result<RuleFormula> ReadFormula(TextScanner& scan, std::string_view text,
                                const std::vector<RuleFormula>& formulas);

// The rule of `text`, which `scan` reads, after the word `rule`, up to the next rule or formula,
// as rules of one name without alternatives; checked.
Result<std::vector<Rule>> ReadRule(TextScanner& scan, std::string_view text,
                                   const std::vector<RuleFormula>& formulas);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_MATCH_RULE_READER_H_
