// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/match/match_rule.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/ir/domain.h"
#include "core/ir/element_text.h"
#include "core/ir/print.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"
#include "core/rewrite/match/rule_number.h"
#include "core/rewrite/pass_context.h"
#include "core/rewrite/scalar.h"
#include "core/rewrite/stated_default.h"
#include "core/rewrite/zeros.h"

namespace dragoman {
namespace {

using TermKind = RuleTerm::Kind;
using CaptureKind = RuleCapture::Kind;
using ConditionKind = RuleCondition::Kind;

// Attempts of one match; a pattern of a few dozen operators that commute has more.
constexpr std::size_t kMostSteps = 10'000;

// "Mul", "Mul 'layer1/Mul'"
std::string Shown(const RuleNode& wanted, const Node* node) {
  const std::string label = wanted.op != nullptr ? wanted.op->type : node->op().type;
  return node == nullptr || node->name().empty() ? label : label + " '" + node->name() + "'";
}

// What a value is, as a reason says it.
std::string Shown(const Value* value) {
  if (value == nullptr) return "omitted";
  if (const auto contents = ContentsOf(value)) {
    if (contents->size() == 1) return FormatElement(*contents, 0);
    return "a constant " + value->type().ToString();
  }
  if (value->producer() != nullptr) return Shown({}, value->producer());
  return "%" + value->name();
}

std::string Shown(const RuleTerm& term, const Rule& rule) {
  switch (term.kind) {
    case TermKind::kOmitted:
      return "none";
    case TermKind::kResult:
    case TermKind::kKept:
      return rule.pattern.nodes[term.index].label;
    case TermKind::kNumber:
      return FormatNumber(term.number.literal);
    case TermKind::kInts:
      return fmt::format("[{}]", fmt::join(term.ints, ", "));
    case TermKind::kTensor:
      return "the constant " + term.tensor.type().ToString();
    case TermKind::kCapture:
      return "$" + rule.captures[term.index].name;
  }
  return "";
}

bool IsSame(const Value* a, const Value* b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr) return false;
  const auto left = ContentsOf(a);
  const auto right = left ? ContentsOf(b) : std::nullopt;
  return right && *left == *right;
}

const Tensor* TensorOfConstantNode(const Node& node) {
  for (const NamedAttribute& attribute : node.attributes()) {
    if (attribute.value.tensor() != nullptr) return attribute.value.tensor();
  }
  return nullptr;
}

std::optional<Tensor> NumbersOfConstantNode(const Node& node) {
  for (const NamedAttribute& attribute : node.attributes()) {
    if (const auto* ints = attribute.value.As<Attribute::Ints>()) return Tensor::Ints(*ints);
    const std::optional<double> number = NumberIn(attribute.value);
    if (!number) continue;
    const bool is_int = attribute.value.kind() == Attribute::Kind::kInt;
    if (is_int) return Tensor::Int(static_cast<std::int64_t>(*number));
    const bool is_float = attribute.value.kind() == Attribute::Kind::kFloat;
    Result<Tensor> tensor = Tensor::Full(is_float ? DType::kF32 : DType::kF64, {}, *number);
    if (tensor.ok()) return std::move(*tensor);
  }
  return std::nullopt;
}

// The number that all elements are.
std::optional<double> NumberOfAll(const Tensor& tensor) {
  const DType dtype = tensor.dtype();
  if (dtype == DType::kString || IsComplex(dtype) || tensor.size() == 0) return std::nullopt;
  const double first = tensor.FloatAt(0);
  if (tensor.size() == 1 || HasOnly(tensor, first)) return first;
  return std::nullopt;
}

// Of a graph or a body: what stands in it besides its nodes.
bool IsGraphInput(const Value* value) {
  return value != nullptr && value->kind() == Value::Kind::kInput &&
         value->graph()->parent() == nullptr;
}

}  // namespace

