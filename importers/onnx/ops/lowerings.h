// SPDX-License-Identifier: Apache-2.0
// Operators of ai.onnx whose form has changed: each function takes any version below the one that
// its row in lowerings.cc names, and gives the form of kCommonOpset. Those of all versions are
// operators that others say the same as.
#ifndef DRAGOMAN_IMPORTERS_ONNX_OPS_LOWERINGS_H_
#define DRAGOMAN_IMPORTERS_ONNX_OPS_LOWERINGS_H_

#include <vector>

#include "importers/onnx/op_lowering.h"

namespace dragoman {

using LoweredResults = Result<std::vector<Value*>>;

LoweredResults LowerAffine(OpLowering& op);
LoweredResults LowerAffineGrid(OpLowering& op);
LoweredResults LowerAttention(OpLowering& op);
LoweredResults LowerBatchNormalization(OpLowering& op);
LoweredResults LowerBitCast(OpLowering& op);
LoweredResults LowerBitShift(OpLowering& op);
LoweredResults LowerCast(OpLowering& op);
LoweredResults LowerCastLike(OpLowering& op);
LoweredResults LowerCausalConvWithState(OpLowering& op);
LoweredResults LowerCenterCropPad(OpLowering& op);
LoweredResults LowerClip(OpLowering& op);
LoweredResults LowerCol2Im(OpLowering& op);
LoweredResults LowerConcat(OpLowering& op);
LoweredResults LowerCumProd(OpLowering& op);
LoweredResults LowerDeformConv(OpLowering& op);
LoweredResults LowerDft(OpLowering& op);
LoweredResults LowerDropout(OpLowering& op);
LoweredResults LowerErf(OpLowering& op);
LoweredResults LowerGridSample(OpLowering& op);
LoweredResults LowerGroupNormalization(OpLowering& op);
LoweredResults LowerImageScaler(OpLowering& op);
LoweredResults LowerLinearAttention(OpLowering& op);
LoweredResults LowerLegacyBroadcast(OpLowering& op);
LoweredResults LowerLpPool(OpLowering& op);
LoweredResults LowerMeanVarianceNormalization(OpLowering& op);
LoweredResults LowerMelWeightMatrix(OpLowering& op);
LoweredResults LowerNegativeLogLikelihoodLoss(OpLowering& op);
LoweredResults LowerOfBFloat16(OpLowering& op);
LoweredResults LowerPRelu(OpLowering& op);
LoweredResults LowerNonZero(OpLowering& op);
LoweredResults LowerPad(OpLowering& op);
LoweredResults LowerParametricSoftplus(OpLowering& op);
LoweredResults LowerQuantizeLinear(OpLowering& op);
LoweredResults LowerRange(OpLowering& op);
LoweredResults LowerRecurrent(OpLowering& op);
LoweredResults LowerReduce(OpLowering& op);
LoweredResults LowerReshape(OpLowering& op);
LoweredResults LowerResize(OpLowering& op);
LoweredResults LowerRoiAlign(OpLowering& op);
LoweredResults LowerRotaryEmbedding(OpLowering& op);
LoweredResults LowerScaledTanh(OpLowering& op);
LoweredResults LowerScatter(OpLowering& op);
LoweredResults LowerSelu(OpLowering& op);
LoweredResults LowerSimplifiedLayerNormalization(OpLowering& op);
LoweredResults LowerSlice(OpLowering& op);
LoweredResults LowerSoftmax(OpLowering& op);
LoweredResults LowerSoftmaxCrossEntropyLoss(OpLowering& op);
LoweredResults LowerSpaceToDepth(OpLowering& op);
LoweredResults LowerSplit(OpLowering& op);
LoweredResults LowerSplitToSequence(OpLowering& op);
LoweredResults LowerSqueeze(OpLowering& op);
LoweredResults LowerStft(OpLowering& op);
LoweredResults LowerSwiGlu(OpLowering& op);
LoweredResults LowerTensorScatter(OpLowering& op);
LoweredResults LowerTfIdfVectorizer(OpLowering& op);
LoweredResults LowerTile(OpLowering& op);
LoweredResults LowerTopK(OpLowering& op);
LoweredResults LowerUpsample(OpLowering& op);
LoweredResults LowerWindow(OpLowering& op);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_ONNX_OPS_LOWERINGS_H_
