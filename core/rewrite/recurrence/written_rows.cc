#include "core/rewrite/recurrence/written_rows.h"

#include <utility>

#include "core/ir/node_attributes.h"

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

}  // namespace

std::optional<RowWrite> ReadRowWrite(const LoopView& loop, const LoopState& state) {
  RowWrite write{state.output->producer(), {}, false};
  if (const Attribute::Ints* back = PermutationOf(write.scatter)) {
    write = {write.scatter->operand(0)->producer(), *back, false};
  }
  if (write.scatter == nullptr || !write.scatter->Is("ScatterND") ||
      write.scatter->attribute("reduction") != nullptr) {
    return std::nullopt;
  }
  const Value* rows = write.scatter->operand(0);
  const Value* index = write.scatter->operand(1);
  const Shape* shape = rows->type().shape();
  const Shape* index_shape = index->type().shape();
  if (!write.back.empty()) {
    const Attribute::Ints* there = PermutationOf(rows->producer());
    if (there == nullptr || !AreInverse(*there, write.back)) return std::nullopt;
    rows = rows->producer()->operand(0);
  }
  const auto number = loop.numbers.find(index);
  if (rows != state.input || !rows->HasOneUse() || number == loop.numbers.end() ||
      shape == nullptr || index_shape == nullptr || *index_shape != Shape{Dim(1), Dim(1)} ||
      Equal(shape->front(), loop.trips) != Truth::kYes) {
    return std::nullopt;
  }
  write.from_end = number->second;
  return write;
}

}  // namespace dragoman
