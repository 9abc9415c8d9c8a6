// SPDX-License-Identifier: Apache-2.0
// What pooling operators share.
#ifndef DRAGOMAN_IMPORTERS_TORCH_OPS_POOLING_H_
#define DRAGOMAN_IMPORTERS_TORCH_OPS_POOLING_H_

#include "importers/torch/ops/composer.h"

namespace dragoman::torch {

// 2 of "max_pool2d".
int SpatialAxes(const OpName& op);

// An operand of which the batch axis may have been missing, and was added.
struct Batched {
  Value* x;
  bool had_batch;
};

Batched Batch(Composer& c, Value* x, int spatial);
Value* Unbatch(Composer& c, Value* y, const Batched& batched);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_OPS_POOLING_H_
