// SPDX-License-Identifier: Apache-2.0
// The model's class: its header, and its sources.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_SOURCE_H_
#define DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_SOURCE_H_

#include <string>
#include <vector>

#include "codegen/onednn/codegen.h"
#include "codegen/onednn/plan/plan.h"

namespace dragoman::onednn {

// "policy.h", "policy.cc"; with more steps also "policy_impl.h", "policy_2.cc", …;
// with embedded weights "policy_weights.cc".
std::vector<GeneratedFile> EmitSources(const Plan& plan, bool embed_weights);

// "policy.h".
std::string EmitHeader(const Plan& plan, bool embed_weights);

// The macro by which the installed package passes the place of the weights file to the header:
// "MODEL_POLICY_WEIGHTS".
std::string WeightsMacro(const Plan& plan);

// "(rt::View<const float, 1, 41> x, rt::Tensor<float>& y)": the parameters of an entry as the user
// sees them.
std::string PublicParameters(const Plan& plan, const PlanEntry& entry);

// "forward(x: f32[1, 41]) -> f32[1, 10]".
std::string Signature(const Plan& plan, const PlanEntry& entry);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_EMIT_EMIT_SOURCE_H_
