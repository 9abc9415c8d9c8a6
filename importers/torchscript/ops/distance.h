// Distances between vectors.
#ifndef DRAGOMAN_IMPORTERS_TORCHSCRIPT_OPS_DISTANCE_H_
#define DRAGOMAN_IMPORTERS_TORCHSCRIPT_OPS_DISTANCE_H_

#include "importers/torchscript/ops/composer.h"

namespace dragoman::torchscript {

// The p-norm of a - b + eps over the last axis.
Value* PairwiseDistance(Composer& c, Value* a, Value* b, double p, double eps, bool keep);

}  // namespace dragoman::torchscript

#endif  // DRAGOMAN_IMPORTERS_TORCHSCRIPT_OPS_DISTANCE_H_
