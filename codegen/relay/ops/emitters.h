// SPDX-License-Identifier: Apache-2.0
// The emitters of all operators that Relay can express; op_table.cc lists them by label.
#ifndef DRAGOMAN_CODEGEN_RELAY_OPS_EMITTERS_H_
#define DRAGOMAN_CODEGEN_RELAY_OPS_EMITTERS_H_

#include "codegen/relay/relay_op.h"

namespace dragoman::relay::emit {

// elementwise.cc
Emitted EmitBinary(RelayOp& op);
Emitted EmitBitCast(RelayOp& op);
Emitted EmitBitShift(RelayOp& op);
Emitted EmitCast(RelayOp& op);
Emitted EmitClip(RelayOp& op);
Emitted EmitFloatUnary(RelayOp& op);
Emitted EmitIdentity(RelayOp& op);
Emitted EmitIsInf(RelayOp& op);
Emitted EmitMod(RelayOp& op);
Emitted EmitPlain(RelayOp& op);
Emitted EmitPow(RelayOp& op);
Emitted EmitReciprocal(RelayOp& op);
Emitted EmitRound(RelayOp& op);
Emitted EmitVariadic(RelayOp& op);

// activation.cc
Emitted EmitCelu(RelayOp& op);
Emitted EmitElu(RelayOp& op);
Emitted EmitGelu(RelayOp& op);
Emitted EmitHardSigmoid(RelayOp& op);
Emitted EmitHardSwish(RelayOp& op);
Emitted EmitHardmax(RelayOp& op);
Emitted EmitLeakyRelu(RelayOp& op);
Emitted EmitMish(RelayOp& op);
Emitted EmitPRelu(RelayOp& op);
Emitted EmitSelu(RelayOp& op);
Emitted EmitShrink(RelayOp& op);
Emitted EmitSoftmax(RelayOp& op);
Emitted EmitSoftplus(RelayOp& op);
Emitted EmitSoftsign(RelayOp& op);
Emitted EmitSwish(RelayOp& op);
Emitted EmitThresholdedRelu(RelayOp& op);

// einsum.cc
Emitted EmitEinsum(RelayOp& op);

// linear.cc
Emitted EmitGemm(RelayOp& op);
Emitted EmitLinear(RelayOp& op);
Emitted EmitMatMul(RelayOp& op);

// convolution.cc
Emitted EmitAveragePool(RelayOp& op);
Emitted EmitConv(RelayOp& op);
Emitted EmitConvTranspose(RelayOp& op);
Emitted EmitDepthToSpace(RelayOp& op);
Emitted EmitGlobalPool(RelayOp& op);
Emitted EmitMaxPool(RelayOp& op);
Emitted EmitSpaceToDepth(RelayOp& op);

// normalization.cc
Emitted EmitBatchNormalization(RelayOp& op);
Emitted EmitGroupNormalization(RelayOp& op);
Emitted EmitInstanceNormalization(RelayOp& op);
Emitted EmitLayerNormalization(RelayOp& op);
Emitted EmitLpNormalization(RelayOp& op);
Emitted EmitLrn(RelayOp& op);
Emitted EmitMeanVarianceNormalization(RelayOp& op);
Emitted EmitRmsNormalization(RelayOp& op);

// reduction.cc
Emitted EmitArgReduce(RelayOp& op);
Emitted EmitCumSum(RelayOp& op);
Emitted EmitReduce(RelayOp& op);
Emitted EmitTopK(RelayOp& op);

// shape.cc
Emitted EmitConcat(RelayOp& op);
Emitted EmitConstantOfShape(RelayOp& op);
Emitted EmitDropout(RelayOp& op);
Emitted EmitExpand(RelayOp& op);
Emitted EmitRange(RelayOp& op);
Emitted EmitReshape(RelayOp& op);
Emitted EmitReverseSequence(RelayOp& op);
Emitted EmitShape(RelayOp& op);
Emitted EmitSize(RelayOp& op);
Emitted EmitSplit(RelayOp& op);
Emitted EmitTile(RelayOp& op);
Emitted EmitTranspose(RelayOp& op);
Emitted EmitUnsqueeze(RelayOp& op);

// slice.cc
Emitted EmitPad(RelayOp& op);
Emitted EmitSlice(RelayOp& op);

// indexing.cc
Emitted EmitCompress(RelayOp& op);
Emitted EmitEyeLike(RelayOp& op);
Emitted EmitGather(RelayOp& op);
Emitted EmitGatherElements(RelayOp& op);
Emitted EmitGatherNd(RelayOp& op);
Emitted EmitNonZero(RelayOp& op);
Emitted EmitOneHot(RelayOp& op);
Emitted EmitScatterElements(RelayOp& op);
Emitted EmitScatterNd(RelayOp& op);
Emitted EmitTrilu(RelayOp& op);

// quantize.cc
Emitted EmitConvInteger(RelayOp& op);
Emitted EmitDequantizeLinear(RelayOp& op);
Emitted EmitDynamicQuantizeLinear(RelayOp& op);
Emitted EmitMatMulInteger(RelayOp& op);
Emitted EmitQLinearConv(RelayOp& op);
Emitted EmitQLinearMatMul(RelayOp& op);
Emitted EmitQuantizeLinear(RelayOp& op);

// image.cc
Emitted EmitGridSample(RelayOp& op);
Emitted EmitNonMaxSuppression(RelayOp& op);
Emitted EmitResize(RelayOp& op);
Emitted EmitResizeByMatrix(RelayOp& op);
Emitted EmitRoiAlign(RelayOp& op);

}  // namespace dragoman::relay::emit

#endif  // DRAGOMAN_CODEGEN_RELAY_OPS_EMITTERS_H_
