// SPDX-License-Identifier: Apache-2.0
// Compositions over the matrices that the last two axes of a tensor hold.
#ifndef DRAGOMAN_IMPORTERS_TORCH_OPS_MATRICES_H_
#define DRAGOMAN_IMPORTERS_TORCH_OPS_MATRICES_H_

#include <initializer_list>
#include <string_view>

#include "importers/torch/ops/composer.h"

namespace dragoman::torch {

// Tensor argument `name`. Errors: it is not a matrix, or of other elements than f32, f64 and
// complex numbers of these.
Value* TakeMatrices(CallComposer& c, std::string_view name);

Value* Transposed(Composer& c, Value* x);
// The number of rows, or of columns; 0-d.
Value* Rows(Composer& c, Value* x);
Value* Columns(Composer& c, Value* x);
// (…, n), the elements on the diagonal of square matrices.
Value* DiagonalOf(Composer& c, Value* x);
// Which elements lie on the diagonal of matrices of these sizes; bool.
Value* OnDiagonal(Composer& c, Value* rows, Value* columns);
// Unit matrices (…, n, n) of as many rows as those of `x` have; real.
Value* UnitLike(Composer& c, Value* x);
// `x` with what lies above, or below, the diagonal set to zero.
Value* Lower(Composer& c, Value* x);
Value* Upper(Composer& c, Value* x);

// The transpose of the conjugate.
Value* Adjoint(Composer& c, Value* x);

// Matrices (…, 2n, 2m) of the parts of complex or real ones (…, n, m), and back.
Value* BlocksOf(Composer& c, Value* x);
Value* FromBlocks(Composer& c, Value* blocks);
// The blocks of Hermitian matrices, whose diagonal counts as real.
Value* HermitianBlocksOf(Composer& c, Value* x);
// Row rows[i] of a matrix is row i of the product of its triangular factors; pivots[i], from 0, is
// the row that row i was exchanged with.
struct Lu {
  Value* factors = nullptr;
  Value* pivots = nullptr;
  Value* rows = nullptr;
};
// Of complex matrices, as LAPACK chooses pivots: by the sum of the sizes of both parts.
Lu FactorComplexLu(Composer& c, Value* a);
// The reflections 1 - tau·v·v* whose product times a triangular matrix is the one that was
// factored: below the diagonal of `factors` is v, from it on the triangular matrix.
struct Qr {
  Value* factors = nullptr;
  Value* tau = nullptr;
};
Qr FactorComplexQr(Composer& c, Value* a);
// Eigenvectors or singular vectors (…, n, k) of matrices, of those (…, 2n, 2k) of their blocks.
Value* VectorsFromBlocks(Composer& c, Value* blocks);
Value* ComplexHouseholderProduct(Composer& c, const Qr& qr);
bool AnyComplex(const Composer& c, std::initializer_list<const Value*> values);

// X of A·X = B by Gaussian elimination; leading sizes are broadcast.
Value* Solve(Composer& c, Value* a, Value* b);
Value* Inverse(Composer& c, Value* a);
// The same for a triangular A of which half counts.
struct Triangle {
  bool upper = false;
  bool unit = false;
};
Value* SolveTriangular(Composer& c, Value* a, Value* b, Triangle triangle);

// Singular values, descending.
Value* SingularValues(Composer& c, Value* x);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_OPS_MATRICES_H_
