// SPDX-License-Identifier: Apache-2.0
// The steps that call a reference kernel although runtime/fast has something for the operator.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_PLAN_REFERENCE_STEPS_H_
#define DRAGOMAN_CODEGEN_ONEDNN_PLAN_REFERENCE_STEPS_H_

#include <vector>

#include "codegen/onednn/plan/plan.h"
#include "core/ir/model.h"

namespace dragoman::onednn {

// Of a Plan whose passes have run, made of `model`, in the order of the steps. Work is
// multiply-adds and elements of results; sizes known at run time only are taken as 64, and a body
// counts once.
std::vector<ReferenceStep> FindReferenceSteps(const Plan& plan, const Model& model);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_PLAN_REFERENCE_STEPS_H_
