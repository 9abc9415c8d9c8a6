// SPDX-License-Identifier: Apache-2.0
// Sparse tensors with their zeros written out.
#ifndef DRAGOMAN_CORE_IR_DENSIFY_H_
#define DRAGOMAN_CORE_IR_DENSIFY_H_

#include <cstddef>

#include "core/ir/tensor.h"
#include "core/support/result.h"

namespace dragoman {

// Errors: indices out of range or not as many as values; a result beyond the size budget.
Result<Tensor> Densify(const SparseTensor& sparse);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_DENSIFY_H_
