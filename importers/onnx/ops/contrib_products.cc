// SPDX-License-Identifier: Apache-2.0
// Products and convolutions with what ONNX Runtime fuses into them: transpositions, a factor, a
// further summand, an activation.
#include <algorithm>
#include <numeric>
#include <utility>

#include "importers/onnx/ops/contrib.h"

namespace dragoman {
namespace {

struct Activation {
  std::string type = "Identity";
  std::vector<float> parameters;
};

// Which attributes or operands the parameters of an activation become.
struct ActivationRow {
  std::string_view type;
  std::vector<std::string_view> parameters;
};

const std::vector<ActivationRow>& Activations() {
  static const std::vector<ActivationRow> rows = {
      {"Clip", {"min", "max"}},
      {"Elu", {"alpha"}},
      {"HardSigmoid", {"alpha", "beta"}},
      {"Identity", {}},
      {"LeakyRelu", {"alpha"}},
      {"Relu", {}},
      {"Sigmoid", {}},
      {"Softplus", {}},
      {"Softsign", {}},
      {"Tanh", {}},
      {"ThresholdedRelu", {"alpha"}},
  };
  return rows;
}

Result<const ActivationRow*> RowOf(const OpLowering& op, const Activation& activation) {
  for (const ActivationRow& row : Activations()) {
    if (row.type != activation.type) continue;
    if (row.parameters.size() == activation.parameters.size()) return &row;
    return op.Invalid("activation " + activation.type + " has " +
                      std::to_string(activation.parameters.size()) + " parameters, expected " +
                      std::to_string(row.parameters.size()));
  }
  return op.Unsupported("activation " + activation.type);
}

// Of a product: a parameter an attribute. Those that the activation does not have mean nothing.
Result<Activation> TakeActivation(OpLowering& op) {
  Activation activation;
  DRAGOMAN_ASSIGN(const std::optional<std::string> type, op.TakeString("activation"));
  if (type && !type->empty()) activation.type = *type;
  const auto row = std::ranges::find(Activations(), activation.type, &ActivationRow::type);
  const std::size_t count = row == Activations().end() ? 0 : row->parameters.size();
  for (const char* name : {"activation_alpha", "activation_beta", "activation_gamma"}) {
    DRAGOMAN_ASSIGN(const std::optional<float> parameter, op.TakeFloat(name));
    if (parameter && activation.parameters.size() < count)
      activation.parameters.push_back(*parameter);
  }
  return activation;
}

// Of a convolution: a list of parameters.
Result<Activation> TakeConvActivation(OpLowering& op) {
  Activation activation;
  DRAGOMAN_ASSIGN(const std::optional<std::string> type, op.TakeString("activation"));
  DRAGOMAN_ASSIGN(const std::optional<std::vector<float>> parameters,
                  op.TakeFloats("activation_params"));
  if (type && !type->empty()) activation.type = *type;
  if (parameters) activation.parameters = *parameters;
  return activation;
}

Value* Activated(OpComposer& f, const ActivationRow& row, const std::vector<float>& parameters,
                 Value* x, std::string_view name) {
  if (row.type == "Clip")
    return f.Op("Clip", {x, f.Number(parameters[0], x), f.Number(parameters[1], x)}, {}, name);
  std::vector<NamedAttribute> attributes;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    attributes.emplace_back(std::string(row.parameters[i]), parameters[i]);
  return f.Op(row.type, {x}, std::move(attributes), name);
}

// `of_batch`: the first axis goes after the batch axes; `of_matrix`: the last two are exchanged.
Result<Value*> Turned(OpLowering& op, OpComposer& f, std::size_t i, bool of_batch, bool of_matrix) {
  if (!of_batch && !of_matrix) return op.operand(i);
  DRAGOMAN_ASSIGN(const int rank, op.Rank(i));
  if (rank < 2) return op.operand(i);
  Attribute::Ints perm(static_cast<std::size_t>(rank));
  std::iota(perm.begin(), perm.end(), 0);
  if (of_batch) std::rotate(perm.begin(), perm.begin() + 1, perm.end() - 1);
  if (of_matrix) std::swap(perm[perm.size() - 2], perm.back());
  return f.Transpose(op.operand(i), std::move(perm));
}

Result<Value*> Convolved(OpLowering& op, OpComposer& f, bool channels_last) {
  DRAGOMAN_TRY(op.Require({0, 1}));
  DRAGOMAN_ASSIGN(const Activation activation, TakeConvActivation(op));
  DRAGOMAN_ASSIGN(const ActivationRow* row, RowOf(op, activation));
  DRAGOMAN_ASSIGN(const int rank, ImageRank(op));
  const auto channels_first = [&](Value* x) {
    return channels_last ? ChannelsFirst(f, x, rank) : x;
  };
  Value* y = f.Op("Conv", {channels_first(op.operand(0)), op.operand(1), op.operand(2)},
                  std::exchange(op.attributes, {}));
  if (op.operand(3) != nullptr) y = f.Op("Add", {y, channels_first(op.operand(3))});
  const std::string name = op.ResultName(0);
  if (!channels_last) return Activated(f, *row, activation.parameters, y, name);
  return ChannelsLast(f, Activated(f, *row, activation.parameters, y, ""), rank, name);
}

}  // namespace

LoweredResults LowerFusedMatMul(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1}));
  DRAGOMAN_ASSIGN(const Activation activation, TakeActivation(op));
  DRAGOMAN_ASSIGN(const ActivationRow* row, RowOf(op, activation));
  DRAGOMAN_ASSIGN(const std::optional<float> alpha, op.TakeFloat("alpha"));
  DRAGOMAN_ASSIGN(const bool turn_a, TakeFlag(op, "transA"));
  DRAGOMAN_ASSIGN(const bool turn_b, TakeFlag(op, "transB"));
  DRAGOMAN_ASSIGN(const bool batch_a, TakeFlag(op, "transBatchA"));
  DRAGOMAN_ASSIGN(const bool batch_b, TakeFlag(op, "transBatchB"));
  OpComposer f(op);
  DRAGOMAN_ASSIGN(Value * a, Turned(op, f, 0, batch_a, turn_a));
  DRAGOMAN_ASSIGN(Value * b, Turned(op, f, 1, batch_b, turn_b));
  Value* y = f.Op("MatMul", {a, b});
  if (alpha.value_or(1) != 1) y = f.Op("Mul", {y, f.Number(*alpha, op.operand(0))});
  return f.Finish({Activated(f, *row, activation.parameters, y, op.ResultName(0))});
}

LoweredResults LowerFusedGemm(OpLowering& op) {
  DRAGOMAN_TRY(op.Require({0, 1}));
  DRAGOMAN_ASSIGN(const Activation activation, TakeActivation(op));
  DRAGOMAN_ASSIGN(const ActivationRow* row, RowOf(op, activation));
  OpComposer f(op);
  Value* y = f.Op("Gemm", op.operands, std::exchange(op.attributes, {}));
  return f.Finish({Activated(f, *row, activation.parameters, y, op.ResultName(0))});
}

LoweredResults LowerFusedConv(OpLowering& op) {
  OpComposer f(op);
  DRAGOMAN_ASSIGN(Value * y, Convolved(op, f, false));
  return f.Finish({y});
}

// NhwcConv and NhwcFusedConv: weights lie as for Conv.
LoweredResults LowerNhwcConv(OpLowering& op) {
  OpComposer f(op);
  DRAGOMAN_ASSIGN(Value * y, Convolved(op, f, true));
  return f.Finish({y});
}

}  // namespace dragoman
