// SPDX-License-Identifier: Apache-2.0
// TreeEnsembleClassifier. Where the standard is silent, which is wherever there are two classes,
// the rules are ONNX Runtime's. With two classes it depends on whether the leaves that an example
// reaches know the second one: if not, one score stands for both.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "importers/onnx/ops/ml_trees.h"

namespace dragoman {
namespace {

// The ensemble and what its scores become. Scores are columns (examples, 1).
struct TwoClasses {
  OpLowering& op;
  OpComposer& f;
  PostTransform transform;
  std::vector<double> base;
  bool one_class = false;    // the leaves of all trees know one of the two
  bool probability = false;  // and no weight is negative
  Value* first = nullptr;    // scores of the classes
  Value* second = nullptr;
  Value* knows_first = nullptr;
  Value* knows_second = nullptr;

  Value* Base(std::size_t i) { return RealVector(f, {base[i]}, first); }
  // 0 where no leaf has a weight.
  Value* Shown(Value* score) { return f.Where(knows_first, score, 0); }
};

// What is decided by, and the two scores before they are transformed.
struct Decision {
  Value* weight = nullptr;
  Value* first = nullptr;
  Value* second = nullptr;
};

// Two base values: that of the second class goes to the score of the first, where both are known.
Decision DecideByTwoBases(TwoClasses& t) {
  OpComposer& f = t.f;
  Value* with_second = f.Add(t.first, t.Base(1));
  Value* with_first = f.Add(t.first, t.Base(0));
  Decision decision;
  decision.weight = f.Where(t.knows_second, with_second, with_first);
  decision.first = t.Shown(f.Where(t.knows_second, f.Neg(with_second), with_first));
  decision.second = f.Where(t.knows_second, with_second, 0);
  return decision;
}

Decision Decide(TwoClasses& t) {
  if (t.base.size() == 2) return DecideByTwoBases(t);
  Value* first = t.base.empty() ? t.first : t.f.Add(t.first, t.Base(0));
  return {t.f.Where(t.knows_second, t.second, first), first, t.second};
}

// Both scores, made of the one that is known.
Value* ScoresOfOne(TwoClasses& t, Value* score) {
  OpComposer& f = t.f;
  const bool logistic = t.transform == PostTransform::kLogistic;
  const bool complement = t.one_class && t.probability && !logistic;
  Value* other = complement ? f.Sub(1, score) : f.Neg(score);
  Value* both = f.Concat({other, score}, 1);
  return logistic ? f.Sigmoid(both) : both;
}

Value* Pair(TwoClasses& t, const Decision& decision) {
  Value* first = t.base.size() == 2 ? decision.first : t.Shown(decision.first);
  return Transformed(t.f, t.transform, t.f.Concat({first, decision.second}, 1), "");
}

// The number of the class, of rank 1.
Value* IndexOfTwo(TwoClasses& t, Value* weight) {
  const double threshold = t.one_class && t.probability ? 0.5 : 0;
  return t.f.Squeeze(t.f.Cast(t.f.Greater(weight, threshold), DType::kI64), {1});
}

LoweredResults FinishTwo(TwoClasses& t, const Tensor& labels, bool knows_second, bool may_lack) {
  OpComposer& f = t.f;
  Decision decision = Decide(t);
  Value* index = IndexOfTwo(t, decision.weight);
  for (Value** value : {&decision.first, &decision.second})
    if (*value != nullptr) *value = f.Cast(*value, DType::kF32);
  // A single score is given where the second class is not known and there are not two base values.
  const bool single = may_lack && t.base.size() != 2;
  if (single && (t.transform == PostTransform::kProbit || (!t.one_class && !t.base.empty())))
    return t.op.Unsupported("one score for two classes with PROBIT or a base value");
  Value* scores = knows_second || !single ? Pair(t, decision) : nullptr;
  if (single) {
    Value* of_one = ScoresOfOne(t, decision.first);
    scores = scores == nullptr ? of_one : f.Where(t.knows_second, scores, of_one);
  }
  // Labels that are integers are the numbers themselves where the leaves know both classes.
  const bool numbered = !t.one_class && labels.dtype() == DType::kI64;
  Value* label =
      numbered ? f.Op("Identity", {index}, {}, t.op.ResultName(0))
               : f.Op("Gather", {f.builder().Constant(labels), index}, {}, t.op.ResultName(0));
  return f.Finish({label, f.NamedCast(scores, DType::kF32, t.op.ResultName(1))});
}

// Whether every leaf has a weight for `target`.
bool AllKnow(const Trees& trees, const Leaves& leaves, std::int64_t target) {
  for (std::int64_t node = 0; node < trees.size(); ++node) {
    if (!trees.IsLeaf(node)) continue;
    const auto own = leaves.of_nodes.find(node);
    const auto is_target = [&](const auto& weight) { return weight.first == target; };
    if (own == leaves.of_nodes.end() || std::ranges::none_of(own->second, is_target)) return false;
  }
  return true;
}

LoweredResults LowerTwo(OpLowering& op, OpComposer& f, const TreeScores& computed,
                        const Trees& trees, const Leaves& leaves, const Tensor& labels,
                        std::vector<double> base, PostTransform transform) {
  TwoClasses two{.op = op, .f = f, .transform = transform, .base = std::move(base)};
  two.one_class = leaves.targets.size() == 1;
  two.probability = !leaves.has_negative;
  two.first = f.Slice(computed.scores, 1, 0, 1);
  two.second = f.Slice(computed.scores, 1, 1, 2);
  two.knows_first = f.Slice(computed.known, 1, 0, 1);
  two.knows_second = f.Slice(computed.known, 1, 1, 2);
  if (!f.status().ok()) return f.status().error();
  return FinishTwo(two, labels, leaves.targets.contains(1), !AllKnow(trees, leaves, 1));
}

// Of one class, or more than two: the largest score, among those that are known.
LoweredResults LowerMany(OpLowering& op, OpComposer& f, const TreeScores& computed,
                         const Tensor& labels, const std::vector<double>& base,
                         PostTransform transform) {
  Value* scores = computed.scores;
  Value* compared = nullptr;
  if (base.empty()) {
    compared = f.Where(computed.known, scores, -std::numeric_limits<double>::infinity());
  } else if (scores != nullptr) {
    compared = scores = f.Add(scores, RealVector(f, base, scores));
  }
  const std::int64_t drop = 0, columns = 1;
  Value* index = f.Op("ArgMax", {compared}, {{"axis", columns}, {"keepdims", drop}});
  Value* label = f.Op("Gather", {f.builder().Constant(labels), index}, {}, op.ResultName(0));
  if (scores != nullptr) scores = f.Cast(scores, DType::kF32);
  return f.Finish({label, Transformed(f, transform, scores, op.ResultName(1))});
}

}  // namespace

// Results: labels (examples), scores (examples, classes).
LoweredResults LowerTreeEnsembleClassifier(OpLowering& op) {
  DRAGOMAN_ASSIGN(std::vector<double> base, TakeReals(op, "base_values"));
  DRAGOMAN_ASSIGN(const std::optional<Tensor> labels,
                  TakeVector(op, {"classlabels_int64s", "classlabels_strings", ""}));
  DRAGOMAN_ASSIGN(const PostTransform transform, TakePostTransform(op));
  if (!labels) return op.Invalid("has no class labels");
  const std::int64_t classes = labels->size();
  DRAGOMAN_ASSIGN(const Trees trees, TakeTrees(op));
  DRAGOMAN_ASSIGN(const Leaves leaves, TakeLeaves(op, trees, "class", classes));
  const bool fits = base.empty() || static_cast<std::int64_t>(base.size()) == classes ||
                    (base.size() == 1 && classes == 2);
  if (!fits)
    return op.Invalid("has " + std::to_string(base.size()) + " base values for " +
                      std::to_string(classes) + " classes");
  OpComposer f(op);
  DRAGOMAN_ASSIGN(const TreeScores computed,
                  ComputeTrees(op, f, trees, leaves, rt::TreeAggregate::kSum));
  if (!f.status().ok()) return f.status().error();
  if (classes == 2)
    return LowerTwo(op, f, computed, trees, leaves, *labels, std::move(base), transform);
  return LowerMany(op, f, computed, *labels, base, transform);
}

}  // namespace dragoman
