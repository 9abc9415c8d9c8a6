// SPDX-License-Identifier: Apache-2.0
// The emitters, in the files where they are.
#ifndef DRAGOMAN_EXPORTERS_PT2_OPS_EMITTERS_H_
#define DRAGOMAN_EXPORTERS_PT2_OPS_EMITTERS_H_

#include "exporters/pt2/aten_op.h"

namespace dragoman::pt2 {

// activation.cc
Emitted EmitCelu(AtenOp& op);
Emitted EmitClip(AtenOp& op);
Emitted EmitElu(AtenOp& op);
Emitted EmitGelu(AtenOp& op);
Emitted EmitHardSigmoid(AtenOp& op);
Emitted EmitHardmax(AtenOp& op);
Emitted EmitLeakyRelu(AtenOp& op);
Emitted EmitPRelu(AtenOp& op);
Emitted EmitSelu(AtenOp& op);
Emitted EmitShrink(AtenOp& op);
Emitted EmitSoftmax(AtenOp& op);
Emitted EmitSoftsign(AtenOp& op);
Emitted EmitSwish(AtenOp& op);
Emitted EmitThresholdedRelu(AtenOp& op);

// complex.cc
Emitted EmitComplexToReal(AtenOp& op);
Emitted EmitDft(AtenOp& op);
Emitted EmitRealToComplex(AtenOp& op);

// control_flow.cc
Emitted EmitIf(AtenOp& op);
Emitted EmitLoop(AtenOp& op);
Emitted EmitScan(AtenOp& op);

// convolution.cc
Emitted EmitConv(AtenOp& op);
Emitted EmitConvInteger(AtenOp& op);
Emitted EmitConvTranspose(AtenOp& op);

// detection.cc
Emitted EmitNonMaxSuppression(AtenOp& op);

// effect.cc
Emitted EmitAssert(AtenOp& op);
Emitted EmitPrint(AtenOp& op);

// elementwise.cc
Emitted EmitBinary(AtenOp& op);
Emitted EmitBitCast(AtenOp& op);
Emitted EmitBitShift(AtenOp& op);
Emitted EmitCast(AtenOp& op);
Emitted EmitDiv(AtenOp& op);
Emitted EmitIdentity(AtenOp& op);
Emitted EmitIsInf(AtenOp& op);
Emitted EmitIsNaN(AtenOp& op);
Emitted EmitMod(AtenOp& op);
Emitted EmitPow(AtenOp& op);
Emitted EmitUnary(AtenOp& op);
Emitted EmitVariadic(AtenOp& op);
Emitted EmitWhere(AtenOp& op);

// image.cc
Emitted EmitGridSample(AtenOp& op);
Emitted EmitResize(AtenOp& op);

// indexing.cc
Emitted EmitCompress(AtenOp& op);
Emitted EmitGather(AtenOp& op);
Emitted EmitGatherElements(AtenOp& op);
Emitted EmitGatherNd(AtenOp& op);
Emitted EmitNonZero(AtenOp& op);
Emitted EmitOneHot(AtenOp& op);
Emitted EmitReverseSequence(AtenOp& op);
Emitted EmitScatterElements(AtenOp& op);
Emitted EmitScatterNd(AtenOp& op);
Emitted EmitUnique(AtenOp& op);

// movement.cc
Emitted EmitConcat(AtenOp& op);
Emitted EmitConstantOfShape(AtenOp& op);
Emitted EmitDepthToSpace(AtenOp& op);
Emitted EmitExpand(AtenOp& op);
Emitted EmitEyeLike(AtenOp& op);
Emitted EmitFlatten(AtenOp& op);
Emitted EmitPad(AtenOp& op);
Emitted EmitRange(AtenOp& op);
Emitted EmitReshape(AtenOp& op);
Emitted EmitShape(AtenOp& op);
Emitted EmitSize(AtenOp& op);
Emitted EmitSlice(AtenOp& op);
Emitted EmitSpaceToDepth(AtenOp& op);
Emitted EmitSplit(AtenOp& op);
Emitted EmitSqueeze(AtenOp& op);
Emitted EmitTile(AtenOp& op);
Emitted EmitTranspose(AtenOp& op);
Emitted EmitTrilu(AtenOp& op);
Emitted EmitUnsqueeze(AtenOp& op);

// normalization.cc
Emitted EmitBatchNormalization(AtenOp& op);
Emitted EmitDropout(AtenOp& op);
Emitted EmitGroupNormalization(AtenOp& op);
Emitted EmitInstanceNormalization(AtenOp& op);
Emitted EmitLayerNormalization(AtenOp& op);
Emitted EmitLpNormalization(AtenOp& op);
Emitted EmitLrn(AtenOp& op);
Emitted EmitMeanVarianceNormalization(AtenOp& op);
Emitted EmitRmsNormalization(AtenOp& op);

// pool.cc
Emitted EmitAveragePool(AtenOp& op);
Emitted EmitGlobalLpPool(AtenOp& op);
Emitted EmitGlobalPool(AtenOp& op);
Emitted EmitLpPool(AtenOp& op);
Emitted EmitMaxPool(AtenOp& op);
Emitted EmitMaxUnpool(AtenOp& op);

// product.cc
Emitted EmitDet(AtenOp& op);
Emitted EmitEinsum(AtenOp& op);
Emitted EmitGemm(AtenOp& op);
Emitted EmitLinear(AtenOp& op);
Emitted EmitMatMul(AtenOp& op);
Emitted EmitMatMulInteger(AtenOp& op);

// quantize.cc
Emitted EmitDequantizeLinear(AtenOp& op);
Emitted EmitDynamicQuantizeLinear(AtenOp& op);
Emitted EmitQLinearConv(AtenOp& op);
Emitted EmitQLinearMatMul(AtenOp& op);
Emitted EmitQuantizeLinear(AtenOp& op);

// random.cc
Emitted EmitBernoulli(AtenOp& op);
Emitted EmitMultinomial(AtenOp& op);
Emitted EmitRandomNormal(AtenOp& op);
Emitted EmitRandomUniform(AtenOp& op);

// recurrent.cc
Emitted EmitRecurrence(AtenOp& op);

// reduction.cc
Emitted EmitArgReduce(AtenOp& op);
Emitted EmitCumSum(AtenOp& op);
Emitted EmitReduce(AtenOp& op);
Emitted EmitTopK(AtenOp& op);

// roi_align.cc
Emitted EmitRoiAlign(AtenOp& op);

}  // namespace dragoman::pt2

#endif  // DRAGOMAN_EXPORTERS_PT2_OPS_EMITTERS_H_
