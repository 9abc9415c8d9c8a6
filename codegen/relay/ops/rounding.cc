// SPDX-License-Identifier: Apache-2.0
#include "codegen/relay/ops/rounding.h"

namespace dragoman::relay::emit {

Value* RoundedToEven(RelayOp& op, Value* x, DType dtype) {
  const auto number = [&](double value) { return op.Number(value, dtype); };
  Value* below = op.Do("floor", {x});
  Value* rest = op.Do("subtract", {x, below});
  Value* odd = op.Do("equal", {op.Do("floor_mod", {below, number(2)}), number(1)});
  Value* half = op.Do("logical_and", {op.Do("equal", {rest, number(0.5)}), odd});
  Value* up = op.Do("logical_or", {op.Do("greater", {rest, number(0.5)}), half});
  // below + 1, but -0 for -1 + 1, as round has the sign of its operand.
  Value* above = op.Do("multiply", {op.Do("subtract", {number(-1), below}), number(-1)});
  return op.Do("where", {up, above, below});
}

Value* Saturated(RelayOp& op, Value* x, Value* zero, DType to) {
  const int bits = Info(to).bits;
  const double low = Info(to).is_signed ? -static_cast<double>(1 << (bits - 1)) : 0;
  const double high = low + static_cast<double>((1 << bits) - 1);
  Value* whole = RoundedToEven(op, x, DType::kF32);
  if (zero != nullptr) whole = op.Do("add", {whole, op.Cast(zero, to, DType::kF32)});
  // Not by clip, which makes the upper bound of NaN.
  Value* above = op.Do("maximum", {whole, op.Number(low, DType::kF32)});
  Value* within = op.Do("minimum", {above, op.Number(high, DType::kF32)});
  return op.Cast(within, DType::kF32, to);
}

}  // namespace dragoman::relay::emit
