// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// QuantizeLinear and DequantizeLinear of ai.onnx 21, with one scale in all (a `scale` of one
// element), one an index of the axis (rank 1), or one a block of `block_size` indices of it (the
// rank of x). An absent zero point is 0.
//
//     quantize:   y = saturate(round_to_even(x / scale) + zero_point)
//     dequantize: y = (x - zero_point) * scale
//
// Quotients and products are computed in float, or in double where the scale is one. For 8-bit
// floats the sum of quotient and zero point is what gets rounded. NaN becomes the lowest integer,
// as in ONNX Runtime on x86 processors; ONNX leaves it open.
#ifndef DRAGOMAN_RUNTIME_KERNELS_QUANTIZE_LINEAR_H_
#define DRAGOMAN_RUNTIME_KERNELS_QUANTIZE_LINEAR_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "runtime/kernels/axis_loop.h"
#include "runtime/kernels/convert.h"
#include "runtime/kernels/element.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/quantize_linear.h"

namespace dragoman::rt {

namespace internal {

// Calls visit(i, s) for `count` elements of x from `x` on, whose scales are `step` apart, 0 or 1.
template <class Visit>
void VisitRun(std::int64_t x, std::int64_t scale, std::int64_t step, std::int64_t count,
              Visit visit) {
  if (step == 0) {
    for (std::int64_t i = 0; i < count; ++i) visit(x + i, scale);
  } else {
    for (std::int64_t i = 0; i < count; ++i) visit(x + i, scale + i);
  }
}

// Calls visit(i, s) for each index i of x and s of its scale.
template <class Visit>
void ForEachScaled(const Shape& x, const Shape& scale, std::int64_t axis, std::int64_t block_size,
                   Visit visit) {
  if (NumElements(scale) == 1) return VisitRun(0, 0, 0, NumElements(x), visit);
  const AxisLoop loop(x, axis);
  const bool blocked = block_size > 0 && scale.size() == x.size();
  const std::int64_t block = blocked ? block_size : 1;
  const std::int64_t blocks = blocked ? (loop.size + block - 1) / block : 0;  // of other axes: none
  const bool last = loop.inner == 1;
  const std::int64_t run = !last ? 1 : blocked ? block : loop.size;  // indices of the axis
  for (std::int64_t o = 0; o < loop.outer; ++o) {
    for (std::int64_t a = 0; a < loop.size; a += run) {
      const std::int64_t scales = (o * blocks + a / block) * (blocked ? loop.inner : 1);
      VisitRun((o * loop.size + a) * loop.inner, scales, blocked != last ? 1 : 0,
               std::min(run, loop.size - a) * loop.inner, visit);
    }
  }
}

// float, or double for T double.
template <class T>
using ScaleType = std::conditional_t<std::is_same_v<T, double>, double, float>;

}  // namespace internal

template <class T1, class T2>
void QuantizeLinear(const QuantizeLinearParams& p, TensorView<const T1> x,
                    TensorView<const T1> y_scale, TensorView<const T2> y_zero_point,
                    TensorView<T2> y) {
  using C = internal::ScaleType<T1>;
  const auto visit = [&](std::int64_t i, std::int64_t s) {
    const C quotient = static_cast<C>(Widen(x[i])) / static_cast<C>(Widen(y_scale[s]));
    const C zero = y_zero_point.present() ? static_cast<C>(Widen(y_zero_point[s])) : C(0);
    if constexpr (kIsInteger<T2>) {
      constexpr C kLowest = -std::numeric_limits<C>::infinity();
      y[i] = Convert<T2>(std::isnan(quotient) ? kLowest : std::nearbyint(quotient) + zero);
    } else {
      y[i] = Convert<T2>(quotient + zero, p.saturate);
    }
  };
  internal::ForEachScaled(x.shape, y_scale.shape, p.axis, p.block_size, visit);
}

template <class T1, class T2>
void DequantizeLinear(const DequantizeLinearParams& p, TensorView<const T1> x,
                      TensorView<const T2> x_scale, TensorView<const T1> x_zero_point,
                      TensorView<T2> y) {
  using C = internal::ScaleType<T2>;
  using Whole = std::conditional_t<(sizeof(T1) < 4), std::int32_t, std::int64_t>;
  using Difference = std::conditional_t<kIsInteger<T1>, Whole, float>;
  const auto visit = [&](std::int64_t i, std::int64_t s) {
    const Difference zero =
        x_zero_point.present() ? static_cast<Difference>(Widen(x_zero_point[s])) : Difference(0);
    const Difference difference = static_cast<Difference>(Widen(x[i])) - zero;
    y[i] = static_cast<T2>(static_cast<C>(difference) * static_cast<C>(Widen(x_scale[s])));
  };
  internal::ForEachScaled(x.shape, x_scale.shape, p.axis, p.block_size, visit);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_QUANTIZE_LINEAR_H_
