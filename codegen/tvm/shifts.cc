// SPDX-License-Identifier: Apache-2.0
#include "codegen/tvm/shifts.h"

#include <algorithm>
#include <cstdint>

#include "core/rewrite/pass_context.h"

namespace dragoman::tvm {

bool ShiftsWithin(const Node& shift) {
  const Tensor* amounts = ConstantOf(shift.operand(1));
  if (amounts == nullptr) return false;
  const int bits = Info(shift.operand(0)->type().dtype()).bits;
  return std::ranges::all_of(amounts->ToInts(),
                             [bits](std::int64_t amount) { return amount >= 0 && amount < bits; });
}

}  // namespace dragoman::tvm
