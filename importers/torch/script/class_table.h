// SPDX-License-Identifier: Apache-2.0
// The classes of a source Model: `torchscript.classes` in its extra, as README.md of this folder
// describes it.
#ifndef DRAGOMAN_IMPORTERS_TORCH_SCRIPT_CLASS_TABLE_H_
#define DRAGOMAN_IMPORTERS_TORCH_SCRIPT_CLASS_TABLE_H_

#include "core/ir/model.h"
#include "importers/torch/script/program.h"

namespace dragoman::torch {

inline constexpr char kClassTable[] = "torchscript.classes";

// Adds every class that `program` has looked at, sorted by name.
void AddClassTable(const Program& program, Model& model);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_SCRIPT_CLASS_TABLE_H_
