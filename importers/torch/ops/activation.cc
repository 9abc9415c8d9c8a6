// SPDX-License-Identifier: Apache-2.0
// Activation functions, those of torch.nn.functional.
#include "importers/torch/ops/lowerings.h"
#include "importers/torch/ops/op_rows.h"

#include <algorithm>
#include <cmath>

#include "core/lowering/elu.h"
#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"
#include "importers/torch/ops/view.h"

namespace dragoman::torch {
namespace {

// `x` between two numbers; of the element type of `x`.
Value* Clip(Composer& c, Value* x, double lower, double upper) {
  return c.Op("Clip", {x, c.Number(lower, x), c.Number(upper, x)});
}

NamedAttribute FloatAttribute(std::string name, double value) {
  return {std::move(name), static_cast<float>(value)};
}

Value* SoftmaxAlong(Composer& c, std::string_view type, Value* x, std::int64_t dim) {
  const int rank = c.Rank(x);
  const std::int64_t axis = c.Axis(dim, rank);
  if (rank > 0) return c.Op(type, {x}, {{"axis", axis}});
  return c.Squeeze(c.Op(type, {c.Unsqueeze(x, {0})}, {{"axis", axis}}), {0});
}

Result<Value*> LowerSoftmaxAs(Call& call, std::string_view type) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  DType dtype = c.dtype(x);
  if (c.BoolOr("half_to_float", false)) dtype = DType::kF32;
  x = c.Cast(x, c.DTypeOr("dtype", dtype));
  return c.Done(SoftmaxAlong(c, type, x, c.Int("dim")));
}

Value* LowerRelu(CallComposer& c) {
  Value* x = c.Tensor("self");
  return Info(c.dtype(x)).is_signed ? c.Op("Relu", {x}) : x;  // ONNX has none of unsigned
}

Value* LowerRelu6(CallComposer& c) { return Clip(c, c.Tensor("self"), 0, 6); }

Value* LowerHardtanh(CallComposer& c) {
  Value* x = c.Tensor("self");
  const double lower = c.Float("min_val");
  return Clip(c, x, lower, c.Float("max_val"));
}

}  // namespace

Value* LowerElu(CallComposer& c) {
  Value* x = c.Tensor("self");
  const double alpha = c.Float("alpha");
  const double scale = c.Float("scale");
  const double input_scale = c.Float("input_scale");
  const bool fits = FitsAttribute(alpha, c.dtype(x)) && FitsAttribute(scale, c.dtype(x));
  if (fits && scale == 1 && input_scale == 1)
    return c.Op("Elu", {x}, {FloatAttribute("alpha", alpha)});
  if (fits && scale > 0 && input_scale == 1) {
    return c.Op("Selu", {x}, {FloatAttribute("alpha", alpha), FloatAttribute("gamma", scale)});
  }
  return ScaledElu(c, x, alpha, scale, input_scale);
}

Value* LowerCelu(CallComposer& c) {
  Value* x = c.Tensor("self");
  const double alpha = c.Float("alpha");
  if (!FitsAttribute(alpha, c.dtype(x))) return ScaledElu(c, x, alpha, 1, 1 / alpha);
  return c.Op("Celu", {x}, {FloatAttribute("alpha", alpha)});
}

namespace {

Value* LowerSelu(CallComposer& c) {
  Value* x = c.Tensor("self");
  if (c.dtype(x) == DType::kF64) return ScaledElu(c, x, kSeluAlpha, kSeluScale);
  return c.Op("Selu", {x});
}

}  // namespace

Value* LowerLeakyRelu(CallComposer& c) {
  Value* x = c.Tensor("self");
  const double slope = c.Float("negative_slope");
  // The attribute has not the digits of a double.
  if (c.dtype(x) == DType::kF64) return c.Where(c.Greater(x, 0), x, c.Mul(x, slope));
  return c.Op("LeakyRelu", {x}, {FloatAttribute("alpha", slope)});
}

// At inference the slope is the mean of the bounds.
Result<Value*> LowerRRelu(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  const double lower = c.Float("lower");
  const double upper = c.Float("upper");
  const double slope = (lower + upper) / 2;
  if (c.BoolOr("training", false) && lower != upper)
    return call.Unsupported("training = True draws random slopes");
  if (!FitsAttribute(slope, c.dtype(x)))
    return c.Done(c.Where(c.Greater(x, 0), x, c.Mul(x, slope)));
  return c.Done(c.Op("LeakyRelu", {x}, {FloatAttribute("alpha", slope)}));
}

