// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops of elementwise kernels. A scalar function takes Compute<T> of each operand; its result
// is converted once to the element type of the result. The result may be stored over an operand of
// the same shape and element size.
#ifndef DRAGOMAN_RUNTIME_KERNELS_ELEMENTWISE_H_
#define DRAGOMAN_RUNTIME_KERNELS_ELEMENTWISE_H_

#include <cstdint>

#include "runtime/kernels/convert.h"
#include "runtime/kernels/element.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/shape.h"

namespace dragoman::rt {

template <class X, class Y, class F>
void MapUnary(TensorView<const X> x, TensorView<Y> y, F f) {
  const std::int64_t n = y.size();
  const X* in = x.data;
  Y* out = y.data;
  for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<Y>(f(Widen(in[i])));
}

// How N operands walk along a result to which each broadcasts. Axes along which all operands do the
// same are merged, so that the last axis is as long as can be; its strides are 0 or 1.
template <int N>
struct BroadcastPlan {
  Shape sizes;
  Shape strides[N];

  __attribute__((noinline)) BroadcastPlan(const Shape& result, const Shape* const (&operands)[N]) {
    Shape aligned[N];
    for (int k = 0; k < N; ++k) aligned[k] = AlignedStrides(*operands[k], result.size());
    for (int axis = 0; axis < result.size(); ++axis) {
      if (result[axis] != 1) Append(result[axis], aligned, axis);
    }
    if (sizes.empty()) {
      sizes.push_back(1);
      for (Shape& s : strides) s.push_back(0);
    }
  }

  // Calls row(offsets) with the N offsets of each row of the result, in order.
  template <class Row>
  void ForEachRow(Row row) const {
    std::int64_t rows = 1;
    for (int axis = 0; axis + 1 < sizes.size(); ++axis) rows *= sizes[axis];
    Shape index = Shape::Filled(sizes.size() - 1, 0);
    std::int64_t offsets[N] = {};
    for (std::int64_t r = 0; r < rows; ++r) {
      row(offsets);
      Advance(&index, offsets);
    }
  }

 private:
  // From one row to the next.
  __attribute__((noinline)) void Advance(Shape* index, std::int64_t (&offsets)[N]) const {
    for (int axis = sizes.size() - 2; axis >= 0; --axis) {
      for (int k = 0; k < N; ++k) offsets[k] += strides[k][axis];
      if (++(*index)[axis] < sizes[axis]) return;
      for (int k = 0; k < N; ++k) offsets[k] -= strides[k][axis] * sizes[axis];
      (*index)[axis] = 0;
    }
  }

  static Shape AlignedStrides(const Shape& operand, int rank) {
    Shape aligned = Shape::Filled(rank, 0);
    std::int64_t stride = 1;
    for (int axis = operand.size() - 1; axis >= 0; --axis) {
      if (operand[axis] != 1) aligned[rank - operand.size() + axis] = stride;
      stride *= operand[axis];
    }
    return aligned;
  }

  void Append(std::int64_t size, const Shape (&aligned)[N], int axis) {
    bool merges = !sizes.empty();
    for (int k = 0; k < N && merges; ++k) merges = strides[k].back() == aligned[k][axis] * size;
    if (merges) {
      sizes[sizes.size() - 1] *= size;
      for (int k = 0; k < N; ++k) strides[k][sizes.size() - 1] = aligned[k][axis];
      return;
    }
    sizes.push_back(size);
    for (int k = 0; k < N; ++k) strides[k].push_back(aligned[k][axis]);
  }
};

// The last axis of MapBinary: `a` and `b` advance by 0 or 1. A loop each, for the vectoriser.
template <class A, class B, class Y, class F>
void MapBinaryRow(const A* a, bool a_moves, const B* b, bool b_moves, Y* y, std::int64_t n, F f) {
  if (a_moves && b_moves) {
    for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<Y>(f(Widen(a[i]), Widen(b[i])));
  } else if (a_moves) {
    const Compute<B> fixed = Widen(*b);
    for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<Y>(f(Widen(a[i]), fixed));
  } else if (b_moves) {
    const Compute<A> fixed = Widen(*a);
    for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<Y>(f(fixed, Widen(b[i])));
  } else {
    const Y fixed = static_cast<Y>(f(Widen(*a), Widen(*b)));
    for (std::int64_t i = 0; i < n; ++i) y[i] = fixed;
  }
}

// y[i] = f(a[i], b[i]) with NumPy's broadcasting.
template <class A, class B, class Y, class F>
void MapBinary(TensorView<const A> a, TensorView<const B> b, TensorView<Y> y, F f) {
  if (y.size() == 0) return;
  const BroadcastPlan<2> plan(y.shape, {&a.shape, &b.shape});
  const std::int64_t n = plan.sizes.back();
  const bool a_moves = plan.strides[0].back() != 0;
  const bool b_moves = plan.strides[1].back() != 0;
  Y* out = y.data;
  plan.ForEachRow([&](const std::int64_t* offsets) {
    MapBinaryRow(a.data + offsets[0], a_moves, b.data + offsets[1], b_moves, out, n, f);
    out += n;
  });
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_ELEMENTWISE_H_
