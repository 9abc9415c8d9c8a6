// SPDX-License-Identifier: Apache-2.0
// Attention whose past is a matrix a head: LinearAttention, and what models of it need around it.
// Halves are computed in f32.
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/lowering/name_body.h"
#include "importers/onnx/ops/contrib.h"
#include "importers/onnx/ops/heads.h"
#include "importers/onnx/ops/lowerings.h"

namespace dragoman {
namespace {

// A size of 0 stays that of `x`.
Value* Regrouped(Composer& f, Value* x, const std::vector<std::int64_t>& sizes) {
  return f.Op("Reshape", {x, f.Ints(sizes)});
}

struct Rule {
  bool gated = false;  // the state fades before it takes the step in
  bool delta = false;  // the step takes out what the key finds
};

Result<Rule> TakeRule(OpLowering& op) {
  DRAGOMAN_ASSIGN(const std::optional<std::string> given, op.TakeString("update_rule"));
  const std::string rule = given.value_or("gated_delta");
  if (rule == "linear") return Rule{false, false};
  if (rule == "gated") return Rule{true, false};
  if (rule == "delta") return Rule{false, true};
  if (rule == "gated_delta") return Rule{true, true};
  return op.Invalid("update_rule is " + rule);
}

// What a step reads, each (batch, heads, rows, columns); with axis 1 for the steps.
struct StepOperands {
  Value* query;  // (…, queries of a head, key features)
  Value* key;    // (…, key features, 1)
  Value* value;  // (…, 1, value features)
  Value* decay;  // (…, key features or 1, 1); nullptr: none
  Value* rate;   // (…, 1, 1); nullptr: none

  std::vector<Value*> present() const {
    std::vector<Value*> values = {query, key, value};
    if (decay != nullptr) values.push_back(decay);
    if (rate != nullptr) values.push_back(rate);
    return values;
  }
};

Value* NextState(Composer& f, Value* state, const StepOperands& step) {
  if (step.decay != nullptr) state = f.Mul(step.decay, state);
  Value* added = step.value;
  if (step.rate != nullptr) {
    Value* found = f.Op("ReduceSum", {f.Mul(step.key, state), f.Ints({2})});
    added = f.Mul(step.rate, f.Sub(added, found));
  }
  return f.Add(state, f.Mul(step.key, added));
}

// (state, operands of a step) -> (state, result of the step)
Result<std::shared_ptr<Graph>> StepBody(OpLowering& op, const Type& state,
                                        const StepOperands& all) {
  auto body = std::make_shared<Graph>();
  std::unordered_set<std::string> names;
  GraphBuilder inner(*body, op.builder.inference(), names);
  inner.set_origin(op.builder.origin());
  Value* before = body->AddInput("state", state);
  const auto input = [&](const char* name, const Value* whole) -> Value* {
    if (whole == nullptr) return nullptr;
    Shape sizes = *whole->type().shape();
    sizes.erase(sizes.begin() + 1);
    return body->AddInput(name, whole->type().WithShape(std::move(sizes)));
  };
  const StepOperands step{input("query", all.query), input("key", all.key),
                          input("value", all.value), input("decay", all.decay),
                          input("rate", all.rate)};
  Composer f(inner);
  Value* after = NextState(f, before, step);
  Value* y = f.Op("MatMul", {step.query, after});
  DRAGOMAN_TRY(f.status());
  body->AddOutput(after);
  body->AddOutput(y);
  NameInModel(*body, op.builder);
  return body;
}

struct HeadCounts {
  std::int64_t query = 0;
  std::int64_t key = 0;  // of keys, values and states

