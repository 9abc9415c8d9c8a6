// SPDX-License-Identifier: Apache-2.0
// What the iterations of a loop read and give, as sequences over all iterations.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_ITERATION_SEQUENCES_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_ITERATION_SEQUENCES_H_

#include <map>
#include <optional>
#include <utility>

#include "core/rewrite/recurrence/batch_steps.h"
#include "core/rewrite/recurrence/emit_operator.h"
#include "core/rewrite/recurrence/layout.h"
#include "core/rewrite/recurrence/loop_results.h"
#include "core/rewrite/recurrence/loop_view.h"

namespace dragoman {

// Known are slices, the number of the iteration, what the cells give that have become operators,
// and what is computed from these alone. Nodes are inserted before the loop.
class IterationSequences {
 public:
  IterationSequences(const LoopView& view, AffineForms& forms, PassContext& context);
  IterationSequences(const IterationSequences&) = delete;
  IterationSequences& operator=(const IterationSequences&) = delete;

  const FusedIterations& iterations() const { return iterations_; }
  StepBatcher& batcher() { return batcher_; }

  // Enters how many iterations there are. False: no iteration reads a slice of a value of known
  // rank.
  bool CountIterations();

  // What a cell with that mask reads, if all iterations' values of it are known; else nullopt.
  Result<std::optional<IterationSequence>> Of(const Atom& atom, const StepMask& mask);

  // (iterations, batch, 1), bool, in the order of the iterations: whether the mask of `state`
  // holds; nullptr if that is not known.
  Result<Value*> MaskOf(const StepMask& mask, const Atom& state);

  // A hidden state in the body, by the sequence (steps, batch, features) and the state after the
  // last iteration.
  void EnterHidden(AtomId id, Value* sequence, bool reverse, const LastState& last);
  // A new state before its mask, right where that holds.
  void EnterWithin(AtomId id, const StepMask& mask, Value* sequence, bool reverse);
  // The cell state of `step`, whose operator has these operands and gives `hidden` and `last`.
  // Those of all iterations are computed once they are asked for (cell_states.h).
  void EnterCellState(const CellStep& step, const SequenceOperands& operands, Value* hidden,
                      const LastState& last);
  // Only what it is after the last iteration.
  void EnterLastCellState(const CellStep& step, const LastState& last);

 private:
  // An LSTM cell that has become an operator.
  struct FusedLstm {
    CellStep step;
    SequenceOperands operands;
    Value* hidden = nullptr;  // (steps, batch, hidden)
    int axis = 0;             // of the features of the cell state
  };
  using Batched = std::optional<BatchedSteps>;

  const LoopSlice* FirstSlice() const;
  const LoopState* FusedState(const Value& value) const;
  Result<Value*> Repeat(Value* value, const LoopSlice& slice);
  Status ComputeCellStates(const Value& value);
  Result<Batched> Known(const Value& value);
  Result<Batched> OldStates(const LoopState& state);
  Result<Batched> Numbers(const Value& value, bool reverse);

  const LoopView& view_;
  AffineForms& forms_;
  PassContext& context_;
  LayoutBuilder layout_;
  StepBatcher batcher_;
  FusedIterations iterations_;
  // By value in the body, looked up only.
  std::map<const Value*, std::pair<StepMask, IterationSequence>> within_masks_;
  std::map<const Value*, FusedLstm> lstms_;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_ITERATION_SEQUENCES_H_
