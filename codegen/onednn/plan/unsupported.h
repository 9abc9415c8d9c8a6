// SPDX-License-Identifier: Apache-2.0
// What a generated program cannot have.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_PLAN_UNSUPPORTED_H_
#define DRAGOMAN_CODEGEN_ONEDNN_PLAN_UNSUPPORTED_H_

#include <string>
#include <vector>

#include "core/ir/model.h"
#include "core/ops/op_def.h"
#include "core/support/result.h"

namespace dragoman::onednn {

// Inputs of `entry` whose element type or rank is not known, or which are neither tensors nor
// sequences nor optionals of such.
std::vector<Finding> FindUnsupportedInputs(const Entry& entry);

// Whether nodes of operator `def` become steps of a program, for some types at least.
bool HasSteps(const OpDef& def);

// Every node and state that a generated program cannot have, bodies included.
std::vector<Finding> FindUnsupported(const Model& model);

// Takes out the entries after the first whose inputs or nodes a program cannot have: methods of a
// TorchScript module of whose arguments nothing is known. Gives "entry 'find' is left out: ..." for
// each.
std::vector<std::string> LeaveOutEntries(Model& model);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_PLAN_UNSUPPORTED_H_
