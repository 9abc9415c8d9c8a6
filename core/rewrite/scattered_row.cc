// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/scattered_row.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/analysis/affine.h"
#include "core/ops/declared_attributes.h"
#include "core/ops/op_def.h"
#include "core/rewrite/joined_parts.h"
#include "core/rewrite/zeros.h"

namespace dragoman {
namespace {

constexpr int kMaxMoves = 16;

bool IsOne(const Dim& size) { return Equal(size, Dim(1)) == Truth::kYes; }

// The axis along which `row` is one of many in `rows`; -1: there is no such axis, or it may be that
// there are several.
int AxisOfRow(const Value& rows, const Value& row) {
  const Shape* whole = rows.type().shape();
  const Shape* own = row.type().shape();
  if (whole == nullptr || own == nullptr || whole->size() != own->size()) return -1;
  int found = -1;
  for (std::size_t axis = 0; axis < whole->size(); ++axis) {
    if (Equal((*whole)[axis], (*own)[axis]) == Truth::kYes) continue;
    if (!IsOne((*own)[axis]) || found >= 0) return -1;
    found = static_cast<int>(axis);
  }
  return found;
}

// Goes on to the next of the coordinates below `sizes`, the last one first.
void Advance(std::vector<std::int64_t>& at, const std::vector<std::int64_t>& sizes) {
  for (std::size_t i = at.size(); i-- > 0;) {
    if (++at[i] < sizes[i]) return;
    at[i] = 0;
  }
}

// The coordinate along `axis`, if `ints` are the coordinates of all elements of a tensor of `sizes`
// along all other axes.
std::optional<std::int64_t> CoordinateOf(const std::vector<std::int64_t>& ints,
                                         const std::vector<std::int64_t>& sizes, int axis) {
  const std::size_t depth = sizes.size();
  auto count = static_cast<std::int64_t>(depth);
  for (std::int64_t size : sizes) count *= size;
  if (ints.empty() || count != static_cast<std::int64_t>(ints.size())) return std::nullopt;
  const auto along = static_cast<std::size_t>(axis);
  std::vector<std::int64_t> at(depth, 0);
  for (std::size_t i = 0; i < ints.size(); i += depth, Advance(at, sizes)) {
    for (std::size_t j = 0; j < depth; ++j) {
      if (ints[i + j] != (j == along ? ints[along] : at[j])) return std::nullopt;
    }
  }
  return ints[along];
}

// Whether `node` gives the integers of operand 0, in the same order and perhaps repeated.
bool KeepsIntegers(const Node& node) {
  if (node.Is("Cast")) {
    const DType dtype = node.result()->type().dtype();
    return dtype == DType::kI32 || dtype == DType::kI64;
  }
  return KeepsOrder(node) || node.Is("Expand");
}

// The one axis along which `value` may have other than one element; -1: there are more.
int LongAxis(const Value& value) {
  const Shape* shape = value.type().shape();
  if (shape == nullptr ||
      std::ranges::count_if(*shape, [](const Dim& size) { return !IsOne(size); }) != 1) {
    return -1;
  }
  return static_cast<int>(
      std::ranges::find_if(*shape, [](const Dim& size) { return !IsOne(size); }) - shape->begin());
}

// Whether `value` is, without axes of size 1, 0, 1, 2, … below `count`.
bool CountsTo(const Dim& count, const Value* value, const PassContext& context) {
  for (int hop = 0; hop < kMaxMoves; ++hop) {
    const int axis = LongAxis(*value);
    if (axis < 0) return false;
    const Dim& size = (*value->type().shape())[static_cast<std::size_t>(axis)];
    if (Equal(size, count) != Truth::kYes) return false;
    const Node* node = value->producer();
    if (node == nullptr || !KeepsIntegers(*node)) break;
    value = node->operand(0);
  }
  const Node* range = value->producer();
  if (range != nullptr && range->Is("Range")) {
    return IntOf(context, range->operand(0)) == 0 && IntOf(context, range->operand(2)) == 1;
  }
  const auto ints = IntsOf(context, value);
  for (std::size_t i = 0; ints && i < ints->size(); ++i) {
    if ((*ints)[i] != static_cast<std::int64_t>(i)) return false;
  }
  return ints.has_value();
}

// `axis` of the result of `unsqueeze` in its operand; -1: it is new there.
int AxisBefore(const Node& unsqueeze, int axis, const PassContext& context) {
  const auto axes = IntsOf(context, unsqueeze.operand(1));
  if (!axes) return -1;
  int before = axis;
  for (std::int64_t added : *axes) {
    const int at = FromFront(added, *unsqueeze.result());
    if (at == axis) return -1;
    before -= at < axis ? 1 : 0;
  }
  return before;
}

// Whether every element of `value` is its own place along `axis`, below `count`.
bool IsPlace(const Value* value, int axis, const Dim& count, const PassContext& context) {
  if (IsOne(count)) {
    const Value* place = RepeatedIn(value);
    return place != nullptr && IntOf(context, place) == 0;
  }
  for (int hop = 0; hop < kMaxMoves && axis >= 0; ++hop) {
    const Node* node = value->producer();
    if (LongAxis(*value) == axis) return CountsTo(count, value, context);
    if (node != nullptr && node->Is("Unsqueeze")) {
      axis = AxisBefore(*node, axis, context);
    } else if (node != nullptr && node->Is("Expand")) {
      axis -= value->type().rank().value_or(0) - node->operand(0)->type().rank().value_or(0);
    } else {
      return false;
    }
    value = node->operand(0);
  }
  return false;
}

// The one coordinate along `axis` that `indices` hold if the others are those of all elements of a
// row of `rows`; coordinates lie side by side, `depth` of them. nullptr: it is something else.
const Value* CommonCoordinate(const Value& indices, const Shape& rows, int axis, std::size_t depth,
                              const PassContext& context) {
  if (depth == 1) return RepeatedIn(&indices);
  const Node* concat = indices.producer();
  if (concat == nullptr || !concat->Is("Concat") || concat->num_operands() != depth ||
      AxisIn(*concat, indices) != static_cast<int>(depth)) {
    return nullptr;
  }
  for (std::size_t i = 0; i < depth; ++i) {
    if (static_cast<int>(i) == axis) continue;
    if (!IsPlace(concat->operand(i), static_cast<int>(i), rows[i], context)) return nullptr;
  }
  return RepeatedIn(concat->operand(static_cast<std::size_t>(axis)));
}

// Which row the indices of a ScatterND are; false: they are something else.
bool ReadIndices(const Node& scatter, ScatteredRow& row, const PassContext& context) {
  const Value& indices = *scatter.operand(1);
  const int rank = indices.type().rank().value_or(0);
  const auto depth = static_cast<std::size_t>(SizeAlong(indices, rank - 1).value_or(0));
  if (depth + 1 != static_cast<std::size_t>(rank) || row.axis >= static_cast<int>(depth)) {
    return false;
  }
  const auto ints = IntsOf(context, &indices);
  if (!ints) {
    row.place = CommonCoordinate(indices, *row.rows->type().shape(), row.axis, depth, context);
    return row.place != nullptr;
  }
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < depth; ++i) {
    const auto size = SizeAlong(*row.row, static_cast<int>(i));
    if (!size) return false;
    sizes.push_back(*size);
  }
  const auto index = CoordinateOf(*ints, sizes, row.axis);
  row.index = index.value_or(0);
  return index.has_value();
}

}  // namespace

std::optional<ScatteredRow> ReadScatteredRow(const Node& node, const PassContext& context) {
  const bool by_element = node.Is("ScatterElements");
  if ((!by_element && !node.Is("ScatterND")) || TextAttribute(node, "reduction") != "none") {
    return std::nullopt;
  }
  ScatteredRow row{node.operand(0), node.operand(2)};
  row.axis = AxisOfRow(*row.rows, *row.row);
  if (row.axis < 0) return std::nullopt;
  if (!by_element) return ReadIndices(node, row, context) ? std::optional(row) : std::nullopt;
  row.place = RepeatedIn(node.operand(1));
  const bool fits = row.place != nullptr && AxisIn(node, *row.rows) == row.axis &&
                    SameShape(*node.operand(1), *row.row);
  return fits ? std::optional(row) : std::nullopt;
}

}  // namespace dragoman
