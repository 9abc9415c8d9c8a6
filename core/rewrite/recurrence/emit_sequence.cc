// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/emit_sequence.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/rewrite/recurrence/cell_states.h"
#include "core/rewrite/recurrence/emit_operator.h"
#include "core/rewrite/recurrence/equal_steps.h"
#include "core/rewrite/recurrence/packed_steps.h"
#include "core/rewrite/recurrence/step_pieces.h"
#include "core/rewrite/zeros.h"

namespace dragoman {
namespace {

using Kind = RecurrentCell::Kind;

// The first node of a run whose result is read of its operator.
Node& FirstRead(std::span<const CellStep> steps, bool gives_cell_states, const AffineForms& forms) {
  const RecurrentCell& cell = *steps.front().cell;
  const bool reads_cell_state = gives_cell_states || steps.size() == 1;
  if (cell.kind != Kind::kLstm || !reads_cell_state) return *cell.node;
  return *Mutable(*forms.atom(cell.c).value)->producer();
}

// Builds the node of one run. Everything that can fail for reasons of the model is asked before
// anything that is read is inserted.
class SequenceEmitter {
 public:
  SequenceEmitter(std::span<const CellStep> steps, std::span<const CellNodes> nodes,
                  bool gives_cell_states, AffineForms& forms, FusedValues& fused,
                  PassContext& context)
      : steps_(steps),
        nodes_(nodes),
        gives_cell_states_(gives_cell_states),
        cell_(*steps.front().cell),
        position_(FirstRead(steps, gives_cell_states, forms)),
        forms_(forms),
        fused_(fused),
        context_(context),
        layout_(context, position_),
        batcher_(
            [this](const StepFamily& family) {
              return KnownSteps(family, fused_, context_, layout_);
            },
            context, position_),
        evaluator_(forms.consts(), cell_.node->result()->type().dtype()),
        batch_(BatchOf(*cell_.node->result(), forms.atom(cell_.h).axis)) {}

  Result<EmitResult> Emit() {
    if (steps_.front().inputs.empty()) return EmitResult{nullptr, "it reads no input"};
    DRAGOMAN_ASSIGN(Value * x, Input());
    if (x == nullptr) return EmitResult{nullptr, std::move(obstacle_)};
    SequenceOperands operands{.x = x, .reverse = reverse_};
    DRAGOMAN_TRY(ReadState({steps_.front().old_h, kNoConst}, operands.initial_h));
    if (cell_.kind == Kind::kLstm) {
      DRAGOMAN_TRY(ReadState(steps_.front().old_c, operands.initial_c));
    }
    DRAGOMAN_TRY(ReadLengths(operands));
    if (!obstacle_.empty()) return EmitResult{nullptr, std::move(obstacle_)};
    DRAGOMAN_ASSIGN(Node * node,
                    EmitOperator(steps_.front(), operands, forms_, position_, context_));
    DRAGOMAN_TRY(Enter(*node, operands));
    return EmitResult{node, {}};
  }

 private:
  // An input of all steps.
  struct InputPart {
    std::optional<SequenceInput> steps;  // of a sequence
    Value* whole = nullptr;              // else computed: (steps, batch, features)
    bool reverse = false;
  };

  // (steps, batch, features) of all inputs, side by side; nullptr sets obstacle_.
  Result<Value*> Input() {
    std::vector<InputPart> inputs;
    for (std::size_t i = 0; i < steps_.front().inputs.size(); ++i) {
      std::vector<AtomId> atoms;
      for (const CellStep& step : steps_) atoms.push_back(step.inputs[i]);
      DRAGOMAN_ASSIGN(InputPart part, ReadInput(atoms));
      if (!obstacle_.empty()) return static_cast<Value*>(nullptr);
      inputs.push_back(std::move(part));
    }
    reverse_ = std::ranges::all_of(inputs, &InputPart::reverse);
    // Masks may count the steps in the order in which they are done.
    if (reverse_ && steps_.front().masked()) reverse_ = !FirstLimit(/*reverse=*/false);
    std::vector<Value*> parts;
    for (const InputPart& input : inputs) {
      Value* part = input.whole;
      if (input.steps) {
        DRAGOMAN_ASSIGN(part, EmitSteps(*input.steps, reverse_, layout_));
      } else if (input.reverse && !reverse_) {
        DRAGOMAN_ASSIGN(part, layout_.Reverse(part));
      }
      parts.push_back(part);
    }
    return layout_.Concat(parts, 2);
  }