// One slope for all, or one for each channel.
Value* LowerPRelu(CallComposer& c) {
  Value* x = c.Tensor("self");
  Value* slope = c.Tensor("weight");
  const int rank = c.Rank(x);
  slope = rank == 0 ? c.Reshape(slope, c.Ints({})) : AlongAxis(c, slope, 0, std::max(rank - 1, 1));
  return c.Op("PRelu", {x, slope});
}

namespace {

Value* LowerGelu(CallComposer& c) {
  const std::string approximate = c.Has("approximate") ? c.Text("approximate") : "none";
  return c.Op("Gelu", {c.Tensor("self")}, {{"approximate", approximate}});
}

Value* LowerSilu(CallComposer& c) {
  Value* x = c.Floating("self");
  Value* wide = c.Widen(x);
  return c.CastLike(c.Mul(wide, c.Sigmoid(wide)), x);
}

}  // namespace

Value* LowerHardswish(CallComposer& c) { return c.Op("HardSwish", {c.Tensor("self")}); }

namespace {

Value* LowerHardsigmoid(CallComposer& c) {
  Value* x = c.Tensor("self");
  if (c.dtype(x) == DType::kF64) return c.Div(Clip(c, c.Add(x, 3), 0, 6), 6);
  return c.Op("HardSigmoid", {x}, {FloatAttribute("alpha", 1.0 / 6)});
}

// Beyond `threshold` it is the identity, which in floating point it is already from 20 on.
Value* LowerSoftplus(CallComposer& c) {
  Value* x = c.Tensor("self");
  const double beta = c.Float("beta");
  const double threshold = c.Float("threshold");
  if (beta == 1 && threshold >= 20) return c.Op("Softplus", {x});
  Value* wide = c.Widen(x);
  Value* scaled = c.Mul(wide, beta);
  Value* curve = c.Div(c.Op("Softplus", {scaled}), beta);
  // Beyond it the curve is x, but for less than float32 has digits; a larger beta may overflow.
  const bool is_curve = threshold >= 20 && beta > 0 && beta <= 1 && c.dtype(wide) == DType::kF32;
  if (is_curve) return c.CastLike(curve, x);
  return c.CastLike(c.Where(c.Greater(scaled, threshold), wide, curve), x);
}

Value* LowerHardshrink(CallComposer& c) {
  Value* x = c.Tensor("self");
  return c.Where(c.LessOrEqual(c.Abs(x), c.Float("lambd")), 0, x);
}

Value* LowerSoftshrink(CallComposer& c) {
  Value* x = c.Tensor("self");
  const double lambd = c.Float("lambd");
  Value* shrunk = c.Sub(x, c.Mul(Sign(c, x), lambd));
  return c.Where(c.LessOrEqual(c.Abs(x), lambd), 0, shrunk);
}

Value* LowerThreshold(CallComposer& c) {
  Value* x = c.Tensor("self");
  Value* below = c.LessOrEqual(x, c.Take(c.call().ScalarValue("threshold", c.dtype(x))));
  return c.Where(below, c.Take(c.call().ScalarValue("value", c.dtype(x))), x);
}

Value* LowerGlu(CallComposer& c) {
  Value* x = c.Tensor("self");
  const std::int64_t axis = c.AxisArgument("dim", x);
  const std::vector<Value*> halves =
      c.Ops("Split", {x}, {{"axis", axis}, {"num_outputs", std::int64_t{2}}}, 2);
  Value* gate = c.Sigmoid(c.Widen(halves[1]));
  return c.CastLike(c.Mul(c.Widen(halves[0]), gate), x);
}

}  // namespace

Result<Value*> LowerSoftmax(Call& call) { return LowerSoftmaxAs(call, "Softmax"); }

