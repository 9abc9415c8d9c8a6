// SPDX-License-Identifier: Apache-2.0
// The program's own runtime/fast/used.h: which loops it may choose while it runs.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_USED_H_
#define DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_USED_H_

#include <string>
#include <string_view>

#include "codegen/onednn/plan/plan.h"

namespace dragoman::onednn {

inline constexpr std::string_view kUsedHeader = "runtime/fast/used.h";

// `text` of that file of the runtime, in which everything is used, with what `plan` uses.
std::string EmitUsed(const Plan& plan, std::string_view text);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_USED_H_