std::optional<Tensor> ContentsOf(const Value* value) {
  if (value == nullptr) return std::nullopt;
  if (const Tensor* tensor = ConstantOf(value)) return *tensor;
  const Node* node = value->producer();
  const bool is_constant = node != nullptr && node->num_operands() == 0 &&
                           (node->op().type == "Constant" || node->op().type == "Const");
  if (!is_constant) return std::nullopt;
  if (const Tensor* tensor = TensorOfConstantNode(*node)) return *tensor;
  return NumbersOfConstantNode(*node);
}

std::optional<double> NumberIn(const Value* value) {
  const auto contents = ContentsOf(value);
  return contents && contents->size() == 1 ? NumberOfAll(*contents) : std::nullopt;
}

std::optional<double> NumberIn(const Attribute& value) {
  if (const auto* integer = value.As<std::int64_t>()) return static_cast<double>(*integer);
  if (const auto* real = value.As<float>()) return *real;
  if (const auto* real = value.As<double>()) return *real;
  if (const auto* truth = value.As<bool>()) return *truth ? 1 : 0;
  return std::nullopt;
}

std::optional<double> NumberAt(const RuleNumber& leaf, const Rule& rule, const RuleMatch& match) {
  const RuleBinding& binding = match.bindings[leaf.capture];
  if (!rule.captures[leaf.capture].is_operand())
    return binding.attribute != nullptr ? NumberIn(*binding.attribute) : std::nullopt;
  if (leaf.kind == RuleNumber::Kind::kCapture) return NumberIn(binding.value);
  if (leaf.kind == RuleNumber::Kind::kEvery) {
    const auto contents = ContentsOf(binding.value);
    return contents ? NumberOfAll(*contents) : std::nullopt;
  }
  const Shape* shape = binding.value != nullptr ? binding.value->type().shape() : nullptr;
  if (shape == nullptr) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(shape->size());
  if (leaf.kind == RuleNumber::Kind::kRank) return static_cast<double>(rank);
  auto axis = static_cast<std::int64_t>(leaf.literal);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return std::nullopt;
  const Dim& size = (*shape)[static_cast<std::size_t>(axis)];
  return size.known() ? std::optional(static_cast<double>(size.value())) : std::nullopt;
}

bool IsOperatorOf(const RuleNode& wanted, const OpName& op) {
  const OpName& name = wanted.op != nullptr ? *wanted.op : *wanted.family;
  if (&name == &op) return true;
  if (wanted.op != nullptr && name.type != op.type) return false;
  if (name.dialect != op.dialect || CanonicalDomain(name.domain) != CanonicalDomain(op.domain))
    return false;
  if (wanted.op == nullptr) return true;
  return name.overload.empty() || name.overload == op.overload;
}

bool RuleMatch::Has(const Node* node) const {
  return std::ranges::find(nodes, node) != nodes.end();
}

const Use* RuleMatch::ReaderOutside(const Value& value) const {
  for (const Use* use = value.first_use(); use != nullptr; use = use->next()) {
    if (use->user() == nullptr || !Has(use->user())) return use;
  }
  return nullptr;
}

template <class F>
bool RuleMatcher::Fail(const State& state, bool near, F&& reason) {
  const std::pair now(state.matched, near);
  const bool first = miss_.matched == 0 && !miss_.near && miss_.reason.empty();
  if (!first && now <= std::pair(miss_.matched, miss_.near)) return false;
  miss_.matched = state.matched;
  miss_.near = near;
  if (wants_reason_) miss_.reason = reason();
  return false;
}

std::optional<RuleMatch> RuleMatcher::Match(Node& root) {
  root_ = &root;
  miss_ = {};
  found_.reset();
  steps_ = 0;
  const std::size_t first = rule_.roots.front();
  if (!IsOperatorOf(rule_.pattern.nodes[first], root.op())) return std::nullopt;
  if (!wants_reason_ && !OperandsMayFit(rule_.pattern.nodes[first], root)) return std::nullopt;
  State state;
  state.match.nodes.assign(rule_.pattern.nodes.size(), nullptr);
  state.match.bindings.resize(rule_.captures.size());
  if (MatchNode(first, root, state)) Solve(state);
  return std::move(found_);
}