namespace {

Result<Value*> LowerLogSoftmax(Call& call) { return LowerSoftmaxAs(call, "LogSoftmax"); }

// Rows of -inf alone give zeros.
Value* LowerSafeSoftmax(CallComposer& c) {
  Value* x = c.Tensor("self");
  x = c.Cast(x, c.DTypeOr("dtype", c.dtype(x)));
  const int axis = c.AxisArgument("dim", x);
  Value* masked = c.Equal(c.Reduce("ReduceMax", x, {axis}, true), -INFINITY);
  return c.Where(masked, 0, SoftmaxAlong(c, "Softmax", x, axis));
}

// Sizes of the mask: those of `x`, or one element for each example and channel.
Value* MaskShape(CallComposer& c, Value* x, bool of_features) {
  if (!of_features) return c.Shape(x);
  const int rank = c.Rank(x);
  if (rank < 2) return c.Fail("masks of channels of a tensor of rank " + std::to_string(rank));
  const auto ones = static_cast<std::size_t>(rank - 2);
  return c.ConcatSizes({c.SizeVector(x, 0, 2), c.Ints(std::vector<std::int64_t>(ones, 1))});
}

// x where the mask has 1, elsewhere the value to which SELU falls; then scaled and shifted so that
// mean 0 and variance 1 stay what they are.
Value* AlphaDropped(CallComposer& c, Value* x, Value* mask, double p) {
  constexpr double kAlpha = 1.7580993408473766;
  const double scale = 1 / std::sqrt((kAlpha * kAlpha * p + 1) * (1 - p));
  Value* shift = c.Add(c.Mul(c.Sub(mask, 1), kAlpha * scale), kAlpha * scale * p);
  return c.Add(c.Mul(x, c.Mul(mask, scale)), shift);
}

// dropout, alpha_dropout, and their kin that drop channels as a whole: nothing, unless in training.
Result<Results> LowerDropout(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("input");
  const double p = c.Float("p");
  if (!c.Bool("train") || p == 0) return LowerAlias(c, "input");
  if (p == 1) return c.Done({c.Mul(x, 0)});
  const std::string_view name = FunctionalName(call.op());
  if (name == "dropout")
    return c.Done({c.Op("Dropout", {x, c.Number(p, DType::kF32), c.BoolConstant(true)})});
  const bool of_features = name.starts_with("feature_");
  const bool is_alpha = name.find("alpha_") != std::string_view::npos;
  Value* kept = c.Full(MaskShape(c, x, of_features), 1 - p, c.dtype(x));
  Value* mask = c.Op("Bernoulli", {kept});
  return c.Done({is_alpha ? AlphaDropped(c, x, mask, p) : c.Mul(x, c.Div(mask, 1 - p))});
}

}  // namespace

std::span<const OpRow> ActivationRows() {
  static constexpr OpRow kRows[] = {
      {"aten._log_softmax", LowerLogSoftmax, {.order = ResultOrder::kStated}},
      {"aten._safe_softmax", LowerSafeSoftmax},
      {"aten._softmax", LowerSoftmax, {.order = ResultOrder::kStated}},
      {"aten.alpha_dropout", LowerDropout},
      {"aten.celu", LowerCelu},
      {"aten.dropout", LowerDropout, {.complex = true}},
      {"aten.elu", LowerElu},
      {"aten.feature_alpha_dropout", LowerDropout},
      {"aten.feature_dropout", LowerDropout},
      {"aten.gelu", LowerGelu},
      {"aten.glu", LowerGlu},
      {"aten.hardshrink", LowerHardshrink},
      {"aten.hardsigmoid", LowerHardsigmoid, {.grid = kUnitGrid}},
      {"aten.hardswish", LowerHardswish},
      {"aten.hardtanh", LowerHardtanh, {.grid = kOperandGrid}},
      {"aten.leaky_relu", LowerLeakyRelu, {.grid = kOperandGrid}},
      {"aten.log_softmax", LowerLogSoftmax, {.complex = true, .order = ResultOrder::kStated}},
      {"aten.prelu", LowerPRelu},
      {"aten.relu", LowerRelu},
      {"aten.relu6", LowerRelu6, {.grid = kOperandGrid}},
      {"aten.rrelu", LowerRRelu},
      {"aten.rrelu_with_noise", LowerRRelu},
      {"aten.selu", LowerSelu},
      {"aten.silu", LowerSilu, {.complex = true}},
      {"aten.softmax", LowerSoftmax, {.complex = true, .order = ResultOrder::kStated}},
      {"aten.softplus", LowerSoftplus},
      {"aten.softshrink", LowerSoftshrink},
      {"aten.special_log_softmax", LowerLogSoftmax},
      {"aten.special_softmax", LowerSoftmax},
      {"aten.threshold", LowerThreshold, {.grid = kOperandGrid}},
  };
  return kRows;
}

}  // namespace dragoman::torch
