// SPDX-License-Identifier: Apache-2.0
// Writes the weights file of a program (runtime/program/weights.h).
#ifndef DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_WEIGHTS_H_
#define DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_WEIGHTS_H_

#include <cstdint>

#include "codegen/onednn/plan/plan.h"
#include "core/support/output_file.h"
#include "core/support/result.h"

namespace dragoman::onednn {

// A hash of all tensors and where they lie.
std::uint64_t WeightsIdentity(const Plan& plan);

Status WriteWeights(const Plan& plan, OutputFile& file);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_WEIGHTS_H_
