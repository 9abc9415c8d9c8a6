// SPDX-License-Identifier: Apache-2.0
// Normalisation by statistics of the operand itself, or by given ones.
#include <algorithm>
#include <numeric>
#include <utility>

#include "core/ops/axes_formula.h"
#include "core/ops/expansion_formula.h"
#include "core/ops/infer_context.h"
#include "core/ops/op_list.h"
#include "core/ops/operand_checks.h"
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

using Values = std::vector<Value*>;

// A group is normalised as a channel; then each channel is scaled and moved. Errors: an operand of
// unknown rank.
Result<Values> ExpandGroupNormalization(Node& node) {
  DRAGOMAN_ASSIGN(const Params filled, FillParams<rt::GroupNormalizationParams>(node));
  const auto& params = filled.As<rt::GroupNormalizationParams>();
  ExpansionFormula formula(node);
  const Type& type = formula.type();
  const Shape* shape = type.shape();
  if (shape == nullptr)
    return Unsupported("the rank of its operand is unknown").At(node.Describe());
  const Type grouped = type.WithShape(Shape{(*shape)[0], Dim(params.num_groups), Dim()});
  Value* groups =
      formula.Add("Reshape", {formula.x(), formula.Ints({0, params.num_groups, -1})}, grouped);
  const std::vector<std::int64_t> sizes = {params.num_groups};
  DRAGOMAN_ASSIGN(Value * ones, formula.Filled(sizes, 1));
  DRAGOMAN_ASSIGN(Value * zeros, formula.Filled(sizes, 0));
  Value* unit = formula.Add("InstanceNormalization", {groups, ones, zeros}, grouped);
  unit->producer()->SetAttribute("epsilon", params.epsilon);
  const auto rank = static_cast<std::int64_t>(shape->size());
  Value* whole = formula.Add("Shape", {formula.x()}, Type::Tensor(DType::kI64, std::vector{rank}));
  Value* y = formula.Add("Reshape", {unit, whole});
  std::vector<std::int64_t> behind(shape->size() - 2);
  std::iota(behind.begin(), behind.end(), 1);
  Shape channels(shape->size() - 1, Dim(1));
  channels[0] = (*shape)[1];
  const auto aligned = [&](std::size_t i) {
    if (behind.empty()) return node.operand(i);
    return formula.Add("Unsqueeze", {node.operand(i), formula.Ints(behind)},
                       type.WithShape(channels));
  };
  return Values{formula.Add("Add", {formula.Add("Mul", {y, aligned(1)}), aligned(2)})};
}

// (x − mean) / √(mean (x − mean)² + epsilon) · scale + bias
Result<Values> ExpandLayerNormalization(Node& node) {
  DRAGOMAN_ASSIGN(const Params filled, FillParams<rt::LayerNormalizationParams>(node));
  const auto& params = filled.As<rt::LayerNormalizationParams>();
  DRAGOMAN_ASSIGN(AxesFormula moments, FormulaFrom(node, params.axis));
  ExpansionFormula& formula = moments.formula;
  Value* mean = moments.Mean(moments.x);
  Value* centred = formula.Add("Sub", {moments.x, mean});
  DRAGOMAN_ASSIGN(Value * root, moments.RootOfMeanSquare(centred, params.epsilon));
  Value* unit = formula.Add("Div", {centred, root});
  const Type& type = node.result()->type();
  Value* y = formula.Add("Mul", {formula.Cast(unit, type), node.operand(1)}, type);
  if (node.operand(2) != nullptr) y = formula.Add("Add", {y, node.operand(2)}, type);
  Values results = {y};
  if (node.result(1) != nullptr || node.result(2) != nullptr) results.push_back(mean);
  if (node.result(2) != nullptr) results.push_back(moments.OfReduced("Reciprocal", {root}));
  for (std::size_t i = 1; i < results.size(); ++i) {
    if (node.result(i) != nullptr) results[i] = formula.Cast(results[i], node.result(i)->type());
  }
  return results;
}

// x / √(mean x² + epsilon) · scale
Result<Values> ExpandRmsNormalization(Node& node) {
  DRAGOMAN_ASSIGN(const Params filled, FillParams<rt::RMSNormalizationParams>(node));
  const auto& params = filled.As<rt::RMSNormalizationParams>();
  DRAGOMAN_ASSIGN(AxesFormula moments, FormulaFrom(node, params.axis));
  ExpansionFormula& formula = moments.formula;
  DRAGOMAN_ASSIGN(Value * root, moments.RootOfMeanSquare(moments.x, params.epsilon));
  Value* unit = formula.Add("Div", {moments.x, root});
  const Type& type = node.result()->type();
  return Values{formula.Add("Mul", {formula.Cast(unit, type), node.operand(1)}, type)};
}

