// SPDX-License-Identifier: Apache-2.0
// Operators of ai.onnx.preview.training: one step of an optimiser.
#ifndef DRAGOMAN_IMPORTERS_ONNX_OPS_TRAINING_H_
#define DRAGOMAN_IMPORTERS_ONNX_OPS_TRAINING_H_

#include "importers/onnx/ops/lowerings.h"

namespace dragoman {

LoweredResults LowerAdagrad(OpLowering& op);
LoweredResults LowerAdam(OpLowering& op);
LoweredResults LowerMomentum(OpLowering& op);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_ONNX_OPS_TRAINING_H_
