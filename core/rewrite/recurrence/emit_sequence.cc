#include "core/rewrite/recurrence/emit_sequence.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/rewrite/recurrence/emit_operator.h"
#include "core/rewrite/recurrence/zeros.h"

namespace dragoman {
namespace {

using Kind = RecurrentCell::Kind;

// Builds the node of one run. Everything that can fail for reasons of the model is asked before
// anything that is read is inserted.
class SequenceEmitter {
 public:
  SequenceEmitter(std::span<const CellStep> steps, AffineForms& forms, FusedValues& fused,
                  PassContext& context)
      : steps_(steps),
        cell_(*steps.front().cell),
        position_(*steps.front().cell->node),
        forms_(forms),
        fused_(fused),
        context_(context),
        layout_(context, position_),
        evaluator_(forms.consts(), position_.result()->type().dtype()),
        batch_(BatchOf(*position_.result(), forms.atom(cell_.h).axis)) {}

  Result<EmitResult> Emit() {
    if (steps_.front().inputs.empty()) return EmitResult{nullptr, "it reads no input"};
    DRAGOMAN_ASSIGN(Value * x, Input());
    if (x == nullptr) return EmitResult{nullptr, std::move(obstacle_)};
    SequenceOperands operands{.x = x, .reverse = reverse_};
    DRAGOMAN_TRY(ReadState({steps_.front().old_h, kNoConst}, operands.initial_h));
    if (cell_.kind == Kind::kLstm) {
      DRAGOMAN_TRY(ReadState(steps_.front().old_c, operands.initial_c));
    }
    if (!obstacle_.empty()) return EmitResult{nullptr, std::move(obstacle_)};
    DRAGOMAN_ASSIGN(Node * node,
                    EmitOperator(steps_.front(), operands, forms_, position_, context_));
    DRAGOMAN_TRY(Enter(*node));
    return EmitResult{node, {}};
  }

 private:
  // (steps, batch, features) of all inputs, side by side; nullptr sets obstacle_.
  Result<Value*> Input() {
    std::vector<SequenceInput> sequences;
    for (std::size_t i = 0; i < steps_.front().inputs.size(); ++i) {
      std::vector<AtomId> atoms;
      for (const CellStep& step : steps_) atoms.push_back(step.inputs[i]);
      auto sequence = ReadSequence(atoms, forms_, fused_);
      if (!sequence) {
        obstacle_ = "its inputs are no steps of one value";
        return static_cast<Value*>(nullptr);
      }
      const StepSource& source = sequence->first;
      if (Equal(BatchOf(*source.value, source.axis, source.step_axis), batch_) != Truth::kYes) {
        obstacle_ = "its input has another batch size";
        return static_cast<Value*>(nullptr);
      }
      sequences.push_back(std::move(*sequence));
    }
    reverse_ = std::all_of(sequences.begin(), sequences.end(),
                           [](const SequenceInput& s) { return s.Direction() == -1; });
    std::vector<Value*> parts;
    for (const SequenceInput& sequence : sequences) {
      DRAGOMAN_ASSIGN(Value * part, EmitSteps(sequence, reverse_, layout_));
      parts.push_back(part);
    }
    return layout_.Concat(parts, 2);
  }

  // Into `initial`, which stays nullptr for zeros.
  Status ReadState(const CellState& state, Value*& initial) {
    if (state.atom == kNoAtom) return ReadConstantState(state.constant, initial);
    const Atom atom = forms_.atom(state.atom);
    if (IsZero(atom.value)) return {};
    if (atom.step_axis >= 0) return ReadStepState(atom, initial);
    DRAGOMAN_ASSIGN(Value * value, CurrentValue(Mutable(*atom.value), atom.axis, fused_, context_));
    DRAGOMAN_ASSIGN(value,
                    value != nullptr ? layout_.ToState(value, atom.axis) : Result<Value*>(value));
    return ReadStateValue(value, atom, initial);
  }

  // A state that is a step of a larger value, as where all layers' states come in one tensor.
  Status ReadStepState(const Atom& atom, Value*& initial) {
    DRAGOMAN_ASSIGN(Value * value,
                    layout_.ToSequence(Mutable(*atom.value), atom.step_axis, atom.axis));
    if (value != nullptr) {
      DRAGOMAN_ASSIGN(value, layout_.Slice(value, 0, atom.step, atom.step + 1));
    }
    return ReadStateValue(value, atom, initial);
  }

  // `value` is (1, batch, features) or not to be had.
  Status ReadStateValue(Value* value, const Atom& atom, Value*& initial) {
    if (value == nullptr) {
      obstacle_ = "the sizes of its initial state are not known";
      return {};
    }
    if (atom.begin != 0 || SizeAlong(*value, 2) != atom.size) {
      DRAGOMAN_ASSIGN(value, layout_.Slice(value, 2, atom.begin, atom.begin + atom.size));
    }
    return ForAllSequences(value, initial);
  }

  Status ForAllSequences(Value* value, Value*& initial) {
    const Dim own = (*value->type().shape())[1];
    if (Equal(own, batch_) == Truth::kYes) {
      initial = value;
    } else if (Equal(own, Dim(1)) == Truth::kYes && batch_.known()) {
      DRAGOMAN_ASSIGN(initial, layout_.Expand(value, {1, batch_.value(), cell_.hidden}));
    } else {
      obstacle_ = "its initial state has another batch size";
    }
    return {};
  }

  Status ReadConstantState(ConstId id, Value*& initial) {
    DRAGOMAN_ASSIGN(const Tensor tensor, evaluator_.Evaluate(id));
    if (IsZeroTensor(tensor)) return {};
    Value* value = context_.AddConstant(*position_.graph(), tensor.Reshaped({1, 1, cell_.hidden}),
                                        "initial_state", position_.origin());
    return ForAllSequences(value, initial);
  }

  Status Enter(Node& node) {
    DRAGOMAN_ASSIGN(Value * sequence, layout_.Squeeze(node.result(0), 1));
    const auto count = static_cast<std::int64_t>(steps_.size());
    for (std::int64_t i = 0; i < count; ++i) {
      const CellStep& step = steps_[static_cast<std::size_t>(i)];
      const Value* h = forms_.atom(step.cell->h).value;
      fused_.hidden[h] = {sequence, reverse_ ? count - 1 - i : i};
      if (i + 1 < count) continue;
      fused_.last[h] = node.result(1);
      if (cell_.kind == Kind::kLstm) fused_.last[forms_.atom(step.cell->c).value] = node.result(2);
    }
    return {};
  }

  std::span<const CellStep> steps_;
  const RecurrentCell& cell_;
  Node& position_;
  AffineForms& forms_;
  FusedValues& fused_;
  PassContext& context_;
  LayoutBuilder layout_;
  ConstEvaluator evaluator_;
  Dim batch_;
  bool reverse_ = false;
  std::string obstacle_;
};

}  // namespace

Result<EmitResult> EmitSequence(std::span<const CellStep> steps, AffineForms& forms,
                                FusedValues& fused, PassContext& context) {
  return SequenceEmitter(steps, forms, fused, context).Emit();
}

}  // namespace dragoman
