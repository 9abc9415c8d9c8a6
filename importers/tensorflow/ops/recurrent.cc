// SPDX-License-Identifier: Apache-2.0
// Cells and whole recurrences of contrib.rnn and cuDNN, as the arithmetic that they stand for or as
// operators over sequences.
#include "importers/tensorflow/ops/op_rows.h"

#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "core/lowering/math.h"
#include "core/lowering/name_body.h"
#include "core/ops/elements.h"
#include "core/support/count_elements.h"

namespace dragoman::tf {
namespace {

struct LstmWeights {
  Value* matrix = nullptr;  // (input + hidden, 4 · hidden)
  Value* bias = nullptr;
  Value* peephole_i = nullptr;  // nullptr: none
  Value* peephole_f = nullptr;
  Value* peephole_o = nullptr;
  double forget_bias = 1;
  double cell_clip = 0;  // 0: none
  bool icfo = true;      // the order of the gates; else ifco
};

struct LstmStep {
  Value* i = nullptr;
  Value* cs = nullptr;
  Value* f = nullptr;
  Value* o = nullptr;
  Value* ci = nullptr;
  Value* co = nullptr;
  Value* h = nullptr;
};

Value* Peep(Composer& c, Value* gate, Value* weight, Value* state) {
  return weight != nullptr ? c.Add(gate, c.Mul(state, weight)) : gate;
}

LstmStep Step(Composer& c, const LstmWeights& weights, Value* x, Value* old_cs, Value* old_h) {
  Value* gates = c.Add(c.Op("MatMul", {c.Concat({x, old_h}, 1), weights.matrix}), weights.bias);
  const std::vector<Value*> parts =
      c.Ops("Split", {gates}, {{"axis", std::int64_t{1}}, {"num_outputs", std::int64_t{4}}}, 4);
  Value* candidate = parts[weights.icfo ? 1 : 2];
  Value* forget = parts[weights.icfo ? 2 : 1];
  if (weights.forget_bias != 0) forget = c.Add(forget, weights.forget_bias);
  LstmStep step;
  step.i = c.Sigmoid(Peep(c, parts[0], weights.peephole_i, old_cs));
  step.f = c.Sigmoid(Peep(c, forget, weights.peephole_f, old_cs));
  step.ci = c.Tanh(candidate);
  step.cs = c.Add(c.Mul(step.ci, step.i), c.Mul(old_cs, step.f));
  if (weights.cell_clip > 0) {
    step.cs = c.Op("Clip", {step.cs, c.Number(-weights.cell_clip, step.cs),
                            c.Number(weights.cell_clip, step.cs)});
  }
  step.o = c.Sigmoid(Peep(c, parts[3], weights.peephole_o, step.cs));
  step.co = c.Tanh(step.cs);
  step.h = c.Mul(step.co, step.o);
  return step;
}

// Operands from `first` on: the matrix, the peepholes i, f, o, the bias.
LstmWeights TakeWeights(Call& c, std::size_t first, std::string_view clip) {
  LstmWeights weights;
  weights.matrix = c.Tensor(first);
  if (c.BoolAttribute("use_peephole")) {
    weights.peephole_i = c.Tensor(first + 1);
    weights.peephole_f = c.Tensor(first + 2);
    weights.peephole_o = c.Tensor(first + 3);
  }
  weights.bias = c.Tensor(first + 4);
  weights.cell_clip = c.FloatAttribute(clip);
  weights.forget_bias = c.Has("forget_bias") ? c.FloatAttribute("forget_bias") : 0;
  return weights;
}

// i, cs, f, o, ci, co, h
std::vector<Value*> LowerLstmBlockCell(Call& c) {
  const LstmWeights weights = TakeWeights(c, 3, "cell_clip");
  const LstmStep step = Step(c, weights, c.Tensor(0), c.Tensor(1), c.Tensor(2));
  return {step.i, step.cs, step.f, step.o, step.ci, step.co, step.h};
}

using Steps = std::vector<Value*>;  // i, cs, f, o, ci, co, h of all steps, one after the other

std::vector<Value*> ResultsOf(const LstmStep& step) {
  return {step.i, step.cs, step.f, step.o, step.ci, step.co, step.h};
}

// By a Scan.
Steps Scanned(Call& c, const LstmWeights& weights, Value* x) {
  auto body = std::make_shared<Graph>();
  std::unordered_set<std::string> names;
  GraphBuilder inner(*body, c.builder().inference(), names);
  inner.set_origin(c.builder().origin());
  Value* first_cs = c.Tensor(2);
  Value* first_h = c.Tensor(3);
  if (c.failed()) return {};
  const Shape* sizes = x->type().shape();
  if (sizes == nullptr || sizes->empty()) {
    c.Fail("a sequence of unknown rank; state its sizes with --shape");
    return {};
  }
  Value* cs = body->AddInput("cs", first_cs->type());
  Value* h = body->AddInput("h", first_h->type());
  Value* row =
      body->AddInput("x", Type::Tensor(x->type().dtype(), Shape(sizes->begin() + 1, sizes->end())));
  Composer iteration(inner);
  const LstmStep step = Step(iteration, weights, row, cs, h);
  c.Check(iteration.status());
  if (c.failed()) return {};
  body->AddOutput(step.cs);
  body->AddOutput(step.h);
  const std::vector<Value*> values = ResultsOf(step);
  for (Value* value : values) body->AddOutput(value);
  NameInModel(*body, c.builder());
  const std::vector<Value*> results =
      c.Ops("Scan", {first_cs, first_h, x}, {{"body", body}, {"num_scan_inputs", std::int64_t{1}}},
            2 + values.size());
  return c.failed() ? Steps() : Steps(results.begin() + 2, results.end());
}

// Rows from `length` on are zeros.
Value* ZeroBehind(Call& c, Value* rows, Value* length) {
  Value* runs = c.Less(c.Iota(c.Size(rows, 0)), length);
  return c.Where(AlongAxis(c, runs, 0, 3), rows, 0);
}

// Whether `length` is the number of rows of `x`, as far as inference knows.
bool IsSizeOf(Call& c, Value* length, Value* x) {
  const Dim number = OnlyElement(c.builder().inference().Know(length));
  const Shape* sizes = x->type().shape();
  return sizes != nullptr && !sizes->empty() && Equal(number, sizes->front()) == Truth::kYes;
}

// The same for all steps of a sequence, (steps, batch, features). Steps from seq_len_max on give
// zeros.
std::vector<Value*> LowerBlockLstm(Call& c, int version) {
  LstmWeights weights = TakeWeights(c, 4, "cell_clip");
  weights.icfo = version == 1;
  Value* x = c.Tensor(1);
  Value* length = c.IndexNumber(0);
  const std::optional<std::int64_t> steps = c.KnownSize(x, 0);
  if (c.failed()) return {};
  if (steps == 0) {
    c.Fail("a sequence without steps");
    return {};
  }
  Steps all = Scanned(c, weights, x);
  if (c.failed()) return {};
  const std::optional<std::int64_t> known = c.KnownNumber(length);
  const bool whole = (known && steps && *known >= *steps) || IsSizeOf(c, length, x);
  if (whole) return all;
  for (Value*& rows : all) rows = ZeroBehind(c, rows, length);
  return all;
}

// r, u, c, h
std::vector<Value*> LowerGruBlockCell(Call& c) {
  Value* x = c.Tensor(0);
  Value* old = c.Tensor(1);
  Value* gates =
      c.Sigmoid(c.Add(c.Op("MatMul", {c.Concat({x, old}, 1), c.Tensor(2)}), c.Tensor(4)));
  const std::vector<Value*> parts =
      c.Ops("Split", {gates}, {{"axis", std::int64_t{1}}, {"num_outputs", std::int64_t{2}}}, 2);
  Value* reset = parts[0];
  Value* update = parts[1];
  Value* candidate = c.Tanh(
      c.Add(c.Op("MatMul", {c.Concat({x, c.Mul(reset, old)}, 1), c.Tensor(3)}), c.Tensor(5)));
  Value* h = c.Add(c.Mul(update, old), c.Mul(c.Sub(c.Number(1, update), update), candidate));
  return {reset, update, candidate, h};
}

// cuDNN's parameters of one layer and direction: matrices, then biases, each one a gate; those of
// the input first, then those of the state.
class CudnnParameters {
 public:
  CudnnParameters(Call& c, Value* all) : c_(c), all_(all) {}

