// SPDX-License-Identifier: Apache-2.0
// Numbers of fixed point by which TVM takes quantised values from one scale to another.
#ifndef DRAGOMAN_IMPORTERS_RELAY_OPS_ROUNDING_H_
#define DRAGOMAN_IMPORTERS_RELAY_OPS_ROUNDING_H_

#include <cstdint>
#include <vector>

#include "importers/relay/ops/call.h"

namespace dragoman::relay {

// A vector along the axis that has a number each; a scalar if it has one number.
Value* Aligned(Call& c, Value* vector, std::int64_t axis, const Value* like);

// multiplier · 2^(shift - 31)
struct FixedPoint {
  std::int64_t multiplier = 0;
  std::int64_t shift = 0;
};

// x · factor, as int32; one factor an element of the axis, or one in all. Halves go up, or away
// from zero. Fails for shifts beyond what TVM computes in 64 bits.
Value* ScaledByBits(Call& c, Value* x, const std::vector<FixedPoint>& factors, std::int64_t axis,
                    bool away);

// x · quotient, as int32: TVM takes the quotient as 31 bits and a shift. One quotient an element of
// the axis, or one in all. Halves go up, or away from zero. Fails for quotients beyond what TVM
// computes in 64 bits.
Value* Rescaled(Call& c, Value* x, const std::vector<double>& quotients, std::int64_t axis,
                bool away);

// Whole numbers cut to the range of an element type.
Value* Saturated(Call& c, Value* x, DType dtype);

}  // namespace dragoman::relay

#endif  // DRAGOMAN_IMPORTERS_RELAY_OPS_ROUNDING_H_
