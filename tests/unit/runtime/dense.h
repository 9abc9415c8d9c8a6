// SPDX-License-Identifier: Apache-2.0
// A tensor that owns its elements, for tests of kernels.
#ifndef DRAGOMAN_TESTS_UNIT_RUNTIME_DENSE_H_
#define DRAGOMAN_TESTS_UNIT_RUNTIME_DENSE_H_

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/shape.h"

namespace dragoman::rt {

template <class T>
class Dense {
 public:
  // Elements of value 0.
  explicit Dense(const Shape& shape)
      : shape_(shape), elements_(std::make_unique<T[]>(NumElements(shape) + 1)) {}
  // `values` as many as the shape has elements.
  Dense(const Shape& shape, std::initializer_list<T> values) : Dense(shape) {
    std::copy(values.begin(), values.end(), elements_.get());
  }
  Dense(const Shape& shape, const std::vector<T>& values) : Dense(shape) {
    std::copy(values.begin(), values.end(), elements_.get());
  }

  TensorView<const T> In() const { return {elements_.get(), shape_}; }
  TensorView<T> Out() { return {elements_.get(), shape_}; }
  std::vector<T> Values() const {
    return std::vector<T>(elements_.get(), elements_.get() + NumElements(shape_));
  }

 private:
  Shape shape_;
  std::unique_ptr<T[]> elements_;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_TESTS_UNIT_RUNTIME_DENSE_H_
