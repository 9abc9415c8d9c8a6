// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/iteration_sequences.h"

#include <algorithm>
#include <vector>

#include "core/rewrite/recurrence/cell_states.h"
#include "core/rewrite/recurrence/sequence_steps.h"

namespace dragoman {

IterationSequences::IterationSequences(const LoopView& view, AffineForms& forms,
                                       PassContext& context)
    : view_(view),
      forms_(forms),
      context_(context),
      layout_(context, *view.node),
      batcher_([this](const StepFamily& family) { return Known(*family.front()); }, context,
               *view.node, view.body) {}

bool IterationSequences::CountIterations() {
  const LoopSlice* slice = FirstSlice();
  if (slice == nullptr) return false;
  iterations_.count = (*slice->sequence->type().shape())[static_cast<std::size_t>(slice->axis)];
  return true;
}

void IterationSequences::EnterHidden(AtomId id, Value* sequence, bool reverse,
                                     const LastState& last) {
  const Atom& atom = forms_.atom(id);
  iterations_.sequences[atom.value] = {sequence, reverse, atom.axis};
  iterations_.last[atom.value] = {last.value, last.initial, atom.axis};
}

void IterationSequences::EnterWithin(AtomId id, const StepMask& mask, Value* sequence,
                                     bool reverse) {
  within_masks_[forms_.atom(id).value] = {mask, {sequence, reverse, 0}};
}

void IterationSequences::EnterCellState(const CellStep& step, const SequenceOperands& operands,
                                        Value* hidden, const LastState& last) {
  EnterLastCellState(step, last);
  const Atom& atom = forms_.atom(step.masked() ? step.carried_c : step.cell->c);
  if (GivesCellStates(step)) {
    lstms_.emplace(atom.value, FusedLstm{step, operands, hidden, atom.axis});
  }
}

void IterationSequences::EnterLastCellState(const CellStep& step, const LastState& last) {
  const Atom& atom = forms_.atom(step.masked() ? step.carried_c : step.cell->c);
  iterations_.last[atom.value] = {last.value, last.initial, atom.axis};
}

Result<Value*> IterationSequences::MaskOf(const StepMask& mask, const Atom& state) {
  Value* const nothing = nullptr;
  const Type& type = mask.mask->type();
  if (type.dtype() != DType::kBool || type.rank() != state.value->type().rank() ||
      SizeAlong(*mask.mask, state.axis) != 1) {
    return nothing;
  }
  DRAGOMAN_ASSIGN(const std::optional<BatchedSteps> steps, batcher_.Batch({Mutable(*mask.mask)}));
  if (!steps || steps->shared) return nothing;
  DRAGOMAN_ASSIGN(Value * whole, layout_.ToSequence(steps->value, 0, state.axis + 1));
  if (whole == nullptr) return whole;
  if (steps->reverse) {
    DRAGOMAN_ASSIGN(whole, layout_.Reverse(whole));
  }
  return mask.inverted ? context_.Insert(*view_.node, "Not", {{whole}}) : whole;
}

// Any of the sequences that the iterations read; nullptr: there is none of known rank.
const LoopSlice* IterationSequences::FirstSlice() const {
  const auto find = [&](const Value* value) -> const LoopSlice* {
    const auto found = view_.slices.find(value);
    const bool fits =
        found != view_.slices.end() && found->second.sequence->type().shape() != nullptr;
    return fits ? &found->second : nullptr;
  };
  for (const auto& input : view_.body->inputs()) {
    if (const LoopSlice* slice = find(input.get())) return slice;
  }
  for (const Node& node : view_.body->nodes()) {
    const LoopSlice* slice = node.num_results() == 1 ? find(node.result(0)) : nullptr;
    if (slice != nullptr) return slice;
  }
  return nullptr;
}

// `value` once for every iteration, along a new first axis.
Result<Value*> IterationSequences::Repeat(Value* value, const LoopSlice& slice) {
  DRAGOMAN_ASSIGN(Value * iterations, layout_.Size(slice.sequence, slice.axis));
  DRAGOMAN_ASSIGN(iterations, layout_.Unsqueeze(iterations, {0}));
  DRAGOMAN_ASSIGN(Value * whole, layout_.Unsqueeze(value, {0}));
  const auto rank = static_cast<std::size_t>(value->type().rank().value_or(0));
  Value* ones = context_.AddConstant(*view_.node->graph(),
                                     Tensor::Ints(std::vector<std::int64_t>(rank, 1)), "sizes", {});
  DRAGOMAN_ASSIGN(Value * sizes, layout_.Concat({iterations, ones}, 0));
  return context_.Insert(*view_.node, "Expand", {{whole, sizes}});
}

// A cell with a mask does not see what its input is beyond the length.
Result<std::optional<IterationSequence>> IterationSequences::Of(const Atom& atom,
                                                                const StepMask& mask) {
  const auto below = within_masks_.find(atom.value);
  if (below != within_masks_.end() && below->second.first == mask && IsWhole(atom)) {
    return std::optional(below->second.second);
  }
  Value* whole = Mutable(*atom.value);
  bool reverse = atom.step == AffineForms::kIterationFromEnd;
  int step_axis = atom.step_axis;
  int axis = atom.axis;
  if (step_axis < 0 || atom.value->graph() == view_.body) {
    DRAGOMAN_ASSIGN(const std::optional<BatchedSteps> steps, batcher_.Batch({whole}));
    if (!steps) return std::optional<IterationSequence>();
    whole = steps->value;
    reverse = steps->reverse;
    if (steps->shared) {
      const LoopSlice* slice = FirstSlice();
      if (slice == nullptr) return std::optional<IterationSequence>();
      DRAGOMAN_ASSIGN(whole, Repeat(whole, *slice));
      reverse = slice->reverse;
    }
    ++axis;
    if (step_axis >= 0) {  // one row of what an iteration reads
      DRAGOMAN_ASSIGN(whole, layout_.Gather(whole, step_axis + 1, Tensor::Int(atom.step)));
      if (axis > step_axis + 1) --axis;
    }
    step_axis = 0;
  } else if (atom.step < AffineForms::kIteration) {
    return std::optional<IterationSequence>();
  }
  DRAGOMAN_ASSIGN(whole, layout_.ToSequence(whole, step_axis, axis));
  if (whole == nullptr) return std::optional<IterationSequence>();
  return std::optional(IterationSequence{whole, reverse});
}

// The cell states of all iterations, once they are asked for.
Status IterationSequences::ComputeCellStates(const Value& value) {
  const auto found = lstms_.find(&value);
  if (found == lstms_.end() || iterations_.sequences.contains(&value)) return {};
  const FusedLstm& lstm = found->second;
  Value* hidden = lstm.hidden;
  if (lstm.step.projects_outside()) {
    DRAGOMAN_ASSIGN(hidden, EmitProjection(lstm.step, hidden, forms_, *view_.node, context_));
  }
  DRAGOMAN_ASSIGN(Value * states, EmitCellStates(lstm.step, lstm.step.old_h, lstm.operands, hidden,
                                                 forms_, *view_.node, context_));
  iterations_.sequences[&value] = {states, lstm.operands.reverse, lstm.axis};
  return {};
}

// Slices, and the states of cells that have become operators, of all iterations.
Result<IterationSequences::Batched> IterationSequences::Known(const Value& value) {
  DRAGOMAN_TRY(ComputeCellStates(value));
  if (const auto found = iterations_.sequences.find(&value); found != iterations_.sequences.end()) {
    const IterationSequence& hidden = found->second;
    Shape shape = *value.type().shape();
    shape.insert(shape.begin(), hidden.value->type().shape()->front());
    DRAGOMAN_ASSIGN(Value * whole, layout_.FromSequence(hidden.value, shape, 0, hidden.axis + 1));
    if (whole == nullptr) return Batched();
    return Batched(BatchedSteps{whole, false, hidden.reverse});
  }
  if (const LoopState* state = FusedState(value)) return OldStates(*state);
  const auto found = view_.slices.find(&value);
  if (found == view_.slices.end()) {
    const auto number = view_.numbers.find(&value);
    return number != view_.numbers.end() ? Numbers(value, number->second) : Batched();
  }
  const LoopSlice& slice = found->second;
  DRAGOMAN_ASSIGN(Value * whole, layout_.StepsFirst(slice.sequence, slice.axis));
  if (value.type().rank() == slice.sequence->type().rank()) {
    DRAGOMAN_ASSIGN(whole, layout_.Unsqueeze(whole, {slice.axis + 1}));
  }
  return Batched(BatchedSteps{whole, false, slice.reverse});
}

// The state that `value` is at the begin of an iteration, if its new values are a cell's hidden
// states.
const LoopState* IterationSequences::FusedState(const Value& value) const {
  const auto state = std::ranges::find_if(
      view_.states, [&](const LoopState& known) { return known.input == &value; });
  const bool is_fused = state != view_.states.end() &&
                        iterations_.sequences.contains(state->output) &&
                        SameShape(value, *state->output);
  return is_fused ? &*state : nullptr;
}

// What the iterations read: the initial state, then what each iteration but the last made of it.
Result<IterationSequences::Batched> IterationSequences::OldStates(const LoopState& state) {
  DRAGOMAN_ASSIGN(const std::optional<BatchedSteps> made, Known(*state.output));
  if (!made) return Batched();
  DRAGOMAN_ASSIGN(Value * first, layout_.Unsqueeze(state.initial, {0}));
  std::vector<Value*> all = {first, made->value};
  if (made->reverse) std::ranges::reverse(all);
  DRAGOMAN_ASSIGN(Value * whole, layout_.Concat(all, 0));
  DRAGOMAN_ASSIGN(whole, made->reverse ? layout_.Slice(whole, 0, 1, INT64_MAX)
                                       : layout_.Slice(whole, 0, 0, -1));
  return Batched(BatchedSteps{whole, false, made->reverse});
}

// The numbers of all iterations, as one scalar per iteration; what moves or casts these is
// computed.
Result<IterationSequences::Batched> IterationSequences::Numbers(const Value& value, bool reverse) {
  const LoopSlice* slice = FirstSlice();
  const DType dtype = value.type().dtype();
  if (slice == nullptr || value.type().rank() != 0 || !IsInteger(dtype)) return Batched();
  DRAGOMAN_ASSIGN(Value * count, layout_.Size(slice->sequence, slice->axis));
  const auto constant = [&](std::int64_t number) {
    return context_.AddConstant(*view_.node->graph(), Tensor::Int(number), "number", {});
  };
  DRAGOMAN_ASSIGN(Value * all,
                  context_.Insert(*view_.node, "Range", {{constant(0), count, constant(1)}}));
  if (dtype != DType::kI64) {
    DRAGOMAN_ASSIGN(all, context_.Insert(*view_.node, "Cast", {{all}},
                                         {{"to", static_cast<std::int64_t>(dtype)}}));
  }
  return Batched(BatchedSteps{all, false, reverse});
}

}  // namespace dragoman
