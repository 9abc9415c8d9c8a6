// SPDX-License-Identifier: Apache-2.0
// Boxes that overlap. torch has no operator for them: boxes are taken in the order of their scores,
// and a scan keeps those that overlap none which it kept before.
#include "exporters/pt2/ops/op_rows.h"

#include <utility>

namespace dragoman::pt2 {
namespace {

constexpr std::int64_t kBoxAxis = 2;  // of scores: batch, class, box

// For each box of each class, in the order of scores.
struct Corners {
  Term top;
  Term left;
  Term bottom;
  Term right;
};

Term WithoutAxes(const AtenOp& op, const Term& number) {
  return number.rank() == 0 ? number : op.Reshape(number, Sizes(), Shape());
}

Term Sum(const AtenOp& op, const Term& x, const Term& y) {
  return op.Binary("aten.add.Tensor", x, y);
}

Term Difference(const AtenOp& op, const Term& x, const Term& y) {
  return op.Binary("aten.sub.Tensor", x, y);
}

// Of the boxes as they come: batch, box.
Corners CornersOf(const AtenOp& op, const Term& boxes) {
  const auto part = [&](std::int64_t i) { return op.Select(boxes, 2, i); };
  if (op.Int("center_point_box") == 0) {
    const auto low = [&](std::int64_t i) {
      return op.Binary("aten.minimum.default", part(i), part(i + 2));
    };
    const auto high = [&](std::int64_t i) {
      return op.Binary("aten.maximum.default", part(i), part(i + 2));
    };
    return {low(0), low(1), high(0), high(1)};
  }
  const Term half_width = op.WithNumber("aten.mul.Scalar", part(2), 0.5);
  const Term half_height = op.WithNumber("aten.mul.Scalar", part(3), 0.5);
  return {Difference(op, part(1), half_height), Difference(op, part(0), half_width),
          Sum(op, part(1), half_height), Sum(op, part(0), half_width)};
}

Result<Corners> InOrder(const AtenOp& op, const Corners& corners, const Term& order) {
  const auto sorted = [&](const Term& x) -> Result<Term> {
    DRAGOMAN_ASSIGN(const Term all, op.Expand(op.Unsqueeze(x, 1), order.shape));
    return op.Call("aten.gather.default", {{"self", all}, {"dim", kBoxAxis}, {"index", order}},
                   {x.dtype, order.shape});
  };
  Corners ordered;
  DRAGOMAN_ASSIGN(ordered.top, sorted(corners.top));
  DRAGOMAN_ASSIGN(ordered.left, sorted(corners.left));
  DRAGOMAN_ASSIGN(ordered.bottom, sorted(corners.bottom));
  DRAGOMAN_ASSIGN(ordered.right, sorted(corners.right));
  return ordered;
}

Term AreaOf(const AtenOp& op, const Corners& box) {
  return op.Binary("aten.mul.Tensor", Difference(op, box.bottom, box.top),
                   Difference(op, box.right, box.left));
}

// Whether intersections are more than `threshold` of the unions; boxes without area overlap none.
Term Overlap(const AtenOp& op, const Corners& a, const Corners& b, const Term& threshold) {
  const auto common = [&](const Term& end_a, const Term& end_b, const Term& begin_a,
                          const Term& begin_b) {
    const Term length = Difference(op, op.Binary("aten.minimum.default", end_a, end_b),
                                   op.Binary("aten.maximum.default", begin_a, begin_b));
    return op.Clamp(length, 0, std::nullopt);
  };
  const Term shared = op.Binary("aten.mul.Tensor", common(a.bottom, b.bottom, a.top, b.top),
                                common(a.right, b.right, a.left, b.left));
  const Term joint = Difference(op, Sum(op, AreaOf(op, a), AreaOf(op, b)), shared);
  const Term ratio = op.Binary("aten.div.Tensor", shared, joint);
  return op.Binary("aten.logical_and.default", op.CompareNumber("aten.gt.Scalar", shared, 0),
                   op.Compare("aten.gt.Tensor", ratio, threshold));
}

// Which boxes have a score that is high enough.
Result<Term> CandidatesOf(const AtenOp& op, const Term& scores) {
  if (!op.has(4)) return op.Full(scores.shape, 1, DType::kBool);
  return op.Compare("aten.gt.Tensor", scores, WithoutAxes(op, op.arg(4)));
}

// The boxes that stay, of all in the order of their scores.
Result<Term> KeptOf(const AtenOp& op, const Corners& boxes, const Term& candidates) {
  const Dim& count = candidates.shape[kBoxAxis];
  DRAGOMAN_ASSIGN(const Sizes sizes, op.SizesOf({count}));
  DRAGOMAN_ASSIGN(const Term none, op.Full(candidates.shape, 0, DType::kBool));
  const Term places = op.Arange(sizes.front(), count, DType::kI64);
  const Term threshold = op.has(3) ? WithoutAxes(op, op.arg(3)) : op.Scalar(0, boxes.top.dtype);
  AtenGraph body(op.program, &op.graph);
  const AtenOp inner = {op.node, body, op.inference, op.program, op.translate};
  const Term kept = body.AddInput("kept", {DType::kBool, candidates.shape}, false);
  Terms inputs = {kept};
  Terms xs;
  const auto slice = [&](const Term& x, const Ints& order) {
    xs.push_back(op.Permute(x, order));
    inputs.push_back(body.AddInput(
        "slice", {x.dtype, Shape(xs.back().shape.begin() + 1, xs.back().shape.end())}, false));
    return inputs.back();
  };
  const auto box = [&](const Term& x) {
    return inner.Unsqueeze(slice(x, {kBoxAxis, 0, 1}), kBoxAxis);
  };
  const Corners one = {box(boxes.top), box(boxes.left), box(boxes.bottom), box(boxes.right)};
  const Term is_candidate = box(candidates);
  const Term place = slice(places, {0});
  const Corners all = {body.Import(boxes.top), body.Import(boxes.left), body.Import(boxes.bottom),
                       body.Import(boxes.right)};
  const Term overlaps = inner.Binary("aten.logical_and.default", kept,
                                     Overlap(inner, one, all, body.Import(threshold)));
  const Term is_hidden =
      inner.Call("aten.any.dim", {{"self", overlaps}, {"dim", kBoxAxis}, {"keepdim", true}},
                 {DType::kBool, ReducedShape(overlaps.shape, {kBoxAxis}, true)});
  const Term stays = inner.Binary("aten.logical_and.default", is_candidate,
                                  inner.Unary("aten.logical_not.default", is_hidden));
  const Term is_here = inner.Compare("aten.eq.Tensor", body.Import(places), place);
  const Term next = inner.Binary("aten.logical_or.default", kept,
                                 inner.Binary("aten.logical_and.default", stays, is_here));
  Terms outer;
  for (const auto& [from, to] : body.imports()) {
    outer.push_back(from);
    inputs.push_back(to);
  }
  const std::string name = op.program.names.Unique("scan_combine_graph");
  return op.graph
      .CallMany("higher_order.scan",
                {{"", ArgumentValue::Graph(name, body.Subgraph(inputs, {next}))},
                 {"", Terms{none}},
                 {"", xs},
                 {"", outer}},
                {{DType::kBool, candidates.shape}}, false)
      .front();
}

Emitted EmitNonMaxSuppression(AtenOp& op) {
  if (!op.has(2)) return op.Refuse("no limit on the boxes of a class, which is none");
  const Term scores = op.arg(1);
  const Terms sorted = op.graph.CallMany(
      "aten.sort.stable",
      {{"self", scores}, Kw("stable", true), Kw("dim", kBoxAxis), Kw("descending", true)},
      {{scores.dtype, scores.shape}, {DType::kI64, scores.shape}}, false);
  const Term& order = sorted[1];
  DRAGOMAN_ASSIGN(const Corners boxes, InOrder(op, CornersOf(op, op.arg(0)), order));
  DRAGOMAN_ASSIGN(const Term candidates, CandidatesOf(op, sorted[0]));
  DRAGOMAN_ASSIGN(const Term kept, KeptOf(op, boxes, candidates));
  const Term ranks = op.Call("aten.cumsum.default", {{"self", kept}, {"dim", kBoxAxis}},
                             {DType::kI64, kept.shape});
  const Term limit = op.Cast(WithoutAxes(op, op.arg(2)), DType::kI64);
  const Term chosen =
      op.Binary("aten.logical_and.default", kept, op.Compare("aten.le.Tensor", ranks, limit));
  const Dim count = op.result().shape.at(0);
  const Term places =
      op.Call("aten.nonzero.default", {{"self", chosen}}, {DType::kI64, {count, Dim(3)}});
  const auto column = [&](std::int64_t i) { return op.Select(places, 1, i); };
  const Term box =
      op.Call("aten.index.Tensor",
              {{"self", order},
               {"indices", std::vector<std::optional<Term>>{column(0), column(1), column(2)}}},
              {DType::kI64, {places.shape[0]}});
  return One(op.Concat({op.Slice(places, 1, 0, 2, 2), op.Unsqueeze(box, 1)}, 1));
}

}  // namespace

std::span<const Row> DetectionRows() {
  static constexpr Row kRows[] = {
      {"NonMaxSuppression", EmitNonMaxSuppression},
  };
  return kRows;
}

}  // namespace dragoman::pt2
