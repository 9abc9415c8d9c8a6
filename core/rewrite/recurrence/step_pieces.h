// SPDX-License-Identifier: Apache-2.0
// Inputs of a run that are not the steps of one value: pieces of several sequences, and values that
// stand alone, as where each step's input comes from elsewhere.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_STEP_PIECES_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_STEP_PIECES_H_

#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "core/rewrite/recurrence/sequence_steps.h"

namespace dragoman {

// Successive steps of one sequence, or one value.
struct StepPiece {
  std::optional<SequenceInput> steps;
  AtomId atom = kNoAtom;  // if there are no steps
};
std::vector<StepPiece> SplitIntoPieces(std::span<const AtomId> atoms, const AffineForms& forms,
                                       const FusedValues& fused);

// What a run spans: a new node that stands for it goes before `first`.
struct RunSpan {
  Node* first = nullptr;
  const Node* last = nullptr;
  std::unordered_set<const Node*> cells;  // what computes from its states
};

// Moves what yields `values`, which are read no later than in `run.last`, before the run. False if
// they depend on the run or on an effect; then nothing has moved. What they read of fused cells is
// read from their operators afterwards.
Result<bool> HoistBefore(const RunSpan& run, std::span<Value* const> values,
                         const FusedValues& fused, PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_STEP_PIECES_H_
