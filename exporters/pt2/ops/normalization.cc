// SPDX-License-Identifier: Apache-2.0
// Normalisations.
#include "core/ir/axes.h"
#include "exporters/pt2/ops/op_rows.h"

#include <utility>

namespace dragoman::pt2 {
namespace {

// A vector of channels beside tensors of `rank` axes.
Term OverChannels(const AtenOp& op, Term vector, std::int64_t rank) {
  for (std::int64_t i = 2; i < rank; ++i) vector = op.Unsqueeze(vector, vector.rank());
  return vector;
}

struct Moments {
  Term mean;
  Term variance;
  Term centered;
};

Moments MomentsOf(const AtenOp& op, const Term& x, const Ints& axes) {
  const Term mean = op.Mean(x, axes, true);
  const Term centered = op.Binary("aten.sub.Tensor", x, mean);
  const Term variance = op.Mean(op.Binary("aten.mul.Tensor", centered, centered), axes, true);
  return {mean, variance, centered};
}

Term InverseRoot(const AtenOp& op, const Term& variance, double epsilon) {
  return op.Unary("aten.rsqrt.default", op.WithNumber("aten.add.Scalar", variance, epsilon));
}

// Statistics of the batch, and running ones with it taken in.
Emitted TrainingBatchNormalization(const AtenOp& op) {
  const Term x = op.arg(0);
  Ints axes = AxesFrom(2, x.rank());
  axes.insert(axes.begin(), 0);
  const Moments moments = MomentsOf(op, x, axes);
  const Term scaled = op.Binary("aten.mul.Tensor", moments.centered,
                                InverseRoot(op, moments.variance, op.Float("epsilon")));
  const Term weight = OverChannels(op, op.Cast(op.arg(1), x.dtype), x.rank());
  const Term bias = OverChannels(op, op.Cast(op.arg(2), x.dtype), x.rank());
  const Term y = op.Binary("aten.add.Tensor", op.Binary("aten.mul.Tensor", scaled, weight), bias);
  const double momentum = op.Float("momentum");
  const auto running = [&](std::size_t operand, const Term& moment) -> Result<Term> {
    const Term old = op.arg(operand);
    DRAGOMAN_ASSIGN(const Term flat, op.Reshape(moment, old.shape));
    return op.Binary("aten.add.Tensor", op.WithNumber("aten.mul.Scalar", old, momentum),
                     op.WithNumber("aten.mul.Scalar", op.Cast(flat, old.dtype), 1 - momentum));
  };
  Terms results = {y};
  if (op.node.num_results() > 1) {
    DRAGOMAN_ASSIGN(Term mean, running(3, moments.mean));
    DRAGOMAN_ASSIGN(Term variance, running(4, moments.variance));
    results.push_back(std::move(mean));
    results.push_back(std::move(variance));
  }
  return results;
}

Emitted EmitBatchNormalization(AtenOp& op) {
  if (op.Int("training_mode") != 0) return TrainingBatchNormalization(op);
  const Term x = op.arg(0);
  const auto parameter = [&](std::size_t i) { return op.Cast(op.arg(i), x.dtype); };
  // Those that are computed may come from parameters, and torch has no gradients for them.
  const auto statistic = [&](std::size_t i) {
    if (op.node.operand(i)->producer() == nullptr) return parameter(i);
    return op.Unary("aten.detach.default", parameter(i));
  };
  return One(op.Call("aten.batch_norm.default",
                     {{"input", x},
                      {"weight", parameter(1)},
                      {"bias", parameter(2)},
                      {"running_mean", statistic(3)},
                      {"running_var", statistic(4)},
                      {"training", false},
                      {"momentum", 1 - op.Float("momentum")},
                      {"eps", op.Float("epsilon")},
                      {"cudnn_enabled", false}},
                     {x.dtype, x.shape}));
}

// Whether operand `i` has the sizes of the axes of operand 0 from `axis` on; an absent one fits.
bool HasSizesFrom(const AtenOp& op, std::size_t i, std::int64_t axis) {
  if (!op.has(i)) return true;
  const Shape& all = op.arg(0).shape;
  return op.shape(i) == Shape(all.begin() + axis, all.end());
}

// ONNX computes the statistics in float32.
bool IsWidened(const AtenOp& op, DType dtype) {
  return Info(dtype).bits < 32 && op.Int("stash_type") == 1;
}

// The formula, with what torch's operator does not give or take.
Emitted ComposedLayerNormalization(const AtenOp& op, std::int64_t axis) {
  const Term original = op.arg(0);
  const bool widens = IsWidened(op, original.dtype);
  const Term x = widens ? op.Cast(original, DType::kF32) : original;
  const Moments moments = MomentsOf(op, x, AxesFrom(axis, x.rank()));
  const Term inverse = InverseRoot(op, moments.variance, op.Float("epsilon"));
  const Term normal =
      op.Cast(op.Binary("aten.mul.Tensor", moments.centered, inverse), original.dtype);
  Term y = op.Binary("aten.mul.Tensor", normal, op.arg(1));
  if (op.has(2)) y = op.Binary("aten.add.Tensor", y, op.arg(2));
  Terms results = {y, moments.mean, inverse};
  results.resize(op.node.num_results());
  for (std::size_t i = 1; i < results.size(); ++i) {
    if (op.node.result(i) != nullptr) results[i] = op.Cast(results[i], op.result(i).dtype);
  }
  return results;
}

Emitted EmitLayerNormalization(AtenOp& op) {
  const std::int64_t axis = op.Axis();
  const bool is_plain = op.node.num_results() == 1 && HasSizesFrom(op, 1, axis) &&
                        HasSizesFrom(op, 2, axis) && axis < op.rank();
  if (!is_plain) return ComposedLayerNormalization(op, axis);
  const Term x = op.arg(0);
  DRAGOMAN_ASSIGN(const Sizes sizes, op.SizesOf(Shape(x.shape.begin() + axis, x.shape.end())));
  return One(op.Call("aten.layer_norm.default",
                     {{"input", x},
                      {"normalized_shape", sizes},
                      {"weight", op.arg(1)},
                      {"bias", op.arg_if_any(2)},
                      {"eps", op.Float("epsilon")}},
                     {x.dtype, x.shape}));
}

Emitted EmitRmsNormalization(AtenOp& op) {
  const std::int64_t axis = op.Axis();
  const Term x = op.arg(0);
  if (HasSizesFrom(op, 1, axis) && op.dtype(1) == x.dtype) {
    DRAGOMAN_ASSIGN(const Sizes sizes, op.SizesOf(Shape(x.shape.begin() + axis, x.shape.end())));
    return One(op.Call("aten.rms_norm.default",
                       {{"input", x},
                        {"normalized_shape", sizes},
                        {"weight", op.arg(1)},
                        {"eps", op.Float("epsilon")}},
                       {x.dtype, x.shape}));
  }
  const Term wide = IsWidened(op, x.dtype) ? op.Cast(x, DType::kF32) : x;
  const Term squares =
      op.Mean(op.Binary("aten.mul.Tensor", wide, wide), AxesFrom(axis, x.rank()), true);
  const Term normal =
      op.Binary("aten.mul.Tensor", wide, InverseRoot(op, squares, op.Float("epsilon")));
  const DType to = op.result().dtype;
  return One(op.Binary("aten.mul.Tensor", op.Cast(normal, to), op.Cast(op.arg(1), to)));
}

Emitted EmitInstanceNormalization(AtenOp& op) {
  const Term x = op.arg(0);
  return One(op.Call("aten.instance_norm.default",
                     {{"input", x},
                      {"weight", op.arg(1)},
                      {"bias", op.arg(2)},
                      {"running_mean", kNone},
                      {"running_var", kNone},
                      {"use_input_stats", true},
                      {"momentum", 0.1},
                      {"eps", op.Float("epsilon")},
                      {"cudnn_enabled", false}},
                     {x.dtype, x.shape}));
}

Emitted EmitGroupNormalization(AtenOp& op) {
  const Term x = op.arg(0);
  return One(op.Call("aten.group_norm.default",
                     {{"input", x},
                      {"num_groups", op.Int("num_groups")},
                      {"weight", op.arg(1)},
                      {"bias", op.arg(2)},
                      {"eps", op.Float("epsilon")}},
                     {x.dtype, x.shape}));
}

// In inference everything passes; in training, which is stated at run time or here, PyTorch draws.
Emitted EmitDropout(AtenOp& op) {
  constexpr double kUsualRatio = 0.5;
  const Term x = op.arg(0);
  if (op.has(2)) {
    const dragoman::Tensor* training = op.Known(2);
    const std::optional<double> ratio =
        op.has(1) ? op.KnownNumber(1, 0) : std::optional<double>(kUsualRatio);
    if (training == nullptr || !ratio)
      return op.Refuse("dropout of which run time says whether it trains, or how much is dropped");
    if (training->IntAt(0) != 0) {
      Terms drawn = op.graph.CallMany("aten.native_dropout.default",
                                      {{"input", x}, {"p", *ratio}, {"train", true}},
                                      {{x.dtype, x.shape}, {DType::kBool, x.shape}}, false);
      drawn.resize(op.node.num_results());
      return drawn;
    }
  }
  Terms results = {x};
  if (op.node.num_results() > 1) {
    DRAGOMAN_ASSIGN(Term mask, op.Full(x.shape, 1, DType::kBool));
    results.push_back(std::move(mask));
  }
  return results;
}

}  // namespace

std::span<const Row> NormalizationRows() {
  static constexpr Row kRows[] = {
      {"BatchNormalization", EmitBatchNormalization},
      {"Dropout", EmitDropout},
      {"GroupNormalization", EmitGroupNormalization},
      {"InstanceNormalization", EmitInstanceNormalization},
      {"LayerNormalization", EmitLayerNormalization},
      {"RMSNormalization", EmitRmsNormalization},
  };
  return kRows;
}

}  // namespace dragoman::pt2
