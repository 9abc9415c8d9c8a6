// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/scalar.h"

#include <cmath>
#include <cstddef>

#include "core/ir/producer.h"
#include "core/rewrite/pass_context.h"

namespace dragoman {

std::optional<float> ScalarOf(const Value* value) {
  const Tensor* tensor = ConstantOf(value);
  if (tensor == nullptr || tensor->size() != 1 || tensor->dtype() != DType::kF32)
    return std::nullopt;
  return static_cast<float>(tensor->FloatAt(0));
}

bool IsAbout(double scalar, double number) { return std::abs(scalar - number) <= 5e-6 * number; }

bool IsAbout(const Value* value, double number) {
  const std::optional<float> scalar = ScalarOf(value);
  return scalar && IsAbout(*scalar, number);
}

Value* OtherThan(double number, const Value* value, std::string_view type) {
  const Node* node = ProducerOf(value, type);
  for (std::size_t i = 0; node != nullptr && i < 2; ++i) {
    if (IsAbout(node->operand(i), number)) return node->operand(1 - i);
  }
  return nullptr;
}

}  // namespace dragoman
