// SPDX-License-Identifier: Apache-2.0
// Division of integers that rounds down, as Python's does. The divisor is not 0.
#ifndef DRAGOMAN_CORE_SUPPORT_FLOOR_DIVISION_H_
#define DRAGOMAN_CORE_SUPPORT_FLOOR_DIVISION_H_

#include <cstdint>

namespace dragoman {

// The least number by -1, which has no quotient, wraps to itself.
constexpr std::int64_t FloorQuotient(std::int64_t a, std::int64_t b) {
  if (b == -1) return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(a));
  const std::int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

// What is left over; it has the sign of the divisor.
constexpr std::int64_t FloorRemainder(std::int64_t a, std::int64_t b) {
  if (b == -1) return 0;
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_FLOOR_DIVISION_H_
