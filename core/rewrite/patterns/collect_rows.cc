// SPDX-License-Identifier: Apache-2.0
// Tensors that are made row by row, each from the one before with a row put to it or in it, as
// unrolled loops leave `outputs = cat([outputs, row])` and `outputs[t] = row`, by slices around the
// row or by ScatterND: one Concat of all rows. Only the last tensor of such a chain is looked at,
// so that the work is linear.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/analysis/affine.h"
#include "core/rewrite/joined_parts.h"
#include "core/rewrite/patterns/identity_patterns.h"
#include "core/rewrite/recurrence/equal_steps.h"
#include "core/rewrite/recurrence/layout.h"
#include "core/rewrite/scattered_row.h"

namespace dragoman {
namespace {

constexpr int kMaxReadPuts = 64;  // that one row is looked for in, at a time

// Elements begin … end of `source` along an axis; nullptr: something else.
struct Range {
  Value* source = nullptr;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// What the Split that was read last cuts: one may have many parts, which are read one by one.
struct PartBounds {
  const Node* split = nullptr;
  std::vector<std::int64_t> bounds;
};

// Of one part of a Split.
Range ReadPart(const Value& value, int axis, PartBounds& known) {
  const Node& split = *value.producer();
  if (AxisIn(split, *split.operand(0)) != axis) return {};
  if (known.split != &split) known = {&split, BoundsOfParts(split, axis)};
  const std::size_t part = value.index();
  if (part + 1 >= known.bounds.size()) return {};
  return {split.operand(0), known.bounds[part], known.bounds[part + 1]};
}

Range ReadRange(const Value& value, int axis, const PassContext& context, PartBounds& known) {
  const Node* node = value.producer();
  if (node != nullptr && node->Is("Split")) return ReadPart(value, axis, known);
  if (node == nullptr || !node->Is("Slice") || node->operand(3) == nullptr) return {};
  Value* source = node->operand(0);
  const auto begin = IntOf(context, node->operand(1));
  const auto along = IntOf(context, node->operand(3));
  const auto step = node->operand(4) != nullptr ? IntOf(context, node->operand(4)) : 1;
  const auto size = SizeAlong(value, axis);
  const auto whole = SizeAlong(*source, axis);
  const int rank = source->type().rank().value_or(0);
  if (!begin || !along || step != 1 || !size || !whole) return {};
  if ((*along < 0 ? *along + rank : *along) != axis) return {};
  const std::int64_t from =
      std::clamp<std::int64_t>(*begin < 0 ? *begin + *whole : *begin, 0, *whole);
  return {source, from, from + *size};
}

// `before` with row `index` replaced.
struct RowPut {
  Value* before = nullptr;
  Value* row = nullptr;
  std::int64_t index = 0;
};

std::optional<RowPut> ReadScatter(const Node& node, int axis, const PassContext& context) {
  const auto row = ReadScatteredRow(node, context);
  if (!row || row->axis != axis) return std::nullopt;
  const auto stated = row->place != nullptr ? IntOf(context, row->place) : row->index;
  const std::int64_t size = SizeAlong(*row->rows, axis).value_or(0);
  if (!stated || *stated < -size || *stated >= size) return std::nullopt;
  return RowPut{row->rows, row->row, *stated < 0 ? *stated + size : *stated};
}

bool Scatters(const Node& node) { return node.Is("ScatterND") || node.Is("ScatterElements"); }

std::optional<RowPut> ReadPut(const Value& value, int axis, const PassContext& context) {
  const Node* concat = value.producer();
  if (concat != nullptr && Scatters(*concat)) return ReadScatter(*concat, axis, context);
  if (concat == nullptr || !concat->Is("Concat") || AxisIn(*concat, value) != axis) {
    return std::nullopt;
  }
  const std::size_t count = concat->num_operands();
  const auto size = SizeAlong(value, axis);
  if (count < 2 || count > 3 || !size) return std::nullopt;
  PartBounds known;
  for (const std::size_t at : {std::size_t{1}, std::size_t{0}}) {  // the row among the operands
    if (count == 3 && at != 1) continue;
    Value* row = concat->operand(at);
    if (SizeAlong(*row, axis) != 1) continue;
    const bool has_tail = at + 1 < count;
    const Range head = at == 1 ? ReadRange(*concat->operand(0), axis, context, known) : Range();
    const Range tail =
        has_tail ? ReadRange(*concat->operand(at + 1), axis, context, known) : Range();
    Value* before = at == 1 ? head.source : tail.source;
    const std::int64_t index = head.end;
    if (before == nullptr || head.begin != 0 || SizeAlong(*before, axis) != size) continue;
    const bool fits = has_tail
                          ? tail.source == before && tail.begin == index + 1 && tail.end == size
                          : index + 1 == size;
    if (!fits) continue;
    return RowPut{before, row, index};
  }
  return std::nullopt;
}

// Whether the chain goes on after `value`.
bool IsPutInto(const Value& value, int axis, const PassContext& context) {
  for (const Use* use = value.first_use(); use != nullptr; use = use->next()) {
    const Node* slice = use->user();
    if (slice != nullptr && Scatters(*slice) && use->index() == 0 &&
        ReadScatter(*slice, axis, context)) {
      return true;
    }
    if (slice == nullptr || !slice->Is("Slice")) continue;
    for (const Use* next = slice->result()->first_use(); next != nullptr; next = next->next()) {
      const Node* concat = next->user();
      if (concat == nullptr || !concat->Is("Concat")) continue;
      const auto put = ReadPut(*concat->result(), axis, context);
      if (put && put->before == &value) return true;
    }
  }
  return false;
}

Result<bool> CollectPuts(Node& node, PassContext& context) {
  if (!Scatters(node) && !node.Is("Concat")) return false;
  const auto scattered = ReadScatteredRow(node, context);
  if (Scatters(node) && !scattered) return false;
  const int axis = scattered ? scattered->axis : AxisIn(node, *node.result());
  auto put = ReadPut(*node.result(), axis, context);
  if (!put || IsPutInto(*node.result(), axis, context)) return false;
  std::vector<Value*> rows(static_cast<std::size_t>(*SizeAlong(*node.result(), axis)), nullptr);
  Value* base = nullptr;
  std::size_t count = 0;
  for (; put; put = ReadPut(*base, axis, context), ++count) {
    Value*& row = rows[static_cast<std::size_t>(put->index)];
    if (row == nullptr) row = put->row;  // a later one stays
    base = put->before;
  }
  if (count < 2) return false;
  std::vector<Value*> parts;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] != nullptr) {
      parts.push_back(rows[i]);
      continue;
    }
    const std::size_t begin = i;
    while (i + 1 < rows.size() && rows[i + 1] == nullptr) ++i;
    DRAGOMAN_ASSIGN(Value * kept,
                    InsertSlice(base, static_cast<std::int64_t>(begin),
                                static_cast<std::int64_t>(i + 1), axis, node, context));
    parts.push_back(kept);
  }
  DRAGOMAN_ASSIGN(Value * whole,
                  context.Insert(node, "Concat", parts, {{"axis", std::int64_t{axis}}}));
  return context.ReplaceIfAllowed(node, whole);
}

