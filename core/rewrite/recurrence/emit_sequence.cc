#include "core/rewrite/recurrence/emit_sequence.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

namespace dragoman {
namespace {

using Kind = RecurrentCell::Kind;

constexpr int kMaxHops = 32;

bool IsZeroTensor(const Tensor& tensor) {
  for (std::int64_t i = 0; i < tensor.size(); ++i) {
    if (tensor.FloatAt(i) != 0) return false;
  }
  return true;
}

// Whether all elements are zero for sure.
bool IsZero(const Value* value) {
  for (int hop = 0; hop < kMaxHops && value != nullptr; ++hop) {
    if (const Tensor* tensor = ConstantOf(value)) return IsZeroTensor(*tensor);
    const Node* node = value->producer();
    if (node == nullptr) return false;
    if (node->Is("ConstantOfShape")) {
      const Attribute* fill = node->attribute("value");
      return fill == nullptr || (fill->tensor() != nullptr && IsZeroTensor(*fill->tensor()));
    }
    constexpr std::string_view kMoving[] = {"Cast",    "Expand", "Gather", "Identity", "Reshape",
                                            "Slice",   "Split",  "Squeeze", "Tile", "Transpose",
                                            "Unsqueeze"};
    if (std::none_of(std::begin(kMoving), std::end(kMoving),
                     [&](std::string_view type) { return node->Is(type); })) {
      return false;
    }
    value = node->operand(0);
  }
  return false;
}

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
    std::vector<Value*> operands = {x};
    DRAGOMAN_TRY(AddWeights(operands));
    operands.push_back(nullptr);
    DRAGOMAN_TRY(AddState({steps_.front().old_h, kNoConst}, operands));
    if (cell_.kind == Kind::kLstm) {
      DRAGOMAN_TRY(AddState(steps_.front().old_c, operands));
      DRAGOMAN_TRY(AddPeepholes(operands));
    }
    if (!obstacle_.empty()) return EmitResult{nullptr, std::move(obstacle_)};
    DRAGOMAN_ASSIGN(Node * node,
                    context_.InsertNode(position_, Name(cell_.kind), operands, Attributes(),
                                        cell_.kind == Kind::kLstm ? 3 : 2));
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

  // (1, gates * hidden, …) of the matrices that `of_gate` gives.
  template <class F>
  Result<Value*> Stack(std::string_view name, F&& of_gate) {
    std::vector<ConstId> gates;
    for (std::size_t gate = 0; gate < cell_.gates.size(); ++gate) gates.push_back(of_gate(gate));
    return Constant(name, forms_.consts().Concat(std::move(gates), 0));
  }

  // With a leading size of 1.
  Result<Value*> Constant(std::string_view name, ConstId id) {
    DRAGOMAN_ASSIGN(const Tensor tensor, evaluator_.Evaluate(id));
    std::vector<std::int64_t> sizes = {1};
    sizes.insert(sizes.end(), tensor.sizes().begin(), tensor.sizes().end());
    return context_.AddConstant(*position_.graph(), tensor.Reshaped(std::move(sizes)), name,
                                position_.origin());
  }

  ConstId OrZeros(ConstId id, std::vector<std::int64_t> sizes) {
    return id != kNoConst ? id : forms_.consts().Fill(std::move(sizes), 0);
  }

  Status AddWeights(std::vector<Value*>& operands) {
    ConstExprs& consts = forms_.consts();
    const CellWeights& weights = steps_.front().weights;
    const std::int64_t hidden = cell_.hidden;
    DRAGOMAN_ASSIGN(Value * w, Stack("W", [&](std::size_t gate) {
                      std::vector<ConstId> parts;
                      for (std::size_t i = 0; i < weights.inputs.size(); ++i) {
                        const std::int64_t size = forms_.atom(steps_.front().inputs[i]).size;
                        parts.push_back(OrZeros(weights.inputs[i][gate], {hidden, size}));
                      }
                      return consts.Concat(std::move(parts), 1);
                    }));
    DRAGOMAN_ASSIGN(Value * r, Stack("R", [&](std::size_t gate) {
                      return OrZeros(weights.recurrent[gate], {hidden, hidden});
                    }));
    operands.push_back(w);
    operands.push_back(r);
    return AddBias(operands);
  }

  // Those of the inputs, then those of the states: zeros but for a GRU's behind the reset.
  Status AddBias(std::vector<Value*>& operands) {
    const CellWeights& weights = steps_.front().weights;
    std::vector<ConstId> biases = weights.biases;
    biases.resize(2 * biases.size(), kNoConst);
    if (cell_.kind == Kind::kGru) biases.back() = weights.reset_bias;
    if (biases == std::vector<ConstId>(biases.size(), kNoConst)) {
      operands.push_back(nullptr);
      return {};
    }
    for (ConstId& id : biases) id = OrZeros(id, {cell_.hidden});
    DRAGOMAN_ASSIGN(Value * b, Constant("B", forms_.consts().Concat(std::move(biases), 0)));
    operands.push_back(b);
    return {};
  }

