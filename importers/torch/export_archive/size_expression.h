// SPDX-License-Identifier: Apache-2.0
// Sizes as torch.export writes them: the text of a sympy expression, as Python's repr of its
// constructors, "Add(Symbol('s77', positive=True, integer=True), Integer(1))", or as it is printed,
// "s77 + 1". Parsed by a small grammar, never evaluated.
#ifndef DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_SIZE_EXPRESSION_H_
#define DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_SIZE_EXPRESSION_H_

#include <string_view>

#include "core/ir/dim.h"
#include "core/support/result.h"

namespace dragoman::torch {

inline constexpr int kMaxExpressionDepth = 64;

// Unknown where the expression is not a size that a Dim can express: a quotient that is not
// rounded, a condition, a function that is not known. Errors: text that is not an expression;
// nested too deep.
Result<Dim> ParseSizeExpression(std::string_view text);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_EXPORT_ARCHIVE_SIZE_EXPRESSION_H_