// The slice that `value` is, also one whose axis a Squeeze takes away.
std::optional<StepSlice> BareSliceOf(const Value& value, const PassContext& context) {
  const Node* squeeze = value.producer();
  if (squeeze == nullptr || !squeeze->Is("Squeeze")) return SliceOf(value, context);
  auto slice = SliceOf(*squeeze->operand(0), context);
  const auto axis = IntOf(context, squeeze->operand(1));
  if (!slice || !slice->keeps_axis || !axis) return std::nullopt;
  if (FromFront(*axis, *squeeze->operand(0)) != slice->axis) return std::nullopt;
  slice->keeps_axis = false;
  return slice;
}

// Slices that Concats read may be what is around a row, which CollectPuts looks for.
bool IsAroundRow(const Node& node) {
  for (const Use* use = node.result()->first_use(); use != nullptr; use = use->next()) {
    if (use->user() != nullptr && use->user()->Is("Concat")) return node.Is("Slice");
  }
  return false;
}

// Row j of x with row i replaced: that row if i = j, else row j of x. Steps that keep all their
// states in one tensor, `states[i] = cell(states[i])`, read them so.
Result<bool> ReadPutRow(Node& node, PassContext& context) {
  if ((!node.Is("Gather") && !node.Is("Slice")) || IsAroundRow(node)) return false;
  const auto slice = SliceOf(*node.result(), context);
  if (!slice) return false;
  const int axis = static_cast<int>(slice->axis);
  Value* source = slice->source;
  for (int hop = 0; hop < kMaxReadPuts; ++hop) {
    const auto put = ReadPut(*source, axis, context);
    if (!put) break;
    if (put->index == slice->index) {
      Value* row = put->row;
      LayoutBuilder layout(context, node);
      if (!slice->keeps_axis) {
        DRAGOMAN_ASSIGN(row, layout.Squeeze(row, axis));
      }
      return context.ReplaceIfAllowed(node, row);
    }
    source = put->before;
  }
  if (source == slice->source) return false;
  node.set_operand(0, source);
  return true;
}

