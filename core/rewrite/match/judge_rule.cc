// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/match/judge_rule.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "core/analysis/inference.h"
#include "core/interpreter/interpreter.h"
#include "core/ir/element_text.h"
#include "core/ir/print.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"
#include "core/rewrite/match/apply_rule.h"
#include "core/rewrite/match/match_rule.h"
#include "core/rewrite/pass_context.h"

namespace dragoman {
namespace {

using TermKind = RuleTerm::Kind;
using CaptureKind = RuleCapture::Kind;
using ConditionKind = RuleCondition::Kind;

constexpr int kEnoughJudged = 32;
constexpr int kMostTrials = 20'000;
constexpr std::int64_t kMostNodesRun = 100'000;
constexpr double kMostRank = 8;  // that a condition asks for

// How far elements may differ, in proportion to the largest one of their tensor.
double AllowedDifference(DType dtype) {
  switch (dtype) {
    case DType::kF64:
      return 1e-10;
    case DType::kF32:
      return 1e-5;
    case DType::kF16:
      return 1e-2;
    default:
      return IsFloating(dtype) ? 0.1 : 0;
  }
}

// The largest numbers drawn; of f16 so that squares do not overflow.
double LargeNumber(DType dtype) { return dtype == DType::kF16 ? 100 : 10'000; }

// One try: random types, sizes and numbers for all captures.
class Trial {
 public:
  Trial(const Rule& rule, int number)
      : rule_(rule), random_(static_cast<std::uint64_t>(number) * 0x9e3779b97f4a7c15) {
    static constexpr DType kUsual[] = {DType::kF32,  DType::kF64,  DType::kF16,
                                       DType::kBF16, DType::kF32,  DType::kI64,
                                       DType::kI32,  DType::kBool, DType::kU8};
    dtype_ = kUsual[static_cast<std::size_t>(number) % std::size(kUsual)];
    for (std::int64_t rank = Between(0, 4); rank > 0; --rank) sizes_.push_back(Between(1, 4));
    spread_ = Between(0, 3);
  }

  // The pattern as an entry; nullopt: what was drawn is not legal.
  std::optional<Model> Build() {
    Model model;
    model.level = Level::kCommon;
    model.opsets = {{"", kCommonOpset}};
    model.entries.push_back({"main", std::make_unique<Graph>(), {}, {}, {}});
    graph_ = &model.main();
    values_.assign(rule_.captures.size(), {});
    for (std::size_t i = 0; i < rule_.captures.size(); ++i) {
      if (rule_.captures[i].is_operand()) DrawOperands(i);
    }
    for (const RuleNode& node : rule_.pattern.nodes) {
      if (!Append(node)) return std::nullopt;
    }
    for (const RuleTerm& result : rule_.pattern.results)
      graph_->AddOutput(nodes_[result.index]->result(result.result));
    return model;
  }

  // Tensors for the inputs of the graph.
  std::vector<Tensor> DrawInputs() {
    std::vector<Tensor> tensors;
    for (const auto& input : graph_->inputs())
      tensors.push_back(DrawTensor(input->type().dtype(), *KnownShape(*input->type().shape())));
    return tensors;
  }

  // "$x: f32[2, 3]"
  std::string Describe() const {
    std::string text;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (values_[i].empty() || values_[i].front() == nullptr) continue;
      text += fmt::format("{}${}: {}", text.empty() ? "" : ", ", rule_.captures[i].name,
                          values_[i].front()->type().ToString());
    }
    return text;
  }

 private:
  std::int64_t Between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool Chance(int percent) { return Between(0, 99) < percent; }

  bool IsAsked(ConditionKind kind, std::size_t capture) const {
    return std::ranges::any_of(rule_.conditions, [&](const RuleCondition& condition) {
      return condition.kind == kind && condition.capture == capture;
    });
  }

  // The number that a condition says that `kind` of a capture is.
  std::optional<double> NumberAsked(RuleNumber::Kind kind, std::size_t capture) const {
    for (const RuleCondition& condition : rule_.conditions) {
      const bool is_asked = condition.left.kind == kind && condition.left.capture == capture &&
                            condition.comparison == "=" && condition.right.is_literal();
      if (is_asked) return condition.right.literal;
    }
    return std::nullopt;
  }

  DType DrawDType(std::size_t capture) {
    for (const RuleCondition& condition : rule_.conditions) {
      if (condition.kind == ConditionKind::kDType && condition.capture == capture)
        return condition.dtypes[static_cast<std::size_t>(
            Between(0, static_cast<std::int64_t>(condition.dtypes.size()) - 1))];
    }
    if (Chance(70)) return dtype_;
    static constexpr DType kOthers[] = {DType::kI64, DType::kBool, DType::kF32, DType::kI32};
    return kOthers[Between(0, 3)];
  }

  // The sizes of the trial, such as broadcast with them, or others.
  std::vector<std::int64_t> DrawSizes(std::size_t capture) {
    if (IsAsked(ConditionKind::kScalar, capture)) {
      if (Chance(70)) return {};
      return {1};
    }
    std::vector<std::int64_t> sizes = sizes_;
    if (const auto rank = NumberAsked(RuleNumber::Kind::kRank, capture);
        rank && *rank >= 0 && *rank <= kMostRank) {
      sizes.resize(static_cast<std::size_t>(*rank), Between(1, 4));
      return sizes;
    }
    if (Chance(60)) return sizes;
    if (Chance(50)) {
      for (std::int64_t& size : sizes) size = Chance(40) ? 1 : size;
      const auto cut = static_cast<std::ptrdiff_t>(Between(0, std::ssize(sizes)));
      if (Chance(50)) sizes.erase(sizes.begin(), sizes.begin() + cut);
      return sizes;
    }
    sizes.resize(static_cast<std::size_t>(Between(0, 4)));
    for (std::int64_t& size : sizes) size = Between(1, 4);
    return sizes;
  }

  void DrawOperands(std::size_t capture) {
    const CaptureKind kind = rule_.captures[capture].kind;
    const std::int64_t count = kind == CaptureKind::kValues ? Between(1, 3) : 1;
    const DType dtype = DrawDType(capture);
    for (std::int64_t i = 0; i < count; ++i) {
      const bool omitted = kind == CaptureKind::kOptional && Chance(40);
      values_[capture].push_back(omitted ? nullptr : DrawOperand(capture, dtype));
    }
  }

  Value* DrawOperand(std::size_t capture, DType dtype) {
    const std::vector<std::int64_t> sizes = DrawSizes(capture);
    if (const auto number = NumberAsked(RuleNumber::Kind::kEvery, capture)) {
      Result<Tensor> filled = Tensor::Full(dtype, sizes, *number);
      if (filled.ok()) return graph_->AddConstant(rule_.captures[capture].name, *std::move(filled));
    }
    const bool must_be_constant =
        IsAsked(ConditionKind::kScalar, capture) || IsAsked(ConditionKind::kConstant, capture);
    const bool may_be_constant = !IsAsked(ConditionKind::kInput, capture);
    const int chance = IsInteger(dtype) ? 50 : 20;
    std::string name = rule_.captures[capture].name;
    if (!values_[capture].empty()) name += fmt::format("_{}", values_[capture].size());
    if (must_be_constant || (may_be_constant && Chance(chance)))
      return graph_->AddConstant(std::move(name), DrawTensor(dtype, sizes));
    return graph_->AddInput(std::move(name), Type::Tensor(dtype, sizes));
  }

  double DrawNumber(DType dtype) {
    if (dtype == DType::kBool) return static_cast<double>(Between(0, 1));
    const bool is_signed = !Name(dtype).starts_with("u");
    if (IsInteger(dtype)) return static_cast<double>(Between(is_signed ? -4 : 0, 4));
    const double unit = static_cast<double>(random_() >> 11) * 0x1p-52 - 1;
    switch (spread_) {
      case 0:
        return 4 * unit;
      case 1:
        return static_cast<double>(Between(-2, 2));  // many zeros
      case 2:
        return Chance(30) ? LargeNumber(dtype) * unit : 4 * unit;
      default:
        return Chance(10) ? 0 : unit;
    }
  }

  Tensor DrawTensor(DType dtype, const std::vector<std::int64_t>& sizes) {
    const std::int64_t count =
        std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
    std::string bytes;
    for (std::int64_t i = 0; i < count; ++i) {
      const Tensor element = Tensor::Full(dtype, {}, DrawNumber(dtype)).value();
      bytes.append(reinterpret_cast<const char*>(element.bytes().data()), element.bytes().size());
    }
    return Tensor::Make(dtype, sizes, Buffer::Own(std::move(bytes))).value();
  }

  // --- nodes

  bool Append(const RuleNode& wanted) {
    const OpDef& def = *FindOp(*wanted.op);
    std::vector<Value*> operands;
    if (!MakeOperands(wanted, def, operands)) return false;
    while (!operands.empty() && operands.back() == nullptr) operands.pop_back();
    Node* node = graph_->Append(wanted.op, operands);
    nodes_.push_back(node);
    for (const RuleAttribute& attribute : wanted.attributes) SetAttribute(attribute, *node);
    for (std::size_t i = 0; i < wanted.num_results; ++i)
      node->AddResult(fmt::format("v{}", names_++));
    return inference_.InferNode(*node).ok();
  }

  bool MakeOperands(const RuleNode& wanted, const OpDef& def, std::vector<Value*>& operands) {
    std::vector<std::pair<std::size_t, const RuleTerm*>> numbers;
    for (const RuleTerm& term : wanted.operands) {
      if (term.kind == TermKind::kCapture) {
        const std::vector<Value*>& values = values_[term.index];
        operands.insert(operands.end(), values.begin(), values.end());
        continue;
      }
      if (term.kind == TermKind::kNumber) numbers.emplace_back(operands.size(), &term);
      operands.push_back(nullptr);
      if (term.kind == TermKind::kResult) operands.back() = nodes_[term.index]->result(term.result);
      if (term.kind == TermKind::kInts) operands.back() = Constant(Tensor::Ints(term.ints));
      if (term.kind == TermKind::kTensor) operands.back() = Constant(term.tensor);
    }
    for (const auto& [index, term] : numbers) {
      const DType dtype = ElementTypeOf(index, &def, operands, dtype_);
      Result<Tensor> tensor = Tensor::Full(dtype, {}, term->number.literal);
      if (!tensor.ok()) return false;
      operands[index] = Constant(std::move(*tensor));
    }
    return true;
  }

  Value* Constant(Tensor tensor) {
    return graph_->AddConstant(fmt::format("c{}", names_++), std::move(tensor));
  }

  void SetAttribute(const RuleAttribute& wanted, Node& node) {
    if (!wanted.capture) {
      node.SetAttribute(wanted.name, wanted.value);
      return;
    }
    const auto drawn = attributes_.find(*wanted.capture);
    if (drawn != attributes_.end()) {
      node.SetAttribute(wanted.name, drawn->second);
      return;
    }
    const AttributeDef* known = FindDeclared(node, wanted.name);
    const Attribute value = known != nullptr ? DrawAttribute(*known) : Attribute();
    attributes_.emplace(*wanted.capture, value);
    if (value.kind() != Attribute::Kind::kNone) node.SetAttribute(wanted.name, value);
  }

  Attribute DrawAttribute(const AttributeDef& known) {
    const bool has_default = known.default_value.kind() != Attribute::Kind::kNone;
    if (has_default && Chance(30)) return known.default_value;
    switch (known.kind) {
      case Attribute::Kind::kInt:
        return Between(-2, 3);
      case Attribute::Kind::kFloat:
        return static_cast<float>(DrawNumber(DType::kF32));
      case Attribute::Kind::kInts:
        return DrawInts();
      default:
        return known.default_value;
    }
  }

  // An order of the axes, or small numbers for them.
  Attribute::Ints DrawInts() {
    Attribute::Ints ints(Chance(70) ? sizes_.size() : static_cast<std::size_t>(Between(1, 4)));
    if (Chance(60)) {
      std::iota(ints.begin(), ints.end(), 0);
      std::ranges::shuffle(ints, random_);
    } else {
      for (std::int64_t& value : ints) value = Between(0, 2);
    }
    return ints;
  }

  const Rule& rule_;
  std::mt19937_64 random_;
  DType dtype_;
  std::vector<std::int64_t> sizes_;
  std::int64_t spread_;  // of the elements
  Graph* graph_ = nullptr;
  Inference inference_;
  std::vector<Node*> nodes_;                 // by node of the pattern
  std::vector<std::vector<Value*>> values_;  // by capture
  std::map<std::size_t, Attribute> attributes_;
  int names_ = 0;
};

// --- what cannot be run

std::string ForeignNode(const RuleGraph& graph) {
  for (const RuleNode& node : graph.nodes) {
    const OpDef* def = node.op != nullptr ? FindOp(*node.op) : nullptr;
    if (def == nullptr || !RunsInInterpreter(*def)) return node.label + " has no kernel";
    if (def->random) return node.label + " draws random numbers";
  }
  return "";
}

// --- comparison

std::optional<std::vector<Tensor>> RunOn(const Model& model, const std::vector<Tensor>& inputs) {
  Result<Interpreter> interpreter = Interpreter::Make(model);
  if (!interpreter.ok()) return std::nullopt;
  interpreter->set_line_sink([](std::string_view) {});
  interpreter->set_node_limit(kMostNodesRun);
  std::vector<RuntimeValue> values;
  for (const Tensor& tensor : inputs) {
    Result<Array> array = Array::FromTensor(tensor);
    if (!array.ok()) return std::nullopt;
    values.push_back(RuntimeValue::Of(std::move(*array)));
  }
  const auto results = interpreter->Run(model.entries.front(), std::move(values));
  if (!results.ok()) return std::nullopt;
  std::vector<Tensor> tensors;
  for (const RuntimeValue& value : *results) {
    if (value.kind != RuntimeValue::Kind::kTensor) return std::nullopt;
    tensors.push_back(value.array.ToTensor());
  }
  return tensors;
}

void CompareResult(const Tensor& before, const Tensor& after, std::size_t index,
                   const std::string& inputs, RuleJudgement& judgement) {
  double& largest = judgement.largest[before.dtype()];
  const auto note = [&](double difference, const auto& what) {
    if (difference > AllowedDifference(before.dtype())) {
      if (judgement.ok)
        judgement.place = fmt::format("result {} {}, for {}", index, what(), inputs);
      judgement.ok = false;
    }
    largest = std::max(largest, difference);
  };
  if (before.type() != after.type()) {
    note(INFINITY, [&] {
      return fmt::format("is {}, was {}", after.type().ToString(), before.type().ToString());
    });
    return;
  }
  if (before.dtype() == DType::kString || IsComplex(before.dtype())) {
    if (before != after) note(INFINITY, [] { return "differs"; });
    return;
  }
  double scale = 1;
  for (std::int64_t i = 0; i < before.size(); ++i) {
    const double element = std::abs(before.FloatAt(i));
    if (std::isfinite(element)) scale = std::max(scale, element);
  }
  for (std::int64_t i = 0; i < before.size(); ++i) {
    if (!std::isfinite(before.FloatAt(i))) continue;
    const double by = after.FloatAt(i);
    const double difference =
        std::isfinite(by) ? std::abs(by - before.FloatAt(i)) / scale : INFINITY;
    note(difference, [&] {
      return fmt::format("is {} at {}, was {}", FormatElement(after, i), i,
                         FormatElement(before, i));
    });
  }
}

// Says perhaps why the inputs of the trial could not be used.
void JudgeOn(const Rule& rule, Trial& trial, RuleJudgement& judgement, std::string& why_not) {
  const std::optional<Model> before = trial.Build();
  if (!before) return;
  const std::vector<Tensor> inputs = trial.DrawInputs();
  Model after = Clone(*before);
  Result<PassContext> context = PassContext::Make(after.main(), nullptr);
  if (!context.ok()) return;
  Node* root = after.main().output(0)->producer();
  RuleMatcher matcher(rule, &context->inference, true);
  const std::optional<RuleMatch> match = matcher.Match(*root);
  if (!match) {
    why_not = matcher.miss().reason;
    return;
  }
  if (const auto refusal = ApplyRule(rule, *match, Level::kCommon, *context)) {
    why_not = *refusal;
    return;
  }
  const auto expected = RunOn(*before, inputs);
  if (!expected) return;
  const auto found = RunOn(after, inputs);
  ++judgement.draws;
  if (!found) {
    judgement.ok = false;
    judgement.place = "the replacement fails, for " + trial.Describe();
    return;
  }
  for (std::size_t i = 0; i < expected->size(); ++i) {
    CompareResult((*expected)[i], (*found)[i], i, trial.Describe(), judgement);
  }
}

}  // namespace

RuleJudgement JudgeRule(const Rule& rule) {
  RuleJudgement judgement{.rule = rule.name, .is_meant = rule.MayDiffer()};
  judgement.unchecked = ForeignNode(rule.pattern);
  if (judgement.unchecked.empty()) judgement.unchecked = ForeignNode(rule.replacement);
  if (!judgement.unchecked.empty()) return judgement;
  std::string why_not;
  for (int i = 0; i < kMostTrials && judgement.draws < kEnoughJudged; ++i) {
    Trial trial(rule, i);
    JudgeOn(rule, trial, judgement, why_not);
  }
  if (judgement.draws > 0) return judgement;
  judgement.unchecked = "no legal inputs were found";
  if (!why_not.empty()) judgement.unchecked += ": " + why_not;
  return judgement;
}

std::vector<RuleJudgement> JudgeRules(const RuleSet& rules) {
  std::vector<RuleJudgement> judgements;
  for (const Rule& rule : rules.rules()) {
    RuleJudgement judgement = JudgeRule(rule);
    if (judgements.empty() || judgements.back().rule != rule.name) {
      judgements.push_back(std::move(judgement));
      continue;
    }
    RuleJudgement& all = judgements.back();
    all.draws += judgement.draws;
    for (const auto& [dtype, difference] : judgement.largest)
      all.largest[dtype] = std::max(all.largest[dtype], difference);
    if (all.ok) all.place = std::move(judgement.place);
    all.ok = all.ok && judgement.ok;
    all.is_meant = all.is_meant && judgement.is_meant;
    if (all.unchecked.empty()) all.unchecked = std::move(judgement.unchecked);
  }
  return judgements;
}

}  // namespace dragoman
