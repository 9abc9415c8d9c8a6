// SPDX-License-Identifier: Apache-2.0
// Operators that only decomposed programs of torch.export have.
#ifndef DRAGOMAN_IMPORTERS_TORCH_OPS_DECOMPOSED_H_
#define DRAGOMAN_IMPORTERS_TORCH_OPS_DECOMPOSED_H_

#include "importers/torch/ops/op_lowering.h"

namespace dragoman::torch {

// decomposed.cc, decomposed_layers.cc
Result<Results> LowerNllLossForward(Call& call);
Result<Results> LowerRmsNormForward(Call& call);
Result<Results> LowerWeightNormForward(Call& call);
Result<Results> LowerFakeQuantizeForward(Call& call);
Result<Results> LowerMultilabelMarginLossForward(Call& call);
Result<Results> LowerLogSigmoidForward(Call& call);
Result<Results> LowerNativeDropout(Call& call);
Result<Results> LowerRReluForward(Call& call);
Result<Results> LowerBatchNormReserve(Call& call);
Result<Results> LowerFusedLstmCell(Call& call);
Result<Results> LowerFusedGruCell(Call& call);
Result<Value*> LowerAddRelu(Call& call);
Result<Value*> LowerEuclideanDistances(Call& call);
Result<Value*> LowerNormExceptDim(Call& call);
Result<Value*> LowerGroupedMatMul(Call& call);
Result<Value*> LowerPReluKernel(Call& call);
Result<Value*> LowerAddmmActivation(Call& call);
Result<Value*> LowerIntMatMul(Call& call);
Result<Value*> LowerInt8Linear(Call& call);
Result<Value*> LowerTrilinear(Call& call);
Result<Results> LowerDeterminantForward(Call& call);
Result<Results> LowerLogDeterminantForward(Call& call);
Result<Results> LowerLinalgSolveForward(Call& call);

// primitives.cc
Result<Value*> LowerBroadcastInDim(Call& call);
Result<Value*> LowerCollapse(Call& call);
Result<Value*> LowerPrimitiveDiv(Call& call);
Result<Value*> LowerPrimitiveIota(Call& call);
Result<Value*> LowerPrimitiveProd(Call& call);
Result<Value*> LowerPrimitiveSlice(Call& call);
Result<Value*> LowerSplitDim(Call& call);

// fourier.cc
Result<Value*> LowerFourierCore(Call& call);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_OPS_DECOMPOSED_H_
