// LSTM, GRU and RNN over a known number of steps, unrolled: Relax has no recurrent operator.
#include <functional>

#include <fmt/format.h>

#include "codegen/relax/ops/emitters.h"

namespace dragoman::relax {
namespace {

constexpr std::int64_t kMaxSteps = 512;

// The weights of one direction, as (inputs, gates · hidden); what it has not is empty.
struct Weights {
  std::string input, hidden, input_bias, hidden_bias, peepholes;
};

struct State {
  std::string hidden, cell;
};

std::string Cut(const std::string& x, std::int64_t axis, std::int64_t from, std::int64_t to) {
  return fmt::format(
      "R.strided_slice({}, axes=[{}], begin=[{}], end=[{}], strides=[1], assume_inbound=False)", x,
      axis, from, to);
}

// One operator being unrolled: sizes, activations, and bindings of (batch, hidden) type.
class Unrolled {
 public:
  static Result<Unrolled> Make(RelaxOp& op, std::int64_t gates);

  // Binds to (batch, hidden).
  std::string Step(std::string_view function, const std::string& a, const std::string& b) {
    return op_->bind(fmt::format("R.{}({}, {})", function, a, b), state_);
  }
  // Activation i of the current direction, of x clipped.
  std::string Activate(std::size_t i, std::string x);
  // x + state * peephole i.
  std::string Peeped(const std::string& x, const std::string& state, const Weights& weights,
                     std::int64_t i) {
    if (weights.peepholes.empty()) return x;
    return Step("add", x, Step("multiply", state, GateOf(weights.peepholes, 0, i, i + 1)));
  }
  std::string Product(const std::string& a, const std::string& b) {
    return op_->BindPlain(fmt::format("R.matmul({}, {}, out_dtype=None)", a, b));
  }
  // a + b; either may be empty.
  std::string Sum(const std::string& a, const std::string& b) {
    if (a.empty() || b.empty()) return a.empty() ? b : a;
    return op_->BindPlain(fmt::format("R.add({}, {})", a, b));
  }
  std::string Gate(const std::string& all, std::int64_t i) {
    return op_->bind(Cut(all, 1, i * hidden_, (i + 1) * hidden_), state_);
  }
  std::string GateOf(const std::string& tensor, std::int64_t axis, std::int64_t from,
                     std::int64_t to) {
    return tensor.empty() ? "" : op_->BindPlain(Cut(tensor, axis, from * hidden_, to * hidden_));
  }
  std::string One() const { return op_->Const(1); }
  bool coupled() const { return op_->Int("input_forget", 0) != 0; }
  bool linear_before_reset() const { return op_->Int("linear_before_reset", 0) != 0; }

  using Cell = std::function<State(Unrolled&, const std::string& x, const State&, const Weights&)>;
  Expressions Run(const Cell& cell);

 private:
  Status ReadSizes();
  Status ReadActivations(std::int64_t gates);
  State Masked(std::int64_t t, const State& before, const State& after, std::string& output);
  std::string Taken(std::size_t operand, std::int64_t index, std::int64_t axis);
  Weights WeightsOf(std::int64_t direction);
  Result<std::string> Initial(std::size_t operand, std::int64_t direction);
  std::string Stacked(const std::vector<std::string>& parts, std::int64_t axis);

