// SPDX-License-Identifier: Apache-2.0
// Normalisation layers.
#include "importers/torch/ops/lowerings.h"
#include "importers/torch/ops/op_rows.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/ir/wide_float.h"
#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/math.h"

namespace dragoman::torch {
namespace {

struct Statistics {
  Value* mean;
  Value* variance;
};

// `value`, or a vector of `otherwise` with one element a channel of `x`.
Value* PerChannel(Composer& c, Value* value, Value* x, double otherwise) {
  return value != nullptr ? value : c.Full(c.SizeVector(x, 1, 1), otherwise, c.dtype(x));
}

// A vector with one element a channel, to be broadcast to a tensor of `rank`.
Value* AlongChannels(Composer& c, Value* vector, int rank) {
  return AlongAxis(c, vector, 1, std::max(rank, 2));
}

// Of `x` over `axes`, which stay as sizes of 1; of the population.
Statistics Measure(Composer& c, Value* x, const std::vector<std::int64_t>& axes) {
  Value* mean = c.ReduceMean(x, axes, true);
  Value* deviation = c.Sub(x, mean);
  return {mean, c.ReduceMean(c.Mul(deviation, deviation), axes, true)};
}

// (1 - momentum) * running + momentum * measured; nn.BatchNorm without a momentum passes one that
// its count of batches gives.
Value* Followed(CallComposer& c, std::string_view name, Value* measured, const Number& momentum) {
  Value* running = c.Tensor(name);
  measured = c.CastLike(measured, running);
  if (momentum.known()) {
    const double part = momentum.AsDouble();
    return c.Add(c.Mul(running, 1 - part), c.Mul(measured, part));
  }
  Value* part = c.Cast(momentum.symbolic(), DType::kF64);
  return c.Add(c.Mul(running, c.CastLike(c.Sub(1, part), running)),
               c.Mul(measured, c.CastLike(part, running)));
}

// Running statistics follow the unbiased ones of the batch, averaged over axis 0 if they still have
// it.
Statistics FollowedStatistics(CallComposer& c, Value* x, const Statistics& batch,
                              const std::vector<std::int64_t>& axes) {
  const Number momentum = c.Take(c.call().Scalar("momentum"));
  Value* count = c.Int(1);
  for (std::int64_t axis : axes) count = c.Mul(count, c.Size(x, static_cast<int>(axis)));
  Value* n = c.CastLike(count, x);
  Value* unbiased = c.Mul(batch.variance, c.Div(n, c.Sub(n, 1)));
  const auto flat = [&](Value* value) {
    if (axes.front() != 0) value = c.ReduceMean(value, {0}, true);
    return c.Flatten(value);
  };
  return {Followed(c, "running_mean", flat(batch.mean), momentum),
          Followed(c, "running_var", flat(unbiased), momentum)};
}

void UpdateStatistics(CallComposer& c, Value* x, const Statistics& batch,
                      const std::vector<std::int64_t>& axes) {
  if (!c.Has("running_mean")) return;
  const Statistics running = FollowedStatistics(c, x, batch, axes);
  if (!c.failed()) c.Check(c.call().Write("running_mean", running.mean));
  if (!c.failed()) c.Check(c.call().Write("running_var", running.variance));
}

// (x - mean) / sqrt(variance + eps) * weight + bias
Value* Normalize(CallComposer& c, Value* x, const Statistics& statistics, double eps, int rank) {
  Value* scale = c.Sqrt(c.Add(statistics.variance, eps));
  Value* y = c.Div(c.Sub(x, statistics.mean), scale);
  if (Value* weight = c.OptionalTensor("weight")) {
    y = c.Mul(y, c.CastLike(AlongChannels(c, weight, rank), y));
  }
  if (Value* bias = c.OptionalTensor("bias")) {
    y = c.Add(y, c.CastLike(AlongChannels(c, bias, rank), y));
  }
  return y;
}

Value* FromBatch(CallComposer& c, Value* given, const std::vector<std::int64_t>& axes) {
  const int rank = c.Rank(given);
  if (rank < 2 || axes.empty())
    return c.Fail(c.call().Invalid("rank " + std::to_string(rank) + " has no channels to average"));
  Value* x = c.Widen(given);
  const Statistics batch = Measure(c, x, axes);
  UpdateStatistics(c, x, batch, axes);
  return c.CastLike(Normalize(c, x, batch, c.Float("eps"), rank), given);
}

Value* FromRunning(CallComposer& c, Value* x) {
  Value* scale = PerChannel(c, c.OptionalTensor("weight"), x, 1);
  Value* bias = PerChannel(c, c.OptionalTensor("bias"), x, 0);
  Value* mean = c.Tensor("running_mean");
  Value* variance = c.Tensor("running_var");
  return c.Op("BatchNormalization", {x, scale, bias, mean, variance},
              {{"epsilon", static_cast<float>(c.Float("eps"))}});
}

// All axes but the channels'.
std::vector<std::int64_t> BatchAxes(int rank) {
  std::vector<std::int64_t> axes = AllAxes(rank);
  std::erase(axes, 1);
  return axes;
}

Value* BatchNorm(CallComposer& c) {
  Value* x = c.Tensor("input");
  const bool training = c.BoolOr("training", false);
  if (!training && c.Has("running_mean")) return FromRunning(c, x);
  return FromBatch(c, x, BatchAxes(c.Rank(x)));
}

// The argument called `normalized_shape`, and the axis where it begins, from the end.
struct NormalizedShape {
  std::vector<std::int64_t> sizes;
  std::int64_t axis;
};

NormalizedShape TakeNormalizedShape(CallComposer& c) {
  std::vector<std::int64_t> sizes = c.Take(c.call().IntList("normalized_shape"));
  const auto axis = -static_cast<std::int64_t>(sizes.size());
  return {std::move(sizes), axis};
}

Value* WeightOrOnes(CallComposer& c, const NormalizedShape& shape, DType dtype) {
  if (Value* weight = c.OptionalTensor("weight")) return c.Cast(weight, dtype);
  Tensor ones = c.Take(Tensor::Full(dtype, shape.sizes, 1));
  return c.failed() ? nullptr : c.builder().Constant(std::move(ones));
}

// The smallest step of the type in which torch computes: halves are widened first.
double SmallestStep(DType dtype) {
  return WideFloat(dtype) == DType::kF64 ? std::numeric_limits<double>::epsilon()
                                         : std::numeric_limits<float>::epsilon();
}

Value* LowerBatchNorm(CallComposer& c) { return BatchNorm(c); }

}  // namespace

// native_batch_norm and its kin: the result and the batch's mean and inverse deviation, which are
// empty at inference; `_functional` gives the running statistics instead of writing them, and
// `_with_update` is in training.
Result<Results> LowerNativeBatchNorm(Call& call) {
  CallComposer c(call);
  const bool gives_running = call.op().type.ends_with("_functional");
  const bool updates = call.op().type.starts_with("_batch_norm_with_update");
  const bool training = updates || c.BoolOr("training", false) || !c.Has("running_mean");
  Value* given = c.Tensor("input");
  if (!training) {
    Value* y = FromRunning(c, given);
    Value* none = c.Full(c.Ints({0}), 0, c.dtype(y));
    if (!gives_running) return c.Done({y, none, none});
    return c.Done({y, none, none, c.Tensor("running_mean"), c.Tensor("running_var")});
  }
  const int rank = c.Rank(given);
  if (c.failed() || rank < 2) return c.Done({c.Fail(call.Invalid("the input has no channels"))});
  const std::vector<std::int64_t> axes = BatchAxes(rank);
  Value* x = c.Widen(given);
  const Statistics batch = Measure(c, x, axes);
  Value* deviation = c.Sqrt(c.Add(batch.variance, c.Float("eps")));
  Value* y = c.CastLike(Normalize(c, x, batch, c.Float("eps"), rank), given);
  Value* mean = c.Flatten(batch.mean);
  Value* inverse = c.Flatten(c.Op("Reciprocal", {deviation}));
  if (!gives_running) {
    UpdateStatistics(c, x, batch, axes);
    return c.Done({y, mean, inverse});
  }
  const Statistics running = FollowedStatistics(c, x, batch, axes);
  return c.Done({y, mean, inverse, running.mean, running.variance});
}

Value* LowerLayerNorm(CallComposer& c) {
  Value* x = c.Tensor("input");
  const NormalizedShape shape = TakeNormalizedShape(c);
  std::vector<Value*> operands = {x, WeightOrOnes(c, shape, c.dtype(x))};
  if (Value* bias = c.OptionalTensor("bias")) operands.push_back(c.CastLike(bias, x));
  return c.Op("LayerNormalization", std::move(operands),
              {{"axis", shape.axis}, {"epsilon", static_cast<float>(c.Float("eps"))}});
}

namespace {

// The result, and of each row the mean and the reciprocal standard deviation.
Result<Results> LowerNativeLayerNorm(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("input");
  const NormalizedShape shape = TakeNormalizedShape(c);
  Value* bias = c.OptionalTensor("bias");
  const Value* weight = c.OptionalTensor("weight");
  const DType of_statistics = c.dtype(weight != nullptr ? weight : x);
  std::vector<Value*> operands = {x, WeightOrOnes(c, shape, c.dtype(x))};
  if (bias != nullptr) operands.push_back(c.CastLike(bias, x));
  const std::vector<Value*> results =
      c.Ops("LayerNormalization", std::move(operands),
            {{"axis", shape.axis}, {"epsilon", static_cast<float>(c.Float("eps"))}}, 3);
  return c.Done({results[0], c.Cast(results[1], of_statistics), c.Cast(results[2], of_statistics)});
}

}  // namespace

Result<Value*> LowerRmsNorm(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("input");
  const NormalizedShape shape = TakeNormalizedShape(c);
  const double eps = c.FloatOr("eps", SmallestStep(RealPart(c.dtype(x))));
  if (IsComplex(c.dtype(x))) {
    std::vector<std::int64_t> axes;
    for (std::int64_t axis = shape.axis; axis < 0; ++axis) axes.push_back(axis + c.Rank(x));
    Value* root = c.Sqrt(c.Add(c.ReduceMean(c.Mul(x, x), axes, true), eps));
    return c.Done(c.Mul(c.Div(x, root), WeightOrOnes(c, shape, c.dtype(x))));
  }
  return c.Done(c.Op("RMSNormalization", {x, WeightOrOnes(c, shape, c.dtype(x))},
                     {{"axis", shape.axis}, {"epsilon", static_cast<float>(eps)}}));
}

Value* LowerGroupNorm(CallComposer& c) {
  Value* x = c.Tensor("input");
  const int rank = c.Rank(x);
  Value* scale = c.CastLike(PerChannel(c, c.OptionalTensor("weight"), x, 1), x);
  Value* bias = c.CastLike(PerChannel(c, c.OptionalTensor("bias"), x, 0), x);
  Value* spatial = rank == 2 ? c.Unsqueeze(x, {2}) : x;
  Value* y =
      c.Op("GroupNormalization", {spatial, scale, bias},
           {{"epsilon", static_cast<float>(c.Float("eps"))}, {"num_groups", c.Int("num_groups")}});
  return rank == 2 ? c.Squeeze(y, {2}) : y;
}

namespace {

// native_group_norm: also the mean and the inverse deviation of each group.
Result<Results> LowerNativeGroupNorm(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("input");
  const std::int64_t groups = c.Int("group");
  Value* rows = c.Reshape(c.Widen(x), c.ConcatSizes({c.SizeVector(x, 0, 1), c.Ints({groups}),
                                                     MergedSize(c, x, 1, c.Rank(x) - 1, groups)}));
  Value* mean = c.ReduceMean(rows, {2}, true);
  Value* deviation = c.Sub(rows, mean);
  Value* variance = c.ReduceMean(c.Mul(deviation, deviation), {2}, true);
  Value* inverse = c.Op("Reciprocal", {c.Sqrt(c.Add(variance, c.Float("eps")))});
  Value* y = c.Reshape(c.Mul(deviation, inverse), c.Shape(x));
  const int rank = c.Rank(x);
  if (Value* weight = c.OptionalTensor("weight"))
    y = c.Mul(y, AlongChannels(c, c.Widen(weight), rank));
  if (Value* bias = c.OptionalTensor("bias")) y = c.Add(y, AlongChannels(c, c.Widen(bias), rank));
  return c.Done({c.CastLike(y, x), c.CastLike(c.Squeeze(mean, {2}), x),
                 c.CastLike(c.Squeeze(inverse, {2}), x)});
}

// Each channel of each sample by itself, unless running statistics are used.
Value* LowerInstanceNorm(CallComposer& c) {
  Value* x = c.Tensor("input");
  if (!c.Bool("use_input_stats")) return FromRunning(c, x);
  if (c.Has("running_mean")) {
    std::vector<std::int64_t> axes = BatchAxes(c.Rank(x));
    std::erase(axes, 0);
    return FromBatch(c, x, axes);
  }
  Value* scale = c.CastLike(PerChannel(c, c.OptionalTensor("weight"), x, 1), x);
  Value* bias = c.CastLike(PerChannel(c, c.OptionalTensor("bias"), x, 0), x);
  return c.Op("InstanceNormalization", {x, scale, bias},
              {{"epsilon", static_cast<float>(c.Float("eps"))}});
}

}  // namespace

// v * g / |v|, the norm over all axes but `dim`.
Result<Value*> LowerWeightNorm(Call& call) {
  CallComposer c(call);
  Value* v = c.Tensor("v");
  const std::int64_t dim = c.Int("dim");
  const int rank = c.Rank(v);
  std::vector<std::int64_t> axes = AllAxes(rank);
  if (dim != -1) std::erase(axes, c.Axis(dim, rank));
  Value* norm = c.Reduce("ReduceL2", v, std::move(axes), true);
  return c.Done(c.Mul(v, c.Div(c.Tensor("g"), norm)));
}

std::span<const OpRow> NormalizationRows() {
  static constexpr OpRow kRows[] = {
      {"aten._native_batch_norm_legit", LowerNativeBatchNorm},
      {"aten._native_batch_norm_legit_functional", LowerNativeBatchNorm},
      {"aten._native_batch_norm_legit_no_training", LowerNativeBatchNorm},
      {"aten._weight_norm", LowerWeightNorm},
      {"aten.batch_norm", LowerBatchNorm},
      {"aten.group_norm", LowerGroupNorm},
      {"aten.instance_norm", LowerInstanceNorm},
      {"aten.layer_norm", LowerLayerNorm},
      {"aten.native_batch_norm", LowerNativeBatchNorm},
      {"aten.native_group_norm", LowerNativeGroupNorm},
      {"aten.native_layer_norm", LowerNativeLayerNorm},
      {"aten.rms_norm", LowerRmsNorm, {.complex = true}},
  };
  return kRows;
}

}  // namespace dragoman::torch
