// SPDX-License-Identifier: Apache-2.0
// Operators that draw random numbers, beyond those of lowerings.h.
#ifndef DRAGOMAN_IMPORTERS_TORCH_OPS_RANDOM_H_
#define DRAGOMAN_IMPORTERS_TORCH_OPS_RANDOM_H_

#include "importers/torch/ops/op_lowering.h"

namespace dragoman::torch {

Result<Value*> LowerMultinomial(Call& call);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_OPS_RANDOM_H_
