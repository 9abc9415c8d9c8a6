// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/emit_operator.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ops/default_activations.h"
#include "core/rewrite/recurrence/masked_states.h"

namespace dragoman {
namespace {

using Kind = RecurrentCell::Kind;

constexpr std::size_t kProjection = 8;  // the operand of dragoman.LSTM

class OperatorEmitter {
 public:
  OperatorEmitter(const CellStep& step, AffineForms& forms, Node& position, PassContext& context)
      : step_(step),
        cell_(*step.cell),
        forms_(forms),
        position_(position),
        context_(context),
        layout_(context, position),
        evaluator_(forms.consts(), step.cell->node->result()->type().dtype()) {}

  Result<Node*> Emit(SequenceOperands sequence) {
    if (step_.projects_outside() && sequence.initial_h != nullptr) {
      DRAGOMAN_ASSIGN(Value * first, AtFirstStep(sequence));
      DRAGOMAN_ASSIGN(sequence.x, layout_.Concat({sequence.x, first}, 2));
      sequence.initial_h = nullptr;
      reads_initial_h_ = true;
    }
    std::vector<Value*> operands = {sequence.x};
    DRAGOMAN_TRY(AddWeights(operands));
    operands.push_back(sequence.lengths);
    operands.push_back(sequence.initial_h);
    if (cell_.kind == Kind::kLstm) {
      operands.push_back(sequence.initial_c);
      DRAGOMAN_TRY(AddPeepholes(operands));
    }
    if (step_.clips_states() && step_.weights.projection.matrix != kNoConst) {
      operands.resize(kProjection, nullptr);
      DRAGOMAN_ASSIGN(Value * projection, Constant("projection", step_.weights.projection.matrix));
      operands.push_back(projection);
    }
    const std::string_view label = step_.clips_states() ? "dragoman.LSTM" : Name(cell_.kind);
    return context_.InsertNode(position_, label, operands, Attributes(sequence.reverse),
                               cell_.kind == Kind::kLstm ? 3 : 2);
  }

 private:
  // The initial hidden state at the first step, zeros at all others.
  Result<Value*> AtFirstStep(const SequenceOperands& sequence) {
    if (sequence.reverse && sequence.lengths != nullptr) return AtLastOfLengths(sequence);
    const auto ints = [&](std::int64_t value) {
      return context_.AddConstant(*position_.graph(), Tensor::Ints(std::vector{value}), "ints", {});
    };
    Value* const none = ints(0);
    DRAGOMAN_ASSIGN(Value * steps,
                    context_.Insert(position_, "Shape", {{sequence.x}},
                                    {{"end", std::int64_t{1}}, {"start", std::int64_t{0}}}));
    DRAGOMAN_ASSIGN(Value * others, context_.Insert(position_, "Sub", {{steps, ints(1)}}));
    DRAGOMAN_ASSIGN(Value * pads, layout_.Concat(sequence.reverse ? std::vector{others, none}
                                                                  : std::vector{none, others},
                                                 0));
    return context_.Insert(position_, "Pad", {{sequence.initial_h, pads, nullptr, none}});
  }

  // The same where the first step is the last one of each sequence.
  Result<Value*> AtLastOfLengths(const SequenceOperands& sequence) {
    const auto constant = [&](std::int64_t number) {
      return context_.AddConstant(*position_.graph(), Tensor::Int(number), "number", {});
    };
    DRAGOMAN_ASSIGN(Value * steps, layout_.Size(sequence.x, 0));
    DRAGOMAN_ASSIGN(Value * places,
                    context_.Insert(position_, "Range", {{constant(0), steps, constant(1)}}));
    DRAGOMAN_ASSIGN(places, layout_.Unsqueeze(places, {1, 2}));
    DRAGOMAN_ASSIGN(Value * lasts,
                    context_.Insert(position_, "Cast", {{sequence.lengths}},
                                    {{"to", static_cast<std::int64_t>(DType::kI64)}}));
    DRAGOMAN_ASSIGN(lasts, context_.Insert(position_, "Sub", {{lasts, constant(1)}}));
    DRAGOMAN_ASSIGN(lasts, layout_.Unsqueeze(lasts, {1}));
    DRAGOMAN_ASSIGN(Value * is_first, context_.Insert(position_, "Equal", {{places, lasts}}));
    DRAGOMAN_ASSIGN(Value * zero, layout_.Zero(sequence.initial_h->type().dtype()));
    return context_.Insert(position_, "Where", {{is_first, sequence.initial_h, zero}});
  }

