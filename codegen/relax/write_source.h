// SPDX-License-Identifier: Apache-2.0
// Writes a Relax module as it was read.
#ifndef DRAGOMAN_CODEGEN_RELAX_WRITE_SOURCE_H_
#define DRAGOMAN_CODEGEN_RELAX_WRITE_SOURCE_H_

#include <string>

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// The text of a source model of dialect "relax" (importers/relax/README.md), edited or not: all
// calls, attributes and annotations, in one layout. Errors: nodes without a text.
Result<std::string> PrintRelaxSource(const Model& model);
// The same as a file, with the parameters that are constants in `.npz` beside it and the first
// values of states in `.states.npz`.
Status WriteRelaxSource(const Model& model, const std::string& path);

}  // namespace dragoman

#endif  // DRAGOMAN_CODEGEN_RELAX_WRITE_SOURCE_H_
