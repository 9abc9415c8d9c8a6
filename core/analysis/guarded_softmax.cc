// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/guarded_softmax.h"

#include <limits>
#include <optional>

#include "core/ir/producer.h"
#include "core/ops/declared_attributes.h"

namespace dragoman {
namespace {

std::optional<double> NumberOf(const Value* value) {
  const Tensor* tensor = value != nullptr && value->is_constant() ? value->tensor() : nullptr;
  return tensor != nullptr && tensor->size() == 1 ? std::optional(tensor->FloatAt(0))
                                                  : std::nullopt;
}

// Whether `maximum` is the largest of each row that `softmax` takes, with the axis kept.
bool IsLargestOf(const Node& maximum, const Node& softmax) {
  const std::optional<int> rank = softmax.operand(0)->type().rank();
  const std::optional<double> axis = NumberOf(maximum.operand(1));
  if (maximum.operand(0) != softmax.operand(0) || !rank || !axis) return false;
  const auto from_front = [&](std::int64_t i) { return i < 0 ? i + *rank : i; };
  return IntAttribute(maximum, "keepdims") != 0 &&
         from_front(static_cast<std::int64_t>(*axis)) == from_front(IntAttribute(softmax, "axis"));
}

}  // namespace

GuardedSoftmax ReadGuardedSoftmax(const Node& where) {
  const Node* softmax = where.Is("Where") ? ProducerOf(where.operand(2), "Softmax") : nullptr;
  if (softmax == nullptr || NumberOf(where.operand(1)) != 0.0) return {};
  const Node* is_nan = ProducerOf(where.operand(0), "IsNaN");
  if (is_nan != nullptr && is_nan->operand(0) == softmax->result())
    return {softmax, GuardedSoftmax::Guard::kNan};
  const Node* equal = ProducerOf(where.operand(0), "Equal");
  const Node* maximum = equal != nullptr ? ProducerOf(equal->operand(0), "ReduceMax") : nullptr;
  const bool asks = maximum != nullptr && IsLargestOf(*maximum, *softmax) &&
                    NumberOf(equal->operand(1)) == -std::numeric_limits<double>::infinity();
  return asks ? GuardedSoftmax{softmax, GuardedSoftmax::Guard::kHiddenRows} : GuardedSoftmax();
}

}  // namespace dragoman
