// SPDX-License-Identifier: Apache-2.0
// What can be said of a rule before it has seen a model.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/ops/op_def.h"
#include "core/rewrite/match/read_rules.h"
#include "core/rewrite/match/rule_number.h"
#include "core/support/nearest_name.h"
#include "core/support/plural.h"

namespace dragoman {
namespace {

using Fault = std::optional<RuleFault>;
using TermKind = RuleTerm::Kind;
using CaptureKind = RuleCapture::Kind;

// The definition by which a node of a rule is checked; nullptr: operators of files are not, since
// their forms differ by version.
const OpDef* DefOf(const RuleNode& node) {
  const bool is_common = node.op != nullptr && (node.op->dialect == "dragoman" ||
                                                node.label.find('.') == std::string::npos);
  return is_common ? FindOp(*node.op) : nullptr;
}

// --- operands and results

// "2", "1 to 3", "1 or more"
std::string CountText(std::size_t least, std::optional<std::size_t> most) {
  if (!most) return fmt::format("{} or more", least);
  return least == *most ? fmt::format("{}", least) : fmt::format("{} to {}", least, *most);
}

bool EndsWithList(const Rule& rule, const RuleNode& node) {
  return !node.operands.empty() && rule.IsList(node.operands.back());
}

Fault CheckLists(const Rule& rule, const RuleNode& node) {
  for (std::size_t i = 0; i + 1 < node.operands.size(); ++i) {
    const RuleTerm& term = node.operands[i];
    if (rule.IsList(term))
      return RuleFault{term.offset, "a list of operands stands after all others"};
  }
  return {};
}

Fault CheckOperandCount(const Rule& rule, const RuleNode& node, const Signature& signature) {
  const bool any = !signature.operands.empty() && signature.operands.back().variadic;
  const auto most = any ? std::nullopt : std::optional(signature.operands.size());
  const auto least = static_cast<std::size_t>(
      std::ranges::count_if(signature.operands, [](const Formal& f) { return !f.optional; }));
  const bool is_open = EndsWithList(rule, node);
  const std::size_t count = node.operands.size() - (is_open ? 1 : 0);
  if ((is_open || count >= least) && (!most || count <= *most)) return {};
  return RuleFault{node.offset,
                   fmt::format("{} has {}, expected {}: {}", node.label, Plural(count, "operand"),
                               CountText(least, most), signature.ToString())};
}

Fault CheckOmitted(const Rule& rule, const RuleNode& node, const Signature& signature,
                   bool is_replacement) {
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    const RuleTerm& term = node.operands[i];
    const Formal* formal = signature.Operand(i);
    const bool may_be_omitted = term.kind == TermKind::kOmitted ||
                                (is_replacement && term.kind == TermKind::kCapture &&
                                 rule.captures[term.index].kind == CaptureKind::kOptional);
    if (!may_be_omitted || formal == nullptr || formal->optional) continue;
    return RuleFault{term.offset, fmt::format("operand {} of {}, {}, cannot be omitted", i,
                                              node.label, formal->name)};
  }
  return {};
}

Fault CheckResultCount(const RuleNode& node, const Signature& signature) {
  const bool any = !signature.results.empty() && signature.results.back().variadic;
  if (any || node.num_results <= signature.results.size()) return {};
  return RuleFault{
      node.offset,
      fmt::format("{} has {}, expected {}: {}", node.label, Plural(node.num_results, "result"),
                  CountText(1, signature.results.size()), signature.ToString())};
}

// --- attributes

bool IsCondition(const Rule& rule, RuleCondition::Kind kind, std::size_t capture) {
  return std::ranges::any_of(rule.conditions, [&](const RuleCondition& condition) {
    return condition.kind == kind && condition.capture == capture;
  });
}

bool IsScalar(const Rule& rule, std::size_t capture) {
  return IsCondition(rule, RuleCondition::Kind::kScalar, capture);
}

// What makes an attribute, or a number, of an operand must ask for a constant.
Fault CheckIsConstant(const Rule& rule, std::size_t capture, std::size_t offset, bool is_number) {
  const RuleCapture& captured = rule.captures[capture];
  if (!captured.is_operand() || IsScalar(rule, capture)) return {};
  if (!is_number && IsCondition(rule, RuleCondition::Kind::kConstant, capture)) return {};
  return RuleFault{offset, fmt::format("${0} may be any value, expected a number; add \"where "
                                       "scalar(${0})\"",
                                       captured.name)};
}

Fault CheckNumber(const Rule& rule, const RuleNumber& number) {
  if (number.kind == RuleNumber::Kind::kCapture)
    return CheckIsConstant(rule, number.capture, number.offset, true);
  const bool is_of_operand = number.kind == RuleNumber::Kind::kRank ||
                             number.kind == RuleNumber::Kind::kSize ||
                             number.kind == RuleNumber::Kind::kEvery;
  if (is_of_operand && !rule.captures[number.capture].is_operand())
    return RuleFault{number.offset,
                     "$" + rule.captures[number.capture].name + " is an attribute, not an operand"};
  for (const RuleNumber& part : number.parts) {
    if (Fault fault = CheckNumber(rule, part)) return fault;
  }
  return {};
}

// `value` as kind `kind` of its attribute, which a rule may write more simply; nullopt: it is no
// such value.
std::optional<Attribute> Converted(const Attribute& value, Attribute::Kind kind) {
  using Kind = Attribute::Kind;
  if (value.kind() == kind || kind == Kind::kNone) return value;
  const auto* integer = value.As<std::int64_t>();
  if (kind == Kind::kFloat && integer != nullptr) return Attribute(static_cast<float>(*integer));
  const auto* truth = value.As<bool>();
  if (kind == Kind::kInt && truth != nullptr) return Attribute(std::int64_t{*truth ? 1 : 0});
  const auto* integers = value.As<Attribute::Ints>();
  if (kind == Kind::kFloats && integers != nullptr)
    return Attribute(Attribute::Floats(integers->begin(), integers->end()));
  return std::nullopt;
}

// A literal number becomes a value.
Fault SettleNumber(RuleAttribute& attribute, const AttributeDef* known) {
  if (!attribute.number || !attribute.number->is_literal()) return {};
  const double number = attribute.number->literal;
  const bool wants_int = known != nullptr && known->kind == Attribute::Kind::kInt;
  if (wants_int && number != std::floor(number)) {
    return RuleFault{attribute.offset, fmt::format("attribute {} is {}, expected an integer",
                                                   attribute.name, FormatNumber(number))};
  }
  attribute.value = wants_int ? Attribute(static_cast<std::int64_t>(number))
                              : Attribute(static_cast<float>(number));
  attribute.number.reset();
  return {};
}

Fault CheckAttribute(const Rule& rule, const RuleNode& node, const OpDef& def,
                     RuleAttribute& attribute) {
  const auto known = std::ranges::find(def.attributes, attribute.name, &AttributeDef::name);
  if (known == def.attributes.end()) {
    std::vector<std::string> names;
    for (const AttributeDef& each : def.attributes) names.push_back(each.name);
    const std::string there_is =
        names.empty() ? "; it has none" : WhatThereIs(attribute.name, "it has", names);
    return RuleFault{attribute.offset,
                     fmt::format("{} has no attribute {}{}", node.label, attribute.name, there_is)};
  }
  if (Fault fault = SettleNumber(attribute, &*known)) return fault;
  if (attribute.number) {
    if (known->kind == Attribute::Kind::kInt || known->kind == Attribute::Kind::kFloat) return {};
    return RuleFault{attribute.offset, fmt::format("attribute {} of {} is {}, not a number",
                                                   attribute.name, node.label, Name(known->kind))};
  }
  if (attribute.capture) {
    const bool is_number =
        known->kind == Attribute::Kind::kFloat || known->kind == Attribute::Kind::kInt;
    return CheckIsConstant(rule, *attribute.capture, attribute.offset, is_number);
  }
  std::optional<Attribute> value = Converted(attribute.value, known->kind);
  if (!value) {
    return RuleFault{attribute.offset,
                     fmt::format("attribute {} of {} is {}, expected {}", attribute.name,
                                 node.label, Name(attribute.value.kind()), Name(known->kind))};
  }
  attribute.value = *std::move(value);
  return {};
}

Fault CheckForeignAttribute(const Rule& rule, RuleAttribute& attribute) {
  if (Fault fault = SettleNumber(attribute, nullptr)) return fault;
  return attribute.capture ? CheckIsConstant(rule, *attribute.capture, attribute.offset, false)
                           : Fault();
}

Fault CheckAttributes(const Rule& rule, RuleNode& node, bool is_replacement) {
  const OpDef* def = DefOf(node);
  for (RuleAttribute& attribute : node.attributes) {
    Fault fault = attribute.number ? CheckNumber(rule, *attribute.number) : Fault();
    if (!fault) {
      fault = def != nullptr ? CheckAttribute(rule, node, *def, attribute)
                             : CheckForeignAttribute(rule, attribute);
    }
    if (fault) return fault;
  }
  for (std::size_t i = 0; is_replacement && def != nullptr && i < def->attributes.size(); ++i) {
    const AttributeDef& known = def->attributes[i];
    const bool stated =
        node.others || std::ranges::find(node.attributes, known.name, &RuleAttribute::name) !=
                           node.attributes.end();
    if (known.required && !stated)
      return RuleFault{node.offset, fmt::format("{} needs attribute {}", node.label, known.name)};
  }
  return {};
}

// --- nodes

Fault CheckTerms(const Rule& rule, const RuleNode& node) {
  for (const RuleTerm& term : node.operands) {
    if (term.kind != TermKind::kNumber) continue;
    if (Fault fault = CheckNumber(rule, term.number)) return fault;
  }
  return {};
}

Fault CheckNode(const Rule& rule, RuleNode& node, bool is_replacement) {
  Fault fault = CheckLists(rule, node);
  if (!fault) fault = CheckAttributes(rule, node, is_replacement);
  if (!fault) fault = CheckTerms(rule, node);
  const OpDef* def = DefOf(node);
  if (fault || def == nullptr) return fault;
  fault = CheckOperandCount(rule, node, def->signature);
  if (!fault) fault = CheckOmitted(rule, node, def->signature, is_replacement);
  return fault ? fault : CheckResultCount(node, def->signature);
}

// --- results and roots

Fault CheckResults(const Rule& rule) {
  const std::size_t before = rule.pattern.results.size();
  const std::size_t after = rule.replacement.results.size();
  if (before != after) {
    return RuleFault{
        rule.replacement.results.front().offset,
        fmt::format("the pattern has {}, the replacement {}", Plural(before, "result"), after)};
  }
  for (const RuleTerm& result : rule.replacement.results) {
    if (result.kind == TermKind::kCapture &&
        rule.captures[result.index].kind != CaptureKind::kValue)
      return RuleFault{result.offset,
                       "$" + rule.captures[result.index].name + " is not always a value"};
  }
  return {};
}

Fault CheckFamilies(const Rule& rule) {
  const bool has_family =
      std::ranges::any_of(rule.pattern.nodes, [](const RuleNode& node) { return !node.op; });
  for (const RuleNode& node : rule.replacement.nodes) {
    if (node.op == nullptr && !has_family)
      return RuleFault{node.offset, "the pattern has no operator for which * stands"};
  }
  return {};
}

// The captures and nodes that root `root` of the pattern is made of.
void Reach(const Rule& rule, std::size_t root, std::set<std::pair<TermKind, std::size_t>>& seen) {
  std::vector<std::size_t> open = {root};
  while (!open.empty()) {
    const std::size_t node = open.back();
    open.pop_back();
    if (!seen.emplace(TermKind::kResult, node).second) continue;
    for (const RuleTerm& term : rule.pattern.nodes[node].operands) {
      if (term.kind == TermKind::kCapture) seen.emplace(term.kind, term.index);
      if (term.kind == TermKind::kResult) open.push_back(term.index);
    }
  }
}

// Further roots are found through what they share with those before.
Fault CheckRoots(const Rule& rule) {
  std::set<std::pair<TermKind, std::size_t>> seen;
  for (const std::size_t root : rule.roots) {
    std::set<std::pair<TermKind, std::size_t>> own;
    Reach(rule, root, own);
    const bool shares =
        std::ranges::any_of(own, [&](const auto& term) { return seen.contains(term); });
    if (!seen.empty() && !shares) {
      return RuleFault{rule.pattern.nodes[root].offset,
                       "this " + rule.pattern.nodes[root].label +
                           " shares no capture with the results before it"};
    }
    seen.merge(own);
  }
  return {};
}

// --- element types

// Sets of element types that are one.
class ElementTypes {
 public:
  explicit ElementTypes(const Rule& rule) : rule_(rule) {
    for (std::size_t i = 0; i < rule.captures.size(); ++i) captures_.push_back(New(Any()));
  }

