// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/restack.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace dragoman {
namespace {

// What successive operands have in common: per segment of features, the sequence.
struct Run {
  std::vector<SequenceInput> parts;  // none: an operand that is not a step
  std::size_t begin = 0;
  std::size_t end = 0;  // in the operands
  bool any_fused = false;
};

// One operand.
Run ReadOperand(const Node& concat, std::size_t i, int axis, AffineForms& forms,
                const FusedValues& fused) {
  Run run{{}, i, i + 1};
  const AffineForm* form = forms.Wiring(concat.operand(i), axis);
  if (form == nullptr) return run;
  std::vector<SequenceInput> parts;
  for (const AffineSegment& segment : form->segments) {
    const AtomId id = AffineForms::AsAtom(segment);
    const auto source = id != kNoAtom ? SourceOf(forms.atom(id), fused) : std::nullopt;
    if (!source) return run;
    run.any_fused = run.any_fused || fused.hidden.contains(forms.atom(id).value);
    parts.push_back({*source, {source->step}});
  }
  run.parts = std::move(parts);
  return run;
}

bool GoesOn(const Run& run, const Run& next) {
  return !run.parts.empty() &&
         std::ranges::equal(run.parts, next.parts,
                            [](const SequenceInput& a, const SequenceInput& b) {
                              return a.first.SameSequence(b.first);
                            });
}

std::vector<Run> ReadRuns(const Node& concat, int axis, AffineForms& forms,
                          const FusedValues& fused) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < concat.num_operands(); ++i) {
    Run next = ReadOperand(concat, i, axis, forms, fused);
    if (runs.empty() || !GoesOn(runs.back(), next)) {
      runs.push_back(std::move(next));
      continue;
    }
    Run& run = runs.back();
    run.end = next.end;
    run.any_fused = run.any_fused || next.any_fused;
    for (std::size_t part = 0; part < run.parts.size(); ++part) {
      run.parts[part].order.push_back(next.parts[part].order.front());
    }
  }
  return runs;
}

// Sizes `shape`, with the steps of `run` along `step_axis`.
Result<Value*> Stack(const Run& run, const Shape& shape, int step_axis, int axis,
                     LayoutBuilder& layout) {
  std::vector<Value*> values;
  for (const SequenceInput& part : run.parts) {
    DRAGOMAN_ASSIGN(Value * value, EmitSteps(part, /*in_time=*/false, layout));
    values.push_back(value);
  }
  DRAGOMAN_ASSIGN(Value * whole, layout.Concat(values, 2));
  return layout.FromSequence(whole, shape, step_axis, axis);
}

// Each run of at least two steps of a fused operator as one operand; nullptr: there is none.
Result<Value*> RestackRuns(Node& concat, const std::vector<Run>& runs, int step_axis, int axis,
                           PassContext& context) {
  LayoutBuilder layout(context, concat);
  std::vector<Value*> operands;
  for (const Run& run : runs) {
    Value* stacked = nullptr;
    if (run.any_fused && run.end - run.begin >= 2) {
      Shape shape = *concat.result()->type().shape();
      shape[static_cast<std::size_t>(step_axis)] =
          Dim(static_cast<std::int64_t>(run.end - run.begin));
      DRAGOMAN_ASSIGN(stacked, Stack(run, shape, step_axis, axis, layout));
    }
    if (stacked != nullptr) operands.push_back(stacked);
    for (std::size_t i = run.begin; stacked == nullptr && i < run.end; ++i) {
      operands.push_back(concat.operand(i));
    }
  }
  if (operands.size() == concat.num_operands()) return static_cast<Value*>(nullptr);
  return layout.Concat(operands, step_axis);
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
  return layout.Stacked(whole, axis, shape);
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
  const bool all_single =
      std::all_of(concat.operands().begin(), concat.operands().end(),
                  [&](const Use& use) { return SizeAlong(*use.value(), step_axis) == 1; });
  for (int axis = static_cast<int>(rank) - 1; axis >= 0; --axis) {
    const std::vector<Run> runs = ReadRuns(concat, axis, forms, fused);
    if (axis != step_axis && !all_single) continue;
    Value* whole = nullptr;
    if (runs.size() == 1 && runs.front().any_fused) {
      LayoutBuilder layout(context, concat);
      DRAGOMAN_ASSIGN(whole, Stack(runs.front(), *shape, step_axis, axis, layout));
    } else if (axis != step_axis) {
      DRAGOMAN_ASSIGN(whole, RestackRuns(concat, runs, step_axis, axis, context));
    }
    if (whole != nullptr) return whole;
  }
  return RestackComputed(concat, *shape, step_axis, fused, context);
}

}  // namespace dragoman
