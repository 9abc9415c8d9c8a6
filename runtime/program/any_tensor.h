// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tensor whose element type is known only at run time: what files hold.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_ANY_TENSOR_H_
#define DRAGOMAN_RUNTIME_PROGRAM_ANY_TENSOR_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/shape.h"
#include "runtime/program/element_type.h"

namespace dragoman::rt {

struct AnyTensor {
  const ElementType* type = &kElementTypes[0];
  Shape shape = {0};
  std::vector<std::byte> bytes;  // all types but strings
  void* lent = nullptr;          // an input's elements, in place of `bytes`; nobody writes to them
  std::vector<std::string> strings;  // strings only

  std::int64_t size() const { return NumElements(shape); }

  // The elements as T, which has the element type's size. Never null.
  template <class T>
  T* data() {
    if constexpr (std::is_same_v<T, std::string>) {
      strings.resize(strings.empty() ? 1 : strings.size());
      return strings.data();
    } else {
      if (lent != nullptr) return static_cast<T*>(lent);
      bytes.resize(bytes.empty() ? sizeof(T) : bytes.size());
      return reinterpret_cast<T*>(bytes.data());
    }
  }

  // The elements of any type, to be read.
  const void* elements() const {
    if (type->bytes == 0) return strings.data();
    return lent != nullptr ? lent : bytes.data();
  }

  // Zeroed elements.
  void Resize(const char* type_name, const Shape& sizes);
  template <class T>
  void Set(const char* type_name, TensorView<const T> view) {
    Resize(type_name, view.shape);
    std::copy_n(view.data, view.size(), data<T>());
  }
};

// What an input or output holds: one tensor, the elements of a sequence, or none.
using AnyValue = std::vector<AnyTensor>;

// nullptr: no such element type.
const ElementType* FindElementType(const std::string& name);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_ANY_TENSOR_H_
