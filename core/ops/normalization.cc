// SPDX-License-Identifier: Apache-2.0
// Normalisation by statistics of the operand itself, or by given ones.
#include <algorithm>
#include <utility>

#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"
#include "core/ops/operand_checks.h"
#include "core/ops/younger_ops.h"
#include "runtime/params/batch_normalization.h"
#include "runtime/params/group_normalization.h"
#include "runtime/params/instance_normalization.h"
#include "runtime/params/layer_normalization.h"
#include "runtime/params/lp_normalization.h"
#include "runtime/params/lrn.h"
#include "runtime/params/mean_variance_normalization.h"

namespace dragoman {
namespace {

Status InferBatchNormalization(InferContext& context) {
  const bool training = context.params<rt::BatchNormalizationParams>().training_mode;
  if (!training && (context.wants(1) || context.wants(2)))
    return context.Fail("running statistics are results of training mode only");
  DRAGOMAN_TRY(CheckMinRank(context, 0, 1));
  const Dim channels = ChannelsOf(context);
  for (std::size_t i = 1; i <= 4; ++i) DRAGOMAN_TRY(CheckVector(context, i, channels));
  for (std::size_t i = 1; i <= 2; ++i) context.SetShape(i, Shape{channels});
  return SameTypeAsFirst(context);
}

// Per channel, or group of channels, of each instance.
Status InferInstanceNormalization(InferContext& context) {
  DRAGOMAN_TRY(CheckMinRank(context, 0, 2));
  for (std::size_t i = 1; i <= 2; ++i) DRAGOMAN_TRY(CheckVector(context, i, ChannelsOf(context)));
  return SameTypeAsFirst(context);
}

Status InferGroupNormalization(InferContext& context) {
  const std::int64_t groups = context.params<rt::GroupNormalizationParams>().num_groups;
  if (groups < 1) return context.Fail("num_groups is " + std::to_string(groups));
  DRAGOMAN_TRY(InferInstanceNormalization(context));
  const Dim channels = ChannelsOf(context);
  const Truth divides = Equal(Mod(channels, Dim(groups)), Dim(0));
  if (divides == Truth::kNo) {
    return context.Fail("num_groups " + std::to_string(groups) + " does not divide the " +
                        channels.ToString() + " channels");
  }
  const Shape* shape = context.shape(0);
  if (divides == Truth::kYes || shape == nullptr) return {};
  Shape whole = *shape;
  whole[1] = FloorDiv(channels, Dim(groups)) * Dim(groups);
  LeaveOpen(context, {OpenCheck::Kind::kSizes, 0, std::move(whole)});
  return {};
}

// Scale, and bias if there is one, broadcast to the operand; statistics have its sizes with 1 from
// `axis` on.
Status InferLayerNormalization(InferContext& context) {
  const auto& params = context.params<rt::LayerNormalizationParams>();
  DRAGOMAN_TRY(CheckBroadcastsTo(context, 1, 0));
  DRAGOMAN_TRY(CheckBroadcastsTo(context, 2, 0));
  const Shape* shape = context.shape(0);
  std::optional<Shape> statistics;
  if (shape != nullptr) {
    DRAGOMAN_ASSIGN(int axis, NormalizeAxis(context, params.axis, static_cast<int>(shape->size())));
    statistics = *shape;
    std::fill(statistics->begin() + axis, statistics->end(), Dim(1));
  }
  const auto stash = static_cast<DType>(params.stash_type);
  if (!IsDTypeNumber(params.stash_type) || (stash != DType::kF32 && stash != DType::kBF16)) {
    return context.Fail("stash_type is " + std::to_string(params.stash_type) +
                        ", expected 1 (float) or 16 (bfloat16)");
  }
  for (std::size_t i = 1; i <= 2; ++i) context.SetType(i, Type::Tensor(stash, statistics));
  return SameTypeAsFirst(context);
}

Status InferRmsNormalization(InferContext& context) {
  DRAGOMAN_TRY(CheckBroadcastsTo(context, 1, 0));
  const std::int64_t axis = context.params<rt::RMSNormalizationParams>().axis;
  if (const Shape* shape = context.shape(0))
    DRAGOMAN_TRY(NormalizeAxis(context, axis, static_cast<int>(shape->size())));
  return SameShapeAsFirst(context);
}

Status InferLrn(InferContext& context) {
  const std::int64_t size = context.params<rt::LRNParams>().size;
  if (size < 1) return context.Fail("size is " + std::to_string(size) + ", expected 1 or more");
  DRAGOMAN_TRY(CheckMinRank(context, 0, 2));
  return SameTypeAsFirst(context);
}

Status InferMeanVarianceNormalization(InferContext& context) {
  if (const Shape* shape = context.shape(0)) {
    for (std::int64_t axis : context.params<rt::MeanVarianceNormalizationParams>().axes)
      DRAGOMAN_TRY(NormalizeAxis(context, axis, static_cast<int>(shape->size())));
  }
  return SameTypeAsFirst(context);
}

Status InferLpNormalization(InferContext& context) {
  const auto& params = context.params<rt::LpNormalizationParams>();
  if (params.p != 1 && params.p != 2)
    return context.Fail("p is " + std::to_string(params.p) + ", expected 1 or 2");
  if (const Shape* shape = context.shape(0))
    DRAGOMAN_TRY(NormalizeAxis(context, params.axis, static_cast<int>(shape->size())));
  return SameTypeAsFirst(context);
}

}  // namespace

std::vector<OpDef> NormalizationOps() {
  return {
      Op("BatchNormalization",
         "(X: T, scale: T1, B: T1, input_mean: T2, input_var: T2) -> "
         "(Y: T, running_mean: T2?, running_var: T2?)",
         "T: float; T1: float; T2: float")
          .Attributes<rt::BatchNormalizationParams>()
          .Infer(InferBatchNormalization)
          .Kernel({.header = "runtime/kernels/batch_normalization.h", .types = "T T1 T2"}),
      Op("GroupNormalization", "(X: T, scale: T, bias: T) -> (Y: T)", "T: float")
          .Attributes<rt::GroupNormalizationParams>()
          .Required("num_groups")
          .Infer(InferGroupNormalization)
          .Kernel({.header = "runtime/kernels/instance_normalization.h", .types = "T"})
          .Expand(ExpandGroupNormalization),
      Op("InstanceNormalization", "(input: T, scale: T, B: T) -> (output: T)", "T: float")
          .Attributes<rt::InstanceNormalizationParams>()
          .Infer(InferInstanceNormalization)
          .Kernel({.header = "runtime/kernels/instance_normalization.h", .types = "T"}),
      Op("LRN", "(X: T) -> (Y: T)", "T: float")
          .Attributes<rt::LRNParams>()
          .Required("size")
          .Infer(InferLrn)
          .Kernel({.header = "runtime/kernels/lrn.h", .types = "T"}),
      Op("LayerNormalization", "(X: T, Scale: T, B: T?) -> (Y: T, Mean: U?, InvStdDev: U?)",
         "T: float; U: f32 bf16")
          .Attributes<rt::LayerNormalizationParams>()
          .Axis(AxisUse::kFromAxisOn)
          .Infer(InferLayerNormalization)
          .Kernel({.header = "runtime/kernels/layer_normalization.h", .types = "T U=f32"})
          .Expand(ExpandLayerNormalization),
      Op("LpNormalization", "(input: T) -> (output: T)", "T: float")
          .Attributes<rt::LpNormalizationParams>()
          .Axis(AxisUse::kAlong)
          .Infer(InferLpNormalization)
          .Kernel({.header = "runtime/kernels/lp_normalization.h", .types = "T"}),
      Op("MeanVarianceNormalization", "(X: T) -> (Y: T)", "T: float")
          .Attributes<rt::MeanVarianceNormalizationParams>()
          .Infer(InferMeanVarianceNormalization)
          .Kernel({.header = "runtime/kernels/mean_variance_normalization.h", .types = "T"}),
      Op("RMSNormalization", "(X: T, scale: V) -> (Y: V)", "T: float; V: float")
          .Attributes<rt::RMSNormalizationParams>()
          .Axis(AxisUse::kFromAxisOn)
          .Infer(InferRmsNormalization)
          .Kernel({.header = "runtime/kernels/layer_normalization.h", .types = "T V"})
          .Expand(ExpandRmsNormalization),
  };
}

}  // namespace dragoman
