// SPDX-License-Identifier: Apache-2.0
// Reads Relax modules.
#ifndef DRAGOMAN_IMPORTERS_RELAX_GRAPH_READ_MODEL_H_
#define DRAGOMAN_IMPORTERS_RELAX_GRAPH_READ_MODEL_H_

#include <string>

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// The source model of a module (importers/relax/README.md): a public function is an entry, `main`
// the default one, a private one a function. Parameters that `model.npz` beside `model.py` has are
// constants. Errors: what is not a module, with line, column and caret; no public function; arrays
// of another type or size than their parameters.
Result<Model> ReadRelax(const std::string& path);
// The same without a file: no parameter is a constant.
Result<Model> ReadRelaxText(std::string text);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_RELAX_GRAPH_READ_MODEL_H_
