// SPDX-License-Identifier: Apache-2.0
#include "core/lowering/indices.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/ir/producer.h"

namespace dragoman {
namespace {

bool IsAll(Composer& c, const Value* value, std::int64_t number) {
  const std::optional<std::vector<std::int64_t>> known = c.builder().KnownInts(value);
  return known && !known->empty() &&
         std::ranges::all_of(*known, [&](std::int64_t element) { return element == number; });
}

// The i of where(i < 0, i + size, i); nullptr: it is another expression.
Value* RaisedOf(Composer& c, const Value* value, std::int64_t size) {
  const Node* where = ProducerOf(value, "Where");
  if (where == nullptr) return nullptr;
  Value* index = where->operand(2);
  const Node* less = ProducerOf(where->operand(0), "Less");
  const Node* add = ProducerOf(where->operand(1), "Add");
  if (less == nullptr || add == nullptr) return nullptr;
  const bool is_raised = less->operand(0) == index && IsAll(c, less->operand(1), 0) &&
                         add->operand(0) == index && IsAll(c, add->operand(1), size);
  return is_raised ? index : nullptr;
}

}  // namespace

Value* WithoutRaising(Composer& c, Value* indices, std::int64_t size) {
  if (c.failed()) return indices;
  if (Value* index = RaisedOf(c, indices, size)) return index;
  const Node* cast = ProducerOf(indices, "Cast");
  Value* index = cast != nullptr ? RaisedOf(c, cast->operand(0), size) : nullptr;
  return index != nullptr ? c.CastLike(index, indices) : indices;
}

Value* WithoutRaising(Composer& c, Value* indices, const Value* x, int axis) {
  if (c.failed()) return indices;
  const std::optional<std::int64_t> size = c.KnownSize(x, axis);
  return size ? WithoutRaising(c, indices, *size) : indices;
}

}  // namespace dragoman
