// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes, strides and small integer lists without allocation: the vocabulary of op parameters.
#ifndef DRAGOMAN_RUNTIME_PARAMS_SHAPE_H_
#define DRAGOMAN_RUNTIME_PARAMS_SHAPE_H_

#include <cstdint>
#include <initializer_list>

namespace dragoman::rt {

// The highest rank that kernels handle. Graphs may hold more; interpreter and code generator refuse
// it.
inline constexpr int kMaxRank = 8;

// Up to N integers, stored in place. Pushing beyond N is a programming error of the caller, who
// checks `size() < kCapacity` where the count comes from a file.
template <int N>
class FixedInts {
 public:
  static constexpr int kCapacity = N;

  constexpr FixedInts() = default;
  constexpr FixedInts(std::initializer_list<std::int64_t> values) {
    for (std::int64_t v : values) push_back(v);
  }
  // `count` copies of `value`.
  static constexpr FixedInts Filled(int count, std::int64_t value) {
    FixedInts ints;
    for (int i = 0; i < count; ++i) ints.push_back(value);
    return ints;
  }

  constexpr int size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr void push_back(std::int64_t v) { values_[size_++] = v; }
  constexpr void resize(int size) { size_ = size; }
  constexpr std::int64_t& operator[](int i) { return values_[i]; }
  constexpr std::int64_t operator[](int i) const { return values_[i]; }
  constexpr std::int64_t back() const { return values_[size_ - 1]; }
  constexpr std::int64_t* data() { return values_; }
  constexpr const std::int64_t* data() const { return values_; }
  constexpr const std::int64_t* begin() const { return values_; }
  constexpr const std::int64_t* end() const { return values_ + size_; }

  friend constexpr bool operator==(const FixedInts& a, const FixedInts& b) {
    if (a.size_ != b.size_) return false;
    for (int i = 0; i < a.size_; ++i) {
      if (a.values_[i] != b.values_[i]) return false;
    }
    return true;
  }
  friend constexpr bool operator!=(const FixedInts& a, const FixedInts& b) { return !(a == b); }

 private:
  std::int64_t values_[N] = {};
  int size_ = 0;
};

// A tensor's sizes, outermost first.
using Shape = FixedInts<kMaxRank>;
// An attribute such as pads, which has two entries an axis.
using Ints = FixedInts<2 * kMaxRank>;

// The number of elements; 1 for rank 0.
constexpr std::int64_t NumElements(const Shape& shape) {
  std::int64_t n = 1;
  for (std::int64_t d : shape) n *= d;
  return n;
}

// Row-major strides in elements; the last is 1.
constexpr Shape Strides(const Shape& shape) {
  Shape strides = shape;
  std::int64_t stride = 1;
  for (int i = shape.size() - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

// An integer operand that a shape function reads (Reshape's shape, Slice's starts).
struct IntSpan {
  const std::int64_t* data = nullptr;
  std::int64_t size = 0;
  constexpr std::int64_t operator[](std::int64_t i) const { return data[i]; }
};
struct FloatSpan {
  const float* data = nullptr;
  std::int64_t size = 0;
  constexpr float operator[](std::int64_t i) const { return data[i]; }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PARAMS_SHAPE_H_