  Result<InputPart> ReadInput(const std::vector<AtomId>& atoms) {
    InputPart part;
    part.steps = ReadSequence(atoms, forms_, fused_);
    if (part.steps) {
      const StepSource& source = part.steps->first;
      part.reverse = part.steps->Direction() == -1;
      CheckBatch(BatchOf(*source.value, source.axis, source.step_axis));
      return part;
    }
    StepFamily family;
    const Atom first = forms_.atom(atoms.front());
    bool alike = true;
    for (AtomId id : atoms) {
      Atom atom = forms_.atom(id);
      family.push_back(Mutable(*atom.value));
      atom.value = first.value;
      alike = alike && atom == first;
    }
    if (alike) {
      DRAGOMAN_TRY(BatchInput(family, first, part));
    }
    if (part.whole == nullptr && atoms.size() > 1) DRAGOMAN_TRY(ReadSideBySide(atoms, part));
    if (part.whole == nullptr) DRAGOMAN_TRY(JoinPieces(atoms, part));
    if (part.whole != nullptr) CheckBatch(BatchOf(*part.whole, 2, 0));
    return part;
  }

  // Runs of the features of one value, as where a sequence comes with its steps side by side.
  Status ReadSideBySide(const std::vector<AtomId>& atoms, InputPart& part) {
    const Atom first = forms_.atom(atoms.front());
    const auto count = static_cast<std::int64_t>(atoms.size());
    const bool is_fused = fused_.hidden.contains(first.value) || fused_.last.contains(first.value);
    if (first.step_axis >= 0 || is_fused || first.value->type().shape() == nullptr) return {};
    const bool reverse = count > 1 && forms_.atom(atoms[1]).begin < first.begin;
    for (std::int64_t i = 0; i < count; ++i) {
      Atom wanted = first;
      wanted.begin += (reverse ? -i : i) * first.size;
      if (forms_.atom(atoms[static_cast<std::size_t>(i)]) != wanted) return {};
    }
    Shape shape = *first.value->type().shape();
    const auto axis = static_cast<std::size_t>(first.axis);
    shape[axis] = Dim(count);
    shape.insert(shape.begin() + first.axis + 1, Dim(first.size));
    const std::int64_t begin = reverse ? first.begin - (count - 1) * first.size : first.begin;
    Value* whole = Mutable(*first.value);
    DRAGOMAN_ASSIGN(const bool can_come_first, HoistBefore(Span(), {{whole}}, fused_, context_));
    if (!can_come_first) return {};
    if (begin != 0 || SizeAlong(*whole, first.axis) != count * first.size) {
      DRAGOMAN_ASSIGN(whole, layout_.Slice(whole, first.axis, begin, begin + count * first.size));
    }
    DRAGOMAN_ASSIGN(whole, layout_.Reshape(whole, shape));
    if (whole != nullptr) {
      DRAGOMAN_ASSIGN(part.whole, layout_.ToSequence(whole, first.axis, first.axis + 1));
      part.reverse = reverse;
    }
    return {};
  }