// Whether its operands are given by the operators of the pattern: what most nodes fail by.
bool RuleMatcher::OperandsMayFit(const RuleNode& wanted, const Node& node) const {
  const auto fits = [&](const RuleTerm& term, std::size_t at) {
    const Value* operand = node.operand(at);
    const Node* producer = operand != nullptr ? operand->producer() : nullptr;
    return producer != nullptr && IsOperatorOf(rule_.pattern.nodes[term.index], producer->op());
  };
  for (std::size_t i = 0; i < wanted.operands.size(); ++i) {
    const RuleTerm& term = wanted.operands[i];
    const bool may_fit =
        term.kind != TermKind::kResult || fits(term, i) || (i < 2 && fits(term, 1 - i));
    if (!may_fit) return false;
  }
  return true;
}

// Whether the goals and the further roots can be met; the match is in `found_` then.
bool RuleMatcher::Solve(State& state) {
  while (!state.goals.empty()) {
    if (found_) return true;
    if (++steps_ > kMostSteps)
      return Fail(state, true,
                  [] { return std::string("it fits in too many ways to try them all"); });
    const Goal goal = state.goals.back();
    state.goals.pop_back();
    if (!MatchGoal(goal, state)) return false;
  }
  return found_ || MatchFurtherRoots(state);
}

bool RuleMatcher::MatchGoal(const Goal& goal, State& state) {
  if (goal.term->kind == TermKind::kCapture) return Bind(goal, state);
  if (goal.term->kind == TermKind::kResult) return MatchResult(goal, state);
  if (goal.term->kind == TermKind::kOmitted ? goal.value == nullptr : MatchContents(goal))
    return true;
  return Fail(state, ContentsOf(goal.value).has_value(), [&] {
    return fmt::format("operand {} of {} is {}, expected {}", goal.index, Shown(*goal.of, nullptr),
                       Shown(goal.value), Shown(*goal.term, rule_));
  });
}

bool RuleMatcher::MatchContents(const Goal& goal) const {
  const RuleTerm& term = *goal.term;
  if (goal.value == nullptr) return false;
  if (term.kind == TermKind::kInts && inference_ != nullptr)
    return inference_->KnownInts(goal.value) == term.ints;
  const auto contents = ContentsOf(goal.value);
  if (!contents) return false;
  if (term.kind == TermKind::kTensor) return *contents == term.tensor;
  if (term.kind == TermKind::kInts)
    return IsInteger(contents->dtype()) && contents->ToInts() == term.ints;
  return contents->size() == 1 && IsAbout(*contents, term.number.literal);
}

bool RuleMatcher::MatchResult(const Goal& goal, State& state) {
  Node* node = goal.value != nullptr ? goal.value->producer() : nullptr;
  const RuleNode& wanted = rule_.pattern.nodes[goal.term->index];
  const bool fits = node != nullptr && goal.value->index() == goal.term->result &&
                    IsOperatorOf(wanted, node->op());
  if (fits) return MatchNode(goal.term->index, *node, state);
  return Fail(state, false, [&] {
    return fmt::format("operand {} of {} is {}, expected {}", goal.index, Shown(*goal.of, nullptr),
                       Shown(goal.value), wanted.label);
  });
}

