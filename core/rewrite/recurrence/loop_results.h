// SPDX-License-Identifier: Apache-2.0
// What stands for the results of a loop once its cells are operators and the rest of an iteration
// is computed for all iterations at once (batch_steps.h).
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_LOOP_RESULTS_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_LOOP_RESULTS_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/affine.h"
#include "core/rewrite/recurrence/batch_steps.h"
#include "core/rewrite/recurrence/layout.h"
#include "core/rewrite/recurrence/loop_view.h"
#include "core/rewrite/recurrence/written_rows.h"

namespace dragoman {

// (steps, batch, features), in the order of time; the iterations go backwards if `reverse`.
struct IterationSequence {
  Value* value = nullptr;
  bool reverse = false;
  int axis = 0;  // of the features in an iteration's value
};

// (1, batch, features), after the last iteration; of a state that is `initial` before the first.
struct LastState {
  Value* value = nullptr;          // nullptr: the last of its sequence
  const Value* initial = nullptr;  // of the loop's operands
  int axis = 0;                    // of the features in an iteration's value
};

// The iterations of a loop as far as they are known.
struct FusedIterations {
  std::map<const Value*, IterationSequence> sequences;  // by hidden state in the body
  std::map<const Value*, LastState> last;               // by state in the body
  Dim count;                                            // of the iterations
};

class LoopResults {
 public:
  LoopResults(const LoopView& view, const FusedIterations& iterations, AffineForms& forms,
              StepBatcher& batcher, PassContext& context);

  // Computes all results that are read. False: one of them is something else; then what was
  // inserted is not read. Errors: internal.
  Result<bool> Find();
  // By result of the loop: what can replace it, or nullptr where nothing reads it.
  std::span<Value* const> values() const { return values_; }
  // "its result %y is something else"
  const std::string& obstacle() const { return obstacle_; }

 private:
  Result<Value*> Last(const LoopState& state);
  Result<Value*> LastComputed(const LoopState& state);
  Result<Value*> UnlessNoIteration(const LoopState& state, Value* last);
  Result<Value*> NumberOfIterations();
  Result<Value*> Accumulated(const LoopState& state, std::string_view reduction);
  Result<Value*> Grown(const LoopState& state);
  Result<Value*> Written(const RowWrite& write);
  Result<Value*> List(const LoopState& state);
  Result<Value*> Collected(Value& output, const Shape& shape, int axis, bool reverse);
  Result<Value*> CollectedComputed(Value& output, const Shape& shape, int axis, bool reverse);
  Result<Value*> Elements(Value& element, bool at_front);
  AtomId WiredAtom(const Value* value);
  int FeatureAxis(const Value& value, AtomId id);
  bool Missing(const Value& result);

  const LoopView& view_;
  const FusedIterations& iterations_;
  AffineForms& forms_;
  StepBatcher& batcher_;
  PassContext& context_;
  LayoutBuilder layout_;
  std::vector<Value*> values_;
  std::string obstacle_;
};

// Whether the atom is all of its value along its axis.
bool IsWhole(const Atom& atom);
// What `value` is, with features along its last axis, as one atom; kNoAtom: it is none.
AtomId WholeAtom(const Value& value, AffineForms& forms);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_LOOP_RESULTS_H_