  // One after the other along time, in the order of the run.
  Status JoinPieces(const std::vector<AtomId>& atoms, InputPart& part) {
    const std::vector<StepPiece> pieces = SplitIntoPieces(atoms, forms_, fused_);
    std::vector<Value*> values;
    for (const StepPiece& piece : pieces) {
      values.push_back(
          Mutable(piece.steps ? *piece.steps->first.value : *forms_.atom(piece.atom).value));
    }
    DRAGOMAN_ASSIGN(const bool can_come_first, HoistBefore(Span(), values, fused_, context_));
    if (!can_come_first) {
      obstacle_ = "its inputs depend on its states";
      return {};
    }
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      DRAGOMAN_ASSIGN(values[i], Piece(pieces[i]));
      if (values[i] == nullptr) return {};
    }
    DRAGOMAN_ASSIGN(part.whole, layout_.Concat(values, 0));
    return {};
  }

  // (steps, batch, features); nullptr sets obstacle_.
  Result<Value*> Piece(const StepPiece& piece) {
    if (piece.steps) return EmitSteps(*piece.steps, /*in_time=*/false, layout_);
    const Atom atom = forms_.atom(piece.atom);
    Value* made = nullptr;
    DRAGOMAN_ASSIGN(Value * value, layout_.ToState(Mutable(*atom.value), atom.axis));
    DRAGOMAN_TRY(ReadStateValue(value, atom, "input", made));
    return made;
  }

  RunSpan Span() const {
    RunSpan span{&position_, steps_.back().cell->node, {}};
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      span.cells.insert(steps_[i].cell->node);
      span.cells.insert(nodes_[i].interior.begin(), nodes_[i].interior.end());
    }
    return span;
  }

  Status BatchInput(const StepFamily& family, const Atom& atom, InputPart& part) {
    DRAGOMAN_ASSIGN(const std::optional<BatchedSteps> steps, batcher_.Batch(family));
    if (!steps) return {};
    Value* whole = steps->value;
    int axis = atom.axis;
    if (atom.step_axis >= 0) {  // one row of what a step reads
      DRAGOMAN_ASSIGN(whole, layout_.Gather(whole, atom.step_axis + (steps->shared ? 0 : 1),
                                            Tensor::Int(atom.step)));
      if (axis > atom.step_axis) --axis;
    }
    if (steps->shared) {
      DRAGOMAN_ASSIGN(whole, layout_.Unsqueeze(whole, {0}));
      std::vector<std::int64_t> sizes(static_cast<std::size_t>(*whole->type().rank()), 1);
      sizes.front() = static_cast<std::int64_t>(family.size());
      DRAGOMAN_ASSIGN(whole, layout_.Expand(whole, sizes));
    }
    part.reverse = steps->reverse;
    DRAGOMAN_ASSIGN(whole, layout_.ToSequence(whole, 0, axis + 1));
    if (whole != nullptr && SizeAlong(*whole, 2) != atom.size) {
      DRAGOMAN_ASSIGN(whole, layout_.Slice(whole, 2, atom.begin, atom.begin + atom.size));
    }
    part.whole = whole;
    return {};
  }

  void CheckBatch(const Dim& batch) {
    if (Equal(batch, batch_) != Truth::kYes) obstacle_ = "its input has another batch size";
  }

  // Into `initial`, which stays nullptr for zeros.
  Status ReadState(const CellState& state, Value*& initial) {
    if (state.atom == kNoAtom) return ReadConstantState(state.constant, initial);
    const Atom atom = forms_.atom(state.atom);
    if (IsZero(atom.value)) return {};
    if (atom.step_axis >= 0) return ReadStepState(atom, initial);
    DRAGOMAN_ASSIGN(Value * value, CurrentValue(Mutable(*atom.value), fused_, position_, context_));
    DRAGOMAN_ASSIGN(value,
                    value != nullptr ? layout_.ToState(value, atom.axis) : Result<Value*>(value));
    return ReadStateValue(value, atom, "initial state", initial);
  }

  // A state that is a step of a larger value, as where all layers' states come in one tensor.
  Status ReadStepState(const Atom& atom, Value*& initial) {
    DRAGOMAN_ASSIGN(Value * value,
                    layout_.ToSequence(Mutable(*atom.value), atom.step_axis, atom.axis));
    if (value != nullptr) {
      DRAGOMAN_ASSIGN(value, layout_.Slice(value, 0, atom.step, atom.step + 1));
    }
    return ReadStateValue(value, atom, "initial state", initial);
  }

