// SPDX-License-Identifier: Apache-2.0
// DynamicQuantizeLSTM: an LSTM whose weights are 8-bit integers, and whose inputs and states are
// rounded before each product, to the range that they have there.
#include <memory>
#include <string>
#include <unordered_set>

#include "core/ir/find_as.h"
#include "core/lowering/name_body.h"
#include "core/ops/default_activations.h"
#include "importers/onnx/ops/contrib_quantized.h"

namespace dragoman {
namespace {

enum Operand : std::size_t {
  kX,     // (steps, batch, features)
  kW,     // (directions, features, 4 hidden): gates input, output, forget, cell
  kR,     // (directions, hidden, 4 hidden)
  kBias,  // (directions, 8 hidden): of both products
  kLengths,
  kFirstH,  // (directions, batch, hidden)
  kFirstC,
  kPeephole,
  kWScale,  // (directions) or (directions, 4 hidden)
  kWZero,
  kRScale,
  kRZero
};

struct State {
  Value* h;
  Value* c;
};

Value* RoundedProduct(Composer& f, Value* x, const QuantizedFactor& weight) {
  const std::vector<Value*> rounded = f.Ops("DynamicQuantizeLinear", {x}, {}, 3);
  return ScaledProduct(f, {rounded[0], rounded[1], rounded[2]}, weight);
}

State Step(Composer& f, Value* gates, const State& before, const QuantizedFactor& weight) {
  Value* sums = f.Add(gates, RoundedProduct(f, before.h, weight));
  const std::vector<Value*> parts =
      f.Ops("Split", {sums}, {{"axis", std::int64_t{-1}}, {"num_outputs", std::int64_t{4}}}, 4);
  Value* kept = f.Mul(f.Sigmoid(parts[2]), before.c);
  Value* c = f.Add(kept, f.Mul(f.Sigmoid(parts[0]), f.Tanh(parts[3])));
  return {f.Mul(f.Sigmoid(parts[1]), f.Tanh(c)), c};
}

// One step as a body: (h, c, gates) -> (h, c, h).
Result<std::shared_ptr<Graph>> Body(OpLowering& op, const Type& gates, const State& first,
                                    const QuantizedFactor& weight) {
  auto body = std::make_shared<Graph>();
  std::unordered_set<std::string> names;
  GraphBuilder inner(*body, op.builder.inference(), names);
  inner.set_origin(op.builder.origin());
  const State before{body->AddInput("h", first.h->type()), body->AddInput("c", first.c->type())};
  Value* x = body->AddInput("x", gates);
  Composer f(inner);
  const State after = Step(f, x, before, weight);
  DRAGOMAN_TRY(f.status());
  for (Value* output : {after.h, after.c, after.h}) body->AddOutput(output);
  NameInModel(*body, op.builder);
  return body;
}

struct Way {
  Value* steps;  // (steps, batch, hidden)
  State last;
};

// The part of operand `i` for direction `way`; nullptr if it is omitted.
Value* Part(OpComposer& f, const OpLowering& op, std::size_t i, std::int64_t way) {
  return op.operand(i) != nullptr ? f.Select(op.operand(i), 0, way) : nullptr;
}

Result<Way> RunWay(OpLowering& op, OpComposer& f, std::int64_t hidden, std::int64_t way,
                   bool reversed) {
  const auto weight = [&](std::size_t i, std::size_t scale) {
    return QuantizedFactor{Part(f, op, i, way), Part(f, op, scale, way),
                           Part(f, op, scale + 1, way)};
  };
  Value* gates = RoundedProduct(f, op.operand(kX), weight(kW, kWScale));
  if (Value* bias = Part(f, op, kBias, way)) {
    gates = f.Add(gates, f.Slice(bias, 0, 0, 4 * hidden));
    gates = f.Add(gates, f.Slice(bias, 0, 4 * hidden, 8 * hidden));
  }
  const auto first = [&](std::size_t i) {
    Value* given = Part(f, op, i, way);
    if (given != nullptr) return given;
    return f.Full(f.ConcatSizes({f.SizeVector(op.operand(kX), 1, 1), f.Ints({hidden})}), 0,
                  DType::kF32);
  };
  const State begin{first(kFirstH), first(kFirstC)};
  DRAGOMAN_TRY(f.status());
  const Shape* sizes = gates->type().shape();
  if (sizes == nullptr || sizes->size() != 3) return op.Unsupported("an operand of unknown rank");
  const Type step = Type::Tensor(DType::kF32, Shape(sizes->begin() + 1, sizes->end()));
  DRAGOMAN_ASSIGN(const std::shared_ptr<Graph> body, Body(op, step, begin, weight(kR, kRScale)));
  const Attribute::Ints direction = {reversed ? 1 : 0};
  const std::vector<Value*> results = f.Ops("Scan", {begin.h, begin.c, gates},
                                            {{"body", Attribute(body)},
                                             {"num_scan_inputs", std::int64_t{1}},
                                             {"scan_input_directions", direction},
                                             {"scan_output_directions", direction}},
                                            3);
  return Way{results[2], {results[0], results[1]}};
}

Status RefuseForms(OpLowering& op) {
  DRAGOMAN_ASSIGN(const bool coupled, TakeFlag(op, "input_forget"));
  if (coupled) return op.Unsupported("input_forget");
  if (op.Has("clip")) return op.Unsupported("clip");
  for (std::size_t i : {std::size_t{kLengths}, std::size_t{kPeephole}}) {
    if (op.operand(i) != nullptr) return op.Unsupported("operand " + std::to_string(i));
  }
  const auto* activations = FindAs<Attribute::Strings>(op.attributes, "activations");
  const auto usual = DefaultActivations("LSTM");
  for (std::size_t i = 0; activations != nullptr && i < activations->size(); ++i) {
    if ((*activations)[i] != usual[i % usual.size()])
      return op.Unsupported("activation " + (*activations)[i]);
  }
  op.Drop("activations");
  return {};
}

}  // namespace

LoweredResults LowerDynamicQuantizeLstm(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({kX, kW, kR, kWScale, kWZero, kRScale, kRZero}));
  DRAGOMAN_TRY(RefuseForms(op));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> hidden, op.TakeInt("hidden_size"));
  DRAGOMAN_ASSIGN(const std::optional<std::string> given, op.TakeString("direction"));
  const std::string direction = given.value_or("forward");
  if (hidden.value_or(0) < 1 || *hidden > (std::int64_t{1} << 31))
    return op.Invalid("hidden_size is missing or no size");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    return op.Invalid("direction is " + direction);
  OpComposer f(op);
  std::vector<Value*> steps, h, c;
  const std::int64_t ways = direction == "bidirectional" ? 2 : 1;
  for (std::int64_t way = 0; way < ways; ++way) {
    const bool reversed = direction == "reverse" || way == 1;
    DRAGOMAN_ASSIGN(const Way done, RunWay(op, f, *hidden, way, reversed));
    steps.push_back(f.Unsqueeze(done.steps, {1}));
    h.push_back(f.Unsqueeze(done.last.h, {0}));
    c.push_back(f.Unsqueeze(done.last.c, {0}));
  }
  const auto joined = [&](std::vector<Value*> parts, std::int64_t axis, std::size_t i) {
    return f.Op("Concat", std::move(parts), {{"axis", axis}}, op.ResultName(i));
  };
  std::vector<Value*> results = {joined(steps, 1, 0), joined(h, 0, 1), joined(c, 0, 2)};
  results.resize(op.num_results());
  return f.Finish(std::move(results));
}

}  // namespace dragoman
