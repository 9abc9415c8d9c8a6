// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Reduce family of ai.onnx 22. The sizes of the result are those of ReduceShape.
//
// Without axes and with noop_with_empty_axes every element is reduced alone, so ReduceSumSquare
// squares it. Of no elements: sums, L1, L2 and SumSquare are 0, Prod is 1, LogSum and LogSumExp are
// -infinity, Mean is NaN (0 for integers), Max and Min are the bound of the element type (false and
// true for bool). Max and Min of a NaN are NaN. Integer sums wrap; where a formula leaves the
// integers it is computed in double and rounded towards zero.
#ifndef DRAGOMAN_RUNTIME_KERNELS_REDUCE_H_
#define DRAGOMAN_RUNTIME_KERNELS_REDUCE_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime/kernels/convert.h"
#include "runtime/kernels/element.h"
#include "runtime/kernels/reduce_loop.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/reduce.h"

namespace dragoman::rt {

namespace reducer {

template <class T>
struct Sum {
  using State = Accumulate<T>;
  static State Start() { return State(0); }
  static State Step(State sum, T v) { return WrapAdd(sum, static_cast<State>(Widen(v))); }
  static State Merge(State a, State b) { return WrapAdd(a, b); }
  static T Finish(State sum, std::int64_t) { return static_cast<T>(sum); }
};

template <class T>
struct Mean : Sum<T> {
  using State = Accumulate<T>;
  static T Finish(State sum, std::int64_t count) {
    return static_cast<T>(SafeDiv(sum, static_cast<State>(count)));
  }
};

template <class T>
struct L1 : Sum<T> {
  using State = Accumulate<T>;
  static State Step(State sum, T v) {
    const State wide = static_cast<State>(Widen(v));
    return WrapAdd(sum, wide < State(0) ? WrapNegate(wide) : wide);
  }
};

template <class T>
struct SumSquare : Sum<T> {
  using State = Accumulate<T>;
  static State Step(State sum, T v) {
    const State wide = static_cast<State>(Widen(v));
    return WrapAdd(sum, WrapMul(wide, wide));
  }
};

// The floating type of formulas that integers leave.
template <class T>
using Real = std::conditional_t<kIsInteger<T>, double, Accumulate<T>>;

template <class T>
struct L2 {
  using State = Real<T>;
  static State Start() { return 0; }
  static State Step(State sum, T v) {
    const State wide = static_cast<State>(Widen(v));
    return sum + wide * wide;
  }
  static State Merge(State a, State b) { return a + b; }
  static T Finish(State sum, std::int64_t) { return Convert<T>(std::sqrt(sum)); }
};

template <class T>
struct LogSum {
  using State = Real<T>;
  static State Start() { return 0; }
  static State Step(State sum, T v) { return sum + static_cast<State>(Widen(v)); }
  static State Merge(State a, State b) { return a + b; }
  static T Finish(State sum, std::int64_t) { return Convert<T>(std::log(sum)); }
};

// The sum is kept relative to the exponential of the largest element so far.
template <class T>
struct LogSumExp {
  struct State {
    Real<T> max;
    Real<T> sum;
  };
  static State Start() { return {-std::numeric_limits<Real<T>>::infinity(), 0}; }
  static State Step(State s, T v) { return Merge(s, {static_cast<Real<T>>(Widen(v)), 1}); }
  static State Merge(State a, State b) {
    if (a.max == b.max) return {a.max, a.sum + b.sum};
    if (b.max < a.max) return {a.max, a.sum + b.sum * std::exp(b.max - a.max)};
    return {b.max, b.sum + a.sum * std::exp(a.max - b.max)};
  }
  static T Finish(State s, std::int64_t) { return Convert<T>(s.max + std::log(s.sum)); }
};

template <class T>
struct Prod {
  using State = Accumulate<T>;
  static State Start() { return State(1); }
  static State Step(State product, T v) { return WrapMul(product, static_cast<State>(Widen(v))); }
  static State Merge(State a, State b) { return WrapMul(a, b); }
  static T Finish(State product, std::int64_t) { return static_cast<T>(product); }
};

// Choose is Merge of numbers other than NaN, or of vectors of them.
template <class T>
struct Max {
  using State = Compute<T>;
  static State Start() { return Widen(LowestValue<T>()); }
  static State Step(State max, T v) { return Merge(max, Widen(v)); }
  static State Merge(State a, State b) { return ((a > b) | (a != a)) ? a : b; }
  template <class V>
  static void Choose(const V& next, V& chosen) {
    chosen = chosen > next ? chosen : next;
  }
  static T Finish(State max, std::int64_t) { return static_cast<T>(max); }
};

template <class T>
struct Min {
  using State = Compute<T>;
  static State Start() { return Widen(HighestValue<T>()); }
  static State Step(State min, T v) { return Merge(min, Widen(v)); }
  static State Merge(State a, State b) { return ((a < b) | (a != a)) ? a : b; }
  template <class V>
  static void Choose(const V& next, V& chosen) {
    chosen = chosen < next ? chosen : next;
  }
  static T Finish(State min, std::int64_t) { return static_cast<T>(min); }
};

}  // namespace reducer

// Defines the kernel ReduceOp of reducer::Op.
#define DRAGOMAN_REDUCE_KERNEL(Op)                                              \
  template <class T>                                                            \
  void Reduce##Op(const ReduceParams& p, TensorView<const T> data,              \
                  TensorView<const std::int64_t> axes, TensorView<T> reduced) { \
    Reduce<reducer::Op<T>>(p, data, axes, reduced);                             \
  }

DRAGOMAN_REDUCE_KERNEL(L1)
DRAGOMAN_REDUCE_KERNEL(L2)
DRAGOMAN_REDUCE_KERNEL(LogSum)
DRAGOMAN_REDUCE_KERNEL(LogSumExp)
DRAGOMAN_REDUCE_KERNEL(Max)
DRAGOMAN_REDUCE_KERNEL(Mean)
DRAGOMAN_REDUCE_KERNEL(Min)
DRAGOMAN_REDUCE_KERNEL(Prod)
DRAGOMAN_REDUCE_KERNEL(Sum)
DRAGOMAN_REDUCE_KERNEL(SumSquare)

#undef DRAGOMAN_REDUCE_KERNEL

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_REDUCE_H_
