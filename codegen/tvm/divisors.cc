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

}  // namespace dragoman::tvm
