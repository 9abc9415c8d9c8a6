// SPDX-License-Identifier: Apache-2.0
// Whether a tensor holds NaN or infinities.
#ifndef DRAGOMAN_CORE_IR_FINITE_H_
#define DRAGOMAN_CORE_IR_FINITE_H_

#include "core/ir/tensor.h"

namespace dragoman {

// True if no element is NaN or infinite. Of a numeric type.
bool AllFinite(const Tensor& tensor);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_FINITE_H_
