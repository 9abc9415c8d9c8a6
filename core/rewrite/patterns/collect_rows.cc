// Tensors that are made row by row, each from the one before with a row put to it or in it, as
// unrolled loops leave `outputs = cat([outputs, row])` and `outputs[t] = row`, by slices around the
// row or by ScatterND: one Concat of all rows. Only the last tensor of such a chain is looked at,
// so that the work is linear.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/analysis/affine.h"
#include "core/rewrite/joined_parts.h"
#include "core/rewrite/patterns/identity_patterns.h"

namespace dragoman {
namespace {

// Elements begin … end of `source` along an axis; nullptr: something else.
struct Range {
  Value* source = nullptr;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

Range ReadRange(const Value& value, int axis, const PassContext& context) {
  const Node* node = value.producer();
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

// The axis along which a ScatterND puts one row of many, if it puts one; else -1.
int AxisOfScatter(const Node& scatter) {
  const Shape* whole = scatter.operand(0)->type().shape();
  const Shape* row = scatter.operand(2)->type().shape();
  if (whole == nullptr || row == nullptr || whole->size() != row->size()) return -1;
  int found = -1;
  for (int axis = 0; axis < static_cast<int>(whole->size()); ++axis) {
    const auto size = SizeAlong(*scatter.operand(0), axis);
    const auto own = SizeAlong(*scatter.operand(2), axis);
    if (!size || !own || (size != own && (own != 1 || found >= 0))) return -1;
    if (size != own) found = axis;
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

// The index of the row along `axis` if `indices` are the coordinates of all that lies in it.
std::optional<std::int64_t> RowOfIndices(const Node& scatter, int axis,
                                         const PassContext& context) {
  const auto ints = IntsOf(context, scatter.operand(1));
  const int rank = scatter.operand(1)->type().rank().value_or(0);
  const auto depth = static_cast<std::size_t>(SizeAlong(*scatter.operand(1), rank - 1).value_or(0));
  const auto size = SizeAlong(*scatter.operand(0), axis);
  if (!ints || ints->empty() || depth + 1 != static_cast<std::size_t>(rank) ||
      axis >= static_cast<int>(depth)) {
    return std::nullopt;
  }
  std::vector<std::int64_t> sizes, at(depth, 0);
  std::int64_t count = static_cast<std::int64_t>(depth);
  for (std::size_t i = 0; i < depth; ++i) {
    sizes.push_back(*SizeAlong(*scatter.operand(2), static_cast<int>(i)));
    count *= sizes.back();
  }
  if (count != static_cast<std::int64_t>(ints->size())) return std::nullopt;
  const auto along = static_cast<std::size_t>(axis);
  const std::int64_t stated = (*ints)[along];
  const std::int64_t row = stated < 0 ? stated + *size : stated;
  for (std::size_t i = 0; i < ints->size(); i += depth, Advance(at, sizes)) {
    for (std::size_t j = 0; j < depth; ++j) {
      if ((*ints)[i + j] != (j == along ? stated : at[j])) return std::nullopt;
    }
  }
  return row >= 0 && row < *size ? std::optional(row) : std::nullopt;
}

std::optional<RowPut> ReadScatter(const Node& scatter, int axis, const PassContext& context) {
  if (TextAttribute(scatter, "reduction", "none") != "none" || AxisOfScatter(scatter) != axis) {
    return std::nullopt;
  }
  const auto row = RowOfIndices(scatter, axis, context);
  return row ? std::optional(RowPut{scatter.operand(0), scatter.operand(2), *row}) : std::nullopt;
}

std::optional<RowPut> ReadPut(const Value& value, int axis, const PassContext& context) {
  const Node* concat = value.producer();
  if (concat != nullptr && concat->Is("ScatterND")) return ReadScatter(*concat, axis, context);
  if (concat == nullptr || !concat->Is("Concat") || AxisIn(*concat, value) != axis) {
    return std::nullopt;
  }
  const std::size_t count = concat->num_operands();
  const auto size = SizeAlong(value, axis);
  if (count < 2 || count > 3 || !size) return std::nullopt;
  for (const std::size_t at : {std::size_t{1}, std::size_t{0}}) {  // the row among the operands
    if (count == 3 && at != 1) continue;
    Value* row = concat->operand(at);
    if (SizeAlong(*row, axis) != 1) continue;
    const bool has_tail = at + 1 < count;
    const Range head = at == 1 ? ReadRange(*concat->operand(0), axis, context) : Range();
    const Range tail = has_tail ? ReadRange(*concat->operand(at + 1), axis, context) : Range();
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

// Whether the chain goes on behind `value`.
bool IsPutInto(const Value& value, int axis, const PassContext& context) {
  for (const Use* use = value.first_use(); use != nullptr; use = use->next()) {
    const Node* slice = use->user();
    if (slice != nullptr && slice->Is("ScatterND") && use->index() == 0 &&
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
  const bool scatters = node.Is("ScatterND");
  if (!scatters && !node.Is("Concat")) return false;
  const int axis = scatters ? AxisOfScatter(node) : AxisIn(node, *node.result());
  if (axis < 0) return false;
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

constexpr Pattern kPatterns[] = {
    {"collect-rows", CollectPuts},
    {"flatten-concat", FlattenConcat},
};

}  // namespace

std::span<const Pattern> RowPatterns() { return kPatterns; }

}  // namespace dragoman
