// SPDX-License-Identifier: Apache-2.0
// The lowering functions of XLA's slices, as lowerings.h lists the others.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_SLICE_LOWERINGS_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_SLICE_LOWERINGS_H_

#include "importers/tensorflow/ops/call.h"

namespace dragoman::tf {

// slice_assign.cc
Value* LowerXlaDynamicSlice(Call& c);
Value* LowerXlaDynamicUpdateSlice(Call& c);

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_SLICE_LOWERINGS_H_
