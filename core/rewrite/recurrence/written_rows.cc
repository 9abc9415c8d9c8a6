// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/recurrence/written_rows.h"

#include <utility>

#include "core/analysis/affine.h"
#include "core/ir/node_attributes.h"
#include "core/rewrite/joined_parts.h"
#include "core/rewrite/scattered_row.h"

namespace dragoman {
namespace {

// The permutation of a Transpose; nullptr for any other node.
const Attribute::Ints* PermutationOf(const Node* node) {
  return node != nullptr && node->Is("Transpose") ? IntsAttribute(*node, "perm") : nullptr;
}

bool AreInverse(const Attribute::Ints& a, const Attribute::Ints& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (b[static_cast<std::size_t>(a[i])] != static_cast<std::int64_t>(i)) return false;
  }
  return true;
}

// Whether `rows` is `state`, transposed if `back` undoes that.
bool IsAllOf(const Value& rows, const Attribute::Ints* back, const Value& state) {
  if (back == nullptr) return &rows == &state;
  const Attribute::Ints* there = PermutationOf(rows.producer());
  return there != nullptr && AreInverse(*there, *back) && rows.producer()->operand(0) == &state;
}

// rows[:number] or rows[number:] along `axis`.
struct RowsCut {
  Value* rows = nullptr;
  IterationNumber number;
};

std::optional<RowsCut> ReadCut(const Value& value, int axis, bool head, const LoopView& loop,
                               const PassContext& context) {
  const Node* slice = value.producer();
  if (slice == nullptr || !slice->Is("Slice") || slice->operand(3) == nullptr) return std::nullopt;
  const auto along = IntOf(context, slice->operand(3));
  const bool in_steps = slice->operand(4) != nullptr && IntOf(context, slice->operand(4)) != 1;
  if (!along || FromFront(*along, *slice->operand(0)) != axis || in_steps) return std::nullopt;
  const auto other = IntOf(context, slice->operand(head ? 1 : 2));
  const bool is_rest = other && (head ? *other == 0 : *other >= INT32_MAX);
  const auto number = loop.iterations.find(slice->operand(head ? 2 : 1));
  if (!is_rest || number == loop.iterations.end()) return std::nullopt;
  return RowsCut{slice->operand(0), number->second};
}

// concat(rows[:number], row, rows[number + 1:])
std::optional<RowWrite> ReadJoined(const Node& concat, const LoopView& loop, const LoopState& state,
                                   const PassContext& context) {
  const Shape* shape = state.initial->type().shape();
  if (!concat.Is("Concat") || concat.num_operands() != 3 || shape == nullptr) return std::nullopt;
  const int axis = AxisIn(concat, *concat.operand(1));
  if (SizeAlong(*concat.operand(1), axis) != 1) return std::nullopt;
  const auto head = ReadCut(*concat.operand(0), axis, /*head=*/true, loop, context);
  const auto tail = ReadCut(*concat.operand(2), axis, /*head=*/false, loop, context);
  if (!head || !tail || head->rows != state.input || tail->rows != state.input) return std::nullopt;
  if (head->number.factor != tail->number.factor ||
      !(tail->number.offset - head->number.offset == Dim(1))) {
    return std::nullopt;
  }
  const auto from_end = CountsIterations(head->number, loop.trips);
  if (!from_end) return std::nullopt;
  return RowWrite{concat.operand(1), axis, *shape, {}, *from_end};
}

std::optional<RowWrite> ReadScattered(const Node& scatter, const LoopView& loop,
                                      const PassContext& context) {
  const auto row = ReadScatteredRow(scatter, context);
  const auto number = row ? loop.numbers.find(row->place) : loop.numbers.end();
  if (number == loop.numbers.end()) return std::nullopt;
  return RowWrite{row->row, row->axis, *row->rows->type().shape(), {}, number->second};
}

}  // namespace

std::optional<RowWrite> ReadRowWrite(const LoopView& loop, const LoopState& state,
                                     const PassContext& context) {
  const Node* put = state.output->producer();
  const Attribute::Ints* back = PermutationOf(put);
  if (back != nullptr) put = put->operand(0)->producer();
  if (put == nullptr) return std::nullopt;
  auto write = back == nullptr ? ReadJoined(*put, loop, state, context) : std::nullopt;
  if (!write) {
    write = ReadScattered(*put, loop, context);
    if (!write || !IsAllOf(*put->operand(0), back, *state.input)) return std::nullopt;
    if (back != nullptr) write->back = *back;
  }
  const Dim& count = write->shape[static_cast<std::size_t>(write->axis)];
  return Equal(count, loop.trips) == Truth::kYes ? write : std::nullopt;
}

}  // namespace dragoman
