// SPDX-License-Identifier: Apache-2.0
// Layers, and parts of them, that decomposed programs of torch.export call in the place of a
// user's.
#include "importers/torch/ops/lowerings.h"
#include "importers/torch/ops/op_rows.h"

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"

namespace dragoman::torch {
namespace {

// Parts of equal size along the last axis of what the input and the state give to the gates.
std::vector<Value*> GateParts(CallComposer& c, std::string_view gates, std::string_view bias,
                              std::int64_t count) {
  Value* sum = c.Widen(c.Tensor(gates));
  if (c.Has(bias)) sum = c.Add(sum, c.CastLike(c.Tensor(bias), sum));
  return c.Ops("Split", {sum}, {{"axis", std::int64_t{-1}}, {"num_outputs", count}},
               static_cast<std::size_t>(count));
}

// _batch_norm_with_update and its kin: what native_batch_norm gives, an empty reserve after the
// statistics of the batch.
Result<Results> LowerBatchNormReserve(Call& call) {
  DRAGOMAN_ASSIGN(Results results, LowerNativeBatchNorm(call));
  CallComposer c(call);
  Value* reserve = c.Full(c.Ints({0}), 0, DType::kU8);
  DRAGOMAN_ASSIGN(reserve, c.Done(reserve));
  results.insert(results.begin() + 3, call.NewTensor(reserve));
  return results;
}

// _thnn_fused_lstm_cell: the states, and what the backward pass reads.
Result<Results> LowerFusedLstmCell(Call& call) {
  CallComposer c(call);
  Value* before = c.Tensor("cx");
  const std::vector<Value*> input = GateParts(c, "input_gates", "input_bias", 4);
  const std::vector<Value*> hidden = GateParts(c, "hidden_gates", "hidden_bias", 4);
  const auto gate = [&](std::size_t i) { return c.Add(input[i], hidden[i]); };
  Value* kept = c.Mul(c.Sigmoid(gate(1)), c.Widen(before));
  Value* cell = c.Add(kept, c.Mul(c.Sigmoid(gate(0)), c.Tanh(gate(2))));
  Value* state = c.CastLike(c.Mul(c.Sigmoid(gate(3)), c.Tanh(cell)), before);
  DRAGOMAN_ASSIGN(cell, c.Done(c.CastLike(cell, before)));
  return Results{call.NewTensor(state), call.NewTensor(cell), None()};
}

// _thnn_fused_gru_cell
Result<Results> LowerFusedGruCell(Call& call) {
  CallComposer c(call);
  Value* before = c.Tensor("hx");
  const std::vector<Value*> input = GateParts(c, "input_gates", "input_bias", 3);
  const std::vector<Value*> hidden = GateParts(c, "hidden_gates", "hidden_bias", 3);
  Value* reset = c.Sigmoid(c.Add(input[0], hidden[0]));
  Value* update = c.Sigmoid(c.Add(input[1], hidden[1]));
  Value* fresh = c.Tanh(c.Add(input[2], c.Mul(reset, hidden[2])));
  Value* state = c.Add(fresh, c.Mul(update, c.Sub(c.Widen(before), fresh)));
  DRAGOMAN_ASSIGN(state, c.Done(c.CastLike(state, before)));
  return Results{call.NewTensor(state), None()};
}

// The result, and the noise as it is: at inference none is drawn.
Result<Results> LowerRReluForward(Call& call) {
  DRAGOMAN_ASSIGN(Value * y, LowerRRelu(call));
  DRAGOMAN_ASSIGN(Value * noise, call.Tensor("noise"));
  return Results{call.NewTensor(y), call.NewTensor(noise)};
}

Result<Value*> LowerAddRelu(Call& call) {
  DRAGOMAN_ASSIGN(Value * sum, LowerAdd(call));
  CallComposer c(call);
  return c.Done(c.Op("Relu", {sum}));
}

// The norms of v along all axes but one, which stay as sizes of 1.
Value* LowerNormExceptDim(CallComposer& c) {
  Value* v = c.Tensor("v");
  const std::int64_t dim = c.Int("dim");
  const bool keeps_one = dim != -1;
  std::vector<std::int64_t> axes = AllAxes(c.Rank(v));
  if (keeps_one) std::erase(axes, c.Axis(dim, c.Rank(v)));
  return VectorNorm(c, v, static_cast<double>(c.Int("pow")), axes, keeps_one);
}

// Rows up to offs[0] times the first matrix, those from there to offs[1] times the second, …; or
// without `offs` one product for each matrix. transformers has an operator of its own for it.
Value* LowerGroupedMatMul(CallComposer& c) {
  const bool is_aten = c.call().Declares("mat2");
  Value* x = c.Tensor(is_aten ? "self" : "input");
  Value* weights = c.Tensor(is_aten ? "mat2" : "weight");
  if (c.Has("bias")) return c.Refuse("a bias");
  if (!c.Has("offs")) return MatMul(c, x, weights);
  if (c.Rank(x) != 2 || c.Rank(weights) != 3) return c.Refuse("groups but those of rows");
  Value* ends = c.Cast(c.Tensor("offs"), DType::kI64);
  Value* row = c.Unsqueeze(c.Iota(c.Size(x, 0)), {0});
  Value* is_behind = c.Cast(c.GreaterOrEqual(row, c.Unsqueeze(ends, {1})), DType::kI64);
  Value* group = c.ReduceSum(is_behind, {0});
  Value* all = MatMul(c, c.Widen(x), c.Widen(weights));  // (groups, rows, columns)
  Value* number = c.Unsqueeze(c.Iota(c.Size(weights, 0)), {1});
  Value* own = c.Unsqueeze(c.Equal(number, c.Unsqueeze(group, {0})), {2});
  return c.CastLike(c.ReduceSum(c.Where(own, all, 0), {0}), x);
}

}  // namespace

std::span<const OpRow> DecomposedLayersRows() {
  static constexpr OpRow kRows[] = {
      {"aten._add_relu", LowerAddRelu},
      {"aten._batch_norm_no_update", LowerBatchNormReserve},
      {"aten._batch_norm_with_update", LowerBatchNormReserve},
      {"aten._batch_norm_with_update_functional", LowerBatchNormReserve},
      {"aten._grouped_mm", LowerGroupedMatMul},
      {"aten._thnn_fused_gru_cell", LowerFusedGruCell},
      {"aten._thnn_fused_lstm_cell", LowerFusedLstmCell},
      {"aten.norm_except_dim", LowerNormExceptDim},
      {"aten.rrelu_with_noise_functional", LowerRReluForward},
      {"transformers.grouped_mm_fallback", LowerGroupedMatMul},
  };
  return kRows;
}

}  // namespace dragoman::torch
