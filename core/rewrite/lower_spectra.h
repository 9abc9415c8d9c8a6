// SPDX-License-Identifier: Apache-2.0
// Lowers eigenvalues of symmetric matrices and singular values to Loop: for targets that lack them.
#ifndef DRAGOMAN_CORE_REWRITE_LOWER_SPECTRA_H_
#define DRAGOMAN_CORE_REWRITE_LOWER_SPECTRA_H_

#include <vector>

#include "core/ir/graph.h"
#include "core/rewrite/pass_context.h"
#include "core/support/result.h"

namespace dragoman {

// What stands for the results of `node`, a dragoman.SymmetricEigen or dragoman.Svd whose operand
// has a known rank: Jacobi's rotations in f64, as the kernels have them
// (runtime/kernels/factors.h), but half as many at once as there are columns. Signs of vectors may
// differ from the kernel's.
Result<std::vector<Value*>> LowerSpectrum(Node& node, PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_LOWER_SPECTRA_H_
