// SPDX-License-Identifier: Apache-2.0
// Sizes of results that Relax has no expression for.
#ifndef DRAGOMAN_CODEGEN_RELAX_NAME_RESULT_SIZES_H_
#define DRAGOMAN_CODEGEN_RELAX_NAME_RESULT_SIZES_H_

#include "core/analysis/inference.h"
#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman::relax {

// Infers the types of an entry. Unknown sizes of what its nodes and bodies are given, and those
// that two sizes broadcast to, become symbols, so that the text can name them by R.match_cast;
// equal ones get one symbol.
Result<Inference> NameResultSizes(Graph& entry);

}  // namespace dragoman::relax

#endif  // DRAGOMAN_CODEGEN_RELAX_NAME_RESULT_SIZES_H_
