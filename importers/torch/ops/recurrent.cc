// SPDX-License-Identifier: Apache-2.0
// aten::lstm, gru, rnn_tanh, rnn_relu: one LSTM, GRU or RNN of ONNX a layer. Gates are in torch's
// order in the weights and are brought into ONNX's.
#include "importers/torch/ops/op_rows.h"

#include <algorithm>
#include <array>

#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"
#include "importers/torch/ops/packed.h"

namespace dragoman::torch {
namespace {

struct CellKind {
  std::string_view type;  // torch's
  std::string_view op;    // ONNX's
  std::size_t gates;
  std::array<std::size_t, 4> order;  // ONNX's gate i is torch's gate order[i]
};

constexpr std::string_view kSingleLayer = "mkldnn_rnn_layer";

constexpr std::array<CellKind, 5> kKinds = {{
    {"gru", "GRU", 3, {1, 0, 2}},       // r z n -> z r h
    {"lstm", "LSTM", 4, {0, 3, 1, 2}},  // i f g o -> i o f c
    {kSingleLayer, "LSTM", 4, {0, 3, 1, 2}},
    {"rnn_relu", "RNN", 1, {0}},
    {"rnn_tanh", "RNN", 1, {0}},
}};

// The weights of one direction of one layer.
struct Direction {
  Value* w = nullptr;  // (gates · hidden, input)
  Value* r = nullptr;  // (gates · hidden, hidden or projected)
  Value* b_w = nullptr;
  Value* b_r = nullptr;
  Value* projection = nullptr;  // (projected, hidden)
};

bool IsZero(const Value* value) {
  while (value->producer() != nullptr && value->producer()->Is("Expand"))
    value = value->producer()->operand(0);
  if (const Tensor* tensor = value->tensor()) {
    const auto bytes = tensor->bytes();
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
  }
  const Node* node = value->producer();
  if (node == nullptr || !node->Is("ConstantOfShape")) return false;
  const Attribute* fill = node->attribute("value");
  return fill == nullptr || (fill->tensor() != nullptr && fill->tensor()->FloatAt(0) == 0);
}

class Recurrence {
 public:
  explicit Recurrence(Call& call);
  Result<Results> Run();

 private:
  void TakeSingleLayer();
  Direction Weights(std::size_t layer, std::size_t direction) const;
  Value* Reorder(Value* rows);
  Value* Stacked(const std::vector<Direction>& directions, Value* Direction::*member);
  Value* Biases(const std::vector<Direction>& directions);
  Value* LayerState(Value* state, std::size_t layer);
  Value* Join(Value* y, const std::vector<Direction>& directions);
  Value* Layer(Value* x, std::size_t layer);
  void AbsorbProjection(Value*& x, Value* h, std::vector<Direction>& directions);
  Value* AtFirstStep(Value* x, Value* h, std::size_t direction);
  Value* Project(Value* y, int axis, int result_axis, const std::vector<Direction>& directions);

