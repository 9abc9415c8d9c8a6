// SPDX-License-Identifier: Apache-2.0
// The program `infer`, which runs the model from the command line.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_INFER_H_
#define DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_INFER_H_

#include <string>

#include "codegen/onednn/plan/plan.h"

namespace dragoman::onednn {

// Its file: "infer.cc", or another where the model is called so.
std::string InferFile(const Plan& plan);
// The text of that file.
std::string EmitInfer(const Plan& plan);
// What makes a shared library of the model (runtime/program/loaded_model.h), and its file in a
// folder that has both.
std::string LoadableFile(const Plan& plan);
std::string EmitLoadedModel(const Plan& plan);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_INFER_H_
