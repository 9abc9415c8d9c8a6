// SPDX-License-Identifier: Apache-2.0
// Connectionist temporal classification: the probability of a label sequence, summed over its
// alignments with the steps of an input (Graves et al., 2006, section 4.1), in logarithms.
#include "importers/torch/ops/op_rows.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "importers/torch/ops/math.h"
#include "importers/torch/ops/steps.h"

namespace dragoman::torch {
namespace {

// log(exp a + exp b + exp c), -inf where all are.
Value* LogSum(Composer& c, const std::vector<Value*>& terms) {
  Value* largest = terms[0];
  for (std::size_t i = 1; i < terms.size(); ++i) largest = c.Max(largest, terms[i]);
  Value* base = c.Where(c.Equal(largest, -INFINITY), 0, largest);
  Value* sum = nullptr;
  for (Value* term : terms) {
    Value* power = c.Exp(c.Sub(term, base));
    sum = sum == nullptr ? power : c.Add(sum, power);
  }
  return c.Add(c.Log(sum), base);
}

// The labels of each sequence in a row, (batch, longest), padded by anything.
Value* TakeTargets(CallComposer& c, Value* lengths) {
  Value* targets = c.Cast(c.Tensor("targets"), DType::kI64);
  if (c.Rank(targets) == 2) return targets;
  const std::optional<std::vector<std::int64_t>> known = c.builder().KnownInts(lengths);
  Value* longest = c.NumElements(targets);
  if (known) longest = c.Int(known->empty() ? 0 : *std::max_element(known->begin(), known->end()));
  Value* starts = c.Op("CumSum", {lengths, c.Int(0)}, {{"exclusive", std::int64_t{1}}});
  Value* places = c.Add(c.Unsqueeze(starts, {1}), c.Iota(longest));
  Value* last = c.Sub(c.NumElements(targets), 1);
  return c.Gather(targets, c.Max(c.Min(places, last), 0), 0);
}

// Labels with blanks around each: (batch, 2·longest + 1).
Value* WithBlanks(Composer& c, Value* targets, std::int64_t blank) {
  Value* blanks = c.Where(c.Equal(targets, targets), c.Int(blank), targets);
  Value* pairs = c.Concat({c.Unsqueeze(blanks, {2}), c.Unsqueeze(targets, {2})}, 2);
  Value* batch = c.SizeVector(targets, 0, 1);
  Value* flat = c.Reshape(pairs, c.ConcatSizes({batch, c.Vector(c.Mul(c.Size(targets, 1), 2))}));
  Value* last =
      c.Full(c.ConcatSizes({batch, c.Ints({1})}), static_cast<double>(blank), DType::kI64);
  return c.Concat({flat, last}, 1);
}

// Columns moved right by `count`, with `fill` where nothing comes from.
Value* Shifted(Composer& c, Value* x, std::int64_t count, double fill) {
  Value* width = c.SizeVector(x, 1, 1);
  Value* shape = c.ConcatSizes({c.SizeVector(x, 0, 1), c.Ints({count})});
  Value* whole = c.Concat({c.Full(shape, fill, c.dtype(x)), x}, 1);
  return c.Slice(whole, 1, c.Ints({0}), width, c.Ints({1}));
}

struct Lengths {
  Value* inputs;  // of rank 1
  Value* targets;
};

Value* TakeLengths(CallComposer& c, std::string_view name) {
  const Abstract given = c.Take(c.call().Argument(name));
  if (!given.Is<TensorRef>()) return c.Take(c.call().IntListValue(name));
  Value* value = c.Cast(c.Tensor(name), DType::kI64);
  return c.Rank(value) == 0 ? c.Unsqueeze(value, {0}) : value;
}

// What one step does to the logarithms of the probabilities (batch, label) that alignments have
// reached a label.
struct Alignments {
  Value* scores;         // (time, batch, label): of a label at a step
  Value* skips;          // (batch, label): whether the blank in front may be left out
  Value* input_lengths;  // (batch, 1)

