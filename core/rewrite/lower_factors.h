// Lowers factorisations of matrices to Loop: for targets that lack them.
#ifndef DRAGOMAN_CORE_REWRITE_LOWER_FACTORS_H_
#define DRAGOMAN_CORE_REWRITE_LOWER_FACTORS_H_

#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman {

// Replaces Det and every dragoman.Cholesky, HouseholderProduct, HouseholderQr, LuFactor and
// TriangularSolve of the common graph of an entry, in bodies too, by a Loop that makes a step of
// all matrices in each turn; their sizes may be symbolic. What is of an unknown rank stays.
Status LowerFactors(Graph& entry);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_LOWER_FACTORS_H_
