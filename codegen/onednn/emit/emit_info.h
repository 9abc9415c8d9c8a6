// SPDX-License-Identifier: Apache-2.0
// Constants of a program: step names, what its weights file must be, what info() returns.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_INFO_H_
#define DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_INFO_H_

#include "codegen/onednn/emit/text.h"
#include "codegen/onednn/plan/plan.h"

namespace dragoman::onednn {

// `shared`: other files use them too.
void EmitConstants(const Plan& plan, bool shared, CodeWriter& code);
void EmitInfo(const Plan& plan, CodeWriter& code);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_INFO_H_
