// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/unrolled_cell.h"

#include "core/ops/op_def.h"
#include "runtime/params/gru.h"
#include "runtime/params/lstm.h"
#include "runtime/params/rnn.h"

namespace dragoman {

Value* StepNodes::Op(std::string_view label, const std::vector<Value*>& operands,
                     std::vector<NamedAttribute> attributes) {
  if (!status_.ok()) return position_.operand(0);
  Result<Value*> made = context_.Insert(position_, label, operands, std::move(attributes));
  if (made.ok()) return *made;
  status_ = std::move(made).error();
  return position_.operand(0);
}

Value* StepNodes::Ints(std::vector<std::int64_t> values) {
  Value*& constant = ints_[values];
  if (constant == nullptr) {
    constant = context_.AddConstant(*position_.graph(), Tensor::Ints(values), "ints", {});
  }
  return constant;
}

Value* StepNodes::Scalar(double value, const Value* like) {
  Value*& constant = scalars_[{like->type().dtype(), value}];
  if (constant != nullptr) return constant;
  Result<Tensor> tensor = Tensor::Full(like->type().dtype(), {}, value);
  if (!tensor.ok()) {
    if (status_.ok()) status_ = std::move(tensor).error();
    return position_.operand(0);
  }
  constant = context_.AddConstant(*position_.graph(), std::move(*tensor), "scalar", {});
  return constant;
}

Value* StepNodes::Concat(const std::vector<Value*>& parts, std::int64_t axis) {
  return parts.size() == 1 ? parts.front() : Op("Concat", parts, {{"axis", axis}});
}

Value* StepNodes::Gather(Value* x, std::int64_t index, std::int64_t axis) {
  return Op("Gather", {x, Scalar(static_cast<double>(index), Ints({0}))}, {{"axis", axis}});
}

Value* StepNodes::Slice(Value* x, std::int64_t axis, std::int64_t from, std::int64_t to) {
  return Op("Slice", {x, Ints({from}), Ints({to}), Ints({axis})});
}

Value* StepNodes::Unsqueeze(Value* x, std::int64_t axis) {
  return Op("Unsqueeze", {x, Ints({axis})});
}

Value* StepNodes::Cast(Value* x, DType to) {
  if (x->type().dtype() == to) return x;
  return Op("Cast", {x}, {{"to", static_cast<std::int64_t>(to)}});
}

Value* StepNodes::Sum(Value* x, std::int64_t axis) { return Op("ReduceSum", {x, Ints({axis})}); }

Value* StepNodes::SizeOf(Value* x, std::int64_t axis) {
  return Op("Shape", {x}, {{"end", axis + 1}, {"start", axis}});
}

Value* StepNodes::Zeros(Value* sizes) {
  return Op("Expand", {Scalar(0, position_.operand(0)), sizes});
}

Result<RecurrentForm> ReadRecurrentForm(const Node& node) {
  RecurrentForm form;
  DRAGOMAN_ASSIGN(const Params params, FindOp(node)->fill_params(node));
  const auto read = [&](const auto& p, auto function, int count) {
    form.direction = p.direction;
    form.clip = p.clip;
    form.directions = p.direction == rt::RnnDirection::kBidirectional ? 2 : 1;
    for (std::size_t d = 0; d < static_cast<std::size_t>(form.directions); ++d) {
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        form.functions[d][i] = function(p, static_cast<int>(d), static_cast<int>(i));
      }
    }
  };
  if (node.Is("LSTM") || node.IsDragoman("LSTM")) {
    const rt::ProjectedLSTMParams lstm = node.Is("LSTM")
                                             ? rt::AsProjected(params.As<rt::LSTMParams>())
                                             : params.As<rt::ProjectedLSTMParams>();
    form.kind = RecurrentForm::Kind::kLstm;
    form.coupled = lstm.input_forget;
    form.cell_clip = lstm.cell_clip;
    form.output_clip = lstm.output_clip;
    read(lstm.Plain(), rt::LSTMFunction, 3);
  } else if (node.Is("GRU")) {
    const auto& gru = params.As<rt::GRUParams>();
    form.kind = RecurrentForm::Kind::kGru;
    form.linear_before_reset = gru.linear_before_reset;
    read(gru, rt::GRUFunction, 2);
  } else {
    read(params.As<rt::RNNParams>(), rt::RNNFunction, 1);
  }
  return form;
}

namespace {

// One step being written.
class UnrolledCell {
 public:
  UnrolledCell(StepNodes& nodes, const RecurrentForm& form, int d, std::int64_t hidden,
               const UnrolledWeights& weights)
      : nodes_(nodes),
        form_(form),
        functions_(form.functions[static_cast<std::size_t>(d)]),
        hidden_(hidden),
        weights_(weights) {}

  // Gates in the order i, o, f, c; peepholes i, o, f.
  UnrolledState Lstm(Value* x, const UnrolledState& state) {
    Value* const all = Add(x, Linear(state.h, weights_.r, weights_.rb));
    Value* const input = Activate(0, Peeped(Gate(all, 0), state.c, 0));
    Value* const forget =
        form_.coupled ? OneMinus(input) : Activate(0, Peeped(Gate(all, 2), state.c, 2));
    Value* const fresh = Activate(1, Gate(all, 3));
    Value* const c = Bounded(Add(Mul(forget, state.c), Mul(input, fresh)), form_.cell_clip);
    Value* const output = Activate(0, Peeped(Gate(all, 1), c, 1));
    Value* h = Mul(output, ActivateUnbounded(2, c));
    if (weights_.projection != nullptr) h = Linear(h, weights_.projection, nullptr);
    return {Bounded(h, form_.output_clip), c};
  }

