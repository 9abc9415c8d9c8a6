// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 64-bit arithmetic on sizes that reports overflow, and checks that shape functions share.
#ifndef DRAGOMAN_RUNTIME_PARAMS_CHECKED_H_
#define DRAGOMAN_RUNTIME_PARAMS_CHECKED_H_

#include <cstdint>

#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

constexpr Status CheckedAdd(std::int64_t a, std::int64_t b, std::int64_t* sum) {
  return __builtin_add_overflow(a, b, sum) ? Status::Error("a size overflows 64 bits") : Status();
}

constexpr Status CheckedMul(std::int64_t a, std::int64_t b, std::int64_t* product) {
  return __builtin_mul_overflow(a, b, product) ? Status::Error("a size overflows 64 bits")
                                               : Status();
}

// Sizes are not negative and their product, zeros left out, fits 64 bits.
constexpr Status CheckSizes(const Shape& shape) {
  std::int64_t n = 1;
  for (std::int64_t d : shape) {
    if (d < 0) return Status::Error("a size is negative");
    if (d > 0) DRAGOMAN_RT_TRY(CheckedMul(n, d, &n));
  }
  return Status();
}

// A shape from operand values: at most kMaxRank of them, each a valid size.
constexpr Status ShapeFromSpan(IntSpan sizes, Shape* shape) {
  if (sizes.size > kMaxRank) return Status::Error("the rank is too high");
  *shape = Shape();
  for (std::int64_t i = 0; i < sizes.size; ++i) shape->push_back(sizes[i]);
  return CheckSizes(*shape);
}

// The axis counted from the front; it must lie in [-rank, rank).
constexpr int WrapAxis(std::int64_t axis, int rank) {
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

// Checks that the axis lies in [-rank, rank) and wraps it.
constexpr Status ResolveAxis(std::int64_t axis, int rank, int* resolved) {
  if (axis < -rank || axis >= rank) return Status::Error("an axis is out of range");
  *resolved = WrapAxis(axis, rank);
  return Status();
}

// Resolves axes, refusing one that occurs twice; bit i of `mask` is set for axis i.
constexpr Status ResolveAxes(IntSpan axes, int rank, std::uint32_t* mask) {
  *mask = 0;
  for (std::int64_t i = 0; i < axes.size; ++i) {
    int axis = 0;
    DRAGOMAN_RT_TRY(ResolveAxis(axes[i], rank, &axis));
    if ((*mask >> axis & 1) != 0) return Status::Error("an axis is repeated");
    *mask |= 1u << axis;
  }
  return Status();
}

// The product of the sizes of axes [first, last).
constexpr std::int64_t ProductOfSizes(const Shape& shape, int first, int last) {
  std::int64_t n = 1;
  for (int i = first; i < last; ++i) n *= shape[i];
  return n;
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_CHECKED_H_