  // `value`, which is (1, batch, features) or not to be had, of all sequences.
  Status ReadStateValue(Value* value, const Atom& atom, std::string_view what, Value*& whole) {
    if (value == nullptr) {
      obstacle_ = fmt::format("the sizes of its {} are not known", what);
      return {};
    }
    if (atom.begin != 0 || SizeAlong(*value, 2) != atom.size) {
      DRAGOMAN_ASSIGN(value, layout_.Slice(value, 2, atom.begin, atom.begin + atom.size));
    }
    return ForAllSequences(value, what, whole);
  }

  Status ForAllSequences(Value* value, std::string_view what, Value*& whole) {
    const Dim own = (*value->type().shape())[1];
    if (Equal(own, batch_) == Truth::kYes) {
      whole = value;
    } else if (Equal(own, Dim(1)) == Truth::kYes && batch_.known()) {
      DRAGOMAN_ASSIGN(whole, layout_.Expand(value, {1, batch_.value(), 1}));
    } else {
      obstacle_ = fmt::format("its {} has another batch size", what);
    }
    return {};
  }

  Status ReadConstantState(ConstId id, Value*& initial) {
    if (id == kNoConst) return {};
    DRAGOMAN_ASSIGN(const Tensor tensor, evaluator_.Evaluate(id));
    if (IsZeroTensor(tensor)) return {};
    Value* value = context_.AddConstant(*position_.graph(), tensor.Reshaped({1, 1, cell_.hidden}),
                                        "initial_state", position_.origin());
    return ForAllSequences(value, "initial state", initial);
  }