  Value* Take(const Ints& sizes) {
    const std::optional<std::int64_t> count = CountElements(sizes);
    std::int64_t end = 0;
    if (!count || __builtin_add_overflow(at_, *count, &end))
      return c_.Fail(InvalidInput("a layer has more parameters than 64 bits count"));
    Value* part = c_.Slice(all_, 0, at_, end);
    at_ = end;
    return c_.Reshape(part, sizes);
  }

 private:
  Call& c_;
  Value* all_;
  std::int64_t at_ = 0;
};

// In the order of ai.onnx: i, o, f, c of LSTM from i, f, c, o; z, r, h of GRU from r, z, h.
Value* JoinGates(Call& c, const std::vector<Value*>& gates) {
  static constexpr std::size_t kLstm[] = {0, 3, 1, 2};
  static constexpr std::size_t kGru[] = {1, 0, 2};
  std::vector<Value*> ordered;
  for (std::size_t i = 0; i < gates.size(); ++i)
    ordered.push_back(gates[(gates.size() == 4 ? kLstm : kGru)[i]]);
  return c.Concat(std::move(ordered), 0);
}

constexpr std::int64_t kMaxLayers = 1024;
constexpr std::int64_t kMaxHidden = std::int64_t{1} << 32;

struct CudnnSizes {
  bool lstm = false;
  std::int64_t directions = 1;
  std::int64_t layers = 1;
  std::int64_t features = 0;
  std::int64_t hidden = 0;
};

void CheckCudnnAttributes(Call& c) {
  const std::string mode = c.TextAttribute("rnn_mode");
  const std::string input_mode = c.TextAttribute("input_mode");
  if (c.failed()) return;
  if (mode != "lstm" && mode != "gru") {
    c.Fail("rnn_mode " + mode + " is not supported");
  } else if (input_mode == "skip_input") {
    c.Fail("input_mode skip_input is not supported");
  } else if (c.Has("num_proj") && c.IntAttribute("num_proj") != 0) {
    c.Fail("num_proj other than 0 is not supported");
  }
}

// Of the sequence `x` and the state `h`; nullopt: it has failed.
std::optional<CudnnSizes> CudnnSizesOf(Call& c, Value* x, Value* h) {
  CudnnSizes sizes;
  sizes.lstm = c.TextAttribute("rnn_mode") == "lstm";
  sizes.directions = c.TextAttribute("direction") == "bidirectional" ? 2 : 1;
  const std::optional<std::int64_t> features = c.KnownSize(x, 2);
  const std::optional<std::int64_t> hidden = c.KnownSize(h, 2);
  const std::optional<std::int64_t> states = c.KnownSize(h, 0);
  if (c.failed()) return std::nullopt;
  if (!features || !hidden || !states) {
    c.Fail("the sizes of the operands are not known; state them with --shape");
    return std::nullopt;
  }
  sizes.features = *features;
  sizes.hidden = *hidden;
  sizes.layers = *states / sizes.directions;
  if (sizes.layers >= 1 && sizes.layers <= kMaxLayers && sizes.hidden <= kMaxHidden) return sizes;
  c.Fail(InvalidInput("a state of " + std::to_string(*states) + " layers with " +
                      std::to_string(*hidden) + " features"));
  return std::nullopt;
}

struct CudnnLayer {
  std::vector<Value*> w;  // one per direction
  std::vector<Value*> r;
  std::vector<Value*> b;
};

// From the matrices of all layers, after which come all biases.
std::vector<CudnnLayer> CudnnLayers(Call& c, const CudnnSizes& sizes) {
  CudnnParameters parameters(c, c.Tensor(3));
  const auto take = [&](const Ints& shape) {
    std::vector<Value*> gates(sizes.lstm ? 4 : 3);
    for (Value*& gate : gates) gate = parameters.Take(shape);
    return gates;
  };
  std::vector<CudnnLayer> layers(static_cast<std::size_t>(sizes.layers));
  for (CudnnLayer& layer : layers) {
    const bool first = &layer == &layers.front();
    const std::int64_t inputs = first ? sizes.features : sizes.directions * sizes.hidden;
    for (std::int64_t d = 0; d < sizes.directions; ++d) {
      const std::vector<Value*> w = take({sizes.hidden, inputs});
      const std::vector<Value*> r = take({sizes.hidden, sizes.hidden});
      layer.w.push_back(c.Unsqueeze(JoinGates(c, w), {0}));
      layer.r.push_back(c.Unsqueeze(JoinGates(c, r), {0}));
    }
  }
  for (CudnnLayer& layer : layers) {
    for (std::int64_t d = 0; d < sizes.directions; ++d) {
      const std::vector<Value*> of_w = take({sizes.hidden});
      const std::vector<Value*> of_r = take({sizes.hidden});
      Value* w = JoinGates(c, of_w);
      Value* r = JoinGates(c, of_r);
      layer.b.push_back(c.Unsqueeze(c.Concat({w, r}, 0), {0}));
    }
  }
  return layers;
}

// The results of one layer: (steps, batch, directions · hidden), and its last states.
std::vector<Value*> RunCudnnLayer(Call& c, const CudnnSizes& sizes, std::vector<Value*> operands) {
  std::vector<NamedAttribute> attributes = {
      {"direction", sizes.directions == 2 ? "bidirectional" : "forward"},
      {"hidden_size", sizes.hidden}};
  if (!sizes.lstm) attributes.push_back({"linear_before_reset", std::int64_t{1}});
  std::vector<Value*> results = c.Ops(sizes.lstm ? "LSTM" : "GRU", std::move(operands),
                                      std::move(attributes), sizes.lstm ? 3 : 2);
  Value* y = c.Transpose(results[0], {0, 2, 1, 3});
  results[0] = c.Reshape(
      y, c.ConcatSizes({c.SizeVector(y, 0, 2), c.Ints({sizes.directions * sizes.hidden})}));
  return results;
}

// output, output_h, output_c, reserve_space[, host_reserved]
std::vector<Value*> LowerCudnnRnn(Call& c) {
  CheckCudnnAttributes(c);
  if (c.failed()) return {};
  const bool time_major = c.BoolOr("time_major", true);
  const auto swapped = [&](Value* value) { return time_major ? value : c.SwapAxes(value, 0, 1); };
  Value* lengths = c.num_operands() > 4 ? c.Cast(c.Tensor(4), DType::kI32) : nullptr;
  Value* x = swapped(c.Tensor(0));
  Value* h = swapped(c.Tensor(1));
  const std::optional<CudnnSizes> sizes = CudnnSizesOf(c, x, h);
  if (!sizes) return {};
  Value* cell = sizes->lstm ? swapped(c.Tensor(2)) : nullptr;
  const std::int64_t directions = sizes->directions;
  std::int64_t first = 0;  // state of the layer
  std::vector<Value*> last_h;
  std::vector<Value*> last_c;
  for (const CudnnLayer& layer : CudnnLayers(c, *sizes)) {
    std::vector<Value*> operands = {x,
                                    c.Concat(layer.w, 0),
                                    c.Concat(layer.r, 0),
                                    c.Concat(layer.b, 0),
                                    lengths,
                                    c.Slice(h, 0, first, first + directions)};
    if (sizes->lstm) operands.push_back(c.Slice(cell, 0, first, first + directions));
    const std::vector<Value*> results = RunCudnnLayer(c, *sizes, std::move(operands));
    x = results[0];
    last_h.push_back(results[1]);
    if (sizes->lstm) last_c.push_back(results[2]);
    first += directions;
  }
  Value* y_h = c.Concat(std::move(last_h), 0);
  Value* y_c = sizes->lstm ? c.Concat(std::move(last_c), 0) : c.Mul(y_h, 0);
  std::vector<Value*> results = {swapped(x), swapped(y_h), swapped(y_c)};
  // What only gradients read.
  while (results.size() < c.num_results()) results.push_back(c.Ints({}));
  return results;
}

}  // namespace

std::span<const OpRow> RecurrentRows() {
  static constexpr OpRow kRows[] = {
      {"BlockLSTM", With<LowerBlockLstm, 1>},
      {"BlockLSTMV2", With<LowerBlockLstm, 2>},
      {"CudnnRNN", LowerCudnnRnn},
      {"CudnnRNNV2", LowerCudnnRnn},
      {"CudnnRNNV3", LowerCudnnRnn},
      {"GRUBlockCell", LowerGruBlockCell},
      {"LSTMBlockCell", LowerLstmBlockCell},
  };
  return kRows;
}

}  // namespace dragoman::tf
