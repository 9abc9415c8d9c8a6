// SPDX-License-Identifier: Apache-2.0
#include "runtime/params/conv.h"

#include <algorithm>

#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"
#include "core/ops/operand_checks.h"
#include "core/ops/window.h"
#include "runtime/params/conv_transpose.h"

namespace dragoman {
namespace {

// Operand and weight with unknown sizes where nothing is known; the weight's spatial sizes from
// kernel_shape if that is all there is.
struct Operands {
  Shape x;
  Shape w;
};

std::optional<Operands> ReadOperands(const InferContext& context, std::size_t weight,
                                     const rt::Ints& kernel_shape) {
  const Shape* x = context.shape(0);
  const Shape* w = context.shape(weight);
  if (x == nullptr && w == nullptr) return std::nullopt;
  const std::size_t rank = x != nullptr ? x->size() : w->size();
  Operands operands{x != nullptr ? *x : Shape(rank), w != nullptr ? *w : Shape(rank)};
  for (std::size_t i = 2; i < operands.w.size(); ++i) {
    if (operands.w[i].known() ||
        operands.w.size() - 2 != static_cast<std::size_t>(kernel_shape.size()))
      continue;
    operands.w[i] = Dim(kernel_shape[static_cast<int>(i) - 2]);
  }
  return operands;
}

std::int64_t ValueOr(const Dim& dim, std::int64_t value) {
  return dim.known() ? dim.value() : value;
}

// Channel counts that are not known are taken to fit.
void FitChannels(const Operands& operands, std::int64_t group, rt::Shape& x, rt::Shape& w) {
  if (x.size() < 3 || w.size() != x.size()) return;
  const Dim groups(std::max<std::int64_t>(group, 1));
  const Dim& channels = operands.x[1];
  const Dim& per_group = operands.w[1];
  x[1] = ValueOr(channels, ValueOr(ValueOr(per_group, 1) * groups, 1));
  w[1] = ValueOr(per_group, ValueOr(FloorDiv(Dim(x[1]), groups), 1));
  w[0] = ValueOr(operands.w[0], groups.value());
}

Result<Shape> InferWindow(InferContext& context, std::size_t weight) {
  const auto& params = context.params<rt::ConvParams>();
  const std::optional<Operands> operands = ReadOperands(context, weight, params.kernel_shape);
  if (!operands || RankTooHigh(operands->x) || RankTooHigh(operands->w)) return Shape();
  rt::Shape x = WithStandIns(operands->x);
  rt::Shape w = WithStandIns(operands->w, 1);
  FitChannels(*operands, params.group, x, w);
  rt::Window window;
  DRAGOMAN_TRY(context.Check(rt::ConvWindow(params, x, w, &window)));
  Shape y = WindowedShape(operands->x[0], operands->w[0], operands->x, window,
                          PooledSize(params.auto_pad, false), &operands->w);
  if (KnownShape(operands->x) && KnownShape(operands->w)) {
    rt::Shape exact;
    DRAGOMAN_TRY(context.Check(rt::ConvShape(params, x, w, &exact)));
  }
  context.SetShape(0, y);
  return y;
}

Dim ChannelsOfResult(const Shape& y) { return y.empty() ? Dim::Unknown() : y[1]; }

Status InferConv(InferContext& context) {
  DRAGOMAN_ASSIGN(Shape y, InferWindow(context, 1));
  return CheckVector(context, 2, ChannelsOfResult(y));
}

Status InferConvInteger(InferContext& context) {
  DRAGOMAN_ASSIGN(Shape y, InferWindow(context, 1));
  DRAGOMAN_TRY(CheckScalar(context, 2));
  return CheckScalarOrVector(context, 3, ChannelsOfResult(y));
}

Status InferQLinearConv(InferContext& context) {
  DRAGOMAN_ASSIGN(Shape y, InferWindow(context, 3));
  for (std::size_t i : {1, 2, 6, 7}) DRAGOMAN_TRY(CheckScalar(context, i));
  for (std::size_t i : {4, 5}) DRAGOMAN_TRY(CheckScalarOrVector(context, i, ChannelsOfResult(y)));
  return CheckVector(context, 8, ChannelsOfResult(y));
}

AxisSize TransposedSize(const rt::ConvTransposeParams& params) {
  return [&params](const Dim& input, const rt::WindowAxis& axis) {
    // With pads to fit a given size, that size does not depend on the input's.
    if (!params.output_shape.empty()) return Dim(axis.output);
    if (params.auto_pad == rt::AutoPad::kSameUpper || params.auto_pad == rt::AutoPad::kSameLower)
      return input * Dim(axis.stride);
    // axis.output was computed from the stand-in.
    return (input - Dim(kStandInSize)) * Dim(axis.stride) + Dim(axis.output);
  };
}

Status InferConvTranspose(InferContext& context) {
  const auto& params = context.params<rt::ConvTransposeParams>();
  const std::optional<Operands> operands = ReadOperands(context, 1, params.kernel_shape);
  if (!operands || RankTooHigh(operands->x) || RankTooHigh(operands->w)) return {};
  rt::Shape x = WithStandIns(operands->x);
  rt::Shape w = WithStandIns(operands->w, 1);
  if (x.size() > 2 && w.size() == x.size()) {
    const std::int64_t group = std::max<std::int64_t>(params.group, 1);
    x[1] = ValueOr(operands->x[1], ValueOr(operands->w[0], group));
    w[0] = ValueOr(operands->w[0], x[1]);
  }
  rt::Window window;
  DRAGOMAN_TRY(context.Check(rt::ConvTransposeWindow(params, x, w, &window)));
  if (KnownShape(operands->x) && KnownShape(operands->w)) {
    rt::Shape exact;
    DRAGOMAN_TRY(context.Check(rt::ConvTransposeShape(params, x, w, &exact)));
  }
  const Dim channels = operands->w[1] * Dim(params.group);
  context.SetShape(0, WindowedShape(operands->x[0], channels, operands->x, window,
                                    TransposedSize(params), &operands->w));
  return CheckVector(context, 2, channels);
}

}  // namespace

std::vector<OpDef> ConvOps() {
  return {
      Op("Conv", {1, 22}, "(X: T, W: T, B: T?) -> (Y: T)", "T: float")
          .Attributes<rt::ConvParams>()
          .Infer(InferConv)
          .Sizes(
              {.function = "ConvShape", .header = "runtime/params/conv.h", .arguments = "p s0 s1"})
          .Kernel({.header = "runtime/kernels/conv.h", .types = "T"}),
      Op("ConvInteger", {10, 10},
         "(x: T1, w: T2, x_zero_point: T1?, w_zero_point: T2?) -> (y: i32)", "T1: i8 u8; T2: i8 u8")
          .Attributes<rt::ConvParams>()
          .Infer(InferConvInteger)
          .Sizes(
              {.function = "ConvShape", .header = "runtime/params/conv.h", .arguments = "p s0 s1"})
          .Kernel({.header = "runtime/kernels/conv_integer.h", .types = "T1 T2"}),
      Op("ConvTranspose", {1, 22}, "(X: T, W: T, B: T?) -> (Y: T)", "T: float")
          .Attributes<rt::ConvTransposeParams>()
          .Infer(InferConvTranspose)
          .Sizes({.function = "ConvTransposeShape",
                  .header = "runtime/params/conv_transpose.h",
                  .arguments = "p s0 s1"})
          .Kernel({.header = "runtime/kernels/conv_transpose.h", .types = "T", .scratch = true}),
      Op("QLinearConv", {10, 10},
         "(x: T1, x_scale: f32, x_zero_point: T1, w: T2, w_scale: f32, w_zero_point: T2, "
         "y_scale: f32, y_zero_point: T3, B: i32?) -> (y: T3)",
         "T1: i8 u8; T2: i8 u8; T3: i8 u8")
          .Attributes<rt::ConvParams>()
          .Infer(InferQLinearConv)
          .Sizes(
              {.function = "ConvShape", .header = "runtime/params/conv.h", .arguments = "p s0 s3"})
          .Kernel({.header = "runtime/kernels/q_linear_conv.h", .types = "T1 T2 T3"}),
  };
}

}  // namespace dragoman