  // The limit of the first step in time, where the masks of all steps are number < length and the
  // numbers grow with time; they may begin anywhere.
  std::optional<StepLimit> FirstLimit(bool reverse) {
    const auto count = static_cast<std::int64_t>(steps_.size());
    std::optional<StepLimit> first;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t at = reverse ? count - 1 - i : i;
      auto limit = ReadLimit(steps_[static_cast<std::size_t>(i)].mask, context_, forms_);
      if (!limit) return std::nullopt;
      limit->number -= at;
      if (first && (first->lengths != limit->lengths || first->number != limit->number)) {
        return std::nullopt;
      }
      first = limit;
    }
    return first;
  }

  Status ReadLengths(SequenceOperands& operands) {
    if (!steps_.front().masked()) return {};
    const std::optional<StepLimit> first = FirstLimit(reverse_);
    if (!first) {
      DRAGOMAN_TRY(Pack(operands));
      if (!packed_) obstacle_ = "its masks do not determine lengths";
      return {};
    }
    DRAGOMAN_ASSIGN(const bool can_come_first,
                    HoistBefore(Span(), {{first->lengths}}, fused_, context_));
    if (!can_come_first) {
      obstacle_ = "its lengths depend on its states";
      return {};
    }
    DRAGOMAN_ASSIGN(operands.lengths,
                    EmitLengths(*first, operands.x, layout_, position_, context_));
    if (operands.lengths == nullptr) obstacle_ = "its masks do not determine lengths";
    return {};
  }

  // Moves the steps that the masks do not leave out to the front, if all masks are known before the
  // run.
  Status Pack(SequenceOperands& operands) {
    if (steps_.front().projected != kNoAtom || gives_cell_states_) return {};
    DRAGOMAN_ASSIGN(Value * mask, Masks());
    if (mask == nullptr || Equal(BatchOf(*mask, 2, 0), BatchOf(*operands.x, 2, 0)) != Truth::kYes)
      return {};
    if (reverse_) {
      DRAGOMAN_ASSIGN(operands.x, layout_.Reverse(operands.x));
    }
    reverse_ = operands.reverse = false;
    DRAGOMAN_ASSIGN(packed_, PackSteps(operands.x, mask, layout_, position_, context_));
    operands.x = packed_->x;
    operands.lengths = packed_->lengths;
    return {};
  }

  // Those of all steps in the order of the run, (steps, batch, 1); nullptr: they are not known.
  Result<Value*> Masks() {
    Value* const nothing = nullptr;
    const Atom& state = forms_.atom(steps_.front().carried_h);
    StepFamily family;
    for (const CellStep& step : steps_) {
      Value* mask = WithoutCopies(*step.mask.mask, state.axis);
      const bool fits = mask->type().dtype() == DType::kBool &&
                        mask->type().rank() == state.value->type().rank() &&
                        SizeAlong(*mask, state.axis) == 1;
      if (!fits || step.mask.inverted != steps_.front().mask.inverted) return nothing;
      family.push_back(mask);
    }
    DRAGOMAN_ASSIGN(const bool can_come_first, HoistBefore(Span(), family, fused_, context_));
    if (!can_come_first) return nothing;
    DRAGOMAN_ASSIGN(const std::optional<BatchedSteps> masks, batcher_.Batch(family));
    if (!masks || masks->shared) return nothing;
    DRAGOMAN_ASSIGN(Value * whole, layout_.ToSequence(masks->value, 0, state.axis + 1));
    if (whole != nullptr && masks->reverse) {
      DRAGOMAN_ASSIGN(whole, layout_.Reverse(whole));
    }
    if (whole == nullptr || !steps_.front().mask.inverted) return whole;
    return context_.Insert(position_, "Not", {{whole}});
  }

  // What is repeated along the axis of the features, which a mask does not distinguish.
  static Value* WithoutCopies(const Value& mask, int axis) {
    const Node* node = mask.producer();
    const bool copies = node != nullptr && (node->Is("Tile") || node->Is("Expand"));
    if (!copies || node->operand(0)->type().rank() != mask.type().rank()) return Mutable(mask);
    return SizeAlong(*node->operand(0), axis) == 1 ? node->operand(0) : Mutable(mask);
  }

  Status Enter(Node& node, const SequenceOperands& operands) {
    DRAGOMAN_ASSIGN(Value * sequence, layout_.Squeeze(node.result(0), 1));
    Value* projected = nullptr;
    if (steps_.front().projects_outside()) {
      DRAGOMAN_ASSIGN(projected,
                      EmitProjection(steps_.front(), sequence, forms_, position_, context_));
    }
    Value* held = nullptr;
    if (packed_) return EnterPacked(node, sequence, operands);
    if (steps_.front().masked()) {
      DRAGOMAN_ASSIGN(held, Held(node, projected != nullptr ? projected : sequence, operands));
    }
    Value* cell_states = nullptr;
    if (gives_cell_states_) {
      DRAGOMAN_ASSIGN(cell_states, EmitCellStates(steps_.front(), steps_.back().old_h, operands,
                                                  projected != nullptr ? projected : sequence,
                                                  forms_, position_, context_));
    }
    const auto count = static_cast<std::int64_t>(steps_.size());
    for (std::int64_t i = 0; i < count; ++i) {
      const CellStep& step = steps_[static_cast<std::size_t>(i)];
      const std::int64_t at = reverse_ ? count - 1 - i : i;
      if (cell_states != nullptr) EnterHidden(step.cell->c, cell_states, at);
      if (!step.masked() && !ProjectsInside(step)) EnterHidden(step.cell->h, sequence, at);
      Value* const given = projected != nullptr ? projected : sequence;
      for (AtomId id : step.zeroed_h) EnterHidden(id, given, at);
      // Only those read it that do not see what it is beyond the length.
      if (step.masked()) EnterHidden(step.given(), given, at);
      if (step.carried_h != kNoAtom) EnterHidden(step.carried_h, held, at);
      if (step.projected != kNoAtom && !step.masked()) EnterHidden(step.projected, given, at);
      if (i + 1 == count) DRAGOMAN_TRY(EnterLast(step, node, operands));
    }
    return {};
  }

  // `given`: what the operator gives of packed steps.
  Status EnterPacked(Node& node, Value* given, const SequenceOperands& operands) {
    DRAGOMAN_ASSIGN(Value * carried, UnpackStates(*packed_, given, operands.initial_h, layout_,
                                                  position_, context_));
    Value* zeroed = nullptr;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const CellStep& step = steps_[i];
      const auto at = static_cast<std::int64_t>(i);
      EnterHidden(step.given(), carried, at);
      if (step.carried_h != kNoAtom) EnterHidden(step.carried_h, carried, at);
      if (!step.zeroed_h.empty() && zeroed == nullptr) {
        DRAGOMAN_ASSIGN(Value * zero, layout_.Zero(given->type().dtype()));
        DRAGOMAN_ASSIGN(zeroed,
                        context_.Insert(position_, "Where", {{packed_->mask, carried, zero}}));
      }
      for (AtomId id : step.zeroed_h) EnterHidden(id, zeroed, at);
    }
    return EnterLast(steps_.back(), node, operands);
  }

  // What the steps pass on: beyond a sequence's end its last state, or backwards the first one.
  Result<Value*> Held(Node& node, Value* given, const SequenceOperands& operands) {
    Value* other = reverse_ ? operands.initial_h : node.result(1);
    if (other == nullptr) {
      DRAGOMAN_ASSIGN(other, layout_.Zero(given->type().dtype()));
    } else if (!reverse_ && steps_.front().projects_outside()) {
      DRAGOMAN_ASSIGN(
          other, EmitLastProjection(steps_.front(), other, operands, forms_, position_, context_));
    }
    return EmitHeld(given, operands.lengths, other, layout_, position_, context_);
  }

  static bool ProjectsInside(const CellStep& step) {
    return step.weights.projection && step.clips_states();
  }

  void EnterHidden(AtomId id, Value* sequence, std::int64_t step) {
    const Atom& atom = forms_.atom(id);
    fused_.hidden[atom.value] = {sequence, step, atom.axis};
  }

  Status EnterLast(const CellStep& step, Node& node, const SequenceOperands& operands) {
    const auto enter = [&](AtomId id, Value* value) {
      if (id != kNoAtom) fused_.last[forms_.atom(id).value] = value;
    };
    const bool is_projected = step.projected != kNoAtom;
    if (cell_.kind == Kind::kLstm) {
      enter(step.masked() ? step.carried_c : step.cell->c, node.result(2));
    }
    if (ProjectsInside(step)) {
      enter(step.masked() ? step.carried_h : step.projected, node.result(1));
      return {};
    }
    if (!step.masked() || !is_projected) {
      enter(step.masked() ? step.carried_h : step.cell->h, node.result(1));
    }
    if (!is_projected) return {};
    DRAGOMAN_ASSIGN(Value * projected, EmitLastProjection(step, node.result(1), operands, forms_,
                                                          position_, context_));
    enter(step.masked() ? step.carried_h : step.projected, projected);
    return {};
  }

  std::span<const CellStep> steps_;
  std::span<const CellNodes> nodes_;
  const bool gives_cell_states_;
  const RecurrentCell& cell_;
  Node& position_;
  AffineForms& forms_;
  FusedValues& fused_;
  PassContext& context_;
  LayoutBuilder layout_;
  StepBatcher batcher_;
  ConstEvaluator evaluator_;
  Dim batch_;
  bool reverse_ = false;
  std::optional<PackedSteps> packed_;
  std::string obstacle_;
};

}  // namespace

Result<EmitResult> EmitSequence(std::span<const CellStep> steps, std::span<const CellNodes> nodes,
                                bool gives_cell_states, AffineForms& forms, FusedValues& fused,
                                PassContext& context) {
  return SequenceEmitter(steps, nodes, gives_cell_states, forms, fused, context).Emit();
}

}  // namespace dragoman
