// SPDX-License-Identifier: Apache-2.0
// The public methods of the model's class: they check what they are given and call its struct Impl.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_PUBLIC_H_
#define DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_PUBLIC_H_

#include "codegen/onednn/emit/text.h"
#include "codegen/onednn/plan/plan.h"

namespace dragoman::onednn {

void EmitPublicMethods(const Plan& plan, bool embed_weights, CodeWriter& code);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_PUBLIC_H_
