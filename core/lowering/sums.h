// SPDX-License-Identifier: Apache-2.0
// Sums and products along axes that take several operators.
#ifndef DRAGOMAN_CORE_LOWERING_SUMS_H_
#define DRAGOMAN_CORE_LOWERING_SUMS_H_

#include <cstdint>
#include <vector>

#include "core/lowering/composer.h"

namespace dragoman {

// Rows of `x` along its last axis, one for each place i on it: (…, i, j), with `neutral` where
// element j lies after i (`exclusive`: or at it; `reverse`: before it).
Value* RowsUpToPlaces(Composer& c, Value* x, double neutral, bool exclusive = false,
                      bool reverse = false);

// The product of all elements along `axis` up to each one, or before it; reversed: from each one
// on, or after it.
Value* RunningProducts(Composer& c, Value* x, int axis, bool exclusive, bool reverse = false);

// `x` summed over the axes along which broadcasting would have repeated a tensor of `shape`. Fails
// where the sizes of `x` are not known.
Value* SumTo(Composer& c, Value* x, std::vector<std::int64_t> shape);

// The mean of integers over `axes`: their sum, in their type, divided with what is left dropped.
Value* MeanOfIntegers(Composer& c, Value* x, const std::vector<std::int64_t>& axes, bool keep);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_LOWERING_SUMS_H_
