#include "core/rewrite/recurrence/restack.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace dragoman {
namespace {

// What the operands have in common: per segment of features, the sequence.
using Parts = std::vector<SequenceInput>;

std::optional<Parts> ReadParts(const Node& concat, int axis, AffineForms& forms,
                               const FusedValues& fused) {
  Parts parts;
  bool any_fused = false;
  for (const Use& use : concat.operands()) {
    const AffineForm* form = forms.Wiring(use.value(), axis);
    if (form == nullptr) return std::nullopt;
    if (parts.empty()) parts.resize(form->segments.size());
    if (parts.size() != form->segments.size()) return std::nullopt;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const AtomId id = AffineForms::AsAtom(form->segments[i]);
      const auto source = id != kNoAtom ? SourceOf(forms.atom(id), fused) : std::nullopt;
      if (!source) return std::nullopt;
      any_fused = any_fused || fused.hidden.contains(forms.atom(id).value);
      if (parts[i].order.empty()) parts[i].first = *source;
      if (!source->SameSequence(parts[i].first)) return std::nullopt;
      parts[i].order.push_back(source->step);
    }
  }
  if (!any_fused) return std::nullopt;
  return parts;
}

Result<Value*> Restack(Node& concat, const Parts& parts, int step_axis, int axis,
                       PassContext& context) {
  LayoutBuilder layout(context, concat);
  std::vector<Value*> values;
  for (const SequenceInput& part : parts) {
    DRAGOMAN_ASSIGN(Value * value, EmitSteps(part, /*in_time=*/false, layout));
    values.push_back(value);
  }
  DRAGOMAN_ASSIGN(Value * whole, layout.Concat(values, 2));
  const Shape shape = *concat.result()->type().shape();
  DRAGOMAN_ASSIGN(whole, layout.FromSequence(whole, shape, step_axis, axis));
  if (whole == nullptr || PassContext::CanReplace(*concat.result(), *whole)) return whole;
  return context.Insert(concat, "Identity", {{whole}});
}

// A Concat of what is computed from the hidden state of each step alike.
Result<Value*> RestackComputed(Node& concat, const Shape& shape, int axis, const FusedValues& fused,
                               PassContext& context) {
  StepFamily family;
  for (const Use& use : concat.operands()) {
    if (use.value()->producer() == nullptr) return static_cast<Value*>(nullptr);
    family.push_back(use.value());
  }
  LayoutBuilder layout(context, concat);
  bool any_fused = false;
  StepBatcher batcher(
      [&](const StepFamily& steps) {
        any_fused = any_fused || fused.hidden.contains(steps.front());
        return KnownSteps(steps, fused, context, layout);
      },
      context, concat);
  DRAGOMAN_ASSIGN(const std::optional<BatchedSteps> steps, batcher.Batch(family));
  if (!steps || steps->shared || !any_fused) return static_cast<Value*>(nullptr);
  Value* whole = steps->value;
  if (steps->reverse) {
    DRAGOMAN_ASSIGN(whole, layout.Reverse(whole));
  }
  DRAGOMAN_ASSIGN(whole, layout.Stacked(whole, axis, shape));
  if (whole == nullptr || PassContext::CanReplace(*concat.result(), *whole)) return whole;
  return context.Insert(concat, "Identity", {{whole}});
}

}  // namespace

Result<Value*> RestackSteps(Node& concat, AffineForms& forms, const FusedValues& fused,
                            PassContext& context) {
  const Shape* shape = concat.result()->type().shape();
  const Attribute* attribute = concat.attribute("axis");
  if (shape == nullptr || attribute == nullptr || concat.num_operands() < 2) {
    return static_cast<Value*>(nullptr);
  }
  const std::int64_t stated = *attribute->As<std::int64_t>();
  const auto rank = static_cast<std::int64_t>(shape->size());
  const auto step_axis = static_cast<int>(stated < 0 ? stated + rank : stated);
  for (int axis = static_cast<int>(rank) - 1; axis >= 0; --axis) {
    const auto parts = ReadParts(concat, axis, forms, fused);
    if (!parts) continue;
    const bool all_single =
        std::all_of(concat.operands().begin(), concat.operands().end(),
                    [&](const Use& use) { return SizeAlong(*use.value(), step_axis) == 1; });
    if (axis != step_axis && !all_single) continue;
    return Restack(concat, *parts, step_axis, axis, context);
  }
  return RestackComputed(concat, *shape, step_axis, fused, context);
}

}  // namespace dragoman
