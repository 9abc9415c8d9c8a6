// CumSum: running sums along an axis.
#ifndef DRAGOMAN_RUNTIME_KERNELS_CUM_SUM_H_
#define DRAGOMAN_RUNTIME_KERNELS_CUM_SUM_H_

#include <cstdint>

#include "runtime/kernels/element.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/checked.h"
#include "runtime/params/cum_sum.h"
#include "runtime/params/status.h"

namespace dragoman::rt {

// Fails on an axis out of range. Integers wrap.
template <class T, class Taxis>
Status CumSum(const CumSumParams& p, TensorView<const T> x, TensorView<const Taxis> axis,
              TensorView<T> y) {
  int along = 0;
  DRAGOMAN_RT_TRY(ResolveAxis(axis[0], x.rank(), &along));
  const std::int64_t size = x.shape[along];
  const std::int64_t outer = ProductOfSizes(x.shape, 0, along);
  const std::int64_t inner = ProductOfSizes(x.shape, along + 1, x.rank());
  const std::int64_t step = p.reverse ? -inner : inner;
  for (std::int64_t line = 0; line < outer * inner; ++line) {
    std::int64_t at = line / inner * size * inner + line % inner;
    if (p.reverse) at += (size - 1) * inner;
    Accumulate<T> sum = {};
    for (std::int64_t i = 0; i < size; ++i, at += step) {
      const auto next = WrapAdd(sum, static_cast<Accumulate<T>>(x[at]));
      y[at] = static_cast<T>(p.exclusive ? sum : next);
      sum = next;
    }
  }
  return Status();
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_CUM_SUM_H_
