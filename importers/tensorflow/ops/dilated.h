// SPDX-License-Identifier: Apache-2.0
// Convolutions whose filter has gaps, as TensorFlow 1 spells them: SpaceToBatchND, a convolution
// without gaps, BatchToSpaceND.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_DILATED_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_DILATED_H_

#include "importers/tensorflow/ops/call.h"

namespace dragoman::tf {

// Of an axis, what is cut off after BatchToSpaceND.
struct Crop {
  Dim begin;
  Dim end;
};

// What BatchToSpaceND with `blocks` and `crops` gives of `y`, as one dilated convolution; nullptr:
// `y` is not a convolution of blocks of these sizes.
Value* AsDilatedConvolution(Call& c, Value* y, const Ints& blocks, const std::vector<Crop>& crops);

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_DILATED_H_
