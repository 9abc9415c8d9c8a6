// SPDX-License-Identifier: Apache-2.0
// A program of torch.export in the form of a TorchScript source Model, which the evaluator runs
// (importers/torch/lower): operators with complete operands in the order of their schemas, weights
// as cells of the root object, higher-order operators as If and Loop.
#ifndef DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_SCRIPT_FORM_H_
#define DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_SCRIPT_FORM_H_

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman::torch {

// `source` is as ReadExportArchive gives it. Inputs are called as there; the result is nested as
// the file says. What the program leaves in a buffer is set as an attribute of the root; what it
// leaves in an argument is a further result. Errors, with the user's source line: operators without
// a schema, all of them; arguments that do not fit theirs. An operator of a library that has no
// lowering stands as it is (kept_operator.h), with the types that the file states, where `sizes`
// take the place of symbols.
Result<Model> ToScriptForm(const Model& source, const std::map<std::string, Dim>& sizes);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_SCRIPT_FORM_H_