  CallComposer c_;
  const CellKind& kind_;
  bool is_lstm_;
  std::size_t layers_ = 1;
  std::size_t directions_ = 1;
  bool has_biases_ = false;
  bool projects_ = false;
  bool reverse_ = false;  // the one direction is
  std::vector<Value*> params_;
  Value* h_ = nullptr;  // (layers · directions, batch, hidden)
  Value* cell_ = nullptr;
  Value* lengths_ = nullptr;  // of packed sequences
  std::vector<Value*> last_h_;
  std::vector<Value*> last_c_;
};

const CellKind& KindOf(const OpName& op) {
  return *std::find_if(kKinds.begin(), kKinds.end(),
                       [&](const CellKind& kind) { return kind.type == op.type; });
}

Recurrence::Recurrence(Call& call)
    : c_(call), kind_(KindOf(call.op())), is_lstm_(kind_.op == "LSTM") {
  if (kind_.type == kSingleLayer) {
    TakeSingleLayer();
    return;
  }
  params_ = c_.Tensors("params");
  has_biases_ = c_.Bool("has_biases");
  layers_ = static_cast<std::size_t>(std::max<std::int64_t>(c_.Int("num_layers"), 1));
  directions_ = c_.Bool("bidirectional") ? 2 : 1;
  if (c_.Bool("train") && c_.Float("dropout") > 0 && layers_ > 1) {
    c_.Fail("dropout between layers in training mode; call eval() before saving the model");
  }
  if (is_lstm_) {
    const std::vector<Value*> states = c_.Tensors("hx");
    if (states.size() == 2) {
      h_ = states[0];
      cell_ = states[1];
    }
  } else {
    h_ = c_.Tensor("hx");
  }
  const std::size_t each = params_.size() / (layers_ * directions_);
  const std::size_t plain = has_biases_ ? 4 : 2;
  projects_ = is_lstm_ && each == plain + 1;
  const bool complete = each * layers_ * directions_ == params_.size();
  if (!c_.failed() && (!complete || each != plain + (projects_ ? 1 : 0) || h_ == nullptr)) {
    c_.Fail(InvalidInput("the number of weights or states is not that of the layers"));
  }
}

// What decomposed programs have of an LSTM on a CPU: one direction of one layer.
void Recurrence::TakeSingleLayer() {
  constexpr std::int64_t kLstmMode = 2;
  if (c_.Int("mode") != kLstmMode || c_.Int("num_layers") != 1 || c_.Bool("bidirectional"))
    c_.Fail("several layers or directions, or a mode other than that of LSTM");
  has_biases_ = c_.Bool("has_biases");
  params_ = {c_.Tensor("weight0"), c_.Tensor("weight1")};
  if (has_biases_) params_.insert(params_.end(), {c_.Tensor("weight2"), c_.Tensor("weight3")});
  h_ = c_.Tensor("hx_");
  cell_ = c_.Tensor("cx_");
  reverse_ = c_.Bool("reverse");
}

Direction Recurrence::Weights(std::size_t layer, std::size_t direction) const {
  const std::size_t each = params_.size() / (layers_ * directions_);
  const std::size_t first = (layer * directions_ + direction) * each;
  Direction weights = {.w = params_[first], .r = params_[first + 1]};
  if (has_biases_) {
    weights.b_w = params_[first + 2];
    weights.b_r = params_[first + 3];
  }
  if (projects_) weights.projection = params_[first + each - 1];
  return weights;
}

// Gates of the first axis.
Value* Recurrence::Reorder(Value* rows) {
  if (kind_.gates == 1) return rows;
  const std::vector<Value*> gates =
      c_.Ops("Split", {rows},
             {{"axis", std::int64_t{0}}, {"num_outputs", static_cast<std::int64_t>(kind_.gates)}},
             kind_.gates);
  std::vector<Value*> ordered;
  for (std::size_t i = 0; i < kind_.gates; ++i) ordered.push_back(gates[kind_.order[i]]);
  return c_.Concat(std::move(ordered), 0);
}

Value* Recurrence::Stacked(const std::vector<Direction>& directions, Value* Direction::*member) {
  std::vector<Value*> rows;
  for (const Direction& direction : directions) {
    rows.push_back(c_.Unsqueeze(Reorder(direction.*member), {0}));
  }
  return rows.size() == 1 ? rows[0] : c_.Concat(std::move(rows), 0);
}

Value* Recurrence::Biases(const std::vector<Direction>& directions) {
  if (!has_biases_) return nullptr;
  return c_.Concat({Stacked(directions, &Direction::b_w), Stacked(directions, &Direction::b_r)}, 1);
}

Value* Recurrence::LayerState(Value* state, std::size_t layer) {
  const auto start = static_cast<std::int64_t>(layer * directions_);
  return layers_ == 1 ? state
                      : c_.Slice(state, 0, start, start + static_cast<std::int64_t>(directions_));
}

// h (1, batch, projected) at the direction's first step, zero at all others.
Value* Recurrence::AtFirstStep(Value* x, Value* h, std::size_t direction) {
  Value* others = c_.Sub(c_.SizeVector(x, 0, 1), c_.Ints({1}));
  Value* none = c_.Ints({0});
  Value* pads = direction == 0 ? c_.ConcatSizes({none, others}) : c_.ConcatSizes({others, none});
  return c_.Op("Pad", {h, pads, nullptr, none});
}

// An LSTM with a projection P is one without: h = P · m, where m is what the cell puts out, so R is
// replaced by R · P and h is read off m after the LSTM. The initial h, of which there is no m,
// comes in as a further part of x at the first step, whose weights are R.
void Recurrence::AbsorbProjection(Value*& x, Value* h, std::vector<Direction>& directions) {
  const bool starts_at_zero = IsZero(h_);
  if (!starts_at_zero && lengths_ != nullptr && directions.size() == 2) {
    c_.Fail("an initial state of a projected bidirectional LSTM on packed sequences");
  }
  std::vector<Value*> parts = {x};
  for (std::size_t d = 0; d < directions.size() && !c_.failed(); ++d) {
    if (starts_at_zero) continue;
    const auto at = static_cast<std::int64_t>(d);
    parts.push_back(AtFirstStep(x, c_.Slice(h, 0, at, at + 1), d));
    Value* zeros = c_.Sub(directions[d].r, directions[d].r);
    std::vector<Value*> columns = {directions[d].w};
    for (std::size_t i = 0; i < directions.size(); ++i) {
      columns.push_back(i == d ? directions[d].r : zeros);
    }
    directions[d].w = c_.Concat(std::move(columns), 1);
  }
  if (parts.size() > 1) x = c_.Concat(std::move(parts), 2);
  for (Direction& direction : directions) {
    direction.r = c_.Op("MatMul", {direction.r, direction.projection});
  }
}

// Each direction (axis `axis`, which vanishes) by its projection; joined along `result_axis`.
Value* Recurrence::Project(Value* y, int axis, int result_axis,
                           const std::vector<Direction>& directions) {
  std::vector<Value*> parts;
  for (std::size_t d = 0; d < directions.size(); ++d) {
    const auto at = static_cast<std::int64_t>(d);
    Value* part = c_.Squeeze(c_.Slice(y, axis, at, at + 1), {axis});
    part = c_.Op("dragoman.Linear", {part, directions[d].projection});
    parts.push_back(result_axis == 0 ? c_.Unsqueeze(part, {0}) : part);
  }
  return parts.size() == 1 ? parts[0] : c_.Concat(std::move(parts), result_axis);
}

// (T, directions, B, hidden) -> (T, B, directions · hidden)
Value* Recurrence::Join(Value* y, const std::vector<Direction>& directions) {
  if (projects_) return Project(y, 1, 2, directions);
  if (directions.size() == 1) return c_.Squeeze(y, {1});
  Value* together = c_.Transpose(y, {0, 2, 1, 3});
  return c_.Reshape(
      together, c_.ConcatSizes({c_.SizeVector(together, 0, 2), MergedSize(c_, together, 2, 2)}));
}

Value* Recurrence::Layer(Value* x, std::size_t layer) {
  std::vector<Direction> directions;
  for (std::size_t d = 0; d < directions_; ++d) directions.push_back(Weights(layer, d));
  Value* h = LayerState(h_, layer);
  if (projects_) AbsorbProjection(x, h, directions);
  Value* lengths = lengths_ == nullptr ? nullptr : c_.Cast(lengths_, DType::kI32);
  std::vector<Value*> operands = {x,
                                  Stacked(directions, &Direction::w),
                                  Stacked(directions, &Direction::r),
                                  Biases(directions),
                                  lengths,
                                  projects_ ? nullptr : h};
  std::vector<NamedAttribute> attributes;
  if (const std::optional<std::int64_t> hidden = c_.KnownSize(directions[0].r, 1)) {
    attributes.push_back({"hidden_size", *hidden});
  }
  if (is_lstm_) operands.push_back(LayerState(cell_, layer));
  if (kind_.op == "GRU") attributes.push_back({"linear_before_reset", std::int64_t{1}});
  if (directions_ == 2) attributes.push_back({"direction", std::string("bidirectional")});
  if (reverse_) attributes.push_back({"direction", std::string("reverse")});
  if (kind_.type == "rnn_relu") {
    attributes.push_back({"activations", Attribute::Strings(directions_, "Relu")});
  }
  const std::vector<Value*> results =
      c_.Ops(kind_.op, std::move(operands), std::move(attributes), is_lstm_ ? 3 : 2);
  last_h_.push_back(projects_ ? Project(results[1], 0, 0, directions) : results[1]);
  if (is_lstm_) last_c_.push_back(results[2]);
  return Join(results[0], directions);
}

Result<Results> Recurrence::Run() {
  const bool is_single = kind_.type == kSingleLayer;
  const bool packed = c_.call().Declares("batch_sizes") && !is_single;
  Value* x = nullptr;
  Padded padded;
  if (packed) {
    padded = Unpack(c_, c_.Tensor("data"), c_.Tensor("batch_sizes"));
    lengths_ = padded.lengths;
    x = padded.steps;
  } else {
    x = c_.Tensor("input");
  }
  const bool batch_first = !packed && c_.Bool("batch_first");
  if (batch_first) x = c_.SwapAxes(x, 0, 1);
  for (std::size_t layer = 0; layer < layers_ && !c_.failed(); ++layer) x = Layer(x, layer);
  if (c_.failed()) return c_.Done({});
  if (packed) x = Pack(c_, x, padded.mask);
  if (batch_first) x = c_.SwapAxes(x, 0, 1);
  Value* h = layers_ == 1 ? last_h_[0] : c_.Concat(last_h_, 0);
  if (!is_lstm_) return c_.Done({x, h});
  if (is_single && !c_.failed()) {
    Call& call = c_.call();
    return Results{call.NewTensor(x), call.NewTensor(h), call.NewTensor(last_c_[0]), None()};
  }
  return c_.Done({x, h, layers_ == 1 ? last_c_[0] : c_.Concat(last_c_, 0)});
}

// x · wᵀ + b, twice: of the input and of the state. Sums and products of both are in torch's order.
Value* InputPart(CallComposer& c) {
  return c.Op("dragoman.Linear", {c.Tensor("input"), c.Tensor("w_ih"), c.OptionalTensor("b_ih")});
}
Value* StatePart(CallComposer& c, Value* h) {
  return c.Op("dragoman.Linear", {h, c.Tensor("w_hh"), c.OptionalTensor("b_hh")});
}
std::vector<Value*> Gates(CallComposer& c, Value* all, std::size_t count) {
  return c.Ops("Split", {all},
               {{"axis", std::int64_t{1}}, {"num_outputs", static_cast<std::int64_t>(count)}},
               count);
}

Result<Results> LowerRecurrence(Call& call) { return Recurrence(call).Run(); }

Result<Results> LowerLstmCell(Call& call) {
  CallComposer c(call);
  const std::vector<Value*> states = c.Tensors("hx");
  if (states.size() != 2) return call.Invalid("an LSTM cell takes two states");
  Value* of_state = StatePart(c, states[0]);
  const std::vector<Value*> gates = Gates(c, c.Add(of_state, InputPart(c)), 4);
  Value* kept = c.Mul(c.Sigmoid(gates[1]), states[1]);
  Value* cell = c.Add(kept, c.Mul(c.Sigmoid(gates[0]), c.Tanh(gates[2])));
  return c.Done({c.Mul(c.Sigmoid(gates[3]), c.Tanh(cell)), cell});
}

Value* LowerGruCell(CallComposer& c) {
  Value* h = c.Tensor("hx");
  const std::vector<Value*> x = Gates(c, InputPart(c), 3);
  const std::vector<Value*> s = Gates(c, StatePart(c, h), 3);
  Value* reset = c.Sigmoid(c.Add(s[0], x[0]));
  Value* update = c.Sigmoid(c.Add(s[1], x[1]));
  Value* candidate = c.Tanh(c.Add(x[2], c.Mul(s[2], reset)));
  return c.Add(c.Mul(c.Sub(h, candidate), update), candidate);
}

Value* LowerRnnCell(CallComposer& c) {
  Value* of_state = StatePart(c, c.Tensor("hx"));
  Value* sum = c.Add(of_state, InputPart(c));
  return c.Op(c.call().op().type == "rnn_relu_cell" ? "Relu" : "Tanh", {sum});
}

}  // namespace

std::span<const OpRow> RecurrentRows() {
  static constexpr OpRow kRows[] = {
      {"aten.gru", LowerRecurrence, {.order = ResultOrder::kUnknown}},
      {"aten.gru_cell", LowerGruCell},
      {"aten.lstm", LowerRecurrence, {.order = ResultOrder::kUnknown}},
      {"aten.lstm_cell", LowerLstmCell},
      {"aten.mkldnn_rnn_layer", LowerRecurrence},
      {"aten.rnn_relu", LowerRecurrence, {.order = ResultOrder::kUnknown}},
      {"aten.rnn_relu_cell", LowerRnnCell},
      {"aten.rnn_tanh", LowerRecurrence, {.order = ResultOrder::kUnknown}},
      {"aten.rnn_tanh_cell", LowerRnnCell},
  };
  return kRows;
}

}  // namespace dragoman::torch
