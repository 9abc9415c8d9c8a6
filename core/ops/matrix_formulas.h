// SPDX-License-Identifier: Apache-2.0
// Expansions (op_def.h) of factorisations of matrices: step by step, for square matrices of a known
// size up to kMostFormulaRows. Errors: unsupported, other matrices; the graph is as it was then.
#ifndef DRAGOMAN_CORE_OPS_MATRIX_FORMULAS_H_
#define DRAGOMAN_CORE_OPS_MATRIX_FORMULAS_H_

#include <cstdint>
#include <vector>

#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman {

// A step is ten to twenty nodes.
inline constexpr std::int64_t kMostFormulaRows = 16;

Result<std::vector<Value*>> ExpandCholesky(Node& node);
Result<std::vector<Value*>> ExpandDet(Node& node);
Result<std::vector<Value*>> ExpandLuFactor(Node& node);
Result<std::vector<Value*>> ExpandTriangularSolve(Node& node);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_MATRIX_FORMULAS_H_
