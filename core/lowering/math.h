// SPDX-License-Identifier: Apache-2.0
// Compositions that several operators share.
#ifndef DRAGOMAN_CORE_LOWERING_MATH_H_
#define DRAGOMAN_CORE_LOWERING_MATH_H_

#include "core/lowering/composer.h"

namespace dragoman {

// exp(x) - 1 and log(1 + x), exact near 0 too (W. Kahan's forms).
Value* Expm1(Composer& c, Value* x);
Value* Log1p(Composer& c, Value* x);

// Towards zero.
Value* Trunc(Composer& c, Value* x);
// Whether the sign is minus, that of -0 too.
Value* SignBit(Composer& c, Value* x);
// -x where `negative`, else x.
Value* NegateWhere(Composer& c, Value* negative, Value* x);

// The angle of (x, y) in (-π, π], from quotients that cannot overflow, and the distance from 0.
Value* Atan2(Composer& c, Value* y, Value* x);
Value* Hypot(Composer& c, Value* x, Value* y);

// The remainder that has the divisor's sign, and the quotient rounded down that belongs to it.
Value* Remainder(Composer& c, Value* a, Value* b);
Value* FloorQuotient(Composer& c, Value* a, Value* b);
// The quotient rounded towards zero.
Value* TruncQuotient(Composer& c, Value* a, Value* b);

// a of bool: whether it is not zero.
Value* IsTrue(Composer& c, Value* x);
Value* IsNaN(Composer& c, Value* x);
Value* IsInf(Composer& c, Value* x, bool negative, bool positive);

// Whether inference knows that both have the same sizes.
bool HasSizesOf(const Value* value, const Value* like);
// `value`, which is known to have the sizes of `like` though inference need not know: it does of
// the result.
Value* WithSizesOf(Composer& c, Value* value, Value* like);

// A vector as a tensor of `rank` that has it along `axis` and size 1 along all others.
Value* AlongAxis(Composer& c, Value* vector, int axis, int rank);

// Both of bool: Or, And; else the larger, the smaller, and NaN if either is.
Value* Maximum(Composer& c, Value* a, Value* b);
Value* Minimum(Composer& c, Value* a, Value* b);

// As NumPy multiplies by rank; of one element type.
Value* MatMul(Composer& c, Value* a, Value* b);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_MATH_H_
