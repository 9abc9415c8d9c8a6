// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on sizes at run time. Inputs come from the caller and from data, so a result that has
// no meaning is kBadSize, which every use of a size refuses.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_SIZES_H_
#define DRAGOMAN_RUNTIME_PROGRAM_SIZES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// Sums of a few of these do not overflow, and stay negative.
inline constexpr std::int64_t kBadSize = -(std::int64_t{1} << 60);
inline constexpr std::int64_t kMaxBytes = std::int64_t{1} << 46;

constexpr bool IsBadSize(std::int64_t size) { return size < kBadSize / 2 || size > -kBadSize; }

constexpr std::int64_t Times(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  const bool bad = __builtin_mul_overflow(a, b, &product) || IsBadSize(a) || IsBadSize(b);
  return bad || IsBadSize(product) ? kBadSize : product;
}

// Rounded to minus infinity; the remainder has the divisor's sign.
constexpr std::int64_t FloorDiv(std::int64_t a, std::int64_t b) {
  if (b == 0 || IsBadSize(a) || IsBadSize(b)) return kBadSize;
  return a / b - ((a % b != 0) && ((a < 0) != (b < 0)));
}
constexpr std::int64_t FloorMod(std::int64_t a, std::int64_t b) {
  if (b == 0 || IsBadSize(a) || IsBadSize(b)) return kBadSize;
  const std::int64_t rest = a % b;
  return rest != 0 && ((rest < 0) != (b < 0)) ? rest + b : rest;
}
constexpr std::int64_t Least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
constexpr std::int64_t Greatest(std::int64_t a, std::int64_t b) {
  return IsBadSize(a) || IsBadSize(b) ? kBadSize : (a > b ? a : b);
}

// The size that a and b broadcast to.
constexpr std::int64_t BroadcastSize(std::int64_t a, std::int64_t b) {
  if (a == b || b == 1) return a;
  return a == 1 ? b : kBadSize;
}

// Errors: a negative size, more bytes than a program may use.
constexpr Status CheckedBytes(const Shape& shape, std::size_t element_bytes, std::int64_t* bytes) {
  std::int64_t total = static_cast<std::int64_t>(element_bytes);
  bool empty = false;
  for (std::int64_t size : shape) {
    if (size < 0) return Status::Error("a size is negative, or sizes do not fit each other");
    empty = empty || size == 0;
    if (size != 0) total = Times(total, size);
    if (IsBadSize(total) || total > kMaxBytes) return Status::Error("a tensor is too large");
  }
  *bytes = empty ? 0 : total;
  return Status();
}

// NumPy's broadcasting of any number of shapes.
constexpr Status BroadcastShape(std::initializer_list<Shape> shapes, Shape* result) {
  int rank = 0;
  for (const Shape& shape : shapes) rank = std::max(rank, shape.size());
  *result = Shape::Filled(rank, 1);
  for (const Shape& shape : shapes) {
    for (int i = 0; i < shape.size(); ++i) {
      std::int64_t& size = (*result)[rank - shape.size() + i];
      size = BroadcastSize(size, shape[i]);
      if (size < 0) return Status::Error("the operands' sizes do not broadcast together");
    }
  }
  return Status();
}

// Whether a step came to the sizes that the program was generated for.
constexpr Status CheckSizes(const Shape& shape, const Shape& expected) {
  if (shape == expected) return Status();
  return Status::Error("the result's sizes are not those that the program was generated for");
}

// What kernels trust of their operands' sizes and the generator did not know.
constexpr Status CheckOneElement(const Shape& shape) {
  if (NumElements(shape) == 1) return Status();
  return Status::Error("an operand that is one number has other sizes");
}

constexpr Status CheckMinRank(const Shape& shape, int rank) {
  if (shape.size() >= rank) return Status();
  return Status::Error("an operand has too few axes");
}

constexpr Status CheckOperand(const Shape& shape, const Shape& expected) {
  if (shape == expected) return Status();
  return Status::Error("an operand's sizes do not fit those of the others");
}

constexpr Status CheckOneElementOr(const Shape& shape, const Shape& expected) {
  return NumElements(shape) == 1 ? Status() : CheckOperand(shape, expected);
}

constexpr Status CheckBroadcastsTo(const Shape& shape, const Shape& to) {
  bool fits = shape.size() <= to.size();
  for (int i = 1; fits && i <= shape.size(); ++i) {
    const std::int64_t size = shape[shape.size() - i];
    fits = size == 1 || size == to[to.size() - i];
  }
  if (fits) return Status();
  return Status::Error("an operand does not broadcast to the sizes of another");
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_SIZES_H_
