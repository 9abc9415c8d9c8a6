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

// `size` elements of x from `x` on, whose scales begin at `scale` and are `step` apart, 0 or 1.
struct ScaledRun {
  std::int64_t x = 0;
  std::int64_t scale = 0;
  std::int64_t step = 0;
  std::int64_t size = 0;
};

// The runs that make up x, in order.
class ScaledRuns {
 public:
  ScaledRuns(const Shape& x, const Shape& scale, std::int64_t axis, std::int64_t block_size)
      : loop_(x, axis) {
    if (NumElements(scale) == 1) {
      loop_ = AxisLoop({NumElements(x)}, 0);
      run_ = std::max<std::int64_t>(loop_.size, 1);
      return;
    }
    const bool blocked = block_size > 0 && scale.size() == x.size();
    const bool last = loop_.inner == 1;
    block_ = blocked ? block_size : 1;
    run_ = std::max<std::int64_t>(!last ? 1 : blocked ? block_size : loop_.size, 1);
    blocks_ = blocked ? (loop_.size + block_size - 1) / block_size : 0;  // of other axes: none
    scales_ = blocked ? loop_.inner : 1;
    step_ = blocked != last ? 1 : 0;
    parts_ = (loop_.size + run_ - 1) / run_;
  }

  std::int64_t count() const { return loop_.outer * parts_; }

  ScaledRun operator[](std::int64_t i) const {
    const std::int64_t o = i / parts_, a = i % parts_ * run_;
    return {(o * loop_.size + a) * loop_.inner, (o * blocks_ + a / block_) * scales_, step_,
            std::min(run_, loop_.size - a) * loop_.inner};
  }

 private:
  AxisLoop loop_;
  std::int64_t block_ = 1;   // indices of the axis that have one scale
  std::int64_t run_ = 1;     // indices of the axis in a run
  std::int64_t parts_ = 1;   // runs along the axis
  std::int64_t blocks_ = 0;  // along the axis
  std::int64_t scales_ = 1;  // of a block
  std::int64_t step_ = 0;
};

// Calls visit(i, s) for each index i of x and s of its scale.
template <class Visit>
void ForEachScaled(const ScaledRuns& runs, Visit visit) {
  for (std::int64_t r = 0; r < runs.count(); ++r) {
    const ScaledRun run = runs[r];
    if (run.step == 0) {
      for (std::int64_t i = 0; i < run.size; ++i) visit(run.x + i, run.scale);
    } else {
      for (std::int64_t i = 0; i < run.size; ++i) visit(run.x + i, run.scale + i);
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
  internal::ForEachScaled({x.shape, y_scale.shape, p.axis, p.block_size}, visit);
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
  internal::ForEachScaled({x.shape, x_scale.shape, p.axis, p.block_size}, visit);
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_QUANTIZE_LINEAR_H_
