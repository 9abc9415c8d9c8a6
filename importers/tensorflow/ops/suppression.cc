// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/ops/op_rows.h"

#include "importers/tensorflow/ops/suppression.h"

#include <limits>
#include <vector>

#include "importers/tensorflow/ops/loop_body.h"

namespace dragoman::tf {
namespace {

constexpr double kNoScore = -std::numeric_limits<double>::infinity();

// Numbers of boxes, as rows and as columns of a table of pairs.
Value* DownRows(Call& c, Value* x) { return c.Unsqueeze(x, {1}); }
Value* AlongRow(Call& c, Value* x) { return c.Unsqueeze(x, {0}); }

// (n, n): the area that two boxes share, as a part of the area that either covers.
Value* PairOverlaps(Call& c, Value* boxes) {
  Value* ends[4];
  for (int i = 0; i < 4; ++i) ends[i] = c.Select(boxes, 1, i);
  const auto shared = [&](Value* low, Value* high) {
    Value* from = c.Max(DownRows(c, low), AlongRow(c, low));
    return c.Max(c.Sub(c.Min(DownRows(c, high), AlongRow(c, high)), from), 0);
  };
  Value* low[] = {c.Min(ends[0], ends[2]), c.Min(ends[1], ends[3])};
  Value* high[] = {c.Max(ends[0], ends[2]), c.Max(ends[1], ends[3])};
  Value* area = c.Mul(c.Sub(high[0], low[0]), c.Sub(high[1], low[1]));
  Value* both = c.Mul(shared(low[0], high[0]), shared(low[1], high[1]));
  Value* covered = c.Sub(c.Add(DownRows(c, area), AlongRow(c, area)), both);
  // A box without area overlaps with none.
  Value* empty = c.Or(DownRows(c, c.LessOrEqual(area, 0)), AlongRow(c, c.LessOrEqual(area, 0)));
  return c.Where(empty, 0, c.Div(both, c.Where(empty, 1, covered)));
}

}  // namespace

KeptBoxes SuppressSoftly(Call& c, const SoftSuppression& given) {
  // One that never counts stands after the others, so that there is one.
  Value* none = c.Number(kNoScore, given.scores);
  Value* scores = c.Concat({given.scores, c.Reshape(none, {1})}, 0);
  Value* empty = c.Full(c.Ints({1, 4}), 0, c.dtype(given.boxes));
  Value* overlaps = PairOverlaps(c, c.Concat({given.boxes, empty}, 0));
  Value* fades = c.Greater(given.sigma, 0);
  Value* rate = c.Div(-0.5, c.Where(fades, given.sigma, 1));
  Value* faded = c.Exp(c.Mul(c.Where(fades, rate, 0), c.Mul(overlaps, overlaps)));
  // Where scores fade, no overlap is too large.
  Value* drops = c.And(c.Greater(overlaps, given.overlap), c.Not(fades));
  Value* places = c.Iota(c.Size(scores, 0));
  const auto any_left = [&](Composer& at, Value* left) {
    return at.Greater(at.ReduceAll("ReduceMax", left), given.least);
  };
  Value* starts = any_left(c, scores);
  if (c.failed()) return {};
  LoopBody body(c, {{"scores", scores->type()}});
  Composer at(body.builder);
  Value* now = body.carried[0];
  Value* best = at.Op("ArgMax", {now}, {{"axis", std::int64_t{0}}, {"keepdims", std::int64_t{0}}});
  Value* score = at.Gather(now, best, 0);
  Value* left = at.Mul(now, at.Gather(faded, best, 1));
  Value* gone = at.Or(at.Equal(places, best), at.Gather(drops, best, 1));
  gone = at.Or(gone, at.LessOrEqual(now, given.least));
  left = at.Where(gone, kNoScore, left);
  const std::vector<Value*> kept = AppendLoop(c, body, at, {any_left(at, left), left, best, score},
                                              {given.most, starts, scores});
  return {kept[1], kept[2]};
}

namespace {

// Boxes of which a table (n, n) says how much they overlap.
Value* LowerNonMaxSuppressionWithOverlaps(Call& c) {
  Value* overlaps = c.Tensor(0);
  Value* scores = c.Tensor(1);
  Value* most = c.IndexNumber(2);
  Value* overlap = c.Reshape(c.Tensor(3), Ints());
  Value* least = c.Reshape(c.Tensor(4), Ints());
  Value* count = c.Size(scores, 0);
  const std::vector<Value*> sorted =
      c.Ops("TopK", {scores, c.Vector(count)}, {{"axis", std::int64_t{0}}}, 2);
  Value* table = c.Gather(c.Gather(overlaps, sorted[1], 0), sorted[1], 1);
  Value* over = c.Greater(table, overlap);
  Value* counts = c.Greater(sorted[0], least);
  Value* none = c.Op("And", {counts, c.BoolConstant(false)});
  Value* places = c.Iota(count);
  Value* zero = c.Int(0);
  if (c.failed()) return nullptr;
  LoopBody body(c, {{"kept", none->type()}, {"count", zero->type()}});
  Composer at(body.builder);
  Value* kept = body.carried[0];
  Value* hit = at.And(at.Gather(over, body.number, 0), kept);
  Value* is_hit = at.Greater(at.ReduceAll("ReduceSum", at.Cast(hit, DType::kI64)), 0);
  Value* stays = at.And(at.Gather(counts, body.number, 0), at.Not(is_hit));
  stays = at.And(stays, at.Less(body.carried[1], most));
  Value* now = at.Or(kept, at.And(at.Equal(places, body.number), stays));
  Value* total = at.Add(body.carried[1], at.Cast(stays, DType::kI64));
  Value* again = at.Op("Identity", {body.go});
  Value* all = AppendLoop(c, body, at, {again, now, total}, {count, nullptr, none, zero})[0];
  Value* found = c.Op("Compress", {sorted[1], all}, {{"axis", std::int64_t{0}}});
  return c.Cast(found, DType::kI32);
}

}  // namespace

std::span<const OpRow> SuppressionRows() {
  static constexpr OpRow kRows[] = {
      {"NonMaxSuppressionWithOverlaps", LowerNonMaxSuppressionWithOverlaps},
  };
  return kRows;
}

}  // namespace dragoman::tf
