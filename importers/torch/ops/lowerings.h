// SPDX-License-Identifier: Apache-2.0
// Lowerings of operators that are parts of others. All others are local to the file that has their
// rows.
#ifndef DRAGOMAN_IMPORTERS_TORCH_OPS_LOWERINGS_H_
#define DRAGOMAN_IMPORTERS_TORCH_OPS_LOWERINGS_H_

#include "importers/torch/ops/op_lowering.h"

namespace dragoman::torch {

Result<Value*> LowerAdd(Call& call);
Result<Value*> LowerAddmm(Call& call);
Result<Value*> LowerCelu(Call& call);
Result<Value*> LowerDeterminant(Call& call);
Result<Value*> LowerElu(Call& call);
Result<Value*> LowerFakeQuantize(Call& call);
Result<Value*> LowerFloatFunction(Call& call);
Result<Value*> LowerGroupNorm(Call& call);
Result<Value*> LowerHardswish(Call& call);
Result<Value*> LowerIsClose(Call& call);
Result<Results> LowerIsQuantized(Call& call);
Result<Value*> LowerLayerNorm(Call& call);
Result<Value*> LowerLeakyRelu(Call& call);
Result<Results> LowerLinalgSolveEx(Call& call);
Result<Results> LowerLogDeterminant(Call& call);
Result<Value*> LowerMultilabelMarginLoss(Call& call);
Result<Results> LowerNativeBatchNorm(Call& call);
Result<Value*> LowerNllLoss(Call& call);
Result<Results> LowerNonZeroNumpy(Call& call);
Result<Value*> LowerPRelu(Call& call);
Result<Value*> LowerQuantizedScalar(Call& call);
Result<Value*> LowerRRelu(Call& call);
Result<Value*> LowerRmsNorm(Call& call);
Result<Value*> LowerSoftmax(Call& call);
Result<Value*> LowerWeightNorm(Call& call);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_OPS_LOWERINGS_H_
