// SPDX-License-Identifier: Apache-2.0
// aten::quantized_lstm and quantized_gru: a Scan for each direction of a layer. Its products are
// those of quantized::linear_dynamic: one range for the whole sequence of inputs, one for each
// step's state.
#include "importers/torch/ops/op_rows.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <unordered_set>

#include "core/lowering/name_body.h"
#include "importers/torch/ops/packed_weights.h"

namespace dragoman::torch {
namespace {

struct State {
  Value* h = nullptr;
  Value* c = nullptr;  // of an LSTM
};

enum class Kind : std::uint8_t { kLstm, kGru, kRelu, kTanh };

struct KindRow {
  std::string_view type;
  Kind kind;
};

constexpr KindRow kQuantizedKinds[] = {
    {"quantized_gru", Kind::kGru},
    {"quantized_gru_cell_dynamic", Kind::kGru},
    {"quantized_lstm", Kind::kLstm},
    {"quantized_lstm_cell_dynamic", Kind::kLstm},
    {"quantized_rnn_relu_cell_dynamic", Kind::kRelu},
    {"quantized_rnn_tanh_cell_dynamic", Kind::kTanh},
};

Kind QuantizedKindOf(const OpName& op) {
  return std::ranges::find(kQuantizedKinds, std::string_view(op.type), &KindRow::type)->kind;
}

// A cell, given its products with input and state.
State Step(Composer& c, Kind kind, Value* gates, Value* recurrent, const State& before) {
  const auto split = [&c](Value* x, std::size_t count) {
    return c.Ops("Split", {x},
                 {{"axis", std::int64_t{1}}, {"num_outputs", static_cast<std::int64_t>(count)}},
                 count);
  };
  if (kind == Kind::kRelu) return {c.Op("Relu", {c.Add(gates, recurrent)}), nullptr};
  if (kind == Kind::kTanh) return {c.Tanh(c.Add(gates, recurrent)), nullptr};
  if (kind == Kind::kLstm) {
    const std::vector<Value*> parts = split(c.Add(recurrent, gates), 4);  // i f g o
    Value* kept = c.Mul(c.Sigmoid(parts[1]), before.c);
    Value* cell = c.Add(kept, c.Mul(c.Sigmoid(parts[0]), c.Tanh(parts[2])));
    return {c.Mul(c.Sigmoid(parts[3]), c.Tanh(cell)), cell};
  }
  const std::vector<Value*> x = split(gates, 3);  // r z n
  const std::vector<Value*> h = split(recurrent, 3);
  Value* reset = c.Sigmoid(c.Add(h[0], x[0]));
  Value* update = c.Sigmoid(c.Add(h[1], x[1]));
  Value* fresh = c.Tanh(c.Add(x[2], c.Mul(h[2], reset)));
  return {c.Add(c.Mul(c.Sub(before.h, fresh), update), fresh), nullptr};
}

class QuantizedRecurrence {
 public:
  explicit QuantizedRecurrence(Call& call)
      : call_(call), c_(call), kind_(QuantizedKindOf(call.op())), is_lstm_(kind_ == Kind::kLstm) {}
  Result<Results> Run();

 private:
  struct Direction {
    PackedWeights input;
    PackedWeights state;
    bool through_f16 = false;
    bool reduce_range = false;
  };

  std::vector<Direction> Directions();
  Value* Product(Composer& c, const PackedWeights& layer, const Direction& direction, Value* x);
  std::shared_ptr<Graph> Body(const Direction& direction, Value* gates, const State& first);
  Value* Sequence(const Direction& direction, Value* x, const State& first, bool reversed);

