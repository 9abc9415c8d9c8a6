// SPDX-License-Identifier: Apache-2.0
// Reads a TorchScript archive into a source Model. README.md of this folder describes the Model.
#ifndef DRAGOMAN_IMPORTERS_TORCH_SCRIPT_READ_MODEL_H_
#define DRAGOMAN_IMPORTERS_TORCH_SCRIPT_READ_MODEL_H_

#include <string>

#include "core/ir/model.h"
#include "core/support/result.h"
#include "importers/torch/container/archive.h"
#include "importers/torch/script/evaluate_call.h"

namespace dragoman {

// All entries and functions that they reach; tensors are windows on the mapped file where they lie
// there densely. Errors: those of the archive and its pickles; findings of parser and type checker,
// several at once, with file, line and column of the serialized code and the source line below;
// an operator that is not known or whose arguments fit no overload. `run` evaluates what objects
// compute when they restore themselves; without it, such objects are refused.
Result<Model> ReadTorchScript(const std::string& path, const torch::RunSource& run = nullptr);
// The same of an archive that is open, without its path in the errors.
Result<Model> ReadTorchScript(const torch::Archive& archive, const torch::RunSource& run = nullptr);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_TORCH_SCRIPT_READ_MODEL_H_
