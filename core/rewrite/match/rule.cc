// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/match/rule.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/ops/op_def.h"

namespace dragoman {

std::string Describe(RuleCapture::Kind kind) {
  switch (kind) {
    case RuleCapture::Kind::kValue:
      return "an operand";
    case RuleCapture::Kind::kOptional:
      return "an optional operand";
    case RuleCapture::Kind::kValues:
      return "a list of operands";
    case RuleCapture::Kind::kAttribute:
      return "an attribute";
    case RuleCapture::Kind::kAttributes:
      return "a list of attributes";
  }
  return "";
}

bool Rule::IsRoot(std::size_t node) const { return std::ranges::find(roots, node) != roots.end(); }

bool Rule::MayDiffer() const {
  return std::ranges::any_of(conditions, [](const RuleCondition& condition) {
    return condition.kind == RuleCondition::Kind::kDiffers;
  });
}

bool Rule::IsList(const RuleTerm& operand) const {
  return operand.kind == RuleTerm::Kind::kCapture &&
         captures[operand.index].kind == RuleCapture::Kind::kValues;
}

bool Rule::MayBeShared(std::size_t node) const {
  const auto is_kept = [&](const RuleTerm& term) {
    return term.kind == RuleTerm::Kind::kKept && term.index == node;
  };
  const bool stays = std::ranges::any_of(replacement.results, is_kept) ||
                     std::ranges::any_of(replacement.nodes, [&](const RuleNode& reader) {
                       return std::ranges::any_of(reader.operands, is_kept);
                     });
  return stays || std::ranges::any_of(conditions, [&](const RuleCondition& condition) {
           return condition.kind == RuleCondition::Kind::kShared &&
                  condition.node.value_or(node) == node;
         });
}

namespace {

// The captures whose sizes those of a graph's only result follow from; nullopt: others, too.
std::optional<std::set<std::size_t>> BroadcastCaptures(const RuleGraph& graph) {
  std::set<std::size_t> captures;
  const auto add = [&](const RuleTerm& term) {
    if (term.kind == RuleTerm::Kind::kCapture) captures.insert(term.index);
    return term.kind == RuleTerm::Kind::kCapture || term.kind == RuleTerm::Kind::kResult;
  };
  for (const RuleNode& node : graph.nodes) {
    const OpDef* def = node.op != nullptr ? FindOp(*node.op) : nullptr;
    const OpClass op_class = def != nullptr ? def->op_class : OpClass::kOther;
    const bool is_unary = op_class == OpClass::kUnary;
    if (!is_unary && op_class != OpClass::kBroadcast) return std::nullopt;
    const std::size_t count = is_unary ? 1 : node.operands.size();
    if (!std::all_of(node.operands.begin(), node.operands.begin() + count, add))
      return std::nullopt;
  }
  if (graph.results.size() != 1 || !add(graph.results.front())) return std::nullopt;
  return captures;
}

}  // namespace

bool BroadcastAlike(const Rule& rule) {
  const auto before = BroadcastCaptures(rule.pattern);
  return before && before == BroadcastCaptures(rule.replacement);
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
