// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/sequence_steps.h"

#include <algorithm>

#include "core/rewrite/recurrence/equal_steps.h"

namespace dragoman {

Value* Mutable(const Value& value) {
  if (value.producer() != nullptr) return value.producer()->result(value.index());
  if (value.is_constant()) return value.graph()->constants()[value.index()].get();
  return value.graph()->input(value.index());
}

bool StepSource::SameSequence(const StepSource& other) const {
  return value == other.value && axis == other.axis && begin == other.begin && size == other.size &&
         step_axis == other.step_axis;
}

std::optional<StepSource> SourceOf(const Atom& atom, const FusedValues& fused) {
  if (atom.step_axis >= 0) {
    return StepSource{atom.value, atom.axis, atom.begin, atom.size, atom.step_axis, atom.step};
  }
  const auto found = fused.hidden.find(atom.value);
  if (found == fused.hidden.end() || found->second.axis != atom.axis) return std::nullopt;
  return StepSource{found->second.sequence, 2, atom.begin, atom.size, 0, found->second.step};
}

std::int64_t SequenceInput::Direction() const {
  if (order.size() < 2) return 1;
  const std::int64_t direction = order[1] - order[0];
  if (direction != 1 && direction != -1) return 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (order[i] - order[i - 1] != direction) return 0;
  }
  return direction;
}

std::optional<SequenceInput> ReadSequence(std::span<const AtomId> atoms, const AffineForms& forms,
                                          const FusedValues& fused) {
  SequenceInput input;
  for (AtomId id : atoms) {
    const auto source = SourceOf(forms.atom(id), fused);
    if (!source) return std::nullopt;
    if (input.order.empty()) input.first = *source;
    if (!source->SameSequence(input.first)) return std::nullopt;
    input.order.push_back(source->step);
  }
  return input;
}

Result<Value*> CurrentValue(Value* value, const FusedValues& fused, Node& position,
                            PassContext& context) {
  const auto last = fused.last.find(value);
  const auto step = fused.hidden.find(value);
  if (last == fused.last.end() && step == fused.hidden.end()) return value;
  LayoutBuilder layout(context, position);
  Value* current = nullptr;
  if (last != fused.last.end()) {
    DRAGOMAN_ASSIGN(current, layout.Squeeze(last->second, 0));
  } else {
    DRAGOMAN_ASSIGN(current,
                    layout.Gather(step->second.sequence, 0, Tensor::Int(step->second.step)));
  }
  return layout.FromState(current, *value->type().shape(), fused.axes.at(value));
}

namespace {

// Those steps of a value that has the steps along axis 0: in the order of the run, or in that of
// time if `in_time` and the run goes backwards.
Result<Value*> TakeSteps(Value* value, const SequenceInput& input, bool in_time,
                         LayoutBuilder& layout) {
  const std::int64_t direction = input.Direction();
  if (direction == 0) return layout.Gather(value, 0, Tensor::Ints(input.order));
  const std::int64_t begin = std::min(input.order.front(), input.order.back());
  const std::int64_t end = std::max(input.order.front(), input.order.back()) + 1;
  if (direction == -1 && !in_time) {
    return layout.Slice(value, 0, end - 1, begin == 0 ? INT64_MIN : begin - 1, -1);
  }
  if (begin == 0 && SizeAlong(*value, 0) == end) return value;
  return layout.Slice(value, 0, begin, end);
}

std::optional<BatchedSteps> NotKnown() { return std::nullopt; }

Result<std::optional<BatchedSteps>> HiddenSteps(const StepFamily& family, const FusedValues& fused,
                                                LayoutBuilder& layout) {
  const SequenceStep first = fused.hidden.at(family.front());
  SequenceInput input;
  for (const Value* value : family) {
    const auto found = fused.hidden.find(value);
    if (found == fused.hidden.end() || found->second.sequence != first.sequence) return NotKnown();
    input.order.push_back(found->second.step);
  }
  DRAGOMAN_ASSIGN(Value * whole, TakeSteps(first.sequence, input, /*in_time=*/true, layout));
  Shape shape = *family.front()->type().shape();
  shape.insert(shape.begin(), Dim(static_cast<std::int64_t>(family.size())));
  DRAGOMAN_ASSIGN(whole, layout.FromSequence(whole, shape, 0, first.axis + 1));
  if (whole == nullptr) return NotKnown();
  return std::optional(BatchedSteps{whole, false, input.Direction() == -1});
}

}  // namespace

Result<std::optional<BatchedSteps>> KnownSteps(const StepFamily& family, const FusedValues& fused,
                                               PassContext& context, LayoutBuilder& layout) {
  if (fused.hidden.contains(family.front())) return HiddenSteps(family, fused, layout);
  const auto first = SliceOf(*family.front(), context);
  if (!first) return NotKnown();
  SequenceInput input;
  for (const Value* value : family) {
    const auto slice = SliceOf(*value, context);
    const bool fits = slice && slice->source == first->source && slice->axis == first->axis &&
                      slice->keeps_axis == first->keeps_axis;
    if (!fits) return NotKnown();
    input.order.push_back(slice->index);
  }
  const int axis = static_cast<int>(first->axis);
  DRAGOMAN_ASSIGN(Value * whole, layout.StepsFirst(first->source, axis));
  DRAGOMAN_ASSIGN(whole, TakeSteps(whole, input, /*in_time=*/true, layout));
  if (first->keeps_axis) {
    DRAGOMAN_ASSIGN(whole, layout.Unsqueeze(whole, {first->axis + 1}));
  }
  return std::optional(BatchedSteps{whole, false, input.Direction() == -1});
}

Result<Value*> EmitSteps(const SequenceInput& input, bool in_time, LayoutBuilder& layout) {
  const StepSource& source = input.first;
  DRAGOMAN_ASSIGN(Value * value,
                  layout.ToSequence(Mutable(*source.value), source.step_axis, source.axis));
  if (source.begin != 0 || SizeAlong(*value, 2) != source.size) {
    DRAGOMAN_ASSIGN(value, layout.Slice(value, 2, source.begin, source.begin + source.size));
  }
  return TakeSteps(value, input, in_time, layout);
}

}  // namespace dragoman
