// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/batch_steps.h"

#include <algorithm>
#include <utility>

#include "core/ops/op_def.h"
#include "core/rewrite/recurrence/equal_steps.h"
#include "core/rewrite/recurrence/layout.h"
#include "core/rewrite/recurrence/step_constants.h"

namespace dragoman {
namespace {

constexpr int kMaxDepth = 50;
constexpr std::size_t kMaxFamilies = 500;

bool MayBatch(const Node& node) {
  const OpDef* def = FindOp(node);
  return def != nullptr && !def->effect && !def->random && node.subgraphs().empty() &&
         node.num_operands() > 0;
}

}  // namespace

Result<StepBatcher::Batched> StepBatcher::Batch(const StepFamily& family) {
  if (const auto found = done_.find(family); found != done_.end()) return found->second;
  if (depth_ == kMaxDepth || done_.size() == kMaxFamilies) return Batched();
  ++depth_;
  Result<Batched> batched = Compute(family);
  --depth_;
  if (batched.ok()) done_[family] = *batched;
  return batched;
}

Result<StepBatcher::Batched> StepBatcher::Compute(const StepFamily& family) {
  DRAGOMAN_ASSIGN(Batched known, source_(family));
  if (known) return known;
  DRAGOMAN_ASSIGN(Batched shared, Shared(family));
  if (shared) return shared;
  if (const Batched stacked = Stacked(family)) return stacked;
  const bool computed =
      std::ranges::all_of(family, [](const Value* value) { return value->producer() != nullptr; });
  return computed ? Apply(family) : Result<Batched>(Batched());
}

// The same value in all steps: of the graph at hand, or a constant.
Result<StepBatcher::Batched> StepBatcher::Shared(const StepFamily& family) {
  Value* const first = family.front();
  if (const Tensor* tensor = ConstantOf(first)) {
    const bool equal = std::ranges::all_of(family, [&](const Value* value) {
      return value == first || (ConstantOf(value) != nullptr && *ConstantOf(value) == *tensor);
    });
    if (!equal) return Batched();
    if (first->graph() != body_) return Batched(BatchedSteps{.value = first, .shared = true});
    Value* copy = context_.AddConstant(*position_.graph(), *tensor, first->name(), first->origin());
    return Batched(BatchedSteps{.value = copy, .shared = true});
  }
  const bool same = std::ranges::all_of(family, [&](const Value* v) { return v == first; });
  const bool is_outer = body_ != nullptr ? first->graph() != body_ : family.size() > 1;
  if (!same || !is_outer) return Batched();
  return Batched(BatchedSteps{.value = first, .shared = true});
}

// Constants, one per step, that are not all equal.
StepBatcher::Batched StepBatcher::Stacked(const StepFamily& family) {
  const Value& first = *family.front();
  const bool fits = family.size() > 1 && std::ranges::all_of(family, [&](const Value* value) {
                      return MayStack(&first, value);
                    });
  if (!fits) return Batched();
  const std::vector<const Value*> values(family.begin(), family.end());
  Value* whole = context_.AddConstant(*position_.graph(), StackConstants(values), first.name(), {});
  for (const Value* value : values) AddOrigin(*whole, value->origin());
  return BatchedSteps{.value = whole};
}

Result<StepBatcher::Batched> StepBatcher::Apply(const StepFamily& family) {
  Node& model = *family.front()->producer();
  const std::size_t index = family.front()->index();
  const bool alike = std::ranges::all_of(family, [&](const Value* value) {
    return value->index() == index && SameForm(model, *value->producer());
  });
  if (!alike || !MayBatch(model) || !IsWithinSteps(family)) return Batched();
  std::vector<StepsOperand> operands;
  BatchedSteps result{.value = nullptr, .shared = true, .reverse = true};
  std::vector<std::size_t> reversed;
  for (std::size_t i = 0; i < model.num_operands(); ++i) {
    if (model.operand(i) == nullptr) {
      operands.push_back({.value = nullptr, .shared = true});
      continue;
    }
    StepFamily of_operand;
    for (const Value* value : family) of_operand.push_back(value->producer()->operand(i));
    const auto rank = of_operand.front()->type().rank();
    if (!rank || std::ranges::count(of_operand, nullptr) > 0) return Batched();
    DRAGOMAN_ASSIGN(const Batched batched, Batch(of_operand));
    if (!batched) return Batched();
    operands.push_back({batched->value, batched->shared, *rank});
    if (batched->shared) continue;
    if (batched->reverse) reversed.push_back(i);
    result.shared = false;
    result.reverse = result.reverse && batched->reverse;
  }
  for (std::size_t i : reversed) {
    if (result.reverse) break;
    LayoutBuilder layout(context_, position_);
    DRAGOMAN_ASSIGN(operands[i].value, layout.Reverse(operands[i].value));
  }
  DRAGOMAN_ASSIGN(const std::vector<Value*> values,
                  result.shared ? Repeat(model, operands)
                                : BatchOperator(model, operands, position_, context_));
  if (values.empty()) return Batched();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i == index || values[i] == nullptr) continue;
    StepFamily other;
    for (const Value* value : family) other.push_back(value->producer()->result(i));
    done_[other] = BatchedSteps{values[i], result.shared, result.reverse};
  }
  result.value = values[index];
  return Batched(result);
}

// Whether no value of the family has been met in another step: else there is a state in it.
bool StepBatcher::IsWithinSteps(const StepFamily& family) {
  for (std::size_t i = 0; i < family.size(); ++i) {
    if (steps_.try_emplace(family[i], i).first->second != i) return false;
  }
  return true;
}

// The node itself, on operands that are the same in all steps.
Result<std::vector<Value*>> StepBatcher::Repeat(const Node& node,
                                                const std::vector<StepsOperand>& operands) {
  std::vector<Value*> values;
  for (const StepsOperand& operand : operands) values.push_back(operand.value);
  DRAGOMAN_ASSIGN(Node * copy, context_.InsertNode(position_, FindOp(node)->Label(), values,
                                                   node.attributes(), node.num_results()));
  values.clear();
  for (std::size_t i = 0; i < copy->num_results(); ++i) values.push_back(copy->result(i));
  return values;
}

}  // namespace dragoman