  Fault Check() {
    std::vector<std::vector<int>> after;
    if (Fault fault = AddGraph(rule_.pattern, before_)) return fault;
    if (Fault fault = AddGraph(rule_.replacement, after)) return fault;
    for (std::size_t i = 0; i < rule_.pattern.results.size(); ++i) {
      const RuleTerm& result = rule_.replacement.results[i];
      const int old = Of(rule_.pattern.results[i], before_);
      const int by = Of(result, after);
      const DTypeSet found = SetOf(by), expected = SetOf(old);
      if (Unify(old, by)) continue;
      return RuleFault{result.offset,
                       fmt::format("result {} of the replacement is {}, that of the pattern {}", i,
                                   TextOf(found), TextOf(expected))};
    }
    return {};
  }

 private:
  static DTypeSet Any() {
    DTypeSet set;
    set.bits.set();
    set.any_value = true;
    return set;
  }

  static DTypeSet Only(DType dtype) {
    DTypeSet set;
    set.bits.set(static_cast<std::size_t>(dtype));
    return set;
  }

  static DTypeSet Numbers() {
    DTypeSet set = Any();
    set.any_value = false;
    set.bits.reset(static_cast<std::size_t>(DType::kString));
    return set;
  }

  int New(const DTypeSet& allowed) {
    sets_.push_back(allowed);
    parents_.push_back(static_cast<int>(parents_.size()));
    return parents_.back();
  }

