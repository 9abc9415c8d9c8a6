// SPDX-License-Identifier: Apache-2.0
// The numbers at the ends of element types.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_EXTREMES_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_EXTREMES_H_

#include "importers/tensorflow/ops/call.h"

namespace dragoman::tf {

// The least number of a type, or the most; of floating types a finite one. Fails for types that are
// neither floating nor integer.
Value* EndOfType(Call& c, DType type, bool most);

// What is not larger, or not smaller, than any number of a type: of floating types infinite.
Value* BeyondType(Call& c, DType type, bool most);

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_EXTREMES_H_