  Status AddPeepholes(std::vector<Value*>& operands) {
    std::vector<ConstId> peepholes = steps_.front().weights.peepholes;
    if (peepholes.empty()) return {};
    for (ConstId& id : peepholes) id = OrZeros(id, {cell_.hidden});
    DRAGOMAN_ASSIGN(Value * p, Constant("P", forms_.consts().Concat(std::move(peepholes), 0)));
    operands.push_back(p);
    return {};
  }

  Status AddState(const CellState& state, std::vector<Value*>& operands) {
    operands.push_back(nullptr);
    if (state.atom == kNoAtom) return AddConstantState(state.constant, operands);
    const Atom atom = forms_.atom(state.atom);
    if (IsZero(atom.value)) return {};
    if (atom.step_axis >= 0) return AddStepState(atom, operands);
    DRAGOMAN_ASSIGN(Value * value,
                    CurrentValue(Mutable(*atom.value), atom.axis, fused_, context_));
    DRAGOMAN_ASSIGN(value, value != nullptr ? layout_.ToState(value, atom.axis)
                                            : Result<Value*>(value));
    return AddStateValue(value, atom, operands);
  }

  // A state that is a step of a larger value, as where all layers' states come in one tensor.
  Status AddStepState(const Atom& atom, std::vector<Value*>& operands) {
    DRAGOMAN_ASSIGN(Value * value,
                    layout_.ToSequence(Mutable(*atom.value), atom.step_axis, atom.axis));
    if (value != nullptr) {
      DRAGOMAN_ASSIGN(value, layout_.Slice(value, 0, atom.step, atom.step + 1));
    }
    return AddStateValue(value, atom, operands);
  }

  // `value` is (1, batch, features) or not to be had.
  Status AddStateValue(Value* value, const Atom& atom, std::vector<Value*>& operands) {
    if (value == nullptr) {
      obstacle_ = "the sizes of its initial state are not known";
      return {};
    }
    if (atom.begin != 0 || SizeAlong(*value, 2) != atom.size) {
      DRAGOMAN_ASSIGN(value, layout_.Slice(value, 2, atom.begin, atom.begin + atom.size));
    }
    return AddForAllSequences(value, operands);
  }

  Status AddForAllSequences(Value* value, std::vector<Value*>& operands) {
    const Dim own = (*value->type().shape())[1];
    if (Equal(own, batch_) == Truth::kYes) {
      operands.back() = value;
    } else if (Equal(own, Dim(1)) == Truth::kYes && batch_.known()) {
      DRAGOMAN_ASSIGN(operands.back(),
                      layout_.Expand(value, {1, batch_.value(), cell_.hidden}));
    } else {
      obstacle_ = "its initial state has another batch size";
    }
    return {};
  }

  Status AddConstantState(ConstId id, std::vector<Value*>& operands) {
    DRAGOMAN_ASSIGN(const Tensor tensor, evaluator_.Evaluate(id));
    if (IsZeroTensor(tensor)) return {};
    Value* value =
        context_.AddConstant(*position_.graph(), tensor.Reshaped({1, 1, cell_.hidden}),
                             "initial_state", position_.origin());
    return AddForAllSequences(value, operands);
  }

  std::vector<CellFunction> Functions() const {
    if (cell_.kind == Kind::kRnn) return {cell_.gates[0].function};
    if (cell_.kind == Kind::kGru) return {cell_.gates[0].function, cell_.gates[2].function};
    return {cell_.gates[1].function, cell_.gates[3].function, cell_.output_function};
  }

  std::vector<NamedAttribute> Attributes() const {
    std::vector<NamedAttribute> attributes;
    Attribute::Strings names;
    Attribute::Floats alpha, beta;
    for (const CellFunction& function : Functions()) {
      names.emplace_back(function.name);
      if (HasAlpha(function)) alpha.push_back(function.alpha);
      if (HasBeta(function)) beta.push_back(function.beta);
    }
    const Attribute::Strings defaults = cell_.kind == Kind::kLstm
                                            ? Attribute::Strings{"Sigmoid", "Tanh", "Tanh"}
                                        : cell_.kind == Kind::kGru
                                            ? Attribute::Strings{"Sigmoid", "Tanh"}
                                            : Attribute::Strings{"Tanh"};
    if (!alpha.empty()) attributes.emplace_back("activation_alpha", std::move(alpha));
    if (!beta.empty()) attributes.emplace_back("activation_beta", std::move(beta));
    if (names != defaults) attributes.emplace_back("activations", std::move(names));
    const float clip = cell_.gates[0].function.clip;
    if (clip != 0) attributes.emplace_back("clip", clip);
    if (reverse_) attributes.emplace_back("direction", "reverse");
    attributes.emplace_back("hidden_size", cell_.hidden);
    if (cell_.coupled) attributes.emplace_back("input_forget", std::int64_t{1});
    if (cell_.linear_before_reset) {
      attributes.emplace_back("linear_before_reset", std::int64_t{1});
    }
    return attributes;
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
