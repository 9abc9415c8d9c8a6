// SPDX-License-Identifier: Apache-2.0
#include "codegen/tvm/divisors.h"

#include <algorithm>
#include <cstdint>

#include "core/rewrite/pass_context.h"

namespace dragoman::tvm {

bool DividesWithin(const Node& division) {
  const DType dtype = division.operand(0)->type().dtype();
  if (!IsInteger(dtype)) return true;
  const Tensor* divisor = ConstantOf(division.operand(1));
  if (divisor == nullptr) return false;
  const bool is_signed = Info(dtype).is_signed;
  return std::ranges::none_of(divisor->ToInts(), [is_signed](std::int64_t number) {
    return number == 0 || (is_signed && number == -1);
  });
}

std::optional<std::size_t> ScalarZero(const Node& node) {
  for (std::size_t i = 0; i < node.num_operands(); ++i) {
    const Tensor* constant = ConstantOf(node.operand(i));
    if (constant == nullptr || !constant->sizes().empty() || !IsFloating(constant->dtype()))
      continue;
    const bool is_known = node.operand(1 - i)->type().shape() != nullptr;
    if (is_known && constant->FloatAt(0) == 0) return i;
  }
  return std::nullopt;
}

bool IsOfScalars(const Node& node) {
  return std::ranges::all_of(node.operands(), [](const Use& use) {
    return use.value()->type().shape() != nullptr && use.value()->type().shape()->empty();
  });
}

}  // namespace dragoman::tvm
