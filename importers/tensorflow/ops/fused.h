// SPDX-License-Identifier: Apache-2.0
// What _FusedConv2D, _FusedMatMul and their kin do after the operator itself.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_FUSED_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_FUSED_H_

#include <cstddef>

#include "importers/tensorflow/ops/call.h"

namespace dragoman::tf {

struct FusedOps {
  std::size_t first_argument = 2;  // the operand that the first of them reads
  int channel_axis = 1;            // of the value
};

// `value` after the operators that attribute fused_ops lists.
Value* ApplyFused(Call& c, Value* value, const FusedOps& fused);

// `value` plus a vector with an element for each channel.
Value* AddBias(Call& c, Value* value, Value* bias, int channel_axis);

// "Relu", "Elu", … of `value`; fails for one that is not known.
Value* Activate(Call& c, std::string_view activation, Value* value);

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_FUSED_H_
