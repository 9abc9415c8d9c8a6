// SPDX-License-Identifier: Apache-2.0
// Texts from the scores of their letters, step by step.
#include "importers/tensorflow/ops/op_rows.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "core/lowering/math.h"

namespace dragoman::tf {
namespace {

// The class of each step but those of the step before it; -1 at the first. (batch, steps)
Value* Before(Call& c, Value* classes) {
  Value* none = c.Full(c.ConcatSizes({c.SizeVector(classes, 0, 1), c.Ints({1})}), -1, DType::kI64);
  Value* all = c.Concat({none, classes}, 1);
  return c.Slice(all, 1, 0, -1);
}

// decoded_indices, decoded_values, decoded_shape, log_probability: of each sequence the best class
// of each step, without the blank and, if they are merged, without repetitions.
std::vector<Value*> LowerCtcGreedyDecoder(Call& c) {
  Value* scores = c.Tensor(0);  // (steps, batch, classes)
  Value* lengths = c.Unsqueeze(c.Index(1), {1});
  const std::int64_t blank_index = c.IntAttribute("blank_index");
  if (c.Rank(scores) != 3 && !c.failed()) c.Fail(InvalidInput("scores of a rank other than 3"));
  Value* blank =
      blank_index < 0 ? c.Add(c.Size(scores, 2), c.Int(blank_index)) : c.Int(blank_index);
  Value* best =
      c.Op("ArgMax", {scores}, {{"axis", std::int64_t{2}}, {"keepdims", std::int64_t{0}}});
  Value* classes = c.Transpose(best, {1, 0});
  Value* runs = c.Less(c.Iota(c.Size(classes, 1)), lengths);
  Value* counts = c.And(runs, c.NotEqual(classes, blank));
  if (c.BoolAttribute("merge_repeated"))
    counts = c.And(counts, c.NotEqual(classes, Before(c, classes)));
  Value* ones = c.Cast(counts, DType::kI64);
  Value* behind = c.Op("CumSum", {ones, c.Int(1)});
  const auto chosen = [&](Value* x) {
    return c.Op("Compress", {c.Flatten(x), c.Flatten(counts)}, {{"axis", std::int64_t{0}}});
  };
  Value* row = c.Select(c.Op("NonZero", {counts}), 0, 0);
  Value* column = c.Sub(chosen(behind), 1);
  Value* indices = c.Concat({c.Unsqueeze(row, {1}), c.Unsqueeze(column, {1})}, 1);
  // No sequence at all has no longest one.
  Value* widths = c.Concat({c.ReduceSum(ones, {1}), c.Ints({0})}, 0);
  Value* sizes =
      c.ConcatSizes({c.SizeVector(classes, 0, 1), c.Vector(c.ReduceAll("ReduceMax", widths))});
  Value* highest = c.Transpose(c.Reduce("ReduceMax", scores, {2}, false), {1, 0});
  Value* total = c.ReduceSum(c.Where(runs, highest, 0), {1}, true);
  return {indices, chosen(classes), sizes, c.Neg(total)};
}

// For each of the best paths: indices, then values, then sizes; and log_probability.
std::vector<Value*> LowerCtcBeamSearchDecoder(Call& c) {
  Value* scores = c.Tensor(0);  // (steps, batch, classes)
  const std::int64_t paths = c.IntAttribute("top_paths");
  constexpr std::int64_t kMost = 1024;
  if (!c.failed() && (paths < 1 || paths > kMost)) c.Fail(InvalidInput("top_paths out of range"));
  const std::int64_t width = c.IntAttribute("beam_width");
  const std::int64_t merge = c.BoolAttribute("merge_repeated");
  const std::vector<Value*> found =
      c.Ops("dragoman.CtcBeamSearch", {scores, c.Index(1)},
            {{"beam_width", width}, {"top_paths", paths}, {"merge_repeated", merge}}, 2);
  std::vector<Value*> indices;
  std::vector<Value*> values;
  std::vector<Value*> sizes;
  for (std::int64_t path = 0; path < paths && !c.failed(); ++path) {
    Value* labels = c.Select(found[0], 0, path);  // (batch, steps)
    Value* counts = c.GreaterOrEqual(labels, 0);
    indices.push_back(c.Transpose(c.Op("NonZero", {counts}), {1, 0}));
    values.push_back(
        c.Op("Compress", {c.Flatten(labels), c.Flatten(counts)}, {{"axis", std::int64_t{0}}}));
    // No sequence at all has no longest one.
    Value* lengths = c.Concat({c.ReduceSum(c.Cast(counts, DType::kI64), {1}), c.Ints({0})}, 0);
    sizes.push_back(
        c.ConcatSizes({c.SizeVector(labels, 0, 1), c.Vector(c.ReduceAll("ReduceMax", lengths))}));
  }
  std::vector<Value*> results = std::move(indices);
  results.insert(results.end(), values.begin(), values.end());
  results.insert(results.end(), sizes.begin(), sizes.end());
  results.push_back(found[1]);
  return results;
}

}  // namespace

std::span<const OpRow> DecodingRows() {
  static constexpr OpRow kRows[] = {
      {"CTCBeamSearchDecoder", LowerCtcBeamSearchDecoder},
      {"CTCGreedyDecoder", LowerCtcGreedyDecoder},
  };
  return kRows;
}

}  // namespace dragoman::tf
