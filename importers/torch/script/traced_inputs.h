// SPDX-License-Identifier: Apache-2.0
// The example inputs that a traced archive records.
#ifndef DRAGOMAN_IMPORTERS_TORCH_SCRIPT_TRACED_INPUTS_H_
#define DRAGOMAN_IMPORTERS_TORCH_SCRIPT_TRACED_INPUTS_H_

#include <string>
#include <utility>
#include <vector>

#include "core/ir/model.h"
#include "importers/torch/container/value.h"

namespace dragoman::torch {

// The key in the extra of an entry's input: a type attribute for a tensor, mixed lists of these for
// tuples and lists, dictionaries for dicts with string keys; none for everything else.
inline constexpr char kTraced[] = "torchscript.traced";

// By method: a list or tuple of what each argument after self was.
void AddTracedInputs(const std::vector<std::pair<std::string, Stored>>& traced, Model& model);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_SCRIPT_TRACED_INPUTS_H_
