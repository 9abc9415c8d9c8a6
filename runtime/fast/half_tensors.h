// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors of bf16 between operators that compute in f32: they are widened as they are read, and
// rounded once as they are written.
#ifndef DRAGOMAN_RUNTIME_FAST_HALF_TENSORS_H_
#define DRAGOMAN_RUNTIME_FAST_HALF_TENSORS_H_

#include <cstdint>

#include "runtime/fast/precision.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// Of a prepared operator's operand, and of its result and what is added to it: kF32 or kBF16.
struct ElementTypes {
  Precision x = Precision::kF32;
  Precision y = Precision::kF32;
};

// Numbers below the normal range may become zeros.
void Widen(const BFloat16* from, std::int64_t count, float* to) noexcept;
void Narrow(const float* from, std::int64_t count, BFloat16* to) noexcept;

// A tensor of f32 or bf16 that is read.
struct FloatSource {
  const float* wide = nullptr;
  const BFloat16* half = nullptr;  // one of the two
  Shape shape;

  FloatSource() = default;
  FloatSource(const float* data, const Shape& sizes) : wide(data), shape(sizes) {}
  FloatSource(const BFloat16* data, const Shape& sizes) : half(data), shape(sizes) {}
  template <class T>
  FloatSource(const TensorView<T>& view) : FloatSource(view.data, view.shape) {}

  // `count` elements from `at` on: where they lie, or widened in `room`.
  const float* Read(std::int64_t at, std::int64_t count, float* room) const {
    if (half == nullptr) return wide + at;
    Widen(half + at, count, room);
    return room;
  }
};

// A tensor of f32 or bf16 that is written.
struct FloatTarget {
  float* wide = nullptr;
  BFloat16* half = nullptr;  // one of the two
  Shape shape;

  FloatTarget() = default;
  FloatTarget(float* data, const Shape& sizes) : wide(data), shape(sizes) {}
  FloatTarget(BFloat16* data, const Shape& sizes) : half(data), shape(sizes) {}
  template <class T>
  FloatTarget(const TensorView<T>& view) : FloatTarget(view.data, view.shape) {}

  // Where elements from `at` on are to be put before Write: in their place, or in `room`.
  float* Place(std::int64_t at, float* room) const { return half == nullptr ? wide + at : room; }
  void Write(std::int64_t at, std::int64_t count, const float* room) const {
    if (half != nullptr) Narrow(room, count, half + at);
  }
};

// Calls f(source's elements, target's elements), pointers of their own types.
template <class F>
void WithTypes(const FloatSource& x, const FloatTarget& y, F f) {
  const auto with_result = [&](const auto* from) {
    y.half == nullptr ? f(from, y.wide) : f(from, y.half);
  };
  x.half == nullptr ? with_result(x.wide) : with_result(x.half);
}

// Copies in f32 of those tensors of an operator that are not, for one that handles nothing else.
// They lie in its scratch memory, after its own.
class WideCopies {
 public:
  // Of as many elements in memory as x and y have; `offset` is a multiple of 64.
  void Create(const ElementTypes& types, std::int64_t x_size, std::int64_t y_size,
              std::int64_t offset);

  // Of the scratch memory, all in all.
  std::int64_t ScratchBytes() const { return offset_ + x_bytes_ + y_bytes_; }

  // The Status of run(x, residual, y), given the copies of what is copied.
  template <class F>
  Status Run(const void* x, const void* residual, void* y, void* scratch, F run) const noexcept {
    char* const room = static_cast<char*>(scratch) + offset_;
    if (x_bytes_ > 0) x = WidenTo(room, x, x_size_);
    if (y_bytes_ == 0) return run(x, residual, y);
    char* const result = room + x_bytes_;
    if (residual != nullptr) residual = WidenTo(result, residual, y_size_);
    const Status status = run(x, residual, result);
    Narrow(reinterpret_cast<const float*>(result), y_size_, static_cast<BFloat16*>(y));
    return status;
  }

 private:
  static const void* WidenTo(char* room, const void* from, std::int64_t size) noexcept {
    Widen(static_cast<const BFloat16*>(from), size, reinterpret_cast<float*>(room));
    return room;
  }

  std::int64_t x_size_ = 0, y_size_ = 0;
  std::int64_t offset_ = 0, x_bytes_ = 0, y_bytes_ = 0;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_HALF_TENSORS_H_
