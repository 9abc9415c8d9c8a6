// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products in half of the size of f32. Only .cc files of runtime/fast include this.
#ifndef DRAGOMAN_RUNTIME_FAST_HALF_WEIGHTS_H_
#define DRAGOMAN_RUNTIME_FAST_HALF_WEIGHTS_H_

#include "runtime/fast/half_tensors.h"
#include "runtime/fast/precision.h"
#include "runtime/fast/primitive.h"

namespace dragoman::rt {

// The element type in which a product with such weights multiplies here, and in which oneDNN is
// given such tensors.
DataType ProductType(Precision precision);

// Those of `types` that oneDNN does not handle here: such tensors are copied.
ElementTypes LackingHere(const ElementTypes& types);

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_HALF_WEIGHTS_H_
