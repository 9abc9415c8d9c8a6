// SPDX-License-Identifier: Apache-2.0
// The axes that a reduction of torch works along.
#ifndef DRAGOMAN_IMPORTERS_TORCH_OPS_REDUCED_AXES_H_
#define DRAGOMAN_IMPORTERS_TORCH_OPS_REDUCED_AXES_H_

#include <cstdint>
#include <vector>

#include "importers/torch/ops/composer.h"

namespace dragoman::torch {

struct ReducedAxes {
  Value* of = nullptr;             // the operand; flattened if its rank is unknown and may be
  std::vector<std::int64_t> axes;  // sorted; none for a 0-d tensor
  bool keep = false;               // as sizes of 1
};

// Arguments `dim` (one axis, a list, None or an empty list for all) and `keepdim`, either of which
// the overload may lack.
ReducedAxes TakeAxes(CallComposer& c, Value* x);

// How many elements go into one of the result: int64, 0-d.
Value* CountReduced(Composer& c, const ReducedAxes& axes);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_OPS_REDUCED_AXES_H_
