// SPDX-License-Identifier: Apache-2.0
// Names for sizes of inputs that the model leaves open.
#ifndef DRAGOMAN_CODEGEN_RELAX_NAME_INPUT_SIZES_H_
#define DRAGOMAN_CODEGEN_RELAX_NAME_INPUT_SIZES_H_

#include "core/ir/graph.h"

namespace dragoman::relax {

// Gives every unknown size of an input of `entry` a symbol of its own, named after the input and
// the axis ("x_0"), so that sizes computed from it have a name. Inputs that are operands of one
// recurrence get one symbol for its batch. Inference comes after it.
void NameInputSizes(Graph& entry);

}  // namespace dragoman::relax

#endif  // DRAGOMAN_CODEGEN_RELAX_NAME_INPUT_SIZES_H_
