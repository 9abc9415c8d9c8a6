// SPDX-License-Identifier: Apache-2.0
#include "exporters/pt2/ops/op_rows.h"

#include "exporters/pt2/ops/recurrent.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include "core/ir/find_as.h"
#include "core/ir/node_attributes.h"

namespace dragoman::pt2 {
namespace {

constexpr std::size_t kWeight = 1;
constexpr std::size_t kRecurrence = 2;
constexpr std::size_t kBias = 3;
constexpr std::size_t kLengths = 4;
constexpr std::size_t kInitialHidden = 5;
constexpr std::size_t kInitialCell = 6;
constexpr std::size_t kPeepholes = 7;

const Attribute::Strings* ActivationsOf(const Node& node) {
  return FindAs<Attribute::Strings>(node.attributes(), "activations");
}

std::string Lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  return text;
}

// The functions of torch's cells, for each direction: of an RNN the one that it states.
bool HasUsualFunctions(const Node& node) {
  const Attribute::Strings* stated = ActivationsOf(node);
  if (stated == nullptr || stated->empty()) return true;
  if (node.Is("RNN")) {
    const std::string first = Lower(stated->front());
    const bool is_known = first == "tanh" || first == "relu";
    return is_known && std::ranges::all_of(
                           *stated, [&](const std::string& name) { return Lower(name) == first; });
  }
  const std::size_t cell = node.Is("LSTM") ? 3 : 2;
  for (std::size_t i = 0; i < stated->size(); ++i) {
    if (Lower((*stated)[i]) != (i % cell == 0 ? "sigmoid" : "tanh")) return false;
  }
  return true;
}

// The rows of gates, from ONNX's order to torch's.
Ints GateOrder(const Node& node) {
  if (node.Is("LSTM")) return {0, 2, 3, 1};  // i o f c: i f g o
  if (node.Is("GRU")) return {1, 0, 2};      // z r h: r z n
  return {0};
}

// `tensor`, whose axis 1 is of gates, for one direction, with gates in torch's order. `first` and
// `gates` choose those of a bias.
dragoman::Tensor OfDirection(const dragoman::Tensor& tensor, std::size_t direction,
                             std::size_t first, const Ints& gates) {
  std::vector<std::int64_t> sizes(tensor.sizes().begin() + 1, tensor.sizes().end());
  const auto directions = static_cast<std::size_t>(tensor.sizes()[0]);
  const std::size_t bytes = tensor.bytes().size() / directions;
  const std::size_t parts = sizes.size() > 1 ? gates.size() : 2 * gates.size();
  const std::size_t part = bytes / parts;
  std::string rows;
  const auto* data =
      reinterpret_cast<const char*>(tensor.bytes().data()) + direction * bytes + first * part;
  for (std::int64_t gate : gates) rows.append(data + static_cast<std::size_t>(gate) * part, part);
  sizes[0] = sizes[0] / static_cast<std::int64_t>(parts) * static_cast<std::int64_t>(gates.size());
  Result<dragoman::Tensor> made =
      dragoman::Tensor::Make(tensor.dtype(), std::move(sizes), Buffer::Own(std::move(rows)));
  return made.ok() ? *std::move(made) : dragoman::Tensor();
}

// "encoder/lstm" of node "/encoder/lstm/LSTM".
std::string ModuleOf(const Node& node) {
  const std::string& name = node.name();
  const std::size_t slash = name.find_last_of('/');
  if (slash != std::string::npos && slash > 0) return name.substr(0, slash);
  return name.empty() ? Lower(node.op().type) : name;
}

class RecurrenceEmitter {
 public:
  explicit RecurrenceEmitter(const AtenOp& op)
      : op_(op),
        is_lstm_(op.node.Is("LSTM")),
        direction_(op.String("direction", "forward")),
        directions_(direction_ == "bidirectional" ? 2 : 1),
        batch_first_(op.Int("layout") != 0) {}

  Emitted Emit() {
    Term x = op_.arg(0);
    // What is turned for the node comes with the batch first.
    const std::optional<Permuted> turned = op_.graph.FindPermuted(x);
    const bool is_turned = !batch_first_ && turned && turned->order == Ints{1, 0, 2};
    if (is_turned) x = turned->from;
    const std::int64_t time = batch_first_ || is_turned ? 1 : 0;
    const bool is_reverse = direction_ == "reverse";
    if (is_reverse) x = op_.Flip(x, {time});
    DRAGOMAN_ASSIGN(const Terms states, InitialStates(x.dtype, x.shape.at(time == 1 ? 0 : 1)));
    DRAGOMAN_ASSIGN(const Terms weights, WeightsOf());
    const Dim hidden = states.front().shape[2];
    Shape all = x.shape;
    all[2] = hidden * Dim(directions_);
    std::vector<TermType> types = {{x.dtype, all}};
    for (const Term& state : states) types.push_back({state.dtype, state.shape});
    const ArgumentValue initial = is_lstm_ ? ArgumentValue(states) : ArgumentValue(states.front());
    const Terms results = op_.graph.CallMany(Target(),
                                             {{"input", x},
                                              {"hx", initial},
                                              {"params", weights},
                                              {"has_biases", op_.has(kBias)},
                                              {"num_layers", 1},
                                              {"dropout", 0.0},
                                              {"train", false},
                                              {"bidirectional", directions_ == 2},
                                              {"batch_first", time == 1}},
                                             types, false);
    Term sequence = is_reverse ? op_.Flip(results[0], {time}) : results[0];
    if (is_turned) sequence = op_.Permute(sequence, {1, 0, 2});
    DRAGOMAN_ASSIGN(sequence, WithDirections(sequence, hidden));
    Terms given = {sequence};
    for (std::size_t i = 1; i < results.size(); ++i)
      given.push_back(batch_first_ ? op_.SwapAxes(results[i], 0, 1) : results[i]);
    given.resize(op_.node.num_results());
    return given;
  }