  RelaxOp* op_ = nullptr;
  std::int64_t gates_ = 1;
  std::int64_t steps_ = 0;
  std::int64_t hidden_ = 0;
  std::int64_t directions_ = 1;
  std::size_t direction_ = 0;
  bool reverse_ = false;
  bool batch_first_ = false;
  Type state_;  // (batch, hidden)
  std::vector<std::string> activations_;
};

Result<Unrolled> Unrolled::Make(RelaxOp& op, std::int64_t gates) {
  Unrolled made;
  made.op_ = &op;
  made.gates_ = gates;
  DRAGOMAN_TRY(made.ReadSizes());
  DRAGOMAN_TRY(made.ReadActivations(gates));
  return made;
}

std::string Unrolled::Activate(std::size_t i, std::string x) {
  const float clip = op_->Float("clip", 0.0f);
  if (op_->node.attribute("clip") != nullptr) {
    x = Step("minimum", Step("maximum", x, op_->Const(-clip)), op_->Const(clip));
  }
  const std::size_t count = activations_.size() / static_cast<std::size_t>(directions_);
  const std::string& function = activations_[direction_ * count + i];
  return op_->bind(fmt::format("R.{}({})", function, x), state_);
}

Status Unrolled::ReadSizes() {
  DRAGOMAN_ASSIGN(Shape x, op_->shape(0));
  DRAGOMAN_ASSIGN(Shape r, op_->shape(2));
  batch_first_ = op_->Int("layout", 0) != 0;
  const Dim& steps = x[batch_first_ ? 1 : 0];
  if (!steps.known() || steps.value() < 1 || steps.value() > kMaxSteps)
    return op_->Refuse(fmt::format("a number of steps that is not known or beyond {}", kMaxSteps));
  if (!r[2].known()) return op_->Refuse("the hidden size is not known");
  steps_ = steps.value();
  hidden_ = r[2].value();
  const std::string direction = op_->String("direction", "forward");
  directions_ = direction == "bidirectional" ? 2 : 1;
  reverse_ = direction == "reverse";
  state_ = Type::Tensor(op_->dtype(), Shape{x[batch_first_ ? 0 : 1], r[2]});
  return {};
}

// The functions f, g, h of a cell, direction by direction.
Status Unrolled::ReadActivations(std::int64_t gates) {
  const Attribute* given = op_->node.attribute("activations");
  std::vector<std::string> names = {"Sigmoid", "Tanh", "Tanh"};
  if (gates == 1) names = {"Tanh"};
  if (gates == 3) names = {"Sigmoid", "Tanh"};
  const std::size_t count = names.size();
  if (const auto* list = given != nullptr ? given->As<Attribute::Strings>() : nullptr)
    names = *list;
  if (given == nullptr && directions_ == 2) names.insert(names.end(), names.begin(), names.end());
  if (names.size() != count * static_cast<std::size_t>(directions_))
    return op_->Refuse("another number of activations");
  for (const std::string& name : names) {
    if (name != "Sigmoid" && name != "Tanh" && name != "Relu")
      return op_->Refuse("activation " + name);
    activations_.push_back(name == "Sigmoid" ? "sigmoid" : name == "Tanh" ? "tanh" : "nn.relu");
  }
  return {};
}

std::string Unrolled::Taken(std::size_t operand, std::int64_t index, std::int64_t axis) {
  return op_->BindPlain(fmt::format("R.take({}, {}, axis={}, mode=\"fast\")", op_->arg(operand),
                                    ConstOf(static_cast<double>(index), DType::kI64), axis));
}

Weights Unrolled::WeightsOf(std::int64_t direction) {
  auto turned = [&](std::size_t operand) {
    return op_->BindPlain(
        fmt::format("R.permute_dims({}, axes=[1, 0])", Taken(operand, direction, 0)));
  };
  Weights weights;
  weights.input = turned(1);
  weights.hidden = turned(2);
  if (op_->has(7)) weights.peepholes = Taken(7, direction, 0);
  if (!op_->has(3)) return weights;
  const std::string both = Taken(3, direction, 0);
  weights.input_bias = GateOf(both, 0, 0, gates_);
  weights.hidden_bias = GateOf(both, 0, gates_, 2 * gates_);
  return weights;
}

Result<std::string> Unrolled::Initial(std::size_t operand, std::int64_t direction) {
  if (op_->has(operand)) return Taken(operand, direction, batch_first_ ? 1 : 0);
  DRAGOMAN_ASSIGN(std::string sizes, op_->ShapeValue(*state_.shape()));
  return op_->bind(fmt::format("R.broadcast_to({}, {})", op_->Const(0), sizes), state_);
}

std::string Unrolled::Stacked(const std::vector<std::string>& parts, std::int64_t axis) {
  return op_->BindPlain(fmt::format("R.stack(({},), axis={})", fmt::join(parts, ", "), axis));
}

// The state after step t, and what it gives out: beyond a row's length the state stays and the
// output is 0, in either direction.
State Unrolled::Masked(std::int64_t t, const State& before, const State& after,
                       std::string& output) {
  output = after.hidden;
  if (!op_->has(4)) return after;
  const std::string counts = op_->BindPlain(
      fmt::format("R.less({}, {})", ConstOf(static_cast<double>(t), op_->dtype(4)), op_->arg(4)));
  const std::string mask = op_->BindPlain(fmt::format("R.expand_dims({}, axis=[1])", counts));
  auto chosen = [&](const std::string& a, const std::string& b) {
    return op_->bind(fmt::format("R.where({}, {}, {})", mask, a, b), state_);
  };
  output = chosen(after.hidden, op_->Const(0));
  return {chosen(after.hidden, before.hidden),
          after.cell.empty() ? "" : chosen(after.cell, before.cell)};
}

Expressions Unrolled::Run(const Cell& cell) {
  std::vector<std::string> sequences, hidden, cells;
  for (std::int64_t d = 0; d < directions_; ++d) {
    const bool backward = reverse_ || d == 1;
    direction_ = static_cast<std::size_t>(d);
    const Weights weights = WeightsOf(d);
    State state;
    DRAGOMAN_ASSIGN(state.hidden, Initial(5, d));
    if (gates_ == 4) {
      DRAGOMAN_ASSIGN(state.cell, Initial(6, d));
    }
    std::vector<std::string> steps(static_cast<std::size_t>(steps_));
    for (std::int64_t i = 0; i < steps_; ++i) {
      const std::int64_t t = backward ? steps_ - 1 - i : i;
      const State next = cell(*this, Taken(0, t, batch_first_ ? 1 : 0), state, weights);
      state = Masked(t, state, next, steps[static_cast<std::size_t>(t)]);
    }
    sequences.push_back(Stacked(steps, batch_first_ ? 1 : 0));
    hidden.push_back(state.hidden);
    cells.push_back(state.cell);
  }
  // Directions stand behind the steps (and the batch); in the last states behind the batch, or
  // first.
  const std::int64_t last_axis = batch_first_ ? 1 : 0;
  std::vector<std::string> expressions = {Stacked(sequences, batch_first_ ? 2 : 1),
                                          Stacked(hidden, last_axis)};
  if (gates_ == 4) expressions.push_back(Stacked(cells, last_axis));
  return expressions;
}

// Gates in the order i, o, f, c; peepholes i, o, f.
State LstmCell(Unrolled& u, const std::string& x, const State& state, const Weights& w) {
  const std::string products = u.Sum(u.Product(x, w.input), u.Product(state.hidden, w.hidden));
  const std::string all = u.Sum(u.Sum(products, w.input_bias), w.hidden_bias);
  const std::string input = u.Activate(0, u.Peeped(u.Gate(all, 0), state.cell, w, 0));
  const std::string forget = u.coupled()
                                 ? u.Step("subtract", u.One(), input)
                                 : u.Activate(0, u.Peeped(u.Gate(all, 2), state.cell, w, 2));
  const std::string fresh = u.Activate(1, u.Gate(all, 3));
  const std::string kept = u.Step("multiply", forget, state.cell);
  const std::string cell = u.Step("add", kept, u.Step("multiply", input, fresh));
  const std::string output = u.Activate(0, u.Peeped(u.Gate(all, 1), cell, w, 1));
  return {u.Step("multiply", output, u.Activate(2, cell)), cell};
}

// Gates in the order z, r, h.
State GruCell(Unrolled& u, const std::string& x, const State& state, const Weights& w) {
  const std::string from_input = u.Sum(u.Product(x, w.input), w.input_bias);
  const std::string from_hidden =
      u.Sum(u.Product(state.hidden, u.GateOf(w.hidden, 1, 0, 2)), u.GateOf(w.hidden_bias, 0, 0, 2));
  const std::string update =
      u.Activate(0, u.Step("add", u.Gate(from_input, 0), u.Gate(from_hidden, 0)));
  const std::string reset =
      u.Activate(0, u.Step("add", u.Gate(from_input, 1), u.Gate(from_hidden, 1)));
  const std::string weight = u.GateOf(w.hidden, 1, 2, 3);
  const std::string bias = u.GateOf(w.hidden_bias, 0, 2, 3);
  std::string candidate;
  if (u.linear_before_reset()) {
    candidate = u.Step("multiply", reset, u.Sum(u.Product(state.hidden, weight), bias));
  } else {
    candidate = u.Sum(u.Product(u.Step("multiply", reset, state.hidden), weight), bias);
  }
  const std::string fresh = u.Activate(1, u.Step("add", u.Gate(from_input, 2), candidate));
  const std::string open = u.Step("subtract", u.One(), update);
  const std::string kept = u.Step("multiply", update, state.hidden);
  return {u.Step("add", u.Step("multiply", open, fresh), kept), ""};
}

State RnnCell(Unrolled& u, const std::string& x, const State& state, const Weights& w) {
  const std::string products = u.Sum(u.Product(x, w.input), u.Product(state.hidden, w.hidden));
  return {u.Activate(0, u.Sum(u.Sum(products, w.input_bias), w.hidden_bias)), ""};
}

}  // namespace

Expressions EmitLstm(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Unrolled unrolled, Unrolled::Make(op, 4));
  return unrolled.Run(LstmCell);
}

Expressions EmitGru(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Unrolled unrolled, Unrolled::Make(op, 3));
  return unrolled.Run(GruCell);
}

Expressions EmitRnn(RelaxOp& op) {
  DRAGOMAN_ASSIGN(Unrolled unrolled, Unrolled::Make(op, 1));
  return unrolled.Run(RnnCell);
}

}  // namespace dragoman::relax
