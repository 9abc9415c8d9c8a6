// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What generated code hands to kernels and shape functions beside plain views.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_OPERANDS_H_
#define DRAGOMAN_RUNTIME_PROGRAM_OPERANDS_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// A variadic operand or result: ViewArray<const float, 2>{{a, b}}.
template <class T, int N>
struct ViewArray {
  TensorView<T> views[N];
  operator Views<T>() const { return {views, N}; }
};

// The shapes of a variadic operand.
template <int N>
struct ShapeArray {
  Shape shapes[N];
  operator const Shape*() const { return shapes; }
};

// The values of an operand that says sizes, as int64. Of other types than int64 the first
// kCapacity count: more than any list of axes or sizes may have.
class IntValues {
 public:
  static constexpr std::int64_t kCapacity = 4 * kMaxRank;

  template <class T>
  explicit IntValues(TensorView<T> view) {
    if (!view.present()) return;
    if constexpr (std::is_same_v<std::remove_const_t<T>, std::int64_t>) {
      span_ = {view.data, view.size()};
    } else {
      span_ = {values_, std::min(view.size(), kCapacity)};
      for (std::int64_t i = 0; i < span_.size; ++i) values_[i] = static_cast<std::int64_t>(view[i]);
    }
  }
  IntValues(const IntValues&) = delete;
  IntValues& operator=(const IntValues&) = delete;
  operator IntSpan() const { return span_; }

 private:
  std::int64_t values_[kCapacity] = {};
  IntSpan span_;
};

template <class T>
FloatSpan FloatValues(TensorView<T> view) {
  return {view.data, view.present() ? view.size() : 0};
}

// The shape of Linear's result. Errors: sizes that do not fit.
constexpr Status LinearShape(const Shape& x, const Shape& weight, Shape* y) {
  if (x.empty() || weight.size() != 2 || x.back() != weight[1])
    return Status::Error("inner sizes of the operands differ");
  *y = x;
  (*y)[y->size() - 1] = weight[0];
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_OPERANDS_H_
