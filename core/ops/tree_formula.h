// SPDX-License-Identifier: Apache-2.0
// What dragoman.TreeEnsemble is made of.
#ifndef DRAGOMAN_CORE_OPS_TREE_FORMULA_H_
#define DRAGOMAN_CORE_OPS_TREE_FORMULA_H_

#include <vector>

#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman {

// Unsupported: trees that are too deep or have too large tables.
Result<std::vector<Value*>> ExpandTreeEnsemble(Node& node);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_TREE_FORMULA_H_