// Concat(x[0], x[1], …, x[n - 1]) = x, with axis 0 where the parts lie side by side
Result<bool> CollectSlices(Node& node, PassContext& context) {
  const Shape* shape = node.Is("Concat") ? node.result()->type().shape() : nullptr;
  if (shape == nullptr || node.num_operands() < 2) return false;
  const auto first = BareSliceOf(*node.operand(0), context);
  if (!first) return false;
  const auto count = static_cast<std::int64_t>(node.num_operands());
  if (SizeAlong(*first->source, static_cast<int>(first->axis)) != count) return false;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto slice = BareSliceOf(*node.operand(static_cast<std::size_t>(i)), context);
    if (!slice || slice->source != first->source || slice->axis != first->axis ||
        slice->index != i || slice->keeps_axis) {
      return false;
    }
  }
  LayoutBuilder layout(context, node);
  DRAGOMAN_ASSIGN(Value * whole, layout.StepsFirst(first->source, static_cast<int>(first->axis)));
  DRAGOMAN_ASSIGN(whole, layout.Stacked(whole, AxisIn(node, *node.result()), *shape));
  return whole != nullptr && context.ReplaceIfAllowed(node, whole);
}

// How many operands of `concat` from the i-th on are all of one value, in order; 0: they are not.
std::size_t CountPartsOfWhole(const Node& concat, std::size_t i, int axis,
                              const PassContext& context, PartBounds& known) {
  const Range first = ReadRange(*concat.operand(i), axis, context, known);
  if (first.source == nullptr || first.begin != 0) return 0;
  const auto whole = SizeAlong(*first.source, axis);
  std::int64_t end = first.end;
  for (std::size_t next = i + 1; next < concat.num_operands(); ++next) {
    const Range range = ReadRange(*concat.operand(next), axis, context, known);
    if (range.source != first.source || range.begin != end) return 0;
    end = range.end;
    if (end == whole) return next + 1 - i;
  }
  return 0;
}

// Concat(x[: 2], x[2 :], y) = Concat(x, y)
Result<bool> JoinSlices(Node& node, PassContext& context) {
  if (!node.Is("Concat")) return false;
  const int axis = AxisIn(node, *node.result());
  std::vector<Value*> parts;
  PartBounds known;
  for (std::size_t i = 0; i < node.num_operands();) {
    const std::size_t count = CountPartsOfWhole(node, i, axis, context, known);
    Value* part = node.operand(i);
    parts.push_back(count > 0 ? part->producer()->operand(0) : part);
    i += std::max<std::size_t>(count, 1);
  }
  if (parts.size() == node.num_operands()) return false;
  Value* whole = parts.front();
  if (parts.size() > 1) {
    DRAGOMAN_ASSIGN(whole, context.Insert(node, "Concat", parts, {{"axis", std::int64_t{axis}}}));
  }
  return context.ReplaceIfAllowed(node, whole);
}

// The Concat along the same axis that nothing but `use` reads; nullptr: there is none.
const Node* NestedConcat(const Value& value, int axis) {
  const Node* node = value.producer();
  const bool nests = node != nullptr && node->Is("Concat") && AxisIn(*node, value) == axis;
  return nests && value.HasOneUse() ? node : nullptr;
}

// Concat(Concat(a, b), c) = Concat(a, b, c)
Result<bool> FlattenConcat(Node& node, PassContext& context) {
  if (!node.Is("Concat")) return false;
  const int axis = AxisIn(node, *node.result());
  const Use* reader = node.result()->HasOneUse() ? node.result()->first_use() : nullptr;
  const bool is_nested = reader != nullptr && reader->user() != nullptr &&
                         reader->user()->Is("Concat") && reader->graph() == node.graph() &&
                         AxisIn(*reader->user(), *reader->user()->result()) == axis;
  if (is_nested) return false;
  std::vector<Value*> parts;
  std::vector<Value*> open;
  bool nests = false;
  const auto push = [&](const Node& concat) {
    for (std::size_t i = concat.num_operands(); i-- > 0;) open.push_back(concat.operand(i));
  };
  push(node);
  while (!open.empty()) {
    Value* value = open.back();
    open.pop_back();
    const Node* nested = NestedConcat(*value, axis);
    if (nested != nullptr && nested->graph() == node.graph()) {
      push(*nested);
      nests = true;
    } else if (SizeAlong(*value, axis) != 0) {
      parts.push_back(value);
    }
  }
  if (!nests || parts.empty()) return false;
  DRAGOMAN_ASSIGN(Value * whole,
                  context.Insert(node, "Concat", parts, {{"axis", std::int64_t{axis}}}));
  return context.ReplaceIfAllowed(node, whole);
}

}  // namespace

std::span<const Pattern> RowPatterns() {
  static constexpr Pattern kPatterns[] = {
      {"collect-rows", CollectPuts},     {"read-put-row", ReadPutRow},
      {"collect-slices", CollectSlices}, {"join-slices", JoinSlices},
      {"flatten-concat", FlattenConcat},
  };
  return kPatterns;
}

}  // namespace dragoman
