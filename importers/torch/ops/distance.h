// SPDX-License-Identifier: Apache-2.0
// Distances between vectors.
#ifndef DRAGOMAN_IMPORTERS_TORCH_OPS_DISTANCE_H_
#define DRAGOMAN_IMPORTERS_TORCH_OPS_DISTANCE_H_

#include "importers/torch/ops/composer.h"

namespace dragoman::torch {

// The p-norm of a - b + eps over the last axis.
Value* PairwiseDistance(Composer& c, Value* a, Value* b, double p, double eps, bool keep);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_OPS_DISTANCE_H_
