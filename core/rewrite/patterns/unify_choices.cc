// SPDX-License-Identifier: Apache-2.0
// Choices by a mask, as decomposed programs spell what others say otherwise.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/affine.h"
#include "core/ir/producer.h"
#include "core/rewrite/joined_parts.h"
#include "core/rewrite/patterns/spelling_patterns.h"

namespace dragoman {
namespace {

constexpr std::size_t kMask = 0, kThen = 1, kElse = 2;  // operands of Where

// The one element of an axis of a result where a mask differs from all other elements.
struct ChosenRow {
  int axis = 0;
  std::int64_t size = 0, row = 0;
  bool is_true = true;
};

// Of a constant mask of a result with `rank` axes; nullopt: it distinguishes several rows, or axes.
std::optional<ChosenRow> ReadRow(const Tensor& mask, int rank) {
  ChosenRow row;
  for (int i = 0; i < mask.rank(); ++i) {
    const std::int64_t size = mask.sizes()[static_cast<std::size_t>(i)];
    if (size == 1) continue;
    if (row.size != 0) return std::nullopt;
    row.axis = rank - mask.rank() + i;
    row.size = size;
  }
  const std::vector<std::int64_t> bits = mask.ToInts();
  const std::int64_t count = std::ranges::count(bits, 1);
  if (row.size < 2 || (count != 1 && count != row.size - 1)) return std::nullopt;
  row.is_true = count == 1;
  row.row = std::ranges::find(bits, row.is_true ? 1 : 0) - bits.begin();
  return row;
}

// What `value`, of the sizes of `node`, has at the row: as it was before an Expand that only
// repeats it, else a Slice.
Result<Value*> RowOf(Value* value, const ChosenRow& row, Node& node, PassContext& context) {
  const Node* expand = value->producer();
  Value* given = expand != nullptr && expand->Is("Expand") ? expand->operand(0) : nullptr;
  const Shape& sizes = *value->type().shape();
  const Shape* shape = given != nullptr ? given->type().shape() : nullptr;
  bool is_row = shape != nullptr && shape->size() == sizes.size();
  for (std::size_t i = 0; is_row && i < sizes.size(); ++i)
    is_row = (*shape)[i] == (static_cast<int>(i) == row.axis ? Dim(1) : sizes[i]);
  if (is_row) return given;
  return InsertSlice(value, row.row, row.row + 1, row.axis, node, context);
}

// Where(mask, a, x), whose mask chooses one row of a, as writing it into x does
//   = Concat(the rows of x ahead, the row of a, the rows of x after)
Result<bool> JoinChosenRow(Node& node, PassContext& context) {
  const Tensor* mask = node.Is("Where") ? ConstantOf(node.operand(kMask)) : nullptr;
  const std::optional<int> rank = mask != nullptr ? node.result()->type().rank() : std::nullopt;
  const auto row = rank ? ReadRow(*mask, *rank) : std::nullopt;
  if (!row || SizeAlong(*node.result(), row->axis) != row->size) return false;
  Value* written = node.operand(row->is_true ? kThen : kElse);
  Value* x = node.operand(row->is_true ? kElse : kThen);
  // What fills the row in with one number is a mask to others, as those of attention.
  if (!SameShape(*written, *node.result()) || !SameShape(*x, *node.result())) return false;
  std::vector<Value*> parts;
  if (row->row > 0) {
    DRAGOMAN_ASSIGN(parts.emplace_back(), InsertSlice(x, 0, row->row, row->axis, node, context));
  }
  DRAGOMAN_ASSIGN(parts.emplace_back(), RowOf(written, *row, node, context));
  if (row->row + 1 < row->size) {
    DRAGOMAN_ASSIGN(parts.emplace_back(),
                    InsertSlice(x, row->row + 1, row->size, row->axis, node, context));
  }
  DRAGOMAN_ASSIGN(Value * y,
                  context.Insert(node, "Concat", parts, {{"axis", std::int64_t{row->axis}}}));
  return context.ReplaceIfAllowed(node, y);
}

// Whether they are 0, 1, … up to the last one.
bool AreAllPlaces(const std::vector<std::int64_t>& places) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] != static_cast<std::int64_t>(i)) return false;
  }
  return true;
}

// What Gather(x, index) is where the index lists all places of the axis in order: x with the axes
// of the index in place of that one. nullptr: it has several long axes, and other sizes are not
// known.
Result<Value*> WithAxesOf(Node& node, PassContext& context, const Tensor& index, int axis) {
  Value* x = node.operand(0);
  if (index.rank() == 1) return x;
  const auto constant = [&](std::span<const std::int64_t> ints, const char* name) {
    return context.AddConstant(*node.graph(), Tensor::Ints(ints), name, node.origin());
  };
  const std::span<const std::int64_t> sizes = index.sizes();
  if (sizes.empty()) {
    const std::int64_t taken[] = {axis};
    return context.Insert(node, "Squeeze", {{x, constant(taken, "axes")}});
  }
  const auto long_axis = std::ranges::find(sizes, index.size());
  if (long_axis != sizes.end()) {
    std::vector<std::int64_t> ones;
    for (auto size = sizes.begin(); size != sizes.end(); ++size) {
      if (size != long_axis) ones.push_back(axis + (size - sizes.begin()));
    }
    return context.Insert(node, "Unsqueeze", {{x, constant(ones, "axes")}});
  }
  const Shape* result = node.result()->type().shape();
  const auto known = result != nullptr ? KnownShape(*result) : std::nullopt;
  if (!known) return nullptr;
  return context.Insert(node, "Reshape", {{x, constant(*known, "sizes")}});
}