  int Find(int i) const {
    while (parents_[static_cast<std::size_t>(i)] != i) i = parents_[static_cast<std::size_t>(i)];
    return i;
  }

  const DTypeSet& SetOf(int i) const { return sets_[static_cast<std::size_t>(Find(i))]; }
  static std::string TextOf(const DTypeSet& set) {
    return set.any_value ? "of any type" : set.ToString();
  }

  // false: nothing is left.
  bool Unify(int a, int b) {
    a = Find(a);
    b = Find(b);
    DTypeSet& set = sets_[static_cast<std::size_t>(a)];
    const DTypeSet& other = sets_[static_cast<std::size_t>(b)];
    set.bits &= other.bits;
    set.any_value = set.any_value && other.any_value;
    parents_[static_cast<std::size_t>(b)] = a;
    return set.bits.any();
  }

  int Of(const RuleTerm& term, const std::vector<std::vector<int>>& results) {
    switch (term.kind) {
      case TermKind::kCapture:
        return captures_[term.index];
      case TermKind::kResult:
        return results[term.index][term.result];
      case TermKind::kKept:
        return before_[term.index][term.result];
      case TermKind::kTensor:
        return New(Only(term.tensor.dtype()));
      default:
        return New(Numbers());
    }
  }

  Fault AddGraph(const RuleGraph& graph, std::vector<std::vector<int>>& results) {
    for (const RuleNode& node : graph.nodes) {
      results.emplace_back();
      if (Fault fault = AddNode(node, results)) return fault;
    }
    return {};
  }

