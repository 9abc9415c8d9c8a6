// SPDX-License-Identifier: Apache-2.0
// Computes for all steps of a recurrence at once what its spelling computes step by step, where no
// state takes part: embeddings and products before a cell, heads after it.
//
// A *family* is what a value is in each step: one value a step where the recurrence is unrolled,
// the one value in the body where it is a loop. Operators that treat the elements along a leading
// axis alike do for a family, with the steps along that axis, what they did for one value.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_BATCH_STEPS_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_BATCH_STEPS_H_

#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/rewrite/pass_context.h"
#include "core/rewrite/recurrence/batch_operator.h"

namespace dragoman {

using StepFamily = std::vector<Value*>;

// A family as one value: (steps, sizes of a step), or, if it is the same in all steps, that value.
struct BatchedSteps {
  Value* value = nullptr;
  bool shared = false;
  bool reverse = false;  // the first step is the last in time, and `value` is in order of time
};

class StepBatcher {
 public:
  // Families that are known: steps of sequences. nullopt for any other.
  using Source = std::function<Result<std::optional<BatchedSteps>>(const StepFamily&)>;

  // Nodes are inserted before `position`. `body`: the graph of the families' values if it is not
  // that of `position`.
  StepBatcher(Source source, PassContext& context, Node& position, const Graph* body = nullptr)
      : source_(std::move(source)), context_(context), position_(position), body_(body) {}

  // nullopt if it cannot be computed for all steps at once; then what was inserted is not read.
  Result<std::optional<BatchedSteps>> Batch(const StepFamily& family);

 private:
  using Batched = std::optional<BatchedSteps>;

  Result<Batched> Compute(const StepFamily& family);
  Result<Batched> Shared(const StepFamily& family);
  Batched Stacked(const StepFamily& family);
  Result<Batched> Apply(const StepFamily& family);
  bool IsWithinSteps(const StepFamily& family);
  Result<std::vector<Value*>> Repeat(const Node& node, const std::vector<StepsOperand>& operands);

  Source source_;
  PassContext& context_;
  Node& position_;
  const Graph* body_;
  std::map<StepFamily, Batched> done_;  // looked up only
  std::unordered_map<const Value*, std::size_t> steps_;
  int depth_ = 0;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_BATCH_STEPS_H_