bool RuleMatcher::MatchNode(std::size_t index, Node& node, State& state) {
  Node*& slot = state.match.nodes[index];
  const RuleNode& wanted = rule_.pattern.nodes[index];
  if (slot == &node) return true;
  // Inside of the pattern two operators may be one node of the graph: what is computed twice there
  // is computed once. Roots are replaced, each by its own results.
  const auto is_other_root = [&](std::size_t other) { return state.match.nodes[other] == &node; };
  const bool is_taken = std::ranges::any_of(rule_.roots, is_other_root) ||
                        (rule_.IsRoot(index) && state.match.Has(&node));
  if (slot != nullptr || is_taken) {
    return Fail(state, false, [&] {
      return fmt::format("{} would stand for two operators of the pattern", Shown(wanted, &node));
    });
  }
  if (!MatchAttributes(wanted, node, state)) return false;
  slot = &node;
  ++state.matched;
  return MatchOperands(wanted, node, state);
}

bool RuleMatcher::MatchAttributes(const RuleNode& wanted, const Node& node, State& state) {
  for (const RuleAttribute& attribute : wanted.attributes) {
    if (!MatchAttribute(attribute, node, state)) return false;
  }
  return MatchOthers(wanted, node, state);
}

bool RuleMatcher::MatchAttribute(const RuleAttribute& wanted, const Node& node, State& state) {
  const Attribute* value = node.attribute(wanted.name);
  const AttributeDef* known = FindDeclared(node, wanted.name);
  if (value == nullptr && known != nullptr) value = &known->default_value;
  const auto fail = [&](std::string_view expected) {
    return Fail(state, true, [&] {
      return fmt::format("attribute {} of {} is {}, expected {}", wanted.name, Shown({}, &node),
                         value != nullptr ? PrintAttribute(*value) : "not there", expected);
    });
  };
  if (wanted.capture) {
    RuleBinding& binding = state.match.bindings[*wanted.capture];
    if (value == nullptr || value->kind() == Attribute::Kind::kNone) return fail("a value");
    if (binding.bound && !Identical(*binding.attribute, *value))
      return fail(PrintAttribute(*binding.attribute));
    binding.bound = true;
    binding.attribute = value;
    return true;
  }
  if (value != nullptr && Identical(*value, wanted.value)) return true;
  const auto* real = value != nullptr ? value->As<float>() : nullptr;
  const auto* number = wanted.value.As<float>();
  if (real != nullptr && number != nullptr && IsAbout(Tensor::Float(*real), *number)) return true;
  return fail(PrintAttribute(wanted.value));
}

// An attribute that the rule does not name would be lost.
bool RuleMatcher::MatchOthers(const RuleNode& wanted, const Node& node, State& state) {
  RuleBinding* others = wanted.others ? &state.match.bindings[*wanted.others] : nullptr;
  for (const NamedAttribute& attribute : node.attributes()) {
    const auto named = std::ranges::find(wanted.attributes, attribute.name, &RuleAttribute::name);
    if (named != wanted.attributes.end()) continue;
    if (others != nullptr) {
      others->attributes.push_back(&attribute);
    } else if (!SaysDefault(node, attribute)) {
      return Fail(state, true, [&] {
        return fmt::format("{} has attribute {} = {}, which the rule does not name",
                           Shown({}, &node), attribute.name, PrintAttribute(attribute.value));
      });
    }
  }
  if (others != nullptr) others->bound = true;
  return true;
}

bool RuleMatcher::MatchOperands(const RuleNode& wanted, Node& node, State& state) {
  const OpDef* def = FindOp(node);
  if (def == nullptr || !def->commutative || wanted.operands.size() < 2)
    return PushOperands(wanted, node, false, state);
  State first = state;
  if (PushOperands(wanted, node, false, first) && Solve(first)) return true;
  return PushOperands(wanted, node, true, state);
}

