// SPDX-License-Identifier: Apache-2.0
// How a long entry is divided among functions.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_EMIT_SPLIT_H_
#define DRAGOMAN_CODEGEN_ONEDNN_EMIT_SPLIT_H_

#include <cstddef>

#include "codegen/onednn/emit/emit_steps.h"
#include "codegen/onednn/plan/plan.h"

namespace dragoman::onednn {

// The number of functions of at most `steps` steps each; at least 1.
std::size_t CountParts(const PlanEntry& entry, std::size_t steps);

// Adds what more than one function of `entry` uses.
void AddSharedValues(const Plan& plan, const PlanEntry& entry, std::size_t steps, Members& members);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_EMIT_SPLIT_H_
