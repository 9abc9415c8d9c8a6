#include "core/rewrite/recurrence/sequence_steps.h"

#include <algorithm>

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
  if (found == fused.hidden.end()) return std::nullopt;
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

Result<Value*> CurrentValue(Value* value, int axis, const FusedValues& fused,
                            PassContext& context) {
  const auto last = fused.last.find(value);
  const auto step = fused.hidden.find(value);
  if (last == fused.last.end() && step == fused.hidden.end()) return value;
  LayoutBuilder layout(context, *value->producer());
  Value* current = nullptr;
  if (last != fused.last.end()) {
    DRAGOMAN_ASSIGN(current, layout.Squeeze(last->second, 0));
  } else {
    DRAGOMAN_ASSIGN(current,
                    layout.Gather(step->second.sequence, 0, Tensor::Int(step->second.step)));
  }
  return layout.FromState(current, *value, axis);
}

Result<Value*> EmitSteps(const SequenceInput& input, bool in_time, LayoutBuilder& layout) {
  const StepSource& source = input.first;
  DRAGOMAN_ASSIGN(Value * value,
                  layout.ToSequence(Mutable(*source.value), source.step_axis, source.axis));
  if (source.begin != 0 || SizeAlong(*value, 2) != source.size) {
    DRAGOMAN_ASSIGN(value, layout.Slice(value, 2, source.begin, source.begin + source.size));
  }
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

}  // namespace dragoman
