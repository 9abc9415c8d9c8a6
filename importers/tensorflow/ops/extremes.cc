// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/ops/extremes.h"

#include <limits>
#include <string>

namespace dragoman::tf {

Value* EndOfType(Call& c, DType type, bool most) {
  const DTypeInfo& info = Info(type);
  if (IsFloating(type)) {
    double number = std::numeric_limits<double>::max();
    if (type == DType::kF32) number = std::numeric_limits<float>::max();
    if (type == DType::kF16) number = 65504;
    if (type == DType::kBF16) number = 0x1.fep127;
    return c.Number(most ? number : -number, type);
  }
  if (!IsInteger(type)) return c.Fail("elements of type " + std::string(Name(type)));
  const int magnitude_bits = info.is_signed ? info.bits - 1 : info.bits;
  if (!most) return c.Cast(c.Int(info.is_signed ? -1LL << magnitude_bits : 0), type);
  // All bits of 64 are those of -1.
  return c.Cast(c.Int(magnitude_bits == 64 ? -1 : ~(-1LL << magnitude_bits)), type);
}

Value* BeyondType(Call& c, DType type, bool most) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!IsFloating(type)) return EndOfType(c, type, most);
  return c.Number(most ? kInfinity : -kInfinity, type);
}

}  // namespace dragoman::tf
