// SPDX-License-Identifier: Apache-2.0
// Values as steps of sequences: slices along a time axis, and what fused cells yielded.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_SEQUENCE_STEPS_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_SEQUENCE_STEPS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/analysis/affine.h"
#include "core/rewrite/pass_context.h"
#include "core/rewrite/recurrence/batch_steps.h"
#include "core/rewrite/recurrence/layout.h"

namespace dragoman {

// Step `step` of a (steps, batch, features) value.
struct SequenceStep {
  Value* sequence = nullptr;
  std::int64_t step = 0;
  int axis = 0;  // of the features in what the cell yielded
};

// What has been fused so far, by the values that the cells yielded. These values are still there,
// and read by each other, until the pass replaces what is left of their uses.
struct FusedValues {
  std::unordered_map<const Value*, SequenceStep> hidden;
  // States after the last step, as (1, batch, features).
  std::unordered_map<const Value*, Value*> last;
  std::unordered_map<const Value*, int> axes;  // of the features, of both
};

// The atom as a step of a sequence: where it is a step of a value, or the hidden state of a cell
// that has been fused.
struct StepSource {
  const Value* value = nullptr;
  int axis = 0;  // of the features
  std::int64_t begin = 0;
  std::int64_t size = 0;
  int step_axis = 0;
  std::int64_t step = 0;

  bool SameSequence(const StepSource& other) const;
};
std::optional<StepSource> SourceOf(const Atom& atom, const FusedValues& fused);

// The steps of a sequence that a run reads, in the order of the run.
struct SequenceInput {
  StepSource first;
  std::vector<std::int64_t> order;

  // 1 or -1 if neighbours differ by that; else 0.
  std::int64_t Direction() const;
};
// What `atoms`, one per step, are in common; nullopt if they are not steps of one sequence.
std::optional<SequenceInput> ReadSequence(std::span<const AtomId> atoms, const AffineForms& forms,
                                          const FusedValues& fused);

// A value as one may use it in place of `value`, which a fused cell yielded: inserted before
// `position`. `value` itself if it is none such.
Result<Value*> CurrentValue(Value* value, const FusedValues& fused, Node& position,
                            PassContext& context);

// (steps, batch, features) of those steps, in the order of the run; in the order of time if
// `in_time` and the run goes backwards.
Result<Value*> EmitSteps(const SequenceInput& input, bool in_time, LayoutBuilder& layout);

// A family (batch_steps.h) of hidden states of fused cells, or of slices of one value; nullopt if
// it is neither.
Result<std::optional<BatchedSteps>> KnownSteps(const StepFamily& family, const FusedValues& fused,
                                               PassContext& context, LayoutBuilder& layout);

// The value as one can change it.
Value* Mutable(const Value& value);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_SEQUENCE_STEPS_H_
