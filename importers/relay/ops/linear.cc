// SPDX-License-Identifier: Apache-2.0
// Products and normalisations.
#include "importers/relay/ops/op_rows.h"

#include <utility>

#include "core/lowering/layout.h"
#include "core/lowering/math.h"

namespace dragoman::relay {
namespace {

// Both of the element type that the sum is to have.
void Accumulate(Call& c, Value*& a, Value*& b) {
  const DType dtype = c.Type("out_dtype", c.dtype(a));
  a = c.Cast(a, dtype);
  b = c.Cast(b, dtype);
}

void CheckUnits(Call& c, const Value* weight, int axis) {
  const std::optional<std::int64_t> units = c.MaybeInt("units");
  const std::optional<std::int64_t> size = c.KnownSize(weight, axis);
  if (units && size && *units != *size)
    c.Fail(InvalidInput("units is " + std::to_string(*units) + ", but the weight has " +
                        std::to_string(*size)));
}

// x with `axis` moved to place `to`, and back.
Value* MoveAxis(Call& c, Value* x, int axis, int to) {
  const int rank = c.Rank(x);
  if (c.failed() || axis == to) return x;
  Ints order;
  for (int i = 0; i < rank; ++i) {
    if (i != axis) order.push_back(i);
  }
  order.insert(order.begin() + to, axis);
  return c.Transpose(x, std::move(order));
}

// What a normalisation takes; attributes scale and center switch scale and shift off.
struct Norm {
  int rank;
  int axis;
  Value* gamma;
  Value* beta;
  float epsilon;
};

Norm TakeNorm(Call& c, std::int64_t axis) {
  const int rank = c.Rank(c.Tensor(0));
  if (!c.failed() && rank == 0) c.Fail(InvalidInput("a number in place of a tensor with axes"));
  const int at = c.Axis(c.Int("axis", axis), rank);
  Value* gamma = c.Tensor(1);
  Value* beta = c.Tensor(2);
  if (!c.Bool("scale", true)) gamma = c.Full(c.Shape(gamma), 1, c.dtype(gamma));
  if (!c.Bool("center", true)) beta = c.Full(c.Shape(beta), 0, c.dtype(beta));
  return {rank, at, gamma, beta, static_cast<float>(c.Float("epsilon", 1e-5))};
}

// Packed: the weight lies in blocks.
Value* LowerDense(Call& c, bool packed) {
  Value* x = c.Tensor(0);
  Value* weight = c.Tensor(1);
  if (packed) weight = ToLayout(c, weight, c.Text("weight_layout", "NC"), "NC");
  c.ExpectText("auto_scheduler_rewritten_layout", {""});
  CheckUnits(c, weight, 0);
  Accumulate(c, x, weight);
  return MatMul(c, x, c.Transpose(weight, {1, 0}));
}

Value* LowerMatMul(Call& c) {
  Value* a = c.Tensor(0);
  Value* b = c.Tensor(1);
  const bool transpose_b = c.Bool("transpose_b", false);
  CheckUnits(c, b, transpose_b ? 0 : 1);
  Accumulate(c, a, b);
  if (c.Bool("transpose_a", false)) {
    const int rank = c.Rank(a);
    a = c.failed() ? nullptr : c.SwapAxes(a, rank - 2, rank - 1);
  }
  if (transpose_b) b = c.Transpose(b, {1, 0});
  return MatMul(c, a, b);
}

// Without attributes the second operand was transposed before version 0.8: sizes that fit only so
// say it.
Value* LowerBatchMatMul(Call& c) {
  Value* a = c.Tensor(0);
  Value* b = c.Tensor(1);
  const bool stated = c.Get("transpose_b") != nullptr || c.Get("transpose_a") != nullptr;
  bool transpose_b = c.Bool("transpose_b", false);
  const bool transpose_a = c.Bool("transpose_a", false);
  if (c.failed()) return nullptr;
  if (!stated) {
    const std::optional<std::int64_t> k = c.KnownSize(a, 2);
    const std::optional<std::int64_t> plain = c.KnownSize(b, 1);
    const std::optional<std::int64_t> swapped = c.KnownSize(b, 2);
    transpose_b = k && plain && swapped && *k != *plain && *k == *swapped;
  }
  Accumulate(c, a, b);
  if (transpose_a) a = c.SwapAxes(a, 1, 2);
  if (transpose_b) b = c.SwapAxes(b, 1, 2);
  return MatMul(c, a, b);
}

Value* LowerBiasAdd(Call& c) {
  Value* x = c.Tensor(0);
  const int rank = c.Rank(x);
  const int axis = c.Axis(c.Int("axis", 1), rank);
  Value* bias = c.Tensor(1);
  // After the last axis nothing needs to be said.
  if (!c.failed() && axis != rank - 1) bias = AlongAxis(c, bias, axis, rank);
  return c.Add(x, bias);
}

std::vector<Value*> LowerBatchNorm(Call& c) {
  const auto [rank, axis, gamma, beta, epsilon] = TakeNorm(c, 1);
  Value* mean = c.Tensor(3);
  Value* variance = c.Tensor(4);
  if (c.failed()) return {nullptr, nullptr, nullptr};
  const int channel = rank > 1 ? 1 : 0;
  Value* x = MoveAxis(c, c.Tensor(0), axis, channel);
  if (rank == 1) x = c.Reshape(x, {1, -1});
  Value* y = c.Op("BatchNormalization", {x, gamma, beta, mean, variance}, {{"epsilon", epsilon}});
  if (rank == 1) y = c.Reshape(y, {-1});
  return {MoveAxis(c, y, channel, axis), mean, variance};
}

Value* LowerLayerNorm(Call& c) {
  const auto [rank, axis, gamma, beta, epsilon] = TakeNorm(c, -1);
  if (c.failed()) return nullptr;
  Value* x = MoveAxis(c, c.Tensor(0), axis, rank - 1);
  Value* y = c.Op("LayerNormalization", {x, gamma, beta},
                  {{"axis", std::int64_t{-1}}, {"epsilon", epsilon}});
  return MoveAxis(c, y, rank - 1, axis);
}

Value* LowerInstanceNorm(Call& c) {
  const auto [rank, axis, gamma, beta, epsilon] = TakeNorm(c, 1);
  if (c.failed()) return nullptr;
  if (axis == 0) return c.Fail("axis=0 is not supported");
  Value* x = MoveAxis(c, c.Tensor(0), axis, 1);
  Value* y = c.Op("InstanceNormalization", {x, gamma, beta}, {{"epsilon", epsilon}});
  return MoveAxis(c, y, 1, axis);
}

Value* LowerGroupNorm(Call& c) {
  const auto [rank, axis, gamma, beta, epsilon] = TakeNorm(c, 1);
  const std::int64_t groups = c.RequiredInt("num_groups");
  if (c.failed()) return nullptr;
  if (axis == 0) return c.Fail("axis=0 is not supported");
  Value* x = MoveAxis(c, c.Tensor(0), axis, 1);
  Value* y =
      c.Op("GroupNormalization", {x, gamma, beta}, {{"epsilon", epsilon}, {"num_groups", groups}});
  return MoveAxis(c, y, 1, axis);
}

Value* LowerL2Normalize(Call& c) {
  Value* x = c.Tensor(0);
  const double epsilon = c.Float("eps", 0);
  const int rank = c.Rank(x);
  Ints axes;
  for (std::int64_t axis : c.IntList("axis", AllAxes(rank))) axes.push_back(c.Axis(axis, rank));
  Value* sum = c.ReduceSum(c.Mul(x, x), std::move(axes), true);
  return c.Div(x, c.Sqrt(c.Max(sum, epsilon)));
}

Value* LowerLrn(Call& c) {
  Value* x = c.Tensor(0);
  const std::int64_t size = c.Int("size", 5);
  const int axis = c.Axis(c.Int("axis", 1), c.Rank(x));
  const auto bias = static_cast<float>(c.Float("bias", 2));
  const auto alpha = static_cast<float>(c.Float("alpha", 0.0001));
  const auto beta = static_cast<float>(c.Float("beta", 0.75));
  if (c.failed()) return nullptr;
  if (size % 2 == 0) return c.Fail("a window of an even size is not supported");
  if (axis == 0) return c.Fail("axis=0 is not supported");
  Value* y = c.Op("LRN", {MoveAxis(c, x, axis, 1)},
                  {{"alpha", alpha}, {"beta", beta}, {"bias", bias}, {"size", size}});
  return MoveAxis(c, y, 1, axis);
}

Value* LowerEinsum(Call& c) {
  std::vector<Value*> operands = c.Tensors(0);
  return c.Op("Einsum", std::move(operands), {{"equation", c.Text("equation", "")}});
}

}  // namespace

std::span<const OpRow> LinearRows() {
  static constexpr OpRow kRows[] = {
      {"einsum", LowerEinsum},
      {"nn.batch_matmul", LowerBatchMatMul},
      {"nn.batch_norm", LowerBatchNorm},
      {"nn.bias_add", LowerBiasAdd},
      {"nn.contrib_dense_pack", With<LowerDense, true>},
      {"nn.dense", With<LowerDense, false>},
      {"nn.group_norm", LowerGroupNorm},
      {"nn.instance_norm", LowerInstanceNorm},
      {"nn.l2_normalize", LowerL2Normalize},
      {"nn.layer_norm", LowerLayerNorm},
      {"nn.lrn", LowerLrn},
      {"nn.matmul", LowerMatMul},
  };
  return kRows;
}

}  // namespace dragoman::relay