  // Gates in the order z, r, h.
  UnrolledState Gru(Value* x, Value* h) {
    Value* total = form_.linear_before_reset
                       ? Linear(h, weights_.r, weights_.rb)
                       : Linear(h, Rows(weights_.r, 0, 2), Rows(weights_.rb, 0, 2));
    Value* const update = Activate(0, Add(Gate(x, 0), Gate(total, 0)));
    Value* const reset = Activate(0, Add(Gate(x, 1), Gate(total, 1)));
    Value* const candidate =
        form_.linear_before_reset
            ? Mul(reset, Gate(total, 2))
            : Linear(Mul(reset, h), Rows(weights_.r, 2, 3), Rows(weights_.rb, 2, 3));
    Value* const fresh = Activate(1, Add(Gate(x, 2), candidate));
    return {Add(Mul(OneMinus(update), fresh), Mul(update, h)), nullptr};
  }

  UnrolledState Rnn(Value* x, Value* h) {
    return {Activate(0, Add(x, Linear(h, weights_.r, weights_.rb))), nullptr};
  }

 private:
  Value* Add(Value* a, Value* b) { return nodes_.Op("Add", {a, b}); }
  Value* Mul(Value* a, Value* b) { return nodes_.Op("Mul", {a, b}); }
  Value* OneMinus(Value* a) { return nodes_.Op("Sub", {nodes_.Scalar(1, a), a}); }
  Value* Linear(Value* x, Value* weight, Value* bias) {
    return nodes_.Op("dragoman.Linear", {x, weight, bias});
  }
  Value* Gate(Value* all, std::int64_t i) {
    return nodes_.Slice(all, 1, i * hidden_, (i + 1) * hidden_);
  }
  Value* Rows(Value* weight, std::int64_t from, std::int64_t to) {
    return weight == nullptr ? nullptr : nodes_.Slice(weight, 0, from * hidden_, to * hidden_);
  }
  Value* Peeped(Value* x, Value* c, std::int64_t i) {
    return weights_.p == nullptr ? x : Add(x, Mul(c, Rows(weights_.p, i, i + 1)));
  }

  Value* Bounded(Value* x, float bound) {
    if (bound == 0.0f) return x;
    return nodes_.Op("Clip", {x, nodes_.Scalar(-bound, x), nodes_.Scalar(bound, x)});
  }

  Value* Activate(std::size_t i, Value* x) { return ActivateUnbounded(i, Bounded(x, form_.clip)); }

  Value* ActivateUnbounded(std::size_t i, Value* x) {
    const rt::RnnFunction& f = functions_[i];
    const auto scaled = [&](Value* value, float factor) {
      return factor == 1.0f ? value : Mul(value, nodes_.Scalar(factor, value));
    };
    switch (f.kind) {
      case rt::RnnActivation::kRelu:
        return nodes_.Op("Relu", {x});
      case rt::RnnActivation::kTanh:
        return nodes_.Op("Tanh", {x});
      case rt::RnnActivation::kSigmoid:
        return nodes_.Op("Sigmoid", {x});
      case rt::RnnActivation::kAffine:
        return Add(scaled(x, f.alpha), nodes_.Scalar(f.beta, x));
      case rt::RnnActivation::kLeakyRelu:
        return nodes_.Op("LeakyRelu", {x}, {{"alpha", f.alpha}});
      case rt::RnnActivation::kThresholdedRelu:
        return nodes_.Op("Where", {nodes_.Op("GreaterOrEqual", {x, nodes_.Scalar(f.alpha, x)}), x,
                                   nodes_.Scalar(0, x)});
      case rt::RnnActivation::kScaledTanh:
        return scaled(nodes_.Op("Tanh", {scaled(x, f.beta)}), f.alpha);
      case rt::RnnActivation::kHardSigmoid:
        return nodes_.Op("HardSigmoid", {x}, {{"alpha", f.alpha}, {"beta", f.beta}});
      case rt::RnnActivation::kElu:
        return nodes_.Op("Elu", {x}, {{"alpha", f.alpha}});
      case rt::RnnActivation::kSoftsign:
        return nodes_.Op("Softsign", {x});
      case rt::RnnActivation::kSoftplus:
        return nodes_.Op("Softplus", {x});
    }
    return x;
  }

  StepNodes& nodes_;
  const RecurrentForm& form_;
  const std::array<rt::RnnFunction, 3>& functions_;
  const std::int64_t hidden_;
  const UnrolledWeights& weights_;
};

}  // namespace

UnrolledState AppendUnrolledCell(StepNodes& nodes, const RecurrentForm& form, int d,
                                 std::int64_t hidden, const UnrolledWeights& weights, Value* x,
                                 const UnrolledState& state) {
  UnrolledCell cell(nodes, form, d, hidden, weights);
  switch (form.kind) {
    case RecurrentForm::Kind::kLstm:
      return cell.Lstm(x, state);
    case RecurrentForm::Kind::kGru:
      return cell.Gru(x, state.h);
    case RecurrentForm::Kind::kRnn:
      break;
  }
  return cell.Rnn(x, state.h);
}

}  // namespace dragoman
