// SPDX-License-Identifier: Apache-2.0
// Gives every size that a program must know a name.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_PLAN_NAME_SIZES_H_
#define DRAGOMAN_CODEGEN_ONEDNN_PLAN_NAME_SIZES_H_

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman::onednn {

// Infers all types anew and puts a symbol in place of each unknown size, of inputs and of what
// operators compute, in bodies too. Inputs that are tensors have a rank. Errors: those of
// inference.
Status NameSizes(Model& model);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_PLAN_NAME_SIZES_H_
