// SPDX-License-Identifier: Apache-2.0
// Gradients, as programs hold them that were exported with their backward pass, or call them.
#include "importers/torch/ops/op_rows.h"

#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"

namespace dragoman::torch {
namespace {

struct Gradient {
  Value* grad = nullptr;  // of the result
  Value* y = nullptr;     // what the backward pass was given
};

// Both in the type that torch computes with.
Gradient TakeGradient(CallComposer& c, std::string_view kept) {
  return {c.Widen(c.Tensor("grad_output")), c.Widen(c.Tensor(kept))};
}

// Halves were widened for the forward pass if the input was of another type.
Value* Narrowed(CallComposer& c, Value* gradient, DType dtype) { return c.Cast(gradient, dtype); }

Value* SumAlong(CallComposer& c, Value* x) {
  if (c.MaybeRank(x) == 0) return x;
  return c.ReduceSum(x, {c.AxisArgument("dim", x)}, true);
}

Value* LowerSoftmaxBackward(CallComposer& c) {
  const DType dtype = c.DTypeOr("input_dtype", c.dtype(c.Tensor("grad_output")));
  const auto [grad, y] = TakeGradient(c, "output");
  Value* weighted = c.Mul(grad, y);
  return Narrowed(c, c.Sub(weighted, c.Mul(y, SumAlong(c, weighted))), dtype);
}

Value* LowerLogSoftmaxBackward(CallComposer& c) {
  const DType dtype = c.DTypeOr("input_dtype", c.dtype(c.Tensor("grad_output")));
  const auto [grad, y] = TakeGradient(c, "output");
  return Narrowed(c, c.Sub(grad, c.Mul(c.Exp(y), SumAlong(c, grad))), dtype);
}

Value* LowerSigmoidBackward(CallComposer& c) {
  const DType dtype = c.dtype(c.Tensor("grad_output"));
  const auto [grad, y] = TakeGradient(c, "output");
  return Narrowed(c, c.Mul(grad, c.Mul(c.Sub(1, y), y)), dtype);
}

Value* LowerTanhBackward(CallComposer& c) {
  const DType dtype = c.dtype(c.Tensor("grad_output"));
  const auto [grad, y] = TakeGradient(c, "output");
  return Narrowed(c, c.Mul(grad, c.Sub(1, c.Mul(y, y))), dtype);
}

// 0 where the input was not above the threshold; of NaN the gradient.
Value* LowerThresholdBackward(CallComposer& c) {
  Value* grad = c.Tensor("grad_output");
  Value* x = c.Tensor("self");
  return c.Where(c.LessOrEqual(x, c.Float("threshold")), 0, grad);
}

// Each gradient goes to the place of the maximum in its plane; those of one place are added.
Value* LowerMaxPoolBackward(CallComposer& c) {
  constexpr int kSpatial = 2;
  Value* x = c.Tensor("self");
  Value* grad = c.Tensor("grad_output");
  const int planes = c.Rank(x) - kSpatial;
  if (c.failed()) return nullptr;
  if (planes < 0) return c.Fail(c.call().Invalid("self has no planes"));
  const auto flat = [&](Value* value) {
    return c.Reshape(value, c.ConcatSizes({c.SizeVector(value, 0, planes),
                                           MergedSize(c, value, planes, kSpatial)}));
  };
  Value* pixels = c.Op("Mul", {c.SizeVector(x, planes, 1), c.SizeVector(x, planes + 1, 1)});
  Value* sizes = planes == 0 ? pixels : c.ConcatSizes({c.SizeVector(x, 0, planes), pixels});
  Value* wide = c.Widen(grad);
  Value* zeros = c.Full(sizes, 0, c.dtype(wide));
  Value* sums = c.Op("ScatterElements", {zeros, flat(c.Tensor("indices")), flat(wide)},
                     {{"axis", std::int64_t{planes}}, {"reduction", "add"}});
  return c.CastLike(c.Reshape(sums, c.Shape(x)), grad);
}

}  // namespace

std::span<const OpRow> BackwardRows() {
  static constexpr OpRow kRows[] = {
      {"aten._log_softmax_backward_data", LowerLogSoftmaxBackward},
      {"aten._softmax_backward_data", LowerSoftmaxBackward},
      {"aten.max_pool2d_with_indices_backward", LowerMaxPoolBackward},
      {"aten.sigmoid_backward", LowerSigmoidBackward},
      {"aten.tanh_backward", LowerTanhBackward},
      {"aten.threshold_backward", LowerThresholdBackward},
  };
  return kRows;
}

}  // namespace dragoman::torch
