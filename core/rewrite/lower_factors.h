// SPDX-License-Identifier: Apache-2.0
// Lowers factorisations of matrices to Loop: for targets that lack them.
#ifndef DRAGOMAN_CORE_REWRITE_LOWER_FACTORS_H_
#define DRAGOMAN_CORE_REWRITE_LOWER_FACTORS_H_

#include <string_view>

#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman {

// Det, dragoman.Cholesky, HouseholderProduct, HouseholderQr, LuFactor, Svd, SymmetricEigen and
// TriangularSolve.
bool IsFactorisation(std::string_view label);

// Replaces the factorisations that `has` denies, in the common graph of an entry and its bodies.
// One of small matrices becomes its formula (OpDef::expand), others a Loop that makes a step of all
// matrices in each iteration; their sizes may be symbolic. What is of an unknown rank, or has no
// elements, stays.
Status LowerFactors(Graph& entry, bool (*has)(std::string_view label));

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_LOWER_FACTORS_H_
