// SPDX-License-Identifier: Apache-2.0
// The lowering functions of gradients, of matrices, of special functions and of old normalisations,
// as lowerings.h lists the others.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_MATH_LOWERINGS_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_MATH_LOWERINGS_H_

#include <vector>

#include "importers/tensorflow/ops/call.h"

namespace dragoman::tf {

// gradients.cc
Value* LowerGradientOfResult(Call& c);
Value* LowerGradientOfActivation(Call& c);
Value* LowerBiasAddGrad(Call& c);
std::vector<Value*> LowerBroadcastGradientArgs(Call& c);

// linalg.cc
Value* LowerMatrixDeterminant(Call& c);
Value* LowerCholesky(Call& c);
Value* LowerMatrixInverse(Call& c);
Value* LowerMatrixSolve(Call& c);
Value* LowerMatrixTriangularSolve(Call& c);
std::vector<Value*> LowerLogMatrixDeterminant(Call& c);
std::vector<Value*> LowerSymmetricEigen(Call& c);
Value* LowerSelfAdjointEig(Call& c);
std::vector<Value*> LowerLu(Call& c);
Value* LowerMatrixSolveLs(Call& c);
Value* LowerTridiagonalMatMul(Call& c);
std::vector<Value*> LowerSvd(Call& c);
std::vector<Value*> LowerQr(Call& c);

// fused.cc
Value* LowerBatchNormWithGlobalNormalization(Call& c);

// special.cc
Value* LowerSpecialFunction(Call& c);
Value* LowerZeta(Call& c);
Value* LowerPolygamma(Call& c);
Value* LowerIncompleteGamma(Call& c);

// bits.cc
Value* LowerBitcast(Call& c);
Value* LowerShift(Call& c);
Value* LowerPopulationCount(Call& c);

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_MATH_LOWERINGS_H_
