// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel sees of a tensor: a pointer to dense row-major elements and the sizes.
#ifndef DRAGOMAN_RUNTIME_KERNELS_TENSOR_VIEW_H_
#define DRAGOMAN_RUNTIME_KERNELS_TENSOR_VIEW_H_

#include <cstdint>
#include <type_traits>

#include "runtime/params/shape.h"

namespace dragoman::rt {

// A view does not own. `data == nullptr` stands for an absent optional operand or result; a present
// tensor without elements has a pointer that is not null.
template <class T>
struct TensorView {
  T* data = nullptr;
  Shape shape;

  bool present() const { return data != nullptr; }
  int rank() const { return shape.size(); }
  std::int64_t size() const { return NumElements(shape); }
  T& operator[](std::int64_t i) const { return data[i]; }

  template <class U = T, class = std::enable_if_t<!std::is_const_v<U>>>
  operator TensorView<const U>() const {
    return {data, shape};
  }
};

// A variadic operand or result.
template <class T>
struct Views {
  const TensorView<T>* data = nullptr;
  std::int64_t size = 0;
  const TensorView<T>& operator[](std::int64_t i) const { return data[i]; }
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_TENSOR_VIEW_H_
