// QuantizeLinear and DequantizeLinear of ai.onnx 21, with one scale in all (a `scale` of one
// element), one an index of the axis (rank 1), or one a block of `block_size` indices of it (the
// rank of x). An absent zero point is 0.
//
//     quantize:   y = saturate(round_to_even(x / scale) + zero_point)
//     dequantize: y = (x - zero_point) * scale
//
// Quotients and products are computed in float, or in double where the scale is one. For 8-bit
// floats the sum of quotient and zero point is what gets rounded; NaN becomes 0 in an integer.
#ifndef DRAGOMAN_RUNTIME_KERNELS_QUANTIZE_LINEAR_H_
#define DRAGOMAN_RUNTIME_KERNELS_QUANTIZE_LINEAR_H_

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "runtime/kernels/axis_loop.h"
#include "runtime/kernels/convert.h"
#include "runtime/kernels/element.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/quantize_linear.h"

namespace dragoman::rt {

namespace internal {

// Where in `scale` an element of x finds its own. Along the axes after `axis` it moves by `step`.
struct ScaleLayout {
  AxisLoop loop;
  std::int64_t block = 1;   // indices of the axis that share a scale; 0: all do
  std::int64_t blocks = 1;  // scales along the axis
  std::int64_t step = 0;

  ScaleLayout(const Shape& x, const Shape& scale, std::int64_t axis, std::int64_t block_size)
      : loop(x, axis) {
    if (block_size > 0 && scale.size() == x.size()) {
      block = block_size;
      blocks = (loop.size + block_size - 1) / block_size;
      step = 1;
    } else if (NumElements(scale) == 1) {
      block = 0;
    }
  }

  std::int64_t Start(std::int64_t outer, std::int64_t index) const {
    if (block == 0) return 0;
    return step == 0 ? index : (outer * blocks + index / block) * loop.inner;
  }
};

// Calls visit(i, s) for each index i of x and s of its scale.
template <class Visit>
void ForEachScaled(const ScaleLayout& layout, Visit visit) {
  const AxisLoop& loop = layout.loop;
  for (std::int64_t o = 0; o < loop.outer; ++o) {
    for (std::int64_t a = 0; a < loop.size; ++a) {
      const std::int64_t x = (o * loop.size + a) * loop.inner;
      const std::int64_t s = layout.Start(o, a);
      for (std::int64_t i = 0; i < loop.inner; ++i) visit(x + i, s + i * layout.step);
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
  const internal::ScaleLayout layout(x.shape, y_scale.shape, p.axis, p.block_size);
  internal::ForEachScaled(layout, [&](std::int64_t i, std::int64_t s) {
    const C quotient = static_cast<C>(Widen(x[i])) / static_cast<C>(Widen(y_scale[s]));
    const C zero = y_zero_point.present() ? static_cast<C>(Widen(y_zero_point[s])) : C(0);
    if constexpr (kIsInteger<T2>) {
      y[i] = Convert<T2>(std::nearbyint(quotient) + zero);
    } else {
      y[i] = Convert<T2>(quotient + zero, p.saturate);
    }
  });
}

template <class T1, class T2>
void DequantizeLinear(const DequantizeLinearParams& p, TensorView<const T1> x,
                      TensorView<const T2> x_scale, TensorView<const T1> x_zero_point,
                      TensorView<T2> y) {
  using C = internal::ScaleType<T2>;
  using Difference = std::conditional_t<kIsInteger<T1>, std::int64_t, float>;
  const internal::ScaleLayout layout(x.shape, x_scale.shape, p.axis, p.block_size);
  internal::ForEachScaled(layout, [&](std::int64_t i, std::int64_t s) {
    const Difference zero =
        x_zero_point.present() ? static_cast<Difference>(Widen(x_zero_point[s])) : Difference(0);
    const Difference difference = static_cast<Difference>(Widen(x[i])) - zero;
    y[i] = static_cast<T2>(static_cast<C>(difference) * static_cast<C>(Widen(x_scale[s])));
  });
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_QUANTIZE_LINEAR_H_