// Goals for all operands, of which the first is the next to be met.
bool RuleMatcher::PushOperands(const RuleNode& wanted, Node& node, bool swapped, State& state) {
  std::size_t count = wanted.operands.size();
  const bool has_list = count > 0 && rule_.IsList(wanted.operands.back());
  if (has_list) {
    --count;
    if (!BindList(wanted, node, state)) return false;
  }
  for (std::size_t i = count; !has_list && i < node.num_operands(); ++i) {
    if (node.operand(i) == nullptr) continue;
    return Fail(state, false, [&] {
      return fmt::format("operand {} of {} is {}, expected none", i, Shown({}, &node),
                         Shown(node.operand(i)));
    });
  }
  for (std::size_t i = count; i-- > 0;) {
    const std::size_t at = swapped && i < 2 ? 1 - i : i;
    state.goals.push_back({&wanted.operands[i], node.operand(at), &wanted, at});
  }
  return true;
}

bool RuleMatcher::BindList(const RuleNode& wanted, Node& node, State& state) {
  RuleBinding& binding = state.match.bindings[wanted.operands.back().index];
  std::vector<Value*> values;
  for (std::size_t i = wanted.operands.size() - 1; i < node.num_operands(); ++i)
    values.push_back(node.operand(i));
  if (binding.bound && binding.values != values) {
    return Fail(state, false, [&] {
      return fmt::format("operands of {} differ from {}", Shown({}, &node),
                         Shown(wanted.operands.back(), rule_));
    });
  }
  binding.bound = true;
  binding.values = std::move(values);
  return true;
}

bool RuleMatcher::Bind(const Goal& goal, State& state) {
  RuleBinding& binding = state.match.bindings[goal.term->index];
  const RuleCapture& capture = rule_.captures[goal.term->index];
  if (goal.value == nullptr && capture.kind != CaptureKind::kOptional) {
    return Fail(state, false, [&] {
      return fmt::format("operand {} of {} is omitted", goal.index, Shown(*goal.of, nullptr));
    });
  }
  if (binding.bound && !IsSame(binding.value, goal.value)) {
    return Fail(state, false, [&] {
      return fmt::format("operand {} of {} is {}, but ${} is {}", goal.index,
                         Shown(*goal.of, nullptr), Shown(goal.value), capture.name,
                         Shown(binding.value));
    });
  }
  if (!binding.bound) binding.value = goal.value;
  binding.bound = true;
  return true;
}

bool RuleMatcher::MatchFurtherRoots(State& state) {
  const auto open = std::ranges::find_if(
      rule_.roots, [&](std::size_t root) { return state.match.nodes[root] == nullptr; });
  if (open == rule_.roots.end()) {
    if (!ChecksReaders(state) || !ChecksConditions(state)) return false;
    found_ = state.match;
    return true;
  }
  const RuleNode& wanted = rule_.pattern.nodes[*open];
  for (Node* candidate : Candidates(*open, state)) {
    State attempt = state;
    const bool same_graph = candidate->graph() == root_->graph();
    if (same_graph && MatchNode(*open, *candidate, attempt) && Solve(attempt)) return true;
    if (found_) return true;
  }
  return Fail(state, false, [&] { return "no further " + wanted.label + " fits beside it"; });
}

// Nodes that may be node `index` of the pattern, found as readers of what is matched already.
std::vector<Node*> RuleMatcher::Candidates(std::size_t index, const State& state) const {
  if (state.match.nodes[index] != nullptr) return {state.match.nodes[index]};
  const RuleNode& wanted = rule_.pattern.nodes[index];
  for (const RuleTerm& term : wanted.operands) {
    std::vector<Value*> values;
    if (term.kind == TermKind::kCapture && state.match.bindings[term.index].value != nullptr)
      values.push_back(state.match.bindings[term.index].value);
    if (term.kind == TermKind::kResult) {
      for (Node* node : Candidates(term.index, state)) values.push_back(node->result(term.result));
    }
    std::vector<Node*> readers;
    for (const Value* value : values) {
      if (value == nullptr) continue;
      for (const Use* use = value->first_use(); use != nullptr; use = use->next()) {
        Node* user = use->user();
        const bool fits = user != nullptr && IsOperatorOf(wanted, user->op()) &&
                          std::ranges::find(readers, user) == readers.end();
        if (fits) readers.push_back(user);
      }
    }
    if (!readers.empty()) return readers;
  }
  return {};
}