  bool fit() const { return query % key == 0 || key % query == 0; }
};

Result<HeadCounts> TakeHeads(OpLowering& op) {
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> query, op.TakeInt("q_num_heads"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> key, op.TakeInt("kv_num_heads"));
  const HeadCounts heads{query.value_or(0), key.value_or(0)};
  constexpr std::int64_t kMost = 1 << 20;
  if (heads.query < 1 || heads.key < 1 || heads.query > kMost || heads.key > kMost)
    return op.Invalid("q_num_heads or kv_num_heads is missing or no number of heads");
  if (!heads.fit()) return op.Invalid("neither number of heads divides the other");
  return heads;
}

// (batch, steps, heads, a head's queries, features). Where there are fewer heads of queries, each
// stands for several.
Value* Queries(OpComposer& f, Value* query, const HeadCounts& heads) {
  if (heads.query >= heads.key)
    return Regrouped(f, query, {0, 0, heads.key, heads.query / heads.key, -1});
  Value* apart = Regrouped(f, query, {0, 0, heads.query, 1, -1});
  Value* repeated = f.Op("Expand", {apart, f.Ints({1, 1, 1, heads.key / heads.query, 1})});
  Value* joined = Regrouped(f, repeated, {0, 0, heads.key, -1});
  return f.Unsqueeze(joined, {3});
}

Result<StepOperands> Prepare(OpLowering& op, OpComposer& f, const HeadCounts& heads,
                             const Rule& rule) {
  enum : std::size_t { kQuery, kKey, kValue, kPast, kDecay, kRate };
  DRAGOMAN_TRY(op.Require({kQuery, kKey, kValue}));
  if (rule.gated) DRAGOMAN_TRY(op.Require({kDecay}));
  if (rule.delta) DRAGOMAN_TRY(op.Require({kRate}));
  DRAGOMAN_ASSIGN(const std::optional<float> scale, TakeScale(op));
  const auto by_head = [&](std::size_t i) {
    return Regrouped(f, f.Widen(op.operand(i)), {0, 0, heads.key, -1});
  };
  StepOperands all{};
  all.query = Queries(f, f.Widen(op.operand(kQuery)), heads);
  Value* features = f.Cast(f.Size(all.query, 4), f.dtype(all.query));
  all.query = scale ? f.Mul(all.query, *scale) : f.Div(all.query, f.Op("Sqrt", {features}));
  all.key = f.Unsqueeze(by_head(kKey), {4});
  all.value = f.Unsqueeze(by_head(kValue), {3});
  if (rule.gated) all.decay = f.Unsqueeze(f.Exp(by_head(kDecay)), {4});
  if (rule.delta) all.rate = f.Unsqueeze(f.Widen(op.operand(kRate)), {3, 4});
  DRAGOMAN_TRY(f.status());
  for (const Value* value : all.present()) {
    if (value->type().shape() == nullptr) return op.Unsupported("an operand of unknown rank");
  }
  return all;
}

}  // namespace

LoweredResults LowerLinearAttention(OpLowering& op) {
  constexpr std::size_t kPast = 3;
  DRAGOMAN_ASSIGN(const Rule rule, TakeRule(op));
  DRAGOMAN_ASSIGN(const HeadCounts heads, TakeHeads(op));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> window, op.TakeInt("state_window"));
  if (window.value_or(0) != 0) return op.Unsupported("state_window");
  op.Drop("chunk_size");  // how to compute it
  OpComposer f(op);
  DRAGOMAN_ASSIGN(const StepOperands all, Prepare(op, f, heads, rule));
  Value* past = op.operand(kPast);
  Value* state = past;
  if (past == nullptr) {
    Value* sizes = f.ConcatSizes(
        {f.SizeVector(all.key, 0, 1), f.SizeVector(all.key, 2, 2), f.SizeVector(all.value, 4, 1)});
    state = f.Full(sizes, 0, f.dtype(all.value));
  }
  state = f.CastLike(state, all.value);
  DRAGOMAN_TRY(f.status());
  DRAGOMAN_ASSIGN(const std::shared_ptr<Graph> body, StepBody(op, state->type(), all));
  std::vector<Value*> operands = {state};
  const std::vector<Value*> steps = all.present();
  operands.insert(operands.end(), steps.begin(), steps.end());
  const std::vector<Value*> results =
      f.Ops("Scan", std::move(operands),
            {{"body", Attribute(body)},
             {"num_scan_inputs", static_cast<std::int64_t>(steps.size())},
             {"scan_input_axes", Attribute::Ints(steps.size(), 1)},
             {"scan_output_axes", Attribute::Ints{1}}},
            2);
  DRAGOMAN_TRY(f.status());
  Value* joined = Regrouped(f, results[1], {0, 0, -1});
  const Value* like = op.operand(0);
  return f.Finish(
      {f.NamedCast(joined, f.dtype(like), op.ResultName(0)),
       f.NamedCast(results[0], f.dtype(past != nullptr ? past : like), op.ResultName(1))});
}

