// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weighted sums of elements found by index, side by side.
#ifndef DRAGOMAN_RUNTIME_FAST_INDEXED_SUM_H_
#define DRAGOMAN_RUNTIME_FAST_INDEXED_SUM_H_

#include <cstdint>

namespace dragoman::rt {

// y[i], for i below `count`, is the sum over `taps` taps k of weight[at] * x[index[at]], where at
// is k * count + i. What has weight 0 may be infinite or NaN, and is not added.
void SumIndexed(std::int64_t count, std::int64_t taps, const std::int32_t* index,
                const float* weight, const float* x, float* y) noexcept;

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_INDEXED_SUM_H_