// Gather(x, [0, 1, …]) of all elements of an axis = x, and Gather(x, 0) of an axis with one element
// = Squeeze(x, [axis]); with more axes of the index Unsqueeze or Reshape
Result<bool> TakeAllElements(Node& node, PassContext& context) {
  const Tensor* index = node.Is("Gather") ? ConstantOf(node.operand(1)) : nullptr;
  if (index == nullptr) return false;
  const int axis = AxisIn(node, *node.operand(0));
  if (SizeAlong(*node.operand(0), axis) != index->size() || index->size() == 0) return false;
  std::vector<std::int64_t> places = index->ToInts();
  if (places.size() == 1 && places.front() == -1) places = {0};
  if (!AreAllPlaces(places)) return false;
  DRAGOMAN_ASSIGN(Value * y, WithAxesOf(node, context, *index, axis));
  return y != nullptr && context.ReplaceIfAllowed(node, y);
}

// Whether it is the same to take axis `a` of `value` away or axis `b`: those from one to the other
// have one element.
bool AreSameOnes(const Value& value, int a, int b) {
  for (int axis = std::min(a, b); axis <= std::max(a, b); ++axis) {
    if (SizeAlong(value, axis) != 1) return false;
  }
  return true;
}

// Squeeze(y, [axis]) for a part y = Slice(x, [i], [i + 1], [axis]) = Gather(x, i)
Result<bool> TakeOneElement(Node& node, PassContext& context) {
  const Node* slice = node.Is("Squeeze") ? ProducerOf(node.operand(0), "Slice") : nullptr;
  if (slice == nullptr || !slice->result()->HasOneUse()) return false;
  const auto number = [&](const Value* value) -> std::optional<std::int64_t> {
    const auto numbers = IntsOf(context, value);
    return numbers && numbers->size() == 1 ? std::optional(numbers->front()) : std::nullopt;
  };
  Value* x = slice->operand(0);
  const auto begin = number(slice->operand(1)), end = number(slice->operand(2));
  const auto cut = number(slice->operand(3)), taken = number(node.operand(1));
  if (!begin || !end || !cut || !taken || slice->operand(4) != nullptr) return false;
  const int axis = FromFront(*cut, *x);
  const std::optional<std::int64_t> size = SizeAlong(*x, axis);
  if (!size || *size < 2 || *begin < 0 || *begin >= *size || *end != *begin + 1) return false;
  if (!AreSameOnes(*slice->result(), axis, FromFront(*taken, *slice->result()))) return false;
  Value* place = context.AddConstant(*node.graph(), Tensor::Int(*begin), "place", node.origin());
  DRAGOMAN_ASSIGN(Value * y,
                  context.Insert(node, "Gather", {{x, place}}, {{"axis", std::int64_t{axis}}}));
  return context.ReplaceIfAllowed(node, y);
}

// Squeeze(Split(x)[i], [axis]) = Gather(x, i), for parts of one element
Result<bool> TakeOnePart(Node& node, PassContext& context) {
  const Node* split = node.Is("Squeeze") ? ProducerOf(node.operand(0), "Split") : nullptr;
  const auto taken = split != nullptr ? IntsOf(context, node.operand(1)) : std::nullopt;
  if (!taken || taken->size() != 1) return false;
  const Value& part = *node.operand(0);
  Value* x = split->operand(0);
  const int axis = AxisIn(*split, *x);
  const auto parts = static_cast<std::int64_t>(split->num_results());
  if (parts < 2 || SizeAlong(*x, axis) != parts || SizeAlong(part, axis) != 1 ||
      !AreSameOnes(part, axis, FromFront(taken->front(), part)))
    return false;
  Value* place = context.AddConstant(
      *node.graph(), Tensor::Int(static_cast<std::int64_t>(part.index())), "place", node.origin());
  DRAGOMAN_ASSIGN(Value * y,
                  context.Insert(node, "Gather", {{x, place}}, {{"axis", std::int64_t{axis}}}));
  return context.ReplaceIfAllowed(node, y);
}

// Squeeze(Shape(x) from i to i + 1) = Gather(Shape(x), i)
Result<bool> TakeOneSize(Node& node, PassContext& context) {
  const Node* sizes = node.Is("Squeeze") ? ProducerOf(node.operand(0), "Shape") : nullptr;
  if (sizes == nullptr || SizeAlong(*sizes->result(), 0) != 1) return false;
  const std::int64_t begin = IntAttribute(*sizes, "start", 0);
  const std::optional<int> rank = sizes->operand(0)->type().rank();
  if (!rank || *rank < 2 || begin < 0 || begin >= *rank) return false;
  DRAGOMAN_ASSIGN(Value * all, context.Insert(node, "Shape", {{sizes->operand(0)}}));
  Value* place = context.AddConstant(*node.graph(), Tensor::Int(begin), "place", node.origin());
  DRAGOMAN_ASSIGN(Value * y, context.Insert(node, "Gather", {{all, place}}));
  return context.ReplaceIfAllowed(node, y);
}

}  // namespace

std::span<const Pattern> ChoicePatterns() {
  static constexpr Pattern kPatterns[] = {{"join-chosen-row", JoinChosenRow},
                                          {"take-all-elements", TakeAllElements},
                                          {"take-one-element", TakeOneElement},
                                          {"take-one-part", TakeOnePart},
                                          {"take-one-size", TakeOneSize}};
  return kPatterns;
}

}  // namespace dragoman
