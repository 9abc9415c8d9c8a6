// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether two elements count as the same, for everything that judges outputs or constants by a
// tolerance: `verify`, `diff --rtol`, what generated programs expect, and tests.
//
//   - What is equal is close: equal bits, zeros of either sign, an infinity and itself.
//   - NaN is close to NaN, whatever its sign and payload, and to nothing else.
//   - An infinity is close to nothing but itself, however large the bound.
//   - Other numbers are close if |a - b| <= absolute + relative * scale. Floats are widened to
//     double, in which distance and bound are computed; the distance of integers is exact.
//   - Complex numbers are close if their real parts are and their imaginary parts are.
//   - Bools and strings are close only if they are equal.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_CLOSENESS_H_
#define DRAGOMAN_RUNTIME_PROGRAM_CLOSENESS_H_

#include <cstdint>

#include "runtime/program/element_type.h"

namespace dragoman::rt {

// What the relative part of a bound refers to.
enum class Scale {
  kExpected,  // |b|: one side is right
  kLarger,    // the larger of |a| and |b|: symmetric, neither side is right
};

// Neither number is negative or NaN.
struct Closeness {
  double relative = 0;
  double absolute = 0;
  Scale scale = Scale::kExpected;
};

// What outputs of an element type are judged by unless a user says otherwise: both limits 1e-4 for
// float32, 1e-7 for float64 (complex types by their parts), 1e-2 for float16 and bfloat16, 0 for
// all others.
Closeness UsualCloseness(const ElementType& type);

// How the elements of two arrays differ. A distance is infinite where only one of two elements is
// NaN, or infinite, and of strings that differ.
struct ElementDifferences {
  std::int64_t outside = 0;        // how many elements are not close
  std::int64_t changed = 0;        // how many have other bits
  std::int64_t first_changed = 0;  // the first of these
  std::int64_t worst = 0;          // the first of the largest distance
  double largest = 0;              // that distance; of complex numbers that of one part
  double largest_relative = 0;     // the largest distance in terms of the scale; 0 for strings
};

// Of `count` elements as they lie in memory: one per byte for types below 8 bits, std::string for
// strings. Addresses need no alignment but those of strings.
ElementDifferences FindDifferences(const ElementType& type, const void* found, const void* expected,
                                   std::int64_t count, const Closeness& closeness);

// Whether arrays of this type can be judged by RelativeRms: those of floats and complex numbers.
bool HasRms(const ElementType& type);

// The root mean square of the differences as a fraction of that of the finite numbers which are
// expected. 0 for equal arrays; infinite if any difference is, or if all is expected to be 0.
double RelativeRms(const ElementType& type, const void* found, const void* expected,
                   std::int64_t count);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_CLOSENESS_H_