  Fault AddNode(const RuleNode& node, std::vector<std::vector<int>>& results) {
    const OpDef* def = DefOf(node);
    std::vector<int> variables;
    if (def != nullptr) {
      for (const TypeVariable& v : def->signature.variables) variables.push_back(New(v.allowed));
      if (Fault fault = AddOperands(node, def->signature, variables, results)) return fault;
    }
    for (std::size_t i = 0; i < node.num_results; ++i) {
      const Formal* formal = def != nullptr ? def->signature.ResultAt(i) : nullptr;
      results.back().push_back(formal != nullptr ? ClassOf(*formal, variables) : New(Any()));
    }
    return {};
  }

  int ClassOf(const Formal& formal, const std::vector<int>& variables) {
    if (formal.variable < 0) return New(Only(formal.fixed));
    const int variable = variables[static_cast<std::size_t>(formal.variable)];
    return formal.heterogeneous ? New(SetOf(variable)) : variable;
  }

  Fault AddOperands(const RuleNode& node, const Signature& signature,
                    const std::vector<int>& variables,
                    const std::vector<std::vector<int>>& results) {
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      const RuleTerm& term = node.operands[i];
      const Formal* formal = signature.Operand(i);
      if (term.kind == TermKind::kOmitted || formal == nullptr) continue;
      const int own = Of(term, results);
      const int expected = ClassOf(*formal, variables);
      const DTypeSet found = SetOf(own), wanted = SetOf(expected);
      if (Unify(expected, own)) continue;
      return RuleFault{term.offset, fmt::format("operand {} of {} is {}, expected {}", i,
                                                node.label, TextOf(found), TextOf(wanted))};
    }
    return {};
  }

  const Rule& rule_;
  std::vector<DTypeSet> sets_;
  std::vector<int> parents_;
  std::vector<int> captures_;
  std::vector<std::vector<int>> before_;  // of results of the pattern's nodes
};

}  // namespace

std::optional<RuleFault> CheckRule(Rule& rule) {
  for (RuleNode& node : rule.pattern.nodes) {
    if (Fault fault = CheckNode(rule, node, false)) return fault;
  }
  for (RuleNode& node : rule.replacement.nodes) {
    if (Fault fault = CheckNode(rule, node, true)) return fault;
  }
  Fault fault = CheckResults(rule);
  if (!fault) fault = CheckFamilies(rule);
  if (!fault) fault = CheckRoots(rule);
  return fault ? fault : ElementTypes(rule).Check();
}

}  // namespace dragoman
