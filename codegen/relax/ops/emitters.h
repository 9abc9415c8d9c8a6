// SPDX-License-Identifier: Apache-2.0
// The emitters of all operators that Relax can express; op_table.cc lists them by label.
#ifndef DRAGOMAN_CODEGEN_RELAX_OPS_EMITTERS_H_
#define DRAGOMAN_CODEGEN_RELAX_OPS_EMITTERS_H_

#include "codegen/relax/relax_op.h"

namespace dragoman::relax {

// elementwise.cc
Expressions EmitBinary(RelaxOp& op);
Expressions EmitBitShift(RelaxOp& op);
Expressions EmitCast(RelaxOp& op);
Expressions EmitClip(RelaxOp& op);
Expressions EmitFloatUnary(RelaxOp& op);
Expressions EmitIsInf(RelaxOp& op);
Expressions EmitMod(RelaxOp& op);
Expressions EmitPow(RelaxOp& op);
Expressions EmitSigned(RelaxOp& op);
Expressions EmitUnary(RelaxOp& op);
Expressions EmitVariadic(RelaxOp& op);
Expressions EmitWhere(RelaxOp& op);

// activation.cc
Expressions EmitCelu(RelaxOp& op);
Expressions EmitElu(RelaxOp& op);
Expressions EmitGelu(RelaxOp& op);
Expressions EmitHardSigmoid(RelaxOp& op);
Expressions EmitHardSwish(RelaxOp& op);
Expressions EmitHardmax(RelaxOp& op);
Expressions EmitLeakyRelu(RelaxOp& op);
Expressions EmitMish(RelaxOp& op);
Expressions EmitPRelu(RelaxOp& op);
Expressions EmitReciprocal(RelaxOp& op);
Expressions EmitRelu(RelaxOp& op);
Expressions EmitSelu(RelaxOp& op);
Expressions EmitShrink(RelaxOp& op);
Expressions EmitSoftmax(RelaxOp& op);
Expressions EmitSoftplus(RelaxOp& op);
Expressions EmitSoftsign(RelaxOp& op);
Expressions EmitSwish(RelaxOp& op);
Expressions EmitThresholdedRelu(RelaxOp& op);

// product.cc
Expressions EmitEinsum(RelaxOp& op);
Expressions EmitGemm(RelaxOp& op);
Expressions EmitLinear(RelaxOp& op);
Expressions EmitMatMul(RelaxOp& op);

// convolution.cc
Expressions EmitConv(RelaxOp& op);
Expressions EmitConvTranspose(RelaxOp& op);

// pool.cc
Expressions EmitGlobalLpPool(RelaxOp& op);
Expressions EmitGlobalPool(RelaxOp& op);
Expressions EmitLpPool(RelaxOp& op);
Expressions EmitMaxUnpool(RelaxOp& op);
Expressions EmitPool(RelaxOp& op);

// normalization.cc
Expressions EmitBatchNormalization(RelaxOp& op);
Expressions EmitGroupNormalization(RelaxOp& op);
Expressions EmitInstanceNormalization(RelaxOp& op);
Expressions EmitLayerNormalization(RelaxOp& op);
Expressions EmitLpNormalization(RelaxOp& op);
Expressions EmitLrn(RelaxOp& op);
Expressions EmitMeanVarianceNormalization(RelaxOp& op);
Expressions EmitRmsNormalization(RelaxOp& op);

// reduction.cc
Expressions EmitArgReduce(RelaxOp& op);
Expressions EmitReduce(RelaxOp& op);

// movement.cc
Expressions EmitConcat(RelaxOp& op);
Expressions EmitConstantOfShape(RelaxOp& op);
Expressions EmitCumSum(RelaxOp& op);
Expressions EmitDepthToSpace(RelaxOp& op);
Expressions EmitDropout(RelaxOp& op);
Expressions EmitExpand(RelaxOp& op);
Expressions EmitEyeLike(RelaxOp& op);
Expressions EmitIdentity(RelaxOp& op);
Expressions EmitReshape(RelaxOp& op);
Expressions EmitShape(RelaxOp& op);
Expressions EmitSize(RelaxOp& op);
Expressions EmitSpaceToDepth(RelaxOp& op);
Expressions EmitSplit(RelaxOp& op);
Expressions EmitSqueeze(RelaxOp& op);
Expressions EmitTile(RelaxOp& op);
Expressions EmitTranspose(RelaxOp& op);
Expressions EmitTrilu(RelaxOp& op);
Expressions EmitUnsqueeze(RelaxOp& op);

// pad.cc
Expressions EmitPad(RelaxOp& op);

// range.cc
Expressions EmitRange(RelaxOp& op);

// slice.cc
Expressions EmitSlice(RelaxOp& op);

// indexing.cc
Expressions EmitCompress(RelaxOp& op);
Expressions EmitGather(RelaxOp& op);
Expressions EmitGatherElements(RelaxOp& op);
Expressions EmitGatherNd(RelaxOp& op);
Expressions EmitNonZero(RelaxOp& op);
Expressions EmitOneHot(RelaxOp& op);
Expressions EmitReverseSequence(RelaxOp& op);
Expressions EmitScatterElements(RelaxOp& op);
Expressions EmitScatterNd(RelaxOp& op);
Expressions EmitTopK(RelaxOp& op);

// quantize.cc
Expressions EmitDequantizeLinear(RelaxOp& op);
Expressions EmitDynamicQuantizeLinear(RelaxOp& op);
Expressions EmitQuantizeLinear(RelaxOp& op);

// integer_product.cc
Expressions EmitConvInteger(RelaxOp& op);
Expressions EmitMatMulInteger(RelaxOp& op);
Expressions EmitQLinearConv(RelaxOp& op);
Expressions EmitQLinearMatMul(RelaxOp& op);

// unique.cc
Expressions EmitUnique(RelaxOp& op);

// grid_sample.cc
Expressions EmitGridSample(RelaxOp& op);

// vision.cc
Expressions EmitMaxRoiPool(RelaxOp& op);
Expressions EmitNonMaxSuppression(RelaxOp& op);
Expressions EmitRoiAlign(RelaxOp& op);

// resize.cc
Expressions EmitResize(RelaxOp& op);

}  // namespace dragoman::relax

#endif  // DRAGOMAN_CODEGEN_RELAX_OPS_EMITTERS_H_
