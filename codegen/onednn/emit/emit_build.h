// The parts of a program around the model's class: how it is built, and the program `infer`.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_BUILD_H_
#define DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_BUILD_H_

#include <span>
#include <string>
#include <vector>

#include "codegen/onednn/codegen.h"
#include "codegen/onednn/plan/plan.h"
#include "codegen/onednn/runtime_files.h"

namespace dragoman::onednn {

std::string EmitInfer(const Plan& plan);

std::string EmitCMake(const Plan& plan, std::span<const GeneratedFile> sources,
                      std::span<const RuntimeFile* const> runtime, const CodegenOptions& options);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_BUILD_H_