// What goes is read by nothing else: values inside of the pattern, and results that it leaves out.
bool RuleMatcher::ChecksReaders(const State& state) {
  for (std::size_t i = 0; i < rule_.pattern.nodes.size(); ++i) {
    const RuleNode& wanted = rule_.pattern.nodes[i];
    const Node& node = *state.match.nodes[i];
    const bool is_root = rule_.IsRoot(i);
    if (!is_root && rule_.MayBeShared(i)) continue;
    for (std::size_t k = 0; k < node.num_results(); ++k) {
      const bool is_result =
          wanted.whole || std::ranges::any_of(rule_.pattern.results, [&](const RuleTerm& result) {
            return result.index == i && result.result == k;
          });
      const Value* value = node.result(k);
      if (is_result || value == nullptr) continue;
      const Use* use = state.match.ReaderOutside(*value);
      if (use == nullptr) continue;
      return Fail(state, true, [&] {
        const std::string reader =
            use->user() != nullptr ? use->user()->Describe() : "an output of the graph";
        const std::string hint = is_root ? "" : "; \"where shared\" would allow that";
        return fmt::format("%{}, a result of {}, is also read by {}{}", value->name(),
                           Shown(wanted, &node), reader, hint);
      });
    }
  }
  return true;
}

bool RuleMatcher::ChecksConditions(const State& state) {
  return std::ranges::all_of(rule_.conditions, [&](const RuleCondition& condition) {
    const bool is_leave =
        condition.kind == ConditionKind::kShared || condition.kind == ConditionKind::kDiffers;
    return is_leave || Holds(condition, state);
  });
}

namespace {

bool Compare(double left, std::string_view sign, double right) {
  if (sign == "=") return left == right;
  if (sign == "!=") return left != right;
  if (sign == "<") return left < right;
  if (sign == "<=") return left <= right;
  return sign == ">" ? left > right : left >= right;
}

}  // namespace

bool RuleMatcher::Holds(const RuleCondition& condition, const State& state) {
  if (condition.kind == ConditionKind::kCompare) {
    const auto value = [&](const RuleNumber& leaf) { return NumberAt(leaf, rule_, state.match); };
    const auto left = Evaluate(condition.left, value);
    const auto right = Evaluate(condition.right, value);
    if (left && right && Compare(*left, condition.comparison, *right)) return true;
    return Fail(state, true, [&] {
      if (!left || !right) return std::string("a number of the condition is not known");
      return fmt::format("the condition {} {} {} does not hold", FormatNumber(*left),
                         condition.comparison, FormatNumber(*right));
    });
  }
  const Value* value = state.match.bindings[condition.capture].value;
  const std::string name = "$" + rule_.captures[condition.capture].name;
  const auto fail = [&](std::string_view what) {
    return Fail(state, true, [&] { return fmt::format("{} is {}, {}", name, Shown(value), what); });
  };
  switch (condition.kind) {
    case ConditionKind::kScalar:
      return NumberIn(value).has_value() || fail("not a constant of one element");
    case ConditionKind::kConstant:
      return ContentsOf(value).has_value() || fail("not a constant");
    case ConditionKind::kInput:
      return IsGraphInput(value) || fail("not an input of the model");
    case ConditionKind::kSameShape: {
      const Value* other = state.match.bindings[condition.other].value;
      const bool same = value != nullptr && other != nullptr && SameShape(*value, *other);
      return same || fail("not of the sizes of $" + rule_.captures[condition.other].name);
    }
    default: {
      const DType dtype = value != nullptr ? value->type().dtype() : DType::kUnknown;
      const bool fits = std::ranges::find(condition.dtypes, dtype) != condition.dtypes.end();
      return fits || fail(fmt::format("of element type {}", Name(dtype)));
    }
  }
}

}  // namespace dragoman
