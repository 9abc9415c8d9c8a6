// SPDX-License-Identifier: Apache-2.0
// Parses serialized TorchScript.
#ifndef DRAGOMAN_IMPORTERS_TORCH_SCRIPT_PARSER_H_
#define DRAGOMAN_IMPORTERS_TORCH_SCRIPT_PARSER_H_

#include <string>
#include <string_view>

#include "core/support/result.h"
#include "importers/torch/script/ast.h"

namespace dragoman::torch {

// The classes and functions of one code file; `import` lines and `op_version_set` are skipped.
// Errors: up to python::kMaxSourceFindings, one a statement, each with line, column and caret;
// nesting beyond python::kMaxSourceNesting.
Result<SourceFile> ParseSource(std::string name, std::string text);

// A type as pickles write it: "Dict[str, List[int]]".
Result<Expr> ParseTypeText(std::string_view text);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_SCRIPT_PARSER_H_
