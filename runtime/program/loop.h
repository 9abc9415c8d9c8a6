// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What generated loops need: outputs that grow by one element an iteration, and slices of scanned
// inputs.
#ifndef DRAGOMAN_RUNTIME_PROGRAM_LOOP_H_
#define DRAGOMAN_RUNTIME_PROGRAM_LOOP_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "runtime/kernels/tensor_view.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"
#include "runtime/program/sizes.h"

namespace dragoman::rt {

// Tensors of equal sizes, stacked along a new first axis. Memory never shrinks.
template <class T>
class Stack {
 public:
  // Empties the stack. `element` is the shape of what follows, should nothing follow.
  void Start(const Shape& element) {
    count_ = 0;
    element_ = element;
  }
  // Errors: other sizes than the elements before, a rank that is too high, too little memory.
  Status Push(TensorView<const T> element) noexcept {
    if (count_ == 0) element_ = element.shape;
    if (element.shape != element_) {
      return Status::Error("an output that is collected over iterations changes its sizes");
    }
    if (element_.size() == kMaxRank) return Status::Error("the rank is too high");
    const std::int64_t size = element.size();
    DRAGOMAN_RT_TRY(Reserve((count_ + 1) * size));
    std::copy_n(element.data, size, data_.get() + count_ * size);
    ++count_;
    return Status();
  }
  // (count, sizes of an element). Valid until the next Push; never without data.
  Status View(TensorView<T>* view) noexcept {
    DRAGOMAN_RT_TRY(Reserve(1));
    if (element_.size() == kMaxRank) return Status::Error("the rank is too high");
    view->data = data_.get();
    view->shape = {count_};
    for (std::int64_t size : element_) view->shape.push_back(std::max<std::int64_t>(size, 0));
    return Status();
  }

 private:
  Status Reserve(std::int64_t size) noexcept {
    if (size <= capacity_) return Status();
    const std::int64_t wanted = std::max<std::int64_t>(size, 2 * capacity_);
    if (wanted > kMaxBytes / static_cast<std::int64_t>(sizeof(T)))
      return Status::Error("a tensor is too large");
    std::unique_ptr<T[]> grown(new (std::nothrow) T[static_cast<std::size_t>(wanted)]);
    if (grown == nullptr) return Status::Error("out of memory");
    std::move(data_.get(), data_.get() + capacity_, grown.get());
    data_ = std::move(grown);
    capacity_ = wanted;
    return Status();
  }

  std::unique_ptr<T[]> data_;
  std::int64_t capacity_ = 0;
  std::int64_t count_ = 0;
  Shape element_;
};

// `shape` without axis `axis`, and with a further one.
constexpr Shape WithoutAxis(const Shape& shape, int axis) {
  Shape without;
  for (int i = 0; i < shape.size(); ++i) {
    if (i != axis) without.push_back(shape[i]);
  }
  return without;
}
constexpr Shape WithAxis(const Shape& shape, int axis, std::int64_t size) {
  Shape with;
  for (int i = 0; i <= shape.size(); ++i) {
    if (i == axis) with.push_back(size);
    if (i < shape.size()) with.push_back(shape[i]);
  }
  return with;
}

// Runs of contiguous elements on both sides of an axis: `outer` times `size` runs of `run`.
struct AxisRuns {
  std::int64_t outer = 1;
  std::int64_t size = 1;
  std::int64_t run = 1;

  constexpr AxisRuns(const Shape& shape, int axis) : size(shape[axis]) {
    for (int i = 0; i < axis; ++i) outer *= shape[i];
    for (int i = axis + 1; i < shape.size(); ++i) run *= shape[i];
  }
};

// The slice at `index` of axis `axis`; `slice` has the sizes WithoutAxis.
template <class T>
void TakeSlice(TensorView<const T> x, int axis, std::int64_t index, TensorView<T> slice) {
  const AxisRuns runs(x.shape, axis);
  for (std::int64_t o = 0; o < runs.outer; ++o) {
    std::copy_n(x.data + (o * runs.size + index) * runs.run, runs.run, slice.data + o * runs.run);
  }
}

// Moves the first axis of `stack` to `axis` of `y`, backwards if `reversed`.
template <class T>
void PlaceStack(TensorView<const T> stack, int axis, bool reversed, TensorView<T> y) {
  const AxisRuns runs(y.shape, axis);
  for (std::int64_t i = 0; i < runs.size; ++i) {
    const std::int64_t from = reversed ? runs.size - 1 - i : i;
    for (std::int64_t o = 0; o < runs.outer; ++o) {
      std::copy_n(stack.data + (from * runs.outer + o) * runs.run, runs.run,
                  y.data + (o * runs.size + i) * runs.run);
    }
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_PROGRAM_LOOP_H_
