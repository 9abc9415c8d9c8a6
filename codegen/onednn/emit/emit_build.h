// SPDX-License-Identifier: Apache-2.0
// How a program is built.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_BUILD_H_
#define DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_BUILD_H_

#include <span>
#include <string>
#include <vector>

#include "codegen/onednn/codegen.h"
#include "codegen/onednn/plan/plan.h"
#include "codegen/onednn/runtime_files.h"

namespace dragoman::onednn {

// "CMakeLists.txt": a library of `sources` and the runtime files `used` by them, the program
// `infer` of its file and the other ones of `runtime`, a test for each data set of `options`, and
// what installs all that.
std::string EmitCMake(const Plan& plan, std::span<const GeneratedFile> sources,
                      std::span<const RuntimeFile* const> runtime,
                      std::span<const RuntimeFile* const> used, const CodegenOptions& options);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_BUILD_H_
