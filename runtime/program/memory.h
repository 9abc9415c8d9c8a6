// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory in which a program's intermediate tensors lie.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_MEMORY_H_
#define DRAGOMAN_RUNTIME_PROGRAM_MEMORY_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"
#include "runtime/program/sizes.h"

namespace dragoman::rt {

// Of arenas and scratch memory, in bytes.
inline constexpr std::int64_t kAlignment = 64;

// `bytes` rounded up to a multiple of it.
constexpr std::int64_t AlignedBytes(std::int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// Bytes, aligned to kAlignment, that grow and never shrink. Not for strings, which are Tensors.
class Memory {
 public:
  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { Free(data_); }

  void* data() const { return data_; }

  // At least `bytes`, of which the first `keep` stay what they are. Other views on this memory
  // become invalid when it grows.
  Status Reserve(std::int64_t bytes, std::int64_t keep = 0) noexcept {
    if (bytes < 0 || bytes > kMaxBytes) return Status::Error("a tensor is too large");
    if (data_ != nullptr && bytes <= capacity_) return Status();
    const std::int64_t wanted = keep > 0 ? std::max(bytes, 2 * capacity_) : bytes;
    const std::int64_t rounded = AlignedBytes(wanted + 1);
    auto* grown = static_cast<std::byte*>(::operator new(
        static_cast<std::size_t>(rounded), std::align_val_t(kAlignment), std::nothrow));
    if (grown == nullptr) return Status::Error("out of memory");
    if (keep > 0) std::memcpy(grown, data_, static_cast<std::size_t>(keep));
    Free(std::exchange(data_, grown));
    capacity_ = rounded;
    return Status();
  }

  // A tensor at `offset` bytes of memory that has been reserved.
  template <class T>
  TensorView<T> At(std::int64_t offset, const Shape& shape) const {
    return {reinterpret_cast<T*>(data_ + offset), shape};
  }
  // A tensor at the front, for which the memory grows.
  template <class T>
  Status Place(const Shape& shape, TensorView<T>* view) noexcept {
    std::int64_t bytes = 0;
    DRAGOMAN_RT_TRY(CheckedBytes(shape, sizeof(T), &bytes));
    DRAGOMAN_RT_TRY(Reserve(bytes));
    *view = At<T>(0, shape);
    return Status();
  }
  // The same with room for channels, axis 1, up to a multiple of `block`.
  template <class T>
  Status PlaceInBlocks(std::int64_t block, const Shape& shape, TensorView<T>* view) noexcept {
    Shape whole = shape;
    whole[1] = (shape[1] + block - 1) / block * block;
    DRAGOMAN_RT_TRY(Place(whole, view));
    view->shape = shape;
    return Status();
  }

 private:
  static void Free(std::byte* data) { ::operator delete(data, std::align_val_t(kAlignment)); }

  std::byte* data_ = nullptr;
  std::int64_t capacity_ = 0;
};

// The same elements under the type that stands for their size, for kernels that only move them.
// Programs are compiled without the assumption that pointers to different types never meet.
template <class Bits, class T>
TensorView<Bits> As(TensorView<T> view) {
  static_assert(sizeof(Bits) == sizeof(T));
  return {reinterpret_cast<Bits*>(view.data), view.shape};
}

// A view that only its sizes matter of.
template <class T>
TensorView<T> Sized(const Shape& shape) {
  alignas(16) static unsigned char nothing[16];
  return {reinterpret_cast<T*>(nothing), shape};
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_MEMORY_H_
