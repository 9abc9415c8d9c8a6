// Where: x where the condition holds, else y, with NumPy's broadcasting of all three.
#ifndef DRAGOMAN_RUNTIME_KERNELS_WHERE_H_
#define DRAGOMAN_RUNTIME_KERNELS_WHERE_H_

#include <cstdint>

#include "runtime/kernels/elementwise.h"
#include "runtime/kernels/tensor_view.h"

namespace dragoman::rt {

// Moves elements: T is of their size.
template <class T>
void Where(TensorView<const bool> condition, TensorView<const T> x, TensorView<const T> y,
           TensorView<T> output) {
  if (output.size() == 0) return;
  const BroadcastPlan<3> plan(output.shape, {&condition.shape, &x.shape, &y.shape});
  const std::int64_t n = plan.sizes.back();
  const std::int64_t c_step = plan.strides[0].back();
  const std::int64_t x_step = plan.strides[1].back();
  const std::int64_t y_step = plan.strides[2].back();
  T* out = output.data;
  plan.ForEachRow([&](const std::int64_t* offsets) {
    const bool* c = condition.data + offsets[0];
    const T* a = x.data + offsets[1];
    const T* b = y.data + offsets[2];
    for (std::int64_t i = 0; i < n; ++i) out[i] = c[i * c_step] ? a[i * x_step] : b[i * y_step];
    out += n;
  });
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_WHERE_H_
