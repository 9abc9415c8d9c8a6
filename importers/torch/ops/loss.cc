// SPDX-License-Identifier: Apache-2.0
// Losses: elementwise first, then their mean or sum.
#include "importers/torch/ops/lowerings.h"
#include "importers/torch/ops/op_rows.h"

#include <numbers>

#include "importers/torch/ops/composer.h"
#include "importers/torch/ops/distance.h"
#include "importers/torch/ops/math.h"
#include "importers/torch/ops/promotion.h"

namespace dragoman::torch {
namespace {

enum Reduction { kNone = 0, kMean = 1, kSum = 2 };

// Losses of all elements, reduced as argument `reduction` says.
Result<Value*> Reduced(CallComposer& c, Value* losses) {
  const std::int64_t reduction = c.Int("reduction");
  if (reduction == kNone) return c.Done(losses);
  return c.Done(c.ReduceAll(reduction == kMean ? "ReduceMean" : "ReduceSum", losses));
}

struct Pair {
  Value* x;
  Value* y;
};

Pair TakePair(CallComposer& c) {
  const std::vector<Value*> values = c.Promoted({"self", "target"});
  return {values[0], values[1]};
}

// -log of the probability of each target class, times the weight that it has.
struct ClassLoss {
  Value* losses;   // 0 where the target is ignored
  Value* weights;  // likewise; nullptr: all others have the weight 1
  Value* ignored;
};

// Classes stand along axis 1, or along axis 0 of a single sample.
ClassLoss NegativeLogLikelihood(CallComposer& c, Value* log_p) {
  Value* target = c.Cast(c.Tensor("target"), DType::kI64);
  const std::int64_t axis = c.Rank(log_p) == 1 ? 0 : 1;
  Value* ignored = c.Equal(target, c.Int(c.Int("ignore_index")));
  Value* safe = c.Where(ignored, 0, target);
  Value* picked = c.Op("GatherElements", {log_p, c.Unsqueeze(safe, {axis})}, {{"axis", axis}});
  Value* losses = c.Where(ignored, 0, c.Neg(c.Squeeze(picked, {axis})));
  Value* weight = c.OptionalTensor("weight");
  if (weight == nullptr) return {losses, nullptr, ignored};
  Value* factor = c.Where(ignored, 0, c.Gather(weight, safe, 0));
  return {c.Mul(losses, factor), factor, ignored};
}

// The weight of all targets, as a number.
Value* TotalWeight(Composer& c, const ClassLoss& loss) {
  if (loss.weights != nullptr) return c.ReduceAll("ReduceSum", loss.weights);
  Value* counted = c.ReduceAll("ReduceSum", c.Cast(c.Not(loss.ignored), DType::kI64));
  return c.CastLike(counted, loss.losses);
}

Result<Value*> ReduceWeighted(CallComposer& c, const ClassLoss& loss) {
  const std::int64_t reduction = c.Int("reduction");
  if (reduction == kNone) return c.Done(loss.losses);
  Value* sum = c.ReduceAll("ReduceSum", loss.losses);
  if (reduction == kSum) return c.Done(sum);
  return c.Done(c.Div(sum, TotalWeight(c, loss)));
}

// Weights of classes, to be broadcast along the axis of classes.
Value* ClassWeights(CallComposer& c, Value* x, int axis) {
  return AlongAxis(c, c.Tensor("weight"), axis, c.Rank(x));
}

// Targets that are probabilities.
Result<Value*> SoftCrossEntropy(CallComposer& c, Value* log_p, int axis) {
  Value* target = c.Tensor("target");
  const double smoothing = c.FloatOr("label_smoothing", 0);
  if (smoothing > 0) {
    Value* share = c.Div(c.Number(smoothing, log_p), c.CastLike(c.Size(log_p, axis), log_p));
    target = c.Add(c.Mul(target, 1 - smoothing), share);
  }
  Value* product = c.Mul(log_p, target);
  if (c.Has("weight")) product = c.Mul(product, ClassWeights(c, log_p, axis));
  return Reduced(c, c.Neg(c.ReduceSum(product, {axis})));
}

// (1 - s) nll + s / classes * the sum over all classes of -log p.
Result<Value*> Smoothed(CallComposer& c, Value* log_p, int axis, double smoothing) {
  const ClassLoss hard = NegativeLogLikelihood(c, log_p);
  Value* all = log_p;
  if (c.Has("weight")) all = c.Mul(all, ClassWeights(c, log_p, axis));
  Value* smooth = c.Neg(c.ReduceSum(all, {axis}));
  smooth = c.Where(hard.ignored, 0, smooth);
  Value* share = c.Div(c.Number(smoothing, log_p), c.CastLike(c.Size(log_p, axis), log_p));
  const auto mix = [&](Value* a, Value* b) {
    return c.Add(c.Mul(a, 1 - smoothing), c.Mul(b, share));
  };
  const std::int64_t reduction = c.Int("reduction");
  if (reduction == kNone) return c.Done(mix(hard.losses, smooth));
  Value* hard_sum = c.ReduceAll("ReduceSum", hard.losses);
  Value* smooth_sum = c.ReduceAll("ReduceSum", smooth);
  if (reduction == kSum) return c.Done(mix(hard_sum, smooth_sum));
  Value* weights = TotalWeight(c, hard);
  return c.Done(mix(c.Div(hard_sum, weights), c.Div(smooth_sum, weights)));
}

Result<Value*> LowerL1Loss(Call& call) {
  CallComposer c(call);
  const Pair p = TakePair(c);
  return Reduced(c, c.Abs(c.Sub(p.x, p.y)));
}

Result<Value*> LowerMseLoss(Call& call) {
  CallComposer c(call);
  const Pair p = TakePair(c);
  Value* difference = c.Sub(p.x, p.y);
  return Reduced(c, c.Mul(difference, difference));
}

Result<Value*> LowerSmoothL1Loss(Call& call) {
  CallComposer c(call);
  const double beta = c.Float("beta");
  const Pair p = TakePair(c);
  Value* distance = c.Abs(c.Sub(p.x, p.y));
  if (beta == 0) return Reduced(c, distance);
  Value* near = c.Div(c.Mul(c.Mul(distance, distance), 0.5), beta);
  return Reduced(c, c.Where(c.Less(distance, beta), near, c.Sub(distance, 0.5 * beta)));
}

// Unlike other losses it has the element type of `self`, whatever that of the target.
Result<Value*> LowerHuberLoss(Call& call) {
  CallComposer c(call);
  const double delta = c.Float("delta");
  const Pair p = TakePair(c);
  Value* distance = c.Abs(c.Sub(p.x, p.y));
  Value* near = c.Mul(c.Mul(distance, 0.5), distance);
  Value* far = c.Mul(c.Sub(distance, 0.5 * delta), delta);
  Value* losses = c.Where(c.Less(distance, delta), near, far);
  return Reduced(c, c.CastLike(losses, c.Tensor("self")));
}

Result<Value*> LowerBinaryCrossEntropy(Call& call) {
  CallComposer c(call);
  Value* p = c.Tensor("self");
  Value* target = c.Tensor("target");
  const auto bounded = [&](Value* log) { return c.Max(log, -100); };  // as torch has it
  Value* wrong = c.Mul(c.Sub(target, 1), bounded(Log1p(c, c.Neg(p))));
  Value* losses = c.Sub(wrong, c.Mul(target, bounded(c.Log(p))));
  if (Value* weight = c.OptionalTensor("weight")) losses = c.Mul(losses, weight);
  return Reduced(c, losses);
}

Result<Value*> LowerBinaryCrossEntropyWithLogits(Call& call) {
  CallComposer c(call);
  const Pair p = TakePair(c);
  Value* right = c.CastLike(LogSigmoid(c, c.Widen(p.x)), p.x);
  if (Value* positive = c.OptionalTensor("pos_weight"))
    right = c.Mul(c.Add(c.Mul(c.Sub(positive, 1), p.y), 1), right);
  Value* losses = c.Sub(c.Mul(c.Sub(1, p.y), p.x), right);
  if (Value* weight = c.OptionalTensor("weight")) losses = c.Mul(losses, weight);
  return Reduced(c, losses);
}

Result<Value*> LowerKlDiv(Call& call) {
  CallComposer c(call);
  const Pair p = TakePair(c);
  if (c.BoolOr("log_target", false)) return Reduced(c, c.Mul(c.Exp(p.y), c.Sub(p.y, p.x)));
  Value* entropy = XLogY(c, p.y, p.y);
  return Reduced(c, c.Sub(entropy, c.Mul(p.y, p.x)));
}

Result<Value*> LowerPoissonNllLoss(Call& call) {
  CallComposer c(call);
  const std::vector<Value*> promoted = c.Promoted({"input", "target"}, true);
  Value* x = promoted[0];
  Value* target = promoted[1];
  const double eps = c.Float("eps");
  Value* losses = c.Bool("log_input") ? c.Sub(c.Exp(x), c.Mul(target, x))
                                      : c.Sub(x, c.Mul(target, c.Log(c.Add(x, eps))));
  if (c.Bool("full")) {
    Value* stirling = c.Sub(c.Mul(target, c.Log(target)), target);
    stirling = c.Add(stirling, c.Mul(c.Log(c.Mul(target, 2 * std::numbers::pi)), 0.5));
    losses = c.Add(losses, c.Where(c.LessOrEqual(target, 1), 0, stirling));
  }
  return Reduced(c, losses);
}

}  // namespace

// nll_loss, nll_loss2d, nll_loss_nd
Result<Value*> LowerNllLoss(Call& call) {
  CallComposer c(call);
  return ReduceWeighted(c, NegativeLogLikelihood(c, c.Tensor("self")));
}

namespace {

Result<Value*> LowerCrossEntropyLoss(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  const int axis = c.Rank(x) == 1 ? 0 : 1;
  Value* log_p = c.Op("LogSoftmax", {x}, {{"axis", std::int64_t{axis}}});
  if (IsFloating(c.dtype(c.Tensor("target")))) return SoftCrossEntropy(c, log_p, axis);
  const double smoothing = c.FloatOr("label_smoothing", 0);
  if (smoothing > 0) return Smoothed(c, log_p, axis, smoothing);
  return ReduceWeighted(c, NegativeLogLikelihood(c, log_p));
}

Result<Value*> LowerHingeEmbeddingLoss(Call& call) {
  CallComposer c(call);
  Value* x = c.Tensor("self");
  Value* target = c.Tensor("target");
  Value* apart = c.Where(c.NotEqual(target, 1), c.Max(c.Sub(c.Float("margin"), x), 0), 0);
  Value* alike = c.Where(c.NotEqual(target, -1), x, 0);
  return Reduced(c, c.Add(apart, alike));
}

Result<Value*> LowerMarginRankingLoss(Call& call) {
  CallComposer c(call);
  const std::vector<Value*> x = c.Promoted({"input1", "input2", "target"});
  Value* ordered = c.Mul(c.Neg(x[2]), c.Sub(x[0], x[1]));
  if (!c.failed() && !IsFloating(c.dtype(ordered))) ordered = c.Cast(ordered, kDefaultFloat);
  return Reduced(c, c.Max(c.Add(ordered, c.Float("margin")), 0));
}

Result<Value*> LowerSoftMarginLoss(Call& call) {
  CallComposer c(call);
  const Pair p = TakePair(c);
  return Reduced(c, Log1p(c, c.Exp(c.Mul(c.Neg(p.x), p.y))));
}

Result<Value*> LowerCosineEmbeddingLoss(Call& call) {
  CallComposer c(call);
  const std::vector<Value*> x = c.Promoted({"input1", "input2"});
  Value* target = c.Tensor("target");
  if (c.dtype(target) == DType::kBool) target = c.Cast(target, DType::kI64);
  constexpr double kEps = 1e-12;
  const int axis = c.Rank(target);
  // Integers are multiplied in their own type, and summed in int64.
  const auto dot = [&](Value* a, Value* b) {
    Value* product = c.dtype(a) == DType::kBool ? c.And(a, b) : c.Mul(a, b);
    Value* sum = c.ReduceSum(c.Cast(product, SumResult(c.dtype(a))), {axis});
    return IsFloating(c.dtype(sum)) ? sum : c.Cast(sum, kDefaultFloat);
  };
  Value* squares = c.Mul(c.Add(dot(x[0], x[0]), kEps), c.Add(dot(x[1], x[1]), kEps));
  Value* cosine = c.Div(dot(x[0], x[1]), c.Sqrt(squares));
  Value* alike = c.Where(c.Equal(target, 1), c.Sub(1, cosine), 0);
  Value* apart = c.Max(c.Sub(cosine, c.Float("margin")), 0);
  return Reduced(c, c.Add(alike, c.Where(c.Equal(target, -1), apart, 0)));
}

Result<Value*> LowerTripletMarginLoss(Call& call) {
  CallComposer c(call);
  Value* anchor = c.Tensor("anchor");
  Value* positive = c.Tensor("positive");
  Value* negative = c.Tensor("negative");
  const double p = c.Float("p");
  const double eps = c.Float("eps");
  Value* near = PairwiseDistance(c, anchor, positive, p, eps, false);
  Value* far = PairwiseDistance(c, anchor, negative, p, eps, false);
  if (c.Bool("swap")) far = c.Min(far, PairwiseDistance(c, positive, negative, p, eps, false));
  return Reduced(c, c.Max(c.Sub(c.Add(near, c.Float("margin")), far), 0));
}

// Of (batch, classes) and one class a sample, or of a single sample.
Value* LowerMultiMarginLoss(CallComposer& c) {
  Value* given = c.Tensor("self");
  Value* target = c.Tensor("target");
  const bool single = c.Rank(given) < 2;
  Value* x = single ? c.Reshape(given, {1, -1}) : given;
  Value* classes = c.Reshape(target, {-1, 1});
  Value* own = c.Op("GatherElements", {x, classes}, {{"axis", std::int64_t{1}}});
  Value* margin = c.Max(c.Add(c.Sub(c.Float("margin"), own), x), 0);
  if (c.Float("p") == 2) margin = c.Mul(margin, margin);
  if (Value* weight = c.OptionalTensor("weight"))
    margin = c.Mul(margin, c.Gather(weight, classes, 0));
  Value* others = c.NotEqual(c.Iota(c.Size(x, 1)), classes);
  Value* counted = c.Where(others, margin, 0);
  if (c.Int("reduction") == kMean) return c.ReduceAll("ReduceMean", counted);
  if (c.Int("reduction") == kSum)
    return c.Div(c.ReduceAll("ReduceSum", counted), c.CastLike(c.Size(x, 1), x));
  Value* losses = c.ReduceMean(counted, {1});
  return single && c.MaybeRank(target) == 0 ? c.Squeeze(losses, {0}) : losses;
}

}  // namespace

// Targets list classes up to the first -1.
Result<Value*> LowerMultilabelMarginLoss(Call& call) {
  CallComposer c(call);
  Value* given = c.Tensor("self");
  const bool single = c.Rank(given) < 2;
  Value* x = single ? c.Reshape(given, {1, -1}) : given;
  Value* target = c.Tensor("target");
  target = single ? c.Reshape(target, {1, -1}) : target;
  Value* ended = c.Op("CumSum", {c.Cast(c.Less(target, 0), DType::kI64), c.Int(1)});
  Value* listed = c.Equal(ended, 0);
  Value* safe = c.Where(listed, target, 0);
  Value* matches =
      c.And(c.Equal(c.Unsqueeze(safe, {2}), c.Iota(c.Size(x, 1))), c.Unsqueeze(listed, {2}));
  Value* is_target = c.Reduce("ReduceMax", matches, {1}, false);
  Value* own = c.Op("GatherElements", {x, safe}, {{"axis", std::int64_t{1}}});
  Value* margin = c.Max(c.Sub(c.Unsqueeze(x, {1}), c.Sub(c.Unsqueeze(own, {2}), 1)), 0);
  Value* counts = c.And(c.Unsqueeze(listed, {2}), c.Not(c.Unsqueeze(is_target, {1})));
  Value* sum = c.ReduceSum(c.Where(counts, margin, 0), {1, 2});
  Value* losses = c.Div(sum, c.CastLike(c.Size(x, 1), x));
  return Reduced(c, single ? c.Squeeze(losses, {0}) : losses);
}

std::span<const OpRow> LossRows() {
  static constexpr OpRow kRows[] = {
      {"aten.binary_cross_entropy", LowerBinaryCrossEntropy},
      {"aten.binary_cross_entropy_with_logits", LowerBinaryCrossEntropyWithLogits},
      {"aten.cosine_embedding_loss", LowerCosineEmbeddingLoss},
      {"aten.cross_entropy_loss", LowerCrossEntropyLoss},
      {"aten.hinge_embedding_loss", LowerHingeEmbeddingLoss},
      {"aten.huber_loss", LowerHuberLoss},
      {"aten.kl_div", LowerKlDiv},
      {"aten.l1_loss", LowerL1Loss, {.complex = true}},
      {"aten.margin_ranking_loss", LowerMarginRankingLoss},
      {"aten.mse_loss", LowerMseLoss},
      {"aten.multi_margin_loss", LowerMultiMarginLoss},
      {"aten.multilabel_margin_loss", LowerMultilabelMarginLoss},
      {"aten.nll_loss", LowerNllLoss},
      {"aten.nll_loss2d", LowerNllLoss},
      {"aten.nll_loss_nd", LowerNllLoss},
      {"aten.poisson_nll_loss", LowerPoissonNllLoss},
      {"aten.smooth_l1_loss", LowerSmoothL1Loss},
      {"aten.soft_margin_loss", LowerSoftMarginLoss},
      {"aten.triplet_margin_loss", LowerTripletMarginLoss},
  };
  return kRows;
}

}  // namespace dragoman::torch