// (x − mean) / (√(mean (x − mean)²) + 1e-9)
Result<Values> ExpandMeanVarianceNormalization(Node& node) {
  constexpr double kEpsilon = 1e-9;
  DRAGOMAN_ASSIGN(const Params filled, FillParams<rt::MeanVarianceNormalizationParams>(node));
  const rt::Ints& axes = filled.As<rt::MeanVarianceNormalizationParams>().axes;
  DRAGOMAN_ASSIGN(AxesFormula moments, FormulaAlong(node, {axes.begin(), axes.end()}));
  ExpansionFormula& formula = moments.formula;
  Value* centred = formula.Add("Sub", {moments.x, moments.Mean(moments.x)});
  Value* deviation = moments.OfReduced("Sqrt", {moments.MeanSquare(centred)});
  DRAGOMAN_ASSIGN(Value * epsilon, formula.Number(kEpsilon));
  Value* divisor = moments.OfReduced("Add", {deviation, epsilon});
  return Values{formula.Cast(formula.Add("Div", {centred, divisor}), node.result()->type())};
}

// x over its norm, or over 1 where that is 0.
Result<Values> ExpandLpNormalization(Node& node) {
  DRAGOMAN_ASSIGN(const Params filled, FillParams<rt::LpNormalizationParams>(node));
  const auto& params = filled.As<rt::LpNormalizationParams>();
  DRAGOMAN_ASSIGN(AxesFormula moments, FormulaAlong(node, {params.axis}));
  ExpansionFormula& formula = moments.formula;
  Value* x = moments.x;
  Value* part = params.p == 1 ? formula.Add("Abs", {x}) : formula.Add("Mul", {x, x});
  Value* norm = moments.OfReduced("ReduceSum", {part, moments.axes});
  if (params.p != 1) norm = moments.OfReduced("Sqrt", {norm});
  DRAGOMAN_ASSIGN(Value * zero, formula.Number(0));
  DRAGOMAN_ASSIGN(Value * one, formula.Number(1));
  const Type truth = moments.reduced_type.WithDType(DType::kBool);
  Value* is_zero = formula.Add("Equal", {norm, zero}, truth);
  Value* divisor = moments.OfReduced("Where", {is_zero, one, norm});
  return Values{formula.Cast(formula.Add("Div", {x, divisor}), node.result()->type())};
}

// The mean of `x`, (N, C, …), over a window of `size` channels around each, those beyond the ends
// being 0: an average pool of planes, whose rows are the channels.
Value* MeanOfChannels(ExpansionFormula& formula, Value* x, std::int64_t size) {
  const Type& type = formula.type();
  const Shape& sizes = *type.shape();
  const Dim columns = NumElements(Shape(sizes.begin() + 2, sizes.end()));
  const Type rows = type.WithShape(Shape{sizes[0], sizes[1], columns});
  const Type planes = type.WithShape(Shape{sizes[0], Dim(1), sizes[1], columns});
  const bool is_flat = sizes.size() == 3;
  if (!is_flat) {
    const std::int64_t given = columns.known() ? columns.value() : -1;
    x = formula.Add("Reshape", {x, formula.Ints({0, 0, given})}, rows);
  }
  Value* channel_axis = formula.Ints({1});
  Value* plane = formula.Add("Unsqueeze", {x, channel_axis}, planes);
  Value* means = formula.Add("AveragePool", {plane}, planes);
  const std::int64_t before = (size - 1) / 2;
  means->producer()->SetAttribute("count_include_pad", std::int64_t{1});
  means->producer()->SetAttribute("kernel_shape", Attribute::Ints{size, 1});
  means->producer()->SetAttribute("pads", Attribute::Ints{before, 0, size - 1 - before, 0});
  means = formula.Add("Squeeze", {means, channel_axis}, rows);
  if (is_flat) return means;
  const auto rank = static_cast<std::int64_t>(sizes.size());
  Value* whole = formula.Add("Shape", {formula.x()}, Type::Tensor(DType::kI64, std::vector{rank}));
  return formula.Add("Reshape", {means, whole});
}