 private:
  std::string_view Target() const {
    if (is_lstm_) return "aten.lstm.input";
    if (op_.node.Is("GRU")) return "aten.gru.input";
    const Attribute::Strings* stated = ActivationsOf(op_.node);
    const bool is_relu = stated != nullptr && !stated->empty() && Lower(stated->front()) == "relu";
    return is_relu ? "aten.rnn_relu.input" : "aten.rnn_tanh.input";
  }

  // (T, B, D * H) as (T, D, B, H), with the batch first (B, T, D, H).
  Result<Term> WithDirections(const Term& sequence, const Dim& hidden) const {
    if (directions_ == 1) return op_.Unsqueeze(sequence, batch_first_ ? 2 : 1);
    Shape parts = {sequence.shape[0], sequence.shape[1], Dim(directions_), hidden};
    DRAGOMAN_ASSIGN(const Term split, op_.Reshape(sequence, parts));
    return batch_first_ ? split : op_.SwapAxes(split, 1, 2);
  }

  Result<Terms> InitialStates(DType dtype, const Dim& batch) const {
    const Term recurrence = op_.arg(kRecurrence);
    const Shape shape = {Dim(directions_), batch, recurrence.shape[2]};
    Terms states;
    for (std::size_t operand : {kInitialHidden, kInitialCell}) {
      if (operand == kInitialCell && !is_lstm_) break;
      if (op_.has(operand)) {
        const Term state = op_.arg(operand);
        states.push_back(batch_first_ ? op_.SwapAxes(state, 0, 1) : state);
        continue;
      }
      DRAGOMAN_ASSIGN(Term zeros, op_.Full(shape, 0, dtype));
      states.push_back(std::move(zeros));
    }
    return states;
  }

  // For each direction both weights and both biases, under the names of torch's modules.
  Result<Terms> WeightsOf() const {
    const Ints order = GateOrder(op_.node);
    struct Part {
      const char* name;
      std::size_t operand;
      std::size_t first;  // gate of a bias
    };
    const std::array<Part, 4> parts = {
        Part{"weight_ih_l0", kWeight, 0}, Part{"weight_hh_l0", kRecurrence, 0},
        Part{"bias_ih_l0", kBias, 0}, Part{"bias_hh_l0", kBias, order.size()}};
    Terms weights;
    for (std::size_t direction = 0; direction < static_cast<std::size_t>(directions_);
         ++direction) {
      for (const Part& part : parts) {
        if (!op_.has(part.operand)) continue;
        const std::string name =
            ModuleOf(op_.node) + "." + part.name + (direction == 1 ? "_reverse" : "");
        if (const dragoman::Tensor* known = op_.Known(part.operand)) {
          weights.push_back(
              op_.graph.MadeParameter(name, OfDirection(*known, direction, part.first, order)));
          continue;
        }
        weights.push_back(Gathered(part.operand, direction, part.first, order));
      }
    }
    return weights;
  }

  // The same of weights that the program computes.
  Term Gathered(std::size_t operand, std::size_t direction, std::size_t first,
                const Ints& order) const {
    const Term all = op_.Select(op_.arg(operand), 0, static_cast<std::int64_t>(direction));
    const auto parts =
        static_cast<std::int64_t>(operand == kBias ? 2 * order.size() : order.size());
    const std::int64_t rows = all.shape[0].known() ? all.shape[0].value() / parts : 0;
    Terms gates;
    for (std::int64_t gate : order) {
      const std::int64_t begin = (gate + static_cast<std::int64_t>(first)) * rows;
      gates.push_back(op_.Slice(all, 0, begin, begin + rows, Dim(rows)));
    }
    return op_.Concat(gates, 0);
  }

  const AtenOp& op_;
  const bool is_lstm_;
  const std::string direction_;
  const std::int64_t directions_;
  const bool batch_first_;
};

}  // namespace

// By name: these are the recurrences of the common dialect.
bool IsRecurrence(const Node& node) {
  return node.Is("LSTM") || node.Is("GRU") || node.Is("RNN") || node.IsDragoman("LSTM");
}

bool HasTorchRecurrence(const Node& node) {
  if (node.IsDragoman("LSTM")) return false;
  if (node.operand(kLengths) != nullptr) return false;
  if (node.Is("LSTM") && node.operand(kPeepholes) != nullptr) return false;
  if (FloatAttribute(node, "clip", 0) != 0 || IntAttribute(node, "input_forget", 0) != 0)
    return false;
  if (node.Is("GRU") && IntAttribute(node, "linear_before_reset", 0) == 0) return false;
  const Value* weight = node.operand(kWeight);
  const Shape* shape = weight != nullptr ? weight->type().shape() : nullptr;
  if (shape == nullptr || shape->size() != 3 || !(*shape)[1].known()) return false;
  return HasUsualFunctions(node);
}

namespace {

Emitted EmitRecurrence(AtenOp& op) {
  if (!HasTorchRecurrence(op.node)) return op.Refuse("a recurrence that torch has no operator for");
  return RecurrenceEmitter(op).Emit();
}

}  // namespace

std::span<const Row> RecurrentRows() {
  static constexpr Row kRows[] = {
      {"GRU", EmitRecurrence},
      {"LSTM", EmitRecurrence},
      {"RNN", EmitRecurrence},
  };
  return kRows;
}

}  // namespace dragoman::pt2