  Call& call_;
  CallComposer c_;
  Kind kind_;
  bool is_lstm_;
  std::vector<Value*> last_h_, last_c_;
};

std::vector<QuantizedRecurrence::Direction> QuantizedRecurrence::Directions() {
  std::vector<Direction> directions;
  const Abstract params = c_.Take(call_.Argument("params"));
  const auto* list = params.As<ListRef>();
  if (list == nullptr) return directions;
  for (const Abstract& item : std::get<ListContents>(list->cell->contents).items) {
    const PackedWeights cell(call_, item);
    const std::string kind = cell.Text("kind");
    const std::vector<PackedWeights> layers = cell.Objects("packed");
    if ((kind != "quantized_dynamic" && kind != "quantized_fp16") || layers.size() != 2) {
      c_.Fail("weights of a cell of kind '" + kind + "'");
      return {};
    }
    const std::vector<std::int64_t> flags = cell.Ints("flags");
    directions.push_back(
        {layers[0], layers[1], kind == "quantized_fp16", !flags.empty() && flags.front() != 0});
  }
  return directions;
}

Value* QuantizedRecurrence::Product(Composer& c, const PackedWeights& layer,
                                    const Direction& direction, Value* x) {
  if (!direction.through_f16) x = RoundedToOwnRange(c, x, direction.reduce_range);
  return layer.Linear(c, x, direction.through_f16);
}

// One step: (h, c, gates of the input) -> (h, c, h).
std::shared_ptr<Graph> QuantizedRecurrence::Body(const Direction& direction, Value* gates,
                                                 const State& first) {
  auto body = std::make_shared<Graph>();
  std::unordered_set<std::string> names;
  GraphBuilder inner(*body, call_.builder().inference(), names);
  inner.set_origin(call_.builder().origin());
  const Shape* sizes = gates->type().shape();
  State before{body->AddInput("h", first.h->type()), nullptr};
  if (is_lstm_) before.c = body->AddInput("c", first.c->type());
  Type step = Type::Tensor(DType::kF32);
  if (sizes != nullptr && !sizes->empty())
    step = Type::Tensor(DType::kF32, Shape(sizes->begin() + 1, sizes->end()));
  Value* x = body->AddInput("x", step);
  Composer c(inner);
  const State after = Step(c, kind_, x, Product(c, direction.state, direction, before.h), before);
  c_.Take(c.Done(after.h));
  if (c.failed()) return nullptr;
  body->AddOutput(after.h);
  if (is_lstm_) body->AddOutput(after.c);
  body->AddOutput(after.h);
  NameInModel(*body, call_.builder());
  return body;
}

// (T, B, H) of (T, B, I).
Value* QuantizedRecurrence::Sequence(const Direction& direction, Value* x, const State& first,
                                     bool reversed) {
  Value* gates = Product(c_, direction.input, direction, x);
  if (c_.failed()) return nullptr;
  const std::shared_ptr<Graph> body = Body(direction, gates, first);
  if (body == nullptr) return nullptr;
  const std::vector<std::int64_t> way = {reversed ? 1 : 0};
  std::vector<Value*> operands = {first.h};
  if (is_lstm_) operands.push_back(first.c);
  operands.push_back(gates);
  const std::vector<Value*> results = c_.Ops("Scan", operands,
                                             {{"body", body},
                                              {"num_scan_inputs", std::int64_t{1}},
                                              {"scan_input_directions", way},
                                              {"scan_output_directions", way}},
                                             is_lstm_ ? 3 : 2);
  last_h_.push_back(c_.Unsqueeze(results[0], {0}));
  if (is_lstm_) last_c_.push_back(c_.Unsqueeze(results[1], {0}));
  return results.back();
}

Result<Results> QuantizedRecurrence::Run() {
  if (!call_.Declares("input"))
    return call_.Unsupported("of packed sequences; call the layer on padded tensors");
  Value* x = c_.Tensor("input");
  const std::vector<Value*> states =
      is_lstm_ ? c_.Tensors("hx") : std::vector<Value*>{c_.Tensor("hx")};
  const std::vector<Direction> directions = Directions();
  const std::size_t ways = c_.Bool("bidirectional") ? 2 : 1;
  const auto layers = static_cast<std::size_t>(std::max<std::int64_t>(c_.Int("num_layers"), 1));
  const bool batch_first = c_.Bool("batch_first");
  if (c_.failed()) return c_.DoneWith({});
  if (states.size() != (is_lstm_ ? 2u : 1u) || directions.size() != layers * ways)
    return call_.Invalid("the number of weights or states is not that of the layers");
  if (batch_first) x = c_.Transpose(x, {1, 0, 2});
  for (std::size_t i = 0; i < directions.size(); i += ways) {
    std::vector<Value*> results;
    for (std::size_t way = 0; way < ways; ++way) {
      const auto place = static_cast<std::int64_t>(i + way);
      const State first{c_.Select(states[0], 0, place),
                        is_lstm_ ? c_.Select(states[1], 0, place) : nullptr};
      results.push_back(Sequence(directions[i + way], x, first, way == 1));
      if (c_.failed()) return c_.DoneWith({});
    }
    x = ways == 1 ? results[0] : c_.Concat(results, 2);
  }
  if (batch_first) x = c_.Transpose(x, {1, 0, 2});
  Value* h = c_.Concat(last_h_, 0);
  if (!is_lstm_) return c_.Done({x, h});
  return c_.Done({x, h, c_.Concat(last_c_, 0)});
}

// Torch reduces the range of both operands.
Result<Results> LowerQuantizedCell(Call& call) {
  CallComposer c(call);
  const Kind kind = QuantizedKindOf(call.op());
  const std::vector<Value*> states =
      kind == Kind::kLstm ? c.Tensors("hx") : std::vector<Value*>{c.Tensor("hx")};
  const PackedWeights input(call, c.Take(call.Argument("w_ih")));
  const PackedWeights state(call, c.Take(call.Argument("w_hh")));
  if (c.failed()) return c.Done({});
  if (states.size() != (kind == Kind::kLstm ? 2u : 1u))
    return call.Invalid("the number of states is not that of the cell");
  const State before{states[0], states.back()};
  Value* gates = input.Linear(c, RoundedToOwnRange(c, c.Tensor("input"), true), false);
  Value* recurrent = state.Linear(c, RoundedToOwnRange(c, before.h, true), false);
  const State after = Step(c, kind, gates, recurrent, before);
  if (kind == Kind::kLstm) return c.Done({after.h, after.c});
  return c.Done({after.h});
}

Result<Results> LowerQuantizedRecurrence(Call& call) { return QuantizedRecurrence(call).Run(); }

}  // namespace

std::span<const OpRow> QuantizedRecurrenceRows() {
  static constexpr OpRow kRows[] = {
      {"aten.quantized_gru", LowerQuantizedRecurrence},
      {"aten.quantized_lstm", LowerQuantizedRecurrence},
      {"quantized.quantized_gru_cell_dynamic", LowerQuantizedCell},
      {"quantized.quantized_lstm_cell_dynamic", LowerQuantizedCell},
      {"quantized.quantized_rnn_relu_cell_dynamic", LowerQuantizedCell},
      {"quantized.quantized_rnn_tanh_cell_dynamic", LowerQuantizedCell},
  };
  return kRows;
}

}  // namespace dragoman::torch
