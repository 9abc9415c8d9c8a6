// SPDX-License-Identifier: Apache-2.0
// Lowerings of operators that are parts of others. All others are local to the file that has their
// rows.
#ifndef DRAGOMAN_IMPORTERS_TORCH_OPS_LOWERINGS_H_
#define DRAGOMAN_IMPORTERS_TORCH_OPS_LOWERINGS_H_

#include "importers/torch/ops/op_lowering.h"

namespace dragoman::torch {

Result<Value*> LowerAdd(Call& call);
Result<Value*> LowerAddmm(Call& call);
Value* LowerCelu(CallComposer& c);
Result<Value*> LowerDeterminant(Call& call);
Value* LowerElu(CallComposer& c);
Result<Value*> LowerFakeQuantize(Call& call);
Value* LowerFloatFunction(CallComposer& c);
Value* LowerGroupNorm(CallComposer& c);
Value* LowerHardswish(CallComposer& c);
Result<Value*> LowerIsClose(Call& call);
Result<Results> LowerIsQuantized(Call& call);
Value* LowerLayerNorm(CallComposer& c);
Value* LowerLeakyRelu(CallComposer& c);
Result<Results> LowerLinalgSolveEx(Call& call);
Result<Results> LowerLogDeterminant(Call& call);
Result<Value*> LowerMultilabelMarginLoss(Call& call);
Result<Results> LowerNativeBatchNorm(Call& call);
Result<Value*> LowerNllLoss(Call& call);
Result<Results> LowerNonZeroNumpy(Call& call);
Value* LowerPRelu(CallComposer& c);
Result<Value*> LowerQuantizedScalar(Call& call);
Result<Value*> LowerRRelu(Call& call);
Result<Value*> LowerRmsNorm(Call& call);
Result<Value*> LowerSoftmax(Call& call);
Result<Value*> LowerWeightNorm(Call& call);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_OPS_LOWERINGS_H_
