// SPDX-License-Identifier: Apache-2.0
// How tensors differ, by the one rule of what is close (runtime/program/closeness.h).
#ifndef DRAGOMAN_CORE_COMPARE_TENSOR_DIFFERENCES_H_
#define DRAGOMAN_CORE_COMPARE_TENSOR_DIFFERENCES_H_

#include "core/ir/tensor.h"
#include "runtime/program/closeness.h"

namespace dragoman::compare {

const rt::ElementType& RuntimeType(DType dtype);

// Of tensors of equal element type and sizes.
rt::ElementDifferences FindDifferences(const Tensor& a, const Tensor& b,
                                       const rt::Closeness& closeness);

}  // namespace dragoman::compare

#endif  // DRAGOMAN_CORE_COMPARE_TENSOR_DIFFERENCES_H_