// x / (bias + alpha · mean of x² over neighbouring channels)^beta
Result<Values> ExpandLrn(Node& node) {
  DRAGOMAN_ASSIGN(const Params filled, FillParams<rt::LRNParams>(node));
  const auto& params = filled.As<rt::LRNParams>();
  ExpansionFormula formula(node);
  DRAGOMAN_ASSIGN(Value * x, WideOperand(formula, node));
  // A size of 0 would say to Reshape that another one is copied.
  if (NumElements(*formula.type().shape()) == Dim(0))
    return Values{formula.Add("Identity", {formula.x()}, node.result()->type())};
  Value* mean = MeanOfChannels(formula, formula.Add("Mul", {x, x}), params.size);
  DRAGOMAN_ASSIGN(Value * alpha, formula.Number(params.alpha));
  DRAGOMAN_ASSIGN(Value * bias, formula.Number(params.bias));
  DRAGOMAN_ASSIGN(Value * beta, formula.Number(params.beta));
  Value* base = formula.Add("Add", {formula.Add("Mul", {mean, alpha}), bias});
  Value* y = formula.Add("Div", {x, formula.Add("Pow", {base, beta})});
  return Values{formula.Cast(y, node.result()->type())};
}

}  // namespace

std::vector<OpDef> NormalizationOps() {
  return {
      Op("BatchNormalization", {1, 15},
         "(X: T, scale: T1, B: T1, input_mean: T2, input_var: T2) -> "
         "(Y: T, running_mean: T2?, running_var: T2?)",
         "T: float; T1: float; T2: float")
          .Facts({.ends_zeros = true})
          .Attributes<rt::BatchNormalizationParams>()
          .Infer(InferBatchNormalization)
          .Kernel({.header = "runtime/kernels/batch_normalization.h", .types = "T T1 T2"}),
      Op("GroupNormalization", {21, 21}, "(X: T, scale: T, bias: T) -> (Y: T)", "T: float")
          .Facts({.ends_zeros = true})
          .Attributes<rt::GroupNormalizationParams>()
          .Required("num_groups")
          .Infer(InferGroupNormalization)
          .Kernel({.header = "runtime/kernels/instance_normalization.h", .types = "T"})
          .Expand(ExpandGroupNormalization),
      Op("InstanceNormalization", {1, 22}, "(input: T, scale: T, B: T) -> (output: T)", "T: float")
          .Facts({.ends_zeros = true})
          .Attributes<rt::InstanceNormalizationParams>()
          .Infer(InferInstanceNormalization)
          .Kernel({.header = "runtime/kernels/instance_normalization.h", .types = "T"}),
      Op("LRN", {1, 13}, "(X: T) -> (Y: T)", "T: float")
          .Attributes<rt::LRNParams>()
          .Required("size")
          .Infer(InferLrn)
          .Kernel({.header = "runtime/kernels/lrn.h", .types = "T"})
          .Expand(ExpandLrn),
      Op("LayerNormalization", {17, 17},
         "(X: T, Scale: T, B: T?) -> (Y: T, Mean: U?, InvStdDev: U?)", "T: float; U: f32 bf16")
          .Facts({.ends_zeros = true})
          .Attributes<rt::LayerNormalizationParams>()
          .Axis(AxisUse::kFromAxisOn)
          .Infer(InferLayerNormalization)
          .Kernel({.header = "runtime/kernels/layer_normalization.h", .types = "T U=f32"})
          .Expand(ExpandLayerNormalization),
      Op("LpNormalization", {1, 22}, "(input: T) -> (output: T)", "T: float")
          .Attributes<rt::LpNormalizationParams>()
          .Axis(AxisUse::kAlong)
          .Infer(InferLpNormalization)
          .Kernel({.header = "runtime/kernels/lp_normalization.h", .types = "T"})
          .Expand(ExpandLpNormalization),
      Op("MeanVarianceNormalization", {9, 13}, "(X: T) -> (Y: T)", "T: float")
          .Attributes<rt::MeanVarianceNormalizationParams>()
          .Infer(InferMeanVarianceNormalization)
          .Kernel({.header = "runtime/kernels/mean_variance_normalization.h", .types = "T"})
          .Expand(ExpandMeanVarianceNormalization),
      Op("RMSNormalization", {23, 23}, "(X: T, scale: V) -> (Y: V)", "T: float; V: float")
          .Facts({.ends_zeros = true})
          .Attributes<rt::RMSNormalizationParams>()
          .Axis(AxisUse::kFromAxisOn)
          .Infer(InferRmsNormalization)
          .Kernel({.header = "runtime/kernels/layer_normalization.h", .types = "T V"})
          .Expand(ExpandRmsNormalization),
  };
}

}  // namespace dragoman