// The last results of a convolution along the steps see the steps before; what the next call needs
// of them is the state.
LoweredResults LowerCausalConvWithState(OpLowering& op) {
  enum : std::size_t { kX, kWeight, kBias, kPast };
  DRAGOMAN_TRY(op.Require({kX, kWeight}));
  DRAGOMAN_ASSIGN(const std::optional<std::string> activation, op.TakeString("activation"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> axes, op.TakeInt("ndim"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> window, op.TakeInt("state_window"));
  DRAGOMAN_ASSIGN(const std::optional<std::int64_t> dilated, op.TakeInt("dilation"));
  DRAGOMAN_ASSIGN(const bool channels_last, TakeFlag(op, "channels_last"));
  if (axes.value_or(1) != 1) return op.Unsupported("ndim = " + std::to_string(*axes));
  if (window.value_or(0) != 0) return op.Unsupported("state_window");
  const std::string name = activation.value_or("none");
  const bool silu = name == "silu" || name == "swish";
  if (!silu && name != "none") return op.Invalid("activation is " + name);
  DRAGOMAN_ASSIGN(const int rank, op.Rank(kX));
  if (rank != 3) return op.Unsupported("an operand of rank " + std::to_string(rank));
  OpComposer f(op);
  const std::optional<std::int64_t> channels = f.KnownSize(op.operand(kWeight), 0);
  const std::optional<std::int64_t> taps = f.KnownSize(op.operand(kWeight), 2);
  if (!channels || !taps) return op.Unsupported("weights of unknown sizes");
  const std::int64_t dilation = dilated.value_or(1);
  constexpr std::int64_t kMost = 1 << 20;
  if (dilation < 1 || dilation > kMost || *taps < 1 || *taps > kMost)
    return op.Invalid("dilation or the kernel is not a size");
  const std::int64_t kept = (*taps - 1) * dilation;
  const auto turned = [&](Value* x) { return channels_last ? f.Transpose(x, {0, 2, 1}) : x; };
  Value* x = turned(op.operand(kX));
  Value* past = op.operand(kPast) != nullptr ? turned(op.operand(kPast)) : nullptr;
  if (past == nullptr)
    past = f.Full(f.ConcatSizes({f.SizeVector(x, 0, 2), f.Ints({kept})}), 0, f.dtype(x));
  Value* joined = f.Concat({past, x}, 2);
  const auto wide = [&](Value* of) { return of != nullptr ? f.Widen(of) : nullptr; };
  Value* y = f.Op("Conv", {wide(joined), wide(op.operand(kWeight)), wide(op.operand(kBias))},
                  {{"group", *channels}, {"dilations", Attribute::Ints{dilation}}});
  if (silu) y = f.Mul(y, f.Sigmoid(y));
  Value* state = f.Slice(joined, 2, kept == 0 ? kEnd : -kept, kEnd);
  const auto named = [&](Value* value, std::size_t i) {
    return f.NamedCast(turned(value), f.dtype(op.operand(kX)), op.ResultName(i));
  };
  return f.Finish({named(y, 0), named(state, 1)});
}

// decay_scale · Softplus(a + dt_bias), Sigmoid(b)
LoweredResults LowerLinearAttentionGate(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1, 2}));
  OpComposer f(op);
  Value* a = f.Widen(op.operand(0));
  Value* soft = f.Op("Softplus", {f.Add(a, f.CastLike(op.operand(1), a))});
  Value* decay = f.Mul(f.CastLike(op.operand(2), a), soft);
  std::vector<Value*> results = {f.NamedCast(decay, f.dtype(op.operand(0)), op.ResultName(0))};
  if (Value* b = op.operand(3))
    results.push_back(f.NamedCast(f.Sigmoid(f.Widen(b)), f.dtype(b), op.ResultName(1)));
  return f.Finish(results);
}

// x / √(mean x² + epsilon) · scale · gate · Sigmoid(gate), over each `scale`'s length of elements.
LoweredResults LowerGatedRmsNorm(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1, 2}));
  DRAGOMAN_ASSIGN(const std::optional<float> epsilon, op.TakeFloat("epsilon"));
  DRAGOMAN_ASSIGN(const int rank, op.Rank(0));
  if (rank < 1) return op.Invalid("the operand is a scalar");
  OpComposer f(op);
  const std::optional<std::int64_t> length = f.KnownSize(op.operand(1), 0);
  if (!length) return op.Unsupported("a scale of unknown size");
  Value* x = f.Widen(op.operand(0));
  std::vector<std::int64_t> grouped(static_cast<std::size_t>(rank - 1), 0);
  grouped.insert(grouped.end(), {-1, *length});
  Value* unit = f.Op("RMSNormalization", {Regrouped(f, x, grouped), f.CastLike(op.operand(1), x)},
                     {{"axis", std::int64_t{-1}}, {"epsilon", epsilon.value_or(1e-5f)}});
  Value* normal = f.Op("Reshape", {unit, f.Op("Shape", {x})});
  Value* gate = f.Widen(op.operand(2));
  Value* y = f.Mul(normal, f.Mul(gate, f.Sigmoid(gate)));
  return f.Finish({f.NamedCast(y, f.dtype(op.operand(0)), op.ResultName(0))});
}

LoweredResults LowerGatedAdd(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1, 2}));
  OpComposer f(op);
  return f.Finish(
      {f.Op("Add", {op.operand(0), f.Mul(op.operand(1), op.operand(2))}, {}, op.ResultName(0))});
}

}  // namespace dragoman
