// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tensor that owns its elements: outputs whose sizes are known only at run time, and states.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_TENSOR_H_
#define DRAGOMAN_RUNTIME_PROGRAM_TENSOR_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/guarded.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"
#include "runtime/program/sizes.h"

namespace dragoman::rt {

// Memory grows and never shrinks, so a tensor that is used again allocates nothing once it has had
// its largest size.
template <class T>
class Tensor {
 public:
  Tensor() = default;
  Tensor(Tensor&&) noexcept = default;
  Tensor& operator=(Tensor&&) noexcept = default;
  // Copies throw std::bad_alloc, where exceptions are on; Assign does not.
  Tensor(const Tensor& other) : Tensor() { *this = other; }
  Tensor& operator=(const Tensor& other) {
    if (this != &other && !Assign(other.view()).ok()) OutOfMemory();
    return *this;
  }

  const Shape& shape() const { return shape_; }
  std::int64_t size() const { return NumElements(shape_); }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T& operator[](std::int64_t i) { return data_[static_cast<std::size_t>(i)]; }
  const T& operator[](std::int64_t i) const { return data_[static_cast<std::size_t>(i)]; }
  TensorView<T> view() { return {data_.get(), shape_}; }
  TensorView<const T> view() const { return {data_.get(), shape_}; }

  // Gives the tensor sizes; the elements are what they happen to be. Errors: negative sizes, more
  // memory than there is.
  Status Resize(const Shape& shape) noexcept {
    std::int64_t bytes = 0;
    DRAGOMAN_RT_TRY(CheckedBytes(shape, sizeof(T), &bytes));
    const std::int64_t count = std::max<std::int64_t>(NumElements(shape), 1);
    if (count > capacity_) {
      std::unique_ptr<T[]> grown(new (std::nothrow) T[static_cast<std::size_t>(count)]);
      if (grown == nullptr) return Status::Error("out of memory");
      data_ = std::move(grown);
      capacity_ = count;
    }
    shape_ = shape;
    return Status();
  }
  Status Place(const Shape& shape, TensorView<T>* view) noexcept {
    DRAGOMAN_RT_TRY(Resize(shape));
    *view = this->view();
    return Status();
  }
  // Takes sizes and elements of `other`, which lies elsewhere or is all of this tensor.
  Status Assign(TensorView<const T> other) noexcept {
    DRAGOMAN_RT_TRY(Resize(other.shape));
    if (other.data != nullptr && other.data != data()) std::copy_n(other.data, size(), data());
    return Status();
  }

 private:
  Shape shape_ = {0};
  std::unique_ptr<T[]> data_;
  std::int64_t capacity_ = 0;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_TENSOR_H_
