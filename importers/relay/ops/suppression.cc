// SPDX-License-Identifier: Apache-2.0
#include "importers/relay/ops/op_rows.h"

#include "importers/relay/ops/suppression.h"

#include <limits>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/lowering/name_body.h"

namespace dragoman::relay {
namespace {

Value* Column(Call& c, Value* rows, std::int64_t i) { return c.Select(rows, 2, i); }

// (images, boxes) beside each other: as rows, as columns.
Value* Rows(Call& c, Value* x) { return c.Unsqueeze(x, {2}); }
Value* Columns(Call& c, Value* x) { return c.Unsqueeze(x, {1}); }

// `x` where `keep` holds, else -1.
Value* OrNothing(Call& c, Value* keep, Value* x) { return c.Where(keep, x, c.Number(-1, x)); }

// Values of the places 0, 1, … of an axis that `count` boxes have.
Value* Places(Call& c, Value* boxes) { return c.Iota(c.Size(boxes, 1)); }

}  // namespace

Value* RowsAt(Call& c, Value* rows, Value* places) {
  if (c.MaybeRank(rows) == 2)
    return c.Op("GatherElements", {rows, places}, {{"axis", std::int64_t{1}}});
  Value* length = c.ConcatSizes({c.Ints({1, 1}), c.SizeVector(rows, 2, 1)});
  Value* index = c.Expand(Rows(c, places), length);
  return c.Op("GatherElements", {rows, index}, {{"axis", std::int64_t{1}}});
}

Compacted Compact(Call& c, Value* rows, Value* keep) {
  // Those that count stay in their order: equal elements of a sort do.
  Value* number = c.Cast(keep, DType::kI64);
  const std::vector<Value*> sorted =
      c.Ops("TopK", {number, c.Vector(c.Size(keep, 1))}, {{"axis", std::int64_t{1}}}, 2);
  Value* kept = c.Cast(sorted[0], DType::kBool);
  Compacted result;
  result.places = OrNothing(c, kept, sorted[1]);
  Value* moved = RowsAt(c, rows, sorted[1]);
  result.rows = OrNothing(c, c.MaybeRank(rows) == 2 ? kept : Rows(c, kept), moved);
  result.count = c.ReduceSum(number, {1});
  return result;
}

Boxes BoxesOf(Call& c, Value* rows, std::int64_t first) {
  Value* ends[4];
  for (std::int64_t i = 0; i < 4; ++i) ends[i] = Column(c, rows, first + i);
  return {c.Min(ends[0], ends[2]), c.Min(ends[1], ends[3]), c.Max(ends[0], ends[2]),
          c.Max(ends[1], ends[3])};
}

Value* Overlaps(Call& c, const Boxes& boxes, double extent) {
  const auto length = [&](Value* from, Value* to) {
    Value* difference = c.Sub(to, from);
    return extent == 0 ? difference : c.Add(difference, extent);
  };
  const auto shared = [&](Value* low, Value* high) {
    Value* from = c.Max(Rows(c, low), Columns(c, low));
    return c.Max(length(from, c.Min(Rows(c, high), Columns(c, high))), 0);
  };
  Value* both = c.Mul(shared(boxes.left, boxes.right), shared(boxes.top, boxes.bottom));
  Value* area = c.Mul(length(boxes.left, boxes.right), length(boxes.top, boxes.bottom));
  Value* covered = c.Sub(c.Add(Rows(c, area), Columns(c, area)), both);
  return c.Where(c.LessOrEqual(covered, 0), c.Number(0, both), c.Div(both, covered));
}

Value* Survivors(Call& c, const Suppression& given) {
  Value* count = c.Size(given.alive, 1);
  Value* places = c.Iota(count);
  Value* none = c.Full(c.SizeVector(given.alive, 0, 1), 0, DType::kI64);
  if (c.failed()) return nullptr;
  auto body = std::make_shared<Graph>();
  std::unordered_set<std::string> names;
  GraphBuilder inner(*body, c.builder().inference(), names);
  inner.set_origin(c.builder().origin());
  Value* box = body->AddInput("box", Type::Tensor(DType::kI64, Shape()));
  Value* go = body->AddInput("go", Type::Tensor(DType::kBool, Shape()));
  Value* alive = body->AddInput("alive", given.alive->type());
  Value* kept = body->AddInput("kept", none->type());

  Composer at(inner);
  Value* over = at.Gather(given.over, box, 1);
  Value* hits = at.ReduceSum(at.Cast(at.And(over, alive), DType::kI64), {1});
  Value* is_hit = at.Greater(hits, 0);
  Value* counts = at.Gather(given.candidates, box, 1);
  Value* dies = at.And(counts, is_hit);
  Value* stays = at.And(counts, at.Not(is_hit));
  if (given.limit != nullptr) {
    Value* is_full = at.Equal(kept, given.limit);
    dies = at.Or(is_full, dies);
    stays = at.And(stays, at.Not(is_full));
  }
  Value* dead = at.And(at.Equal(places, box), at.Unsqueeze(dies, {1}));
  Value* still = at.And(alive, at.Not(dead));
  Value* more = at.Add(kept, at.Cast(stays, DType::kI64));
  Value* again = at.Op("Identity", {go});
  c.Check(at.status());
  if (c.failed()) return nullptr;
  for (Value* result : {again, still, more}) body->AddOutput(result);
  NameInModel(*body, c.builder());
  return c.Ops("Loop", {count, nullptr, given.alive, none}, {{"body", body}}, 2)[0];
}

namespace {

// (count, rows, places): boxes whose score is above a threshold, moved to the front.
std::vector<Value*> LowerGetValidCounts(Call& c) {
  Value* x = c.Tensor(0);
  const double stated = c.Float("score_threshold", 0);
  const std::int64_t id = c.Int("id_index", 0);
  const std::int64_t score = c.Int("score_index", 1);
  if (c.failed()) return {};
  Value* least =
      c.num_operands() > 1 ? c.CastLike(c.Reshape(c.Tensor(1), Ints()), x) : c.Number(stated, x);
  Value* keep = c.Greater(Column(c, x, score), least);
  if (id >= 0) keep = c.And(keep, c.GreaterOrEqual(Column(c, x, id), 0));
  const Compacted result = Compact(c, x, keep);
  return {c.Cast(result.count, DType::kI32), result.rows, c.Cast(result.places, DType::kI32)};
}

struct SuppressionCall {
  Value* rows = nullptr;
  Value* count = nullptr;    // of boxes that are there, an image
  Value* indices = nullptr;  // what boxes were called before
  Value* limit = nullptr;
  double threshold = 0;
  std::int64_t top = -1;
  std::int64_t coordinates = 2;
  std::int64_t score = 1;
  std::int64_t id = 0;
  bool force = false;
};

SuppressionCall TakeCall(Call& c) {
  SuppressionCall call;
  call.rows = c.Tensor(0);
  call.count = c.Index(1);
  call.force = c.Bool("force_suppress", false);
  call.top = c.Int("top_k", -1);
  call.coordinates = c.Int("coord_start", 2);
  call.score = c.Int("score_index", 1);
  call.id = c.Int("id_index", 0);
  // Up to version 0.7 these were attributes, and up to 0.6 boxes had no names.
  const std::int64_t most = c.Int("max_output_size", -1);
  const double stated = c.Float("iou_threshold", 0.5);
  const std::size_t count = c.num_operands();
  call.limit = count > 3 ? c.Reshape(c.Index(3), Ints()) : c.Int(most);
  std::optional<double> threshold = stated;
  if (count > 4) threshold = c.KnownFloat(4);
  if (!threshold) c.Fail("an iou_threshold that is known at run time only");
  call.threshold = threshold.value_or(0);
  if (c.failed()) return call;
  Value* shape = c.SizeVector(call.rows, 0, 2);
  call.indices = c.Expand(count > 2 ? c.Index(2) : Places(c, call.rows), shape);
  return call;
}

// Rows by their scores, and their places; what suppression leaves out is -1.
struct Suppressed {
  Value* rows = nullptr;
  Value* places = nullptr;
};

Suppressed Suppress(Call& c, const SuppressionCall& call) {
  Value* places = Places(c, call.rows);
  Value* is_there = c.Less(places, c.Unsqueeze(call.count, {1}));
  if (call.threshold <= 0) {
    Value* shape = c.SizeVector(call.rows, 0, 2);
    return {OrNothing(c, Rows(c, is_there), call.rows),
            OrNothing(c, is_there, c.Expand(places, shape))};
  }
  Value* scores = Column(c, call.rows, call.score);
  Value* key = c.Where(is_there, scores, -std::numeric_limits<double>::infinity());
  Value* order =
      c.Ops("TopK", {key, c.Vector(c.Size(scores, 1))}, {{"axis", std::int64_t{1}}}, 2)[1];
  Value* kept = is_there;
  if (call.top > 0) kept = c.And(kept, c.Less(places, c.Int(call.top)));
  Value* rows = OrNothing(c, Rows(c, kept), RowsAt(c, call.rows, order));

  Value* positive = c.Greater(Column(c, rows, call.score), 0);
  Value* over = c.GreaterOrEqual(Overlaps(c, BoxesOf(c, rows, call.coordinates), 0),
                                 static_cast<float>(call.threshold));
  over = c.And(over, c.Less(places, c.Unsqueeze(places, {1})));
  Value* counts = positive;
  if (call.id >= 0) {
    Value* id = Column(c, rows, call.id);
    counts = c.And(counts, c.GreaterOrEqual(id, 0));
    if (!call.force) over = c.And(over, c.Equal(Rows(c, id), Columns(c, id)));
  }
  over = c.And(over, Columns(c, counts));
  Value* alive = Survivors(c, {over, positive, kept, call.limit});
  return {OrNothing(c, Rows(c, alive), rows), OrNothing(c, alive, order)};
}

Abstract LowerNonMaxSuppression(Call& c) {
  const bool names = c.Bool("return_indices", true);
  const bool to_bottom = c.Bool("invalid_to_bottom", false);
  const SuppressionCall call = TakeCall(c);
  if (c.failed()) return Poison();
  const Suppressed result = Suppress(c, call);
  if (names) {
    Value* is_there = c.GreaterOrEqual(result.places, 0);
    Value* named = RowsAt(c, call.indices, c.Max(result.places, 0));
    named = OrNothing(c, is_there, named);
    const Compacted moved = Compact(c, named, c.GreaterOrEqual(named, 0));
    return c.TupleOf(
        {c.Cast(moved.rows, DType::kI32), c.Cast(c.Unsqueeze(moved.count, {1}), DType::kI32)});
  }
  if (!to_bottom) return c.NewTensor(result.rows);
  // TVM asks the first element of a row whether it is there.
  Value* is_there = c.GreaterOrEqual(Column(c, result.rows, 0), 0);
  return c.NewTensor(Compact(c, result.rows, is_there).rows);
}

}  // namespace

std::span<const OpRow> SuppressionRows() {
  static constexpr OpRow kRows[] = {
      {"vision.get_valid_counts", LowerGetValidCounts},
      {"vision.non_max_suppression", LowerNonMaxSuppression},
  };
  return kRows;
}

}  // namespace dragoman::relay
