// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/loop_results.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "core/rewrite/joined_parts.h"
#include "core/rewrite/zeros.h"

namespace dragoman {
namespace {

// Operators by which iterations accumulate values, and what they make of all of them.
struct Accumulation {
  std::string_view type;
  std::string_view reduction;
};
constexpr Accumulation kAccumulations[] = {
    {"Add", "ReduceSum"}, {"Max", "ReduceMax"}, {"Min", "ReduceMin"}, {"Mul", "ReduceProd"}};

// The operand that is not `state`, of a node of two; nullptr: none or both are.
Value* OtherOperand(const Node& node, const Value* state) {
  if (node.num_operands() != 2) return nullptr;
  const bool first = node.operand(0) == state;
  if (first == (node.operand(1) == state)) return nullptr;
  return node.operand(first ? 1 : 0);
}

// Whether all reductions take elements of this type.
bool IsReducible(DType dtype) {
  return dtype == DType::kF32 || dtype == DType::kF64 || dtype == DType::kI32 ||
         dtype == DType::kI64;
}

// How every iteration adds something to the state, takes the larger of the two, and the like;
// nullptr: it does not, or uses what there is so far for more.
const Accumulation* ReadAccumulation(const LoopState& state) {
  const Node* step = state.output->producer();
  if (step == nullptr || !state.input->HasOneUse() || !state.output->HasOneUse() ||
      OtherOperand(*step, state.input) == nullptr || !SameShape(*state.input, *state.output) ||
      !IsReducible(state.output->type().dtype())) {
    return nullptr;
  }
  const auto* found = std::ranges::find_if(
      kAccumulations, [&](const Accumulation& known) { return step->Is(known.type); });
  return found != std::end(kAccumulations) ? found : nullptr;
}

// Whether every iteration puts something to a tensor, at its end or at its front.
bool Grows(const LoopState& state) {
  const Node* join = state.output->producer();
  return join != nullptr && join->Is("Concat") && state.input->HasOneUse() &&
         OtherOperand(*join, state.input) != nullptr;
}

Result<Value*> None() { return static_cast<Value*>(nullptr); }

}  // namespace

bool IsWhole(const Atom& atom) {
  return atom.step_axis < 0 && atom.begin == 0 && SizeAlong(*atom.value, atom.axis) == atom.size;
}

AtomId WholeAtom(const Value& value, AffineForms& forms) {
  const AffineForm* form = forms.Wiring(&value, value.type().rank().value_or(0) - 1);
  const bool is_one = form != nullptr && form->segments.size() == 1;
  return is_one ? AffineForms::AsAtom(form->segments.front()) : kNoAtom;
}

LoopResults::LoopResults(const LoopView& view, const FusedIterations& iterations,
                         AffineForms& forms, StepBatcher& batcher, PassContext& context)
    : view_(view),
      iterations_(iterations),
      forms_(forms),
      batcher_(batcher),
      context_(context),
      layout_(context, *view.node),
      values_(view.node->num_results(), nullptr) {}

Result<bool> LoopResults::Find() {
  for (const LoopState& state : view_.states) {
    if (state.last == nullptr || !state.last->used()) continue;
    Value*& value = values_[state.last->index()];
    const bool is_list = state.last->type().kind() == Type::Kind::kSequence;
    DRAGOMAN_ASSIGN(value, is_list ? List(state) : Last(state));
    if (value == nullptr) return Missing(*state.last);
  }
  for (const LoopCollection& collection : view_.collections) {
    if (collection.result == nullptr || !collection.result->used()) continue;
    const Shape* shape = collection.result->type().shape();
    if (shape == nullptr) return Missing(*collection.result);
    Value*& value = values_[collection.result->index()];
    DRAGOMAN_ASSIGN(value,
                    Collected(*collection.output, *shape, collection.axis, collection.reverse));
    if (value == nullptr) return Missing(*collection.result);
  }
  DRAGOMAN_TRY(context_.InsertCopies(*view_.node, values_));
  return true;
}

bool LoopResults::Missing(const Value& result) {
  obstacle_ = "its result %" + result.name() + " is something else";
  return false;
}

Result<Value*> LoopResults::Last(const LoopState& state) {
  if (state.output == state.input) return state.initial;
  if (const auto write = ReadRowWrite(view_, state, context_)) return Written(*write);
  if (Grows(state)) return Grown(state);
  if (const Accumulation* kind = ReadAccumulation(state)) {
    return Accumulated(state, kind->reduction);
  }
  const AtomId id = WiredAtom(state.output);
  if (id == kNoAtom) return LastComputed(state);
  const LastState& known = iterations_.last.at(forms_.atom(id).value);
  if (known.value == nullptr) return LastComputed(state);
  DRAGOMAN_ASSIGN(Value * last, layout_.Squeeze(known.value, 0));
  DRAGOMAN_ASSIGN(
      last, layout_.FromState(last, *state.last->type().shape(), FeatureAxis(*state.output, id)));
  const bool may_be_initial = RangeOf(iterations_.count).lower < 1 &&
                              known.initial != state.initial &&
                              !(IsZero(known.initial) && IsZero(state.initial));
  return last != nullptr && may_be_initial ? UnlessNoIteration(state, last) : Result<Value*>(last);
}

// `last`, or what there was if there is no iteration.
Result<Value*> LoopResults::UnlessNoIteration(const LoopState& state, Value* last) {
  if (!SameShape(*state.initial, *last) || view_.slices.empty()) return None();
  DRAGOMAN_ASSIGN(Value * iterations, NumberOfIterations());
  if (iterations == nullptr) return None();
  Value* const zero = context_.AddConstant(*view_.node->graph(), Tensor::Int(0), "zero", {});
  DRAGOMAN_ASSIGN(Value * none, context_.Insert(*view_.node, "Equal", {{iterations, zero}}));
  return context_.Insert(*view_.node, "Where", {{none, state.initial, last}});
}

// By a sequence that has a slice for each.
Result<Value*> LoopResults::NumberOfIterations() {
  for (const auto& [value, slice] : view_.slices) {
    const Shape* shape = slice.sequence->type().shape();
    if (shape == nullptr ||
        Equal((*shape)[static_cast<std::size_t>(slice.axis)], iterations_.count) != Truth::kYes)
      continue;
    return layout_.Size(slice.sequence, slice.axis);
  }
  return None();
}

// The last of the values that each iteration computes, or what there was if there is no iteration.
Result<Value*> LoopResults::LastComputed(const LoopState& state) {
  DRAGOMAN_ASSIGN(const std::optional<BatchedSteps> steps, batcher_.Batch({state.output}));
  if (!steps || steps->shared || !SameShape(*state.input, *state.output)) return None();
  const std::int64_t place = steps->reverse ? 0 : -1;
  if (SizeAlong(*steps->value, 0).value_or(0) > 0) {
    return layout_.Gather(steps->value, 0, Tensor::Int(place));
  }
  DRAGOMAN_ASSIGN(Value * first, layout_.Unsqueeze(state.initial, {0}));
  std::vector<Value*> all = {first, steps->value};
  if (steps->reverse) std::ranges::reverse(all);
  DRAGOMAN_ASSIGN(Value * whole, layout_.Concat(all, 0));
  return layout_.Gather(whole, 0, Tensor::Int(place));
}

Result<Value*> LoopResults::Accumulated(const LoopState& state, std::string_view reduction) {
  const Node& step = *state.output->producer();
  DRAGOMAN_ASSIGN(const std::optional<BatchedSteps> steps,
                  batcher_.Batch({OtherOperand(step, state.input)}));
  if (!steps || steps->shared) return None();
  DRAGOMAN_ASSIGN(Value * all, layout_.Reduce(steps->value, reduction));
  const bool is_whole = step.Is("Add") && IsZero(state.initial) && SameShape(*all, *state.output);
  if (is_whole) return all;
  return context_.Insert(*view_.node, step.op().type, {{state.initial, all}});
}

// What was there before the first iteration, with the rows of all iterations.
Result<Value*> LoopResults::Grown(const LoopState& state) {
  const Node& join = *state.output->producer();
  const bool at_front = join.operand(1) == state.input;
  Value& row = *join.operand(at_front ? 0 : 1);
  const Shape* shape = row.type().shape();
  if (shape == nullptr) return None();
  const int axis = AxisIn(join, row);
  Shape joined = *shape;
  Dim& size = joined[static_cast<std::size_t>(axis)];
  const bool is_single = size == Dim(1);
  size = size * iterations_.count;
  DRAGOMAN_ASSIGN(Value * rows, is_single ? Collected(row, joined, axis, at_front)
                                          : CollectedComputed(row, joined, axis, at_front));
  if (rows == nullptr || SizeAlong(*state.initial, axis) == 0) return rows;
  std::vector<Value*> parts = {state.initial, rows};
  if (at_front) std::ranges::reverse(parts);
  return layout_.Concat(parts, axis);
}

// What all iterations write.
Result<Value*> LoopResults::Written(const RowWrite& write) {
  DRAGOMAN_ASSIGN(Value * rows, Collected(*write.row, write.shape, write.axis, write.from_end));
  return rows == nullptr || write.back.empty() ? Result<Value*>(rows)
                                               : layout_.Transpose(rows, write.back);
}

// A list to which every iteration adds a value, at its end or at its front.
Result<Value*> LoopResults::List(const LoopState& state) {
  const Node* insert = state.output->producer();
  const Node* made = state.initial->producer();
  if (insert == nullptr || made == nullptr || !insert->Is("SequenceInsert") ||
      insert->operand(0) != state.input || !state.input->HasOneUse() ||
      (!made->Is("SequenceEmpty") && !made->Is("SequenceConstruct"))) {
    return None();
  }
  Value& element = *insert->operand(1);
  const bool at_front = insert->operand(2) != nullptr;
  if (at_front && IntOf(context_, insert->operand(2)) != 0) return None();
  std::vector<Value*> parts;
  for (const Use& use : made->operands()) {
    if (!SameShape(*use.value(), element)) return None();
    DRAGOMAN_ASSIGN(Value * part, layout_.Unsqueeze(use.value(), {0}));
    parts.push_back(part);
  }
  DRAGOMAN_ASSIGN(Value * elements, Elements(element, at_front));
  if (elements == nullptr) return None();
  parts.insert(at_front ? parts.begin() : parts.end(), elements);
  DRAGOMAN_ASSIGN(Value * whole, layout_.Concat(parts, 0));
  return context_.Insert(*view_.node, "SplitToSequence", {{whole}},
                         {{"axis", std::int64_t{0}}, {"keepdims", std::int64_t{0}}});
}

// `element` of all iterations along a new axis 0, the last one first if `at_front`.
Result<Value*> LoopResults::Elements(Value& element, bool at_front) {
  if (element.type().shape() == nullptr) return None();
  Shape shape = *element.type().shape();
  shape.insert(shape.begin(), iterations_.count);
  return Collected(element, shape, 0, at_front);
}

// `output` of all iterations along `axis` of a tensor of `shape`; nullptr if it cannot be had.
Result<Value*> LoopResults::Collected(Value& output, const Shape& shape, int axis, bool reverse) {
  const AtomId id = WiredAtom(&output);
  const auto found = id != kNoAtom ? iterations_.sequences.find(forms_.atom(id).value)
                                   : iterations_.sequences.end();
  if (found == iterations_.sequences.end()) return CollectedComputed(output, shape, axis, reverse);
  Value* value = found->second.value;
  if (found->second.reverse != reverse) {
    DRAGOMAN_ASSIGN(value, layout_.Reverse(value));
  }
  int features = FeatureAxis(output, id);
  const bool stacked = output.type().rank() != static_cast<int>(shape.size());
  if (stacked && features >= axis) ++features;
  return layout_.FromSequence(value, shape, axis, features);
}

Result<Value*> LoopResults::CollectedComputed(Value& output, const Shape& shape, int axis,
                                              bool reverse) {
  DRAGOMAN_ASSIGN(const std::optional<BatchedSteps> steps, batcher_.Batch({&output}));
  if (!steps || steps->shared) return None();
  Value* value = steps->value;
  if (steps->reverse != reverse) {
    DRAGOMAN_ASSIGN(value, layout_.Reverse(value));
  }
  return layout_.Stacked(value, axis, shape);
}

// The whole of `value` as one atom that is the state of an operator, or kNoAtom.
AtomId LoopResults::WiredAtom(const Value* value) {
  const int rank = value->type().rank().value_or(0);
  for (int axis = rank - 1; axis >= std::min(1, std::max(rank - 2, 0)); --axis) {
    const AffineForm* form = forms_.Wiring(value, axis);
    if (form == nullptr || form->segments.size() != 1) continue;
    const AtomId id = AffineForms::AsAtom(form->segments.front());
    if (id == kNoAtom) continue;
    const Atom& atom = forms_.atom(id);
    const auto last = iterations_.last.find(atom.value);
    if (IsWhole(atom) && last != iterations_.last.end() && last->second.axis == atom.axis)
      return id;
  }
  return kNoAtom;
}

// Where the features of an atom lie in a value that is wired to it.
int LoopResults::FeatureAxis(const Value& value, AtomId id) {
  const int rank = value.type().rank().value_or(0);
  for (int axis = rank - 1; axis >= 0; --axis) {
    const AffineForm* form = forms_.Wiring(&value, axis);
    if (form != nullptr && form->segments.size() == 1 &&
        AffineForms::AsAtom(form->segments.front()) == id) {
      return axis;
    }
  }
  return rank - 1;
}

}  // namespace dragoman