  Value* After(Composer& c, Value* alpha, Value* step) const {
    Value* skipped = c.Where(skips, Shifted(c, alpha, 2, -INFINITY), -INFINITY);
    Value* sum = LogSum(c, {alpha, Shifted(c, alpha, 1, -INFINITY), skipped});
    Value* next = c.Add(sum, c.Gather(scores, step, 0));
    return c.Where(c.Greater(input_lengths, step), next, alpha);
  }

  // Steps of a known number stand one after the other.
  Value* AfterAll(Composer& c, Value* alpha) const {
    if (const std::optional<std::int64_t> steps = c.KnownSize(scores, 0)) {
      for (std::int64_t t = 1; t < *steps && !c.failed(); ++t) alpha = After(c, alpha, c.Int(t));
      return alpha;
    }
    const Step run = [this](Composer& inner, Value* step, Values& state) -> Values {
      state[0] = After(inner, state[0], inner.Add(step, 1));
      return {};
    };
    const Values last = RunSteps(c, c.Sub(c.Size(scores, 0), 1), {alpha}, run);
    return last.empty() ? nullptr : last[0];
  }
};

// The losses, one a sequence; log_probs is (time, batch, class).
Value* Losses(CallComposer& c, Value* log_probs, Value* labels, const Lengths& lengths) {
  const std::int64_t blank = c.IntOr("blank", 0);
  if (c.KnownSize(log_probs, 0) == 0) return c.Fail("no steps");
  Value* shape = c.ConcatSizes({c.SizeVector(log_probs, 0, 1), c.Shape(labels)});
  Value* index = c.Expand(c.Unsqueeze(labels, {0}), shape);
  Value* scores = c.Op("GatherElements", {log_probs, index}, {{"axis", std::int64_t{2}}});
  Value* places = c.Iota(c.Size(labels, 1));
  Value* target_lengths = c.Unsqueeze(lengths.targets, {1});
  Value* starts = c.LessOrEqual(places, c.Min(target_lengths, 1));
  Value* differs = c.NotEqual(labels, Shifted(c, labels, 2, -1));
  Value* skips = c.And(differs, c.NotEqual(labels, c.Int(blank)));
  const Alignments alignments{scores, skips, c.Unsqueeze(lengths.inputs, {1})};
  Value* alpha = alignments.AfterAll(c, c.Where(starts, c.Select(scores, 0, 0), -INFINITY));
  Value* end = c.Mul(target_lengths, 2);
  const auto at = [&](Value* place) {
    return c.Op("GatherElements", {alpha, place}, {{"axis", std::int64_t{1}}});
  };
  Value* before = c.Where(c.Equal(end, 0), -INFINITY, at(c.Max(c.Sub(end, 1), 0)));
  return c.Neg(c.Squeeze(LogSum(c, {at(end), before}), {1}));
}

Value* LowerCtcLoss(CallComposer& c) {
  Value* given = c.Tensor("log_probs");
  const bool batched = c.Rank(given) == 3;
  Value* log_probs = batched ? given : c.Unsqueeze(given, {1});
  const Lengths lengths{TakeLengths(c, "input_lengths"), TakeLengths(c, "target_lengths")};
  Value* labels = WithBlanks(c, TakeTargets(c, lengths.targets), c.IntOr("blank", 0));
  Value* losses = Losses(c, c.Widen(log_probs), labels, lengths);
  if (c.BoolOr("zero_infinity", false)) losses = c.Where(c.Equal(losses, INFINITY), 0, losses);
  const std::int64_t reduction = c.IntOr("reduction", 1);
  constexpr std::int64_t kMean = 1;
  if (reduction == kMean) {
    Value* count = c.CastLike(c.Max(lengths.targets, 1), losses);
    losses = c.ReduceMean(c.Div(losses, count), {0});
  } else if (reduction != 0) {
    losses = c.ReduceSum(losses, {0});
  } else if (!batched) {
    losses = c.Squeeze(losses, {0});
  }
  return c.CastLike(losses, given);
}

}  // namespace

std::span<const OpRow> CtcLossRows() {
  static constexpr OpRow kRows[] = {
      {"aten.ctc_loss", LowerCtcLoss},
  };
  return kRows;
}

}  // namespace dragoman::torch
