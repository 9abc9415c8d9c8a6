// SPDX-License-Identifier: Apache-2.0
// Axes that only the run knows, of tensors whose rank is known: what an operator does along such an
// axis it does along the first one, to which the axis is brought, and from which it is brought
// back.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_RUN_TIME_AXES_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_RUN_TIME_AXES_H_

#include <cstddef>

#include "importers/tensorflow/ops/call.h"

namespace dragoman::tf {

// Operand `i`, an axis of `x` counted from the front, int64 of rank 0; nullptr if it is known.
Value* RunTimeAxis(Call& c, std::size_t i, Value* x);

// Transpose; `order` is int64 of rank 1, its entries are counted from the front.
Value* TransposeByOrder(Call& c, Value* x, Value* order);

// The other axes keep their order.
Value* AxisToFront(Call& c, Value* x, Value* axis);
// The first `count` axes come to stand where `axis` says.
Value* FrontToAxis(Call& c, Value* x, Value* axis, int count = 1);

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_RUN_TIME_AXES_H_
