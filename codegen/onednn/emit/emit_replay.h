// SPDX-License-Identifier: Apache-2.0
// Recorded runs in a generated folder: their arrays in data/, and tests that replay them.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_REPLAY_H_
#define DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_REPLAY_H_

#include <span>
#include <string>
#include <vector>

#include "codegen/onednn/codegen.h"
#include "core/support/result.h"

namespace dragoman::onednn {

// "data/0/input_0.npy", "data/0/output_0.npy", ...
Status AddReplayData(std::span<const ReplayCase> cases, std::vector<GeneratedFile>& files);

// Lines of CMakeLists.txt: one test a case; empty if there is none. "@NAME@" stands for the name.
std::string EmitReplayTests(const CodegenOptions& options);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_REPLAY_H_
