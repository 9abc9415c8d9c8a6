// SPDX-License-Identifier: Apache-2.0
// Finds the pattern of a rule in a graph.
#ifndef DRAGOMAN_CORE_REWRITE_MATCH_MATCH_RULE_H_
#define DRAGOMAN_CORE_REWRITE_MATCH_MATCH_RULE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/inference.h"
#include "core/ir/graph.h"
#include "core/rewrite/match/rule.h"

namespace dragoman {

// What a capture stands for at one place; of the members the one that its kind asks for.
struct RuleBinding {
  bool bound = false;
  Value* value = nullptr;
  std::vector<Value*> values;
  const Attribute* attribute = nullptr;
  std::vector<const NamedAttribute*> attributes;
};

struct RuleMatch {
  std::vector<Node*> nodes;           // by node of the pattern
  std::vector<RuleBinding> bindings;  // by capture

  bool Has(const Node* node) const;
  // Whether a reader outside of the match reads `value`; nullptr: an output counts, too.
  const Use* ReaderOutside(const Value& value) const;
};

// The attempt that came furthest where none fits.
struct RuleMiss {
  std::size_t matched = 0;  // nodes of the pattern that fit
  bool near = false;        // what does not is a number, an attribute or a condition
  std::string reason;       // "operand 1 of Mul is 0.51, expected 0.5"
};

// Of one rule, in graphs of one level.
class RuleMatcher {
 public:
  // `inference` knows integers of a common graph; nullptr: of a source graph. Without
  // `wants_reason` a miss has none.
  RuleMatcher(const Rule& rule, const Inference* inference, bool wants_reason)
      : rule_(rule), inference_(inference), wants_reason_(wants_reason) {}

  // The first match whose first root is `root`, with operands in order before those swapped.
  std::optional<RuleMatch> Match(Node& root);
  const RuleMiss& miss() const { return miss_; }

 private:
  struct Goal {
    const RuleTerm* term;
    Value* value;
    const RuleNode* of;  // whose operand this is
    std::size_t index;
  };
  struct State {
    RuleMatch match;
    std::vector<Goal> goals;
    std::size_t matched = 0;
  };

  bool OperandsMayFit(const RuleNode& wanted, const Node& node) const;
  bool Solve(State& state);
  bool MatchGoal(const Goal& goal, State& state);
  bool MatchContents(const Goal& goal) const;
  bool MatchResult(const Goal& goal, State& state);
  bool MatchNode(std::size_t index, Node& node, State& state);
  bool MatchAttributes(const RuleNode& wanted, const Node& node, State& state);
  bool MatchAttribute(const RuleAttribute& wanted, const Node& node, State& state);
  bool MatchOthers(const RuleNode& wanted, const Node& node, State& state);
  bool MatchOperands(const RuleNode& wanted, Node& node, State& state);
  bool PushOperands(const RuleNode& wanted, Node& node, bool swapped, State& state);
  bool BindList(const RuleNode& wanted, Node& node, State& state);
  bool Bind(const Goal& goal, State& state);
  bool MatchFurtherRoots(State& state);
  std::vector<Node*> Candidates(std::size_t index, const State& state) const;
  bool ChecksReaders(const State& state);
  bool ChecksConditions(const State& state);
  bool Holds(const RuleCondition& condition, const State& state);

  // Notes why the state leads nowhere; gives false.
  template <class F>
  bool Fail(const State& state, bool near, F&& reason);

  const Rule& rule_;
  const Inference* inference_;
  bool wants_reason_;
  Node* root_ = nullptr;
  std::optional<RuleMatch> found_;
  RuleMiss miss_;
  std::size_t steps_ = 0;
};

// Whether a node is of the operator that a node of a rule names. `family`: of that dialect and
// domain.
bool IsOperatorOf(const RuleNode& wanted, const OpName& op);

// The contents of a constant, or of a node of a file that only gives some: onnx.Constant and its
// like.
std::optional<Tensor> ContentsOf(const Value* value);
// The number in a constant of one element.
std::optional<double> NumberIn(const Value* value);
// That an attribute is.
std::optional<double> NumberIn(const Attribute& value);
// What a number of a rule is at a match; nullopt: see Evaluate.
std::optional<double> NumberAt(const RuleNumber& leaf, const Rule& rule, const RuleMatch& match);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_MATCH_MATCH_RULE_H_
