// SPDX-License-Identifier: Apache-2.0
// Pools to a number of windows an axis, as both of TVM's languages have them.
#ifndef DRAGOMAN_IMPORTERS_TVM_ADAPTIVE_POOL_H_
#define DRAGOMAN_IMPORTERS_TVM_ADAPTIVE_POOL_H_

#include <cstdint>
#include <vector>

#include "core/lowering/composer.h"

namespace dragoman::tvm {

// The means or maxima of x (batch, channels, …) over `windows` of each axis of space. Window i of n
// over a size s goes from ⌊i·s/n⌋ to before ⌈(i + 1)·s/n⌉. No windows: x.
Value* AdaptivePool(Composer& c, Value* x, const std::vector<std::int64_t>& windows, bool mean);

}  // namespace dragoman::tvm

#endif  // DRAGOMAN_IMPORTERS_TVM_ADAPTIVE_POOL_H_
