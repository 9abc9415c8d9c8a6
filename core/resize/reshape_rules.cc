// SPDX-License-Identifier: Apache-2.0
// Operators that keep the elements in their order: Reshape and its like.
//
// The samples lie between what is before them in memory and what is after. Where the result has an
// axis that can be cut at both places, it can hold them; several can, where sizes are 1.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/type_algebra.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"
#include "core/resize/new_sizes.h"
#include "core/resize/rules.h"

namespace dragoman {
namespace {

Dim ProductOf(const Shape& shape, std::size_t begin, std::size_t end) {
  Dim product = 1;
  for (std::size_t i = begin; i < end; ++i) product = product * shape[i];
  return product;
}

// How many sizes of `from` without axis `a` and `to` without axis `b` agree from either end.
std::size_t Agreement(Shape from, std::size_t a, Shape to, std::size_t b) {
  from.erase(from.begin() + static_cast<std::ptrdiff_t>(a));
  to.erase(to.begin() + static_cast<std::ptrdiff_t>(b));
  std::size_t front = 0;
  while (front < std::min({from.size(), to.size(), a, b}) && from[front] == to[front]) ++front;
  std::size_t back = 0;
  while (back < std::min(from.size() - front, to.size() - front) &&
         from[from.size() - 1 - back] == to[to.size() - 1 - back])
    ++back;
  return front + back;
}

struct Placement {
  Rows rows;
  std::size_t agreement = 0;
};

// Where `to` can hold the samples that `from` holds at `rows`; the likeliest first.
std::vector<Placement> Placements(const Shape& from, const Rows& rows, const Shape& to,
                                  const Dim& samples) {
  const auto axis = static_cast<std::size_t>(rows.axis);
  const Dim before = ProductOf(from, 0, axis) * rows.outer;
  const Dim behind = rows.inner * ProductOf(from, axis + 1, from.size());
  std::vector<Placement> places;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const Dim outer_axes = ProductOf(to, 0, i);
    if (outer_axes == Dim(0)) continue;
    const Dim outer = FloorDiv(before, outer_axes);
    if (outer.unknown() || outer * outer_axes != before || outer == Dim(0)) continue;
    const Dim inner = FloorDiv(to[i], outer * samples);
    if (inner.unknown() || outer * samples * inner != to[i]) continue;
    if (inner * ProductOf(to, i + 1, to.size()) != behind) continue;
    places.push_back({Rows::At(static_cast<int>(i), outer, inner), Agreement(from, axis, to, i)});
  }
  std::ranges::stable_sort(places, [&](const Placement& a, const Placement& b) {
    if (a.rows.alone() != b.rows.alone()) return a.rows.alone();
    const bool a_stays = a.rows.axis == rows.axis;
    const bool b_stays = b.rows.axis == rows.axis;
    if (a.rows.alone() && a_stays != b_stays) return a_stays;
    return a.agreement > b.agreement;
  });
  return places;
}

std::string PatternOf(const Shape& from, const Rows& rows, const Shape& to) {
  std::string pattern =
      std::to_string(rows.axis) + "/" + rows.outer.ToString() + "/" + rows.inner.ToString();
  for (const Dim& size : from) pattern += "," + size.ToString();
  for (const Dim& size : to) pattern += ";" + size.ToString();
  return pattern;
}

// The new sizes of a Reshape. What the constant said before is kept where it can be.
std::optional<std::vector<std::int64_t>> SizesOperand(
    const Shape& from, const Shape& to, const std::optional<std::vector<std::int64_t>>& said) {
  std::optional<std::vector<std::int64_t>> sizes = ReshapeSizes(from, to);
  const bool infers = !sizes || std::ranges::count(*sizes, -1) > 0;
  if (infers || !said || said->size() != sizes->size()) return sizes;
  const auto left_open = std::ranges::find(*said, -1);
  if (left_open != said->end()) (*sizes)[static_cast<std::size_t>(left_open - said->begin())] = -1;
  return sizes;
}

}  // namespace

Status TraceReshapedRows(Node& node, RowTracer& tracer) {
  Value* data = node.operand(0);
  const Rows& rows = tracer.RowsOf(data);
  const Shape* from = tracer.OldShape(data);
  const Shape to = *tracer.OldShape(node.result());
  if (!rows.is_axis() || from == nullptr)
    return tracer.Refuse(node, "its sizes depend on the sample");
  const std::vector<Placement> places = Placements(*from, rows, to, tracer.old_samples());
  if (places.empty())
    return tracer.Refuse(node, "no axis of its result can hold the samples of a batch");
  const std::size_t chosen = tracer.Choose(node, places.size(), PatternOf(*from, rows, to));
  tracer.SetRows(node.result(), places[chosen].rows);
  if (tracer.InfersAsExpected(node)) return {};
  const bool is_reshape = node.Is("Reshape");
  std::optional<std::vector<std::int64_t>> said;
  if (is_reshape) said = tracer.context().inference.KnownInts(node.operand(1));
  const auto sizes = SizesOperand(tracer.NewShape(data), tracer.NewShape(node.result()), said);
  if (!sizes) return tracer.Refuse(node, "its new sizes cannot be stated as numbers");
  if (!is_reshape) {
    node.set_op(FindOp("Reshape")->name);
    node.attributes().clear();
    while (node.num_operands() > 1) node.RemoveTrailingOperand();
    node.AddOperand(tracer.Ints(node, {}));
  }
  node.RemoveAttribute("allowzero");
  return tracer.SetInts(node, 1, *sizes);
}

namespace {

Status TraceIdentity(Node& node, RowTracer& tracer) {
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) != nullptr) tracer.SetRows(node.result(i), tracer.RowsOf(node.operand(0)));
  }
  return {};
}

// In inference, it gives its operand.
Status TraceDropout(Node& node, RowTracer& tracer) {
  const Value* training = node.operand(2);
  const auto trains = training != nullptr ? tracer.context().inference.KnownInts(training)
                                          : std::vector<std::int64_t>{0};
  if (training != nullptr && training->tensor() != nullptr && training->tensor()->IntAt(0) == 0)
    return TraceIdentity(node, tracer);
  if (trains && trains->front() == 0) return TraceIdentity(node, tracer);
  return tracer.Refuse(node, "it draws random numbers");
}

}  // namespace

// By name: what else keeps the order of elements is known by OpDef::kernel.copies, but not where
// its sizes stand.
std::span<const RowRule> ReshapeRowRules() {
  static constexpr RowRule kRules[] = {
      {"Dropout", TraceDropout},      {"Flatten", TraceReshapedRows},
      {"Identity", TraceIdentity},    {"Reshape", TraceReshapedRows},
      {"Squeeze", TraceReshapedRows}, {"Unsqueeze", TraceReshapedRows},
  };
  return kRules;
}

}  // namespace dragoman