  // What the cell reads of its old hidden state, before any projection.
  ConstId Recurrent(std::size_t gate) {
    const ConstId id = step_.weights.recurrent[gate];
    if (id == kNoConst || !step_.projects_outside()) return id;
    return forms_.consts().Product(id, step_.weights.projection.matrix);
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
    const CellWeights& weights = step_.weights;
    const std::int64_t hidden = cell_.hidden;
    DRAGOMAN_ASSIGN(Value * w, Stack("W", [&](std::size_t gate) {
                      std::vector<ConstId> parts;
                      for (std::size_t i = 0; i < weights.inputs.size(); ++i) {
                        const std::int64_t size = forms_.atom(step_.inputs[i]).size;
                        parts.push_back(OrZeros(weights.inputs[i][gate], {hidden, size}));
                      }
                      if (reads_initial_h_) {
                        const std::int64_t size = consts.sizes(weights.projection.matrix)[0];
                        parts.push_back(OrZeros(weights.recurrent[gate], {hidden, size}));
                      }
                      return consts.Concat(std::move(parts), 1);
                    }));
    const bool projects = step_.clips_states() && weights.projection.matrix != kNoConst;
    const std::int64_t reads = projects ? consts.sizes(weights.projection.matrix)[0] : hidden;
    DRAGOMAN_ASSIGN(Value * r, Stack("R", [&](std::size_t gate) {
                      return OrZeros(Recurrent(gate), {hidden, reads});
                    }));
    operands.push_back(w);
    operands.push_back(r);
    return AddBias(operands);
  }

  // Those of the inputs, then those of the states: zeros but for a GRU's after the reset.
  Status AddBias(std::vector<Value*>& operands) {
    const CellWeights& weights = step_.weights;
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
    std::vector<ConstId> peepholes = step_.weights.peepholes;
    if (peepholes.empty()) return {};
    for (ConstId& id : peepholes) id = OrZeros(id, {cell_.hidden});
    DRAGOMAN_ASSIGN(Value * p, Constant("P", forms_.consts().Concat(std::move(peepholes), 0)));
    operands.push_back(p);
    return {};
  }

  std::vector<CellFunction> Functions() const {
    if (cell_.kind == Kind::kRnn) return {cell_.gates[0].function};
    if (cell_.kind == Kind::kGru) return {cell_.gates[0].function, cell_.gates[2].function};
    return {cell_.gates[1].function, cell_.gates[3].function, cell_.output_function};
  }

  std::vector<NamedAttribute> Attributes(bool reverse) const {
    std::vector<NamedAttribute> attributes;
    Attribute::Strings names;
    Attribute::Floats alpha, beta;
    for (const CellFunction& function : Functions()) {
      names.emplace_back(function.name);
      if (HasAlpha(function)) alpha.push_back(function.alpha);
      if (HasBeta(function)) beta.push_back(function.beta);
    }
    if (!alpha.empty()) attributes.emplace_back("activation_alpha", std::move(alpha));
    if (!beta.empty()) attributes.emplace_back("activation_beta", std::move(beta));
    if (!std::ranges::equal(names, DefaultActivations(Name(cell_.kind))))
      attributes.emplace_back("activations", std::move(names));
    if (cell_.cell_clip != 0) attributes.emplace_back("cell_clip", cell_.cell_clip);
    const float clip = cell_.gates[0].function.clip;
    if (clip != 0) attributes.emplace_back("clip", clip);
    if (reverse) attributes.emplace_back("direction", "reverse");
    attributes.emplace_back("hidden_size", cell_.hidden);
    if (cell_.coupled) attributes.emplace_back("input_forget", std::int64_t{1});
    if (cell_.linear_before_reset) {
      attributes.emplace_back("linear_before_reset", std::int64_t{1});
    }
    const float output_clip = step_.weights.projection.clip;
    if (output_clip != 0) attributes.emplace_back("output_clip", output_clip);
    return attributes;
  }

  const CellStep& step_;
  const RecurrentCell& cell_;
  AffineForms& forms_;
  Node& position_;
  PassContext& context_;
  LayoutBuilder layout_;
  ConstEvaluator evaluator_;
  bool reads_initial_h_ = false;
};

}  // namespace

Result<Node*> EmitOperator(const CellStep& step, const SequenceOperands& operands,
                           AffineForms& forms, Node& position, PassContext& context) {
  return OperatorEmitter(step, forms, position, context).Emit(operands);
}

Result<Value*> EmitProjection(const CellStep& step, Value* hidden, AffineForms& forms,
                              Node& position, PassContext& context) {
  ConstEvaluator evaluator(forms.consts(), hidden->type().dtype());
  DRAGOMAN_ASSIGN(const Tensor weight, evaluator.Evaluate(step.weights.projection.matrix));
  Value* constant = context.AddConstant(*position.graph(), weight, "projection", position.origin());
  return context.Insert(position, "dragoman.Linear", {{hidden, constant}});
}

Result<Value*> EmitLastProjection(const CellStep& step, Value* last,
                                  const SequenceOperands& operands, AffineForms& forms,
                                  Node& position, PassContext& context) {
  DRAGOMAN_ASSIGN(Value * projected, EmitProjection(step, last, forms, position, context));
  if (operands.initial_h == nullptr || !MayBeEmpty(*operands.x, operands.lengths)) return projected;
  LayoutBuilder layout(context, position);
  DRAGOMAN_ASSIGN(Value * is_empty,
                  EmitIsEmpty(operands.x, operands.lengths, layout, position, context));
  return context.Insert(position, "Where", {{is_empty, operands.initial_h, projected}});
}

}  // namespace dragoman
