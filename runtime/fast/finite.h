// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether tensors hold NaN or infinities.
#ifndef DRAGOMAN_RUNTIME_FAST_FINITE_H_
#define DRAGOMAN_RUNTIME_FAST_FINITE_H_

#include <cstdint>

#include "runtime/kernels/float16.h"

namespace dragoman::rt {

// True if all elements are numbers: none is NaN or infinite. nullptr: there are none.
bool AllFinite(const float* x, std::int64_t count) noexcept;
bool AllFinite(const BFloat16* x, std::int64_t count) noexcept;

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_FINITE_H_
