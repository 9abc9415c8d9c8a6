// SPDX-License-Identifier: Apache-2.0
// The functions that lower operators of torch, one file per family.
#ifndef DRAGOMAN_IMPORTERS_TORCH_OPS_LOWERINGS_H_
#define DRAGOMAN_IMPORTERS_TORCH_OPS_LOWERINGS_H_

#include "importers/torch/ops/op_lowering.h"

namespace dragoman::torch {

// activation.cc
Result<Value*> LowerRelu(Call& call);
Result<Value*> LowerRelu6(Call& call);
Result<Value*> LowerHardtanh(Call& call);
Result<Value*> LowerElu(Call& call);
Result<Value*> LowerCelu(Call& call);
Result<Value*> LowerSelu(Call& call);
Result<Value*> LowerLeakyRelu(Call& call);
Result<Value*> LowerRRelu(Call& call);
Result<Value*> LowerPRelu(Call& call);
Result<Value*> LowerGelu(Call& call);
Result<Value*> LowerSilu(Call& call);
Result<Value*> LowerHardswish(Call& call);
Result<Value*> LowerHardsigmoid(Call& call);
Result<Value*> LowerSoftplus(Call& call);
Result<Value*> LowerHardshrink(Call& call);
Result<Value*> LowerSoftshrink(Call& call);
Result<Value*> LowerThreshold(Call& call);
Result<Value*> LowerGlu(Call& call);
Result<Value*> LowerSoftmax(Call& call);
Result<Value*> LowerLogSoftmax(Call& call);
Result<Value*> LowerSafeSoftmax(Call& call);
Result<Results> LowerDropout(Call& call);

// adaptive_pooling.cc
Result<Value*> LowerAdaptiveAvgPool(Call& call);
Result<Results> LowerAdaptiveMaxPool(Call& call);

// arithmetic.cc
Result<Value*> LowerAdd(Call& call);
Result<Value*> LowerSub(Call& call);
Result<Value*> LowerRSub(Call& call);
Result<Value*> LowerMul(Call& call);
Result<Value*> LowerDiv(Call& call);
Result<Value*> LowerFloorDivide(Call& call);
Result<Value*> LowerRemainder(Call& call);
Result<Value*> LowerFmod(Call& call);
Result<Value*> LowerPow(Call& call);
Result<Value*> LowerFloatPower(Call& call);
Result<Value*> LowerMaximum(Call& call);
Result<Value*> LowerMinimum(Call& call);
Result<Value*> LowerFloatExtremum(Call& call);
Result<Value*> LowerAtan2(Call& call);
Result<Value*> LowerHypot(Call& call);
Result<Value*> LowerCopySign(Call& call);
Result<Value*> LowerLdexp(Call& call);
Result<Value*> LowerLogAddExp(Call& call);
Result<Value*> LowerXLogY(Call& call);
Result<Value*> LowerHeaviside(Call& call);

// attention.cc
Result<Value*> LowerAttention(Call& call);
Result<Results> LowerAttentionWithWeights(Call& call);
Result<Results> LowerNativeMultiHeadAttention(Call& call);
Result<Results> LowerTransformerEncoderLayer(Call& call);
Result<Results> LowerIsLeftAligned(Call& call);
Result<Results> LowerNestedFromMask(Call& call);
Result<Value*> LowerToPadded(Call& call);

// complex_tensors.cc
Result<Value*> LowerComplex(Call& call);
Result<Value*> LowerPolar(Call& call);
Result<Results> LowerViewAsReal(Call& call);
Result<Results> LowerViewAsComplex(Call& call);
Result<Results> LowerReal(Call& call);
Result<Results> LowerImag(Call& call);
Result<Results> LowerConj(Call& call);
Result<Value*> LowerAngle(Call& call);
Result<Value*> LowerIsReal(Call& call);

// backward.cc
Result<Value*> LowerSoftmaxBackward(Call& call);
Result<Value*> LowerLogSoftmaxBackward(Call& call);
Result<Value*> LowerSigmoidBackward(Call& call);
Result<Value*> LowerTanhBackward(Call& call);
Result<Value*> LowerThresholdBackward(Call& call);
Result<Value*> LowerMaxPoolBackward(Call& call);

// convolution.cc
Result<Value*> LowerConv(Call& call);
Result<Value*> LowerConvTranspose(Call& call);
Result<Value*> LowerConvTbc(Call& call);
Result<Value*> LowerAnyConv(Call& call);

// creation.cc
Result<Value*> LowerZeros(Call& call);
Result<Value*> LowerOnes(Call& call);
Result<Value*> LowerFull(Call& call);
Result<Value*> LowerScalarTensor(Call& call);
Result<Value*> LowerShapeAsTensor(Call& call);
Result<Value*> LowerArange(Call& call);
Result<Value*> LowerLinspace(Call& call);
Result<Value*> LowerLogspace(Call& call);
Result<Value*> LowerEye(Call& call);
Result<Value*> LowerWindow(Call& call);
Result<Value*> LowerRand(Call& call);
Result<Value*> LowerRandn(Call& call);
Result<Value*> LowerRandint(Call& call);
Result<Value*> LowerBernoulli(Call& call);
Result<Results> LowerTypeAs(Call& call);
Result<Results> LowerTo(Call& call);
Result<Value*> LowerRange(Call& call);

// ctc_loss.cc
Result<Value*> LowerCtcLoss(Call& call);

// cumulative.cc
Result<Value*> LowerCumProd(Call& call);
Result<Value*> LowerLogCumSumExp(Call& call);
Result<Results> LowerCumMax(Call& call);
Result<Results> LowerCumMin(Call& call);
Result<Value*> LowerDiff(Call& call);
Result<Value*> LowerTrapezoid(Call& call);

// distance.cc
Result<Value*> LowerPairwiseDistance(Call& call);
Result<Value*> LowerCdist(Call& call);
Result<Value*> LowerPdist(Call& call);
Result<Value*> LowerCosineSimilarity(Call& call);
Result<Value*> LowerCross(Call& call);

// embedding.cc
Result<Value*> LowerEmbedding(Call& call);
Result<Value*> LowerEmbeddingRenorm(Call& call);
Result<Results> LowerEmbeddingBag(Call& call);
Result<Value*> LowerOneHot(Call& call);

// fold.cc
Result<Value*> LowerIm2Col(Call& call);
Result<Value*> LowerCol2Im(Call& call);
Result<Results> LowerUnfold(Call& call);

// fourier.cc
Result<Value*> LowerFourier(Call& call);
Result<Value*> LowerFourierShift(Call& call);
Result<Value*> LowerFourierFrequencies(Call& call);
Result<Value*> LowerStft(Call& call);
Result<Value*> LowerIstft(Call& call);

// fractional_pooling.cc
Result<Results> LowerFractionalMaxPool(Call& call);

// indexing.cc
Result<Value*> LowerIndex(Call& call);
Result<Value*> LowerIndexPut(Call& call);
Result<Value*> LowerIndexSelect(Call& call);
Result<Value*> LowerGather(Call& call);
Result<Value*> LowerTakeAlongDim(Call& call);
Result<Value*> LowerTake(Call& call);
Result<Value*> LowerMaskedSelect(Call& call);
Result<Value*> LowerNonZero(Call& call);
Result<Results> LowerNonZeroNumpy(Call& call);

// join.cc
Result<Value*> LowerCat(Call& call);
Result<Value*> LowerStack(Call& call);
Result<Value*> LowerHStack(Call& call);
Result<Value*> LowerVStack(Call& call);
Result<Value*> LowerDStack(Call& call);
Result<Value*> LowerColumnStack(Call& call);
Result<Value*> LowerRepeat(Call& call);
Result<Value*> LowerRepeatInterleave(Call& call);
Result<Results> LowerBroadcastTensors(Call& call);
Result<Results> LowerMeshgrid(Call& call);
Result<Value*> LowerKron(Call& call);
Result<Value*> LowerPadSequence(Call& call);

// linear_systems.cc
Result<Value*> LowerDeterminant(Call& call);
Result<Results> LowerLogDeterminant(Call& call);
Result<Value*> LowerInverse(Call& call);
Result<Results> LowerInverseEx(Call& call);
Result<Value*> LowerLinalgSolve(Call& call);
Result<Results> LowerLinalgSolveEx(Call& call);
Result<Value*> LowerSolveTriangular(Call& call);
Result<Results> LowerTriangularSolve(Call& call);
Result<Results> LowerCholesky(Call& call);
Result<Value*> LowerCholeskySolve(Call& call);
Result<Results> LowerLuFactor(Call& call);
Result<Results> LowerLu(Call& call);
Result<Results> LowerLuUnpack(Call& call);
Result<Value*> LowerLuSolve(Call& call);
Result<Value*> LowerMatrixPower(Call& call);
Result<Value*> LowerMatrixExp(Call& call);
Result<Value*> LowerTensorInverse(Call& call);
Result<Value*> LowerTensorSolve(Call& call);

// lists.cc
Result<Value*> LowerBlockDiag(Call& call);
Result<Results> LowerCartesianProd(Call& call);
Result<Value*> LowerCombinations(Call& call);
Result<Value*> LowerIsIn(Call& call);
Result<Results> LowerBroadcastShapes(Call& call);
Result<Value*> LowerChunkCat(Call& call);
Result<Results> LowerEqual(Call& call);
Result<Results> LowerAllClose(Call& call);
Result<Value*> LowerTriangleIndices(Call& call);

// logic.cc
Result<Value*> LowerEq(Call& call);
Result<Value*> LowerNe(Call& call);
Result<Value*> LowerLt(Call& call);
Result<Value*> LowerLe(Call& call);
Result<Value*> LowerGt(Call& call);
Result<Value*> LowerGe(Call& call);
Result<Value*> LowerLogicalAnd(Call& call);
Result<Value*> LowerLogicalOr(Call& call);
Result<Value*> LowerLogicalXor(Call& call);
Result<Value*> LowerBitwiseAnd(Call& call);
Result<Value*> LowerBitwiseOr(Call& call);
Result<Value*> LowerBitwiseXor(Call& call);
Result<Value*> LowerShiftLeft(Call& call);
Result<Value*> LowerShiftRight(Call& call);
Result<Value*> LowerIsClose(Call& call);
Result<Results> LowerWhere(Call& call);

// loss.cc
Result<Value*> LowerL1Loss(Call& call);
Result<Value*> LowerMseLoss(Call& call);
Result<Value*> LowerSmoothL1Loss(Call& call);
Result<Value*> LowerHuberLoss(Call& call);
Result<Value*> LowerBinaryCrossEntropy(Call& call);
Result<Value*> LowerBinaryCrossEntropyWithLogits(Call& call);
Result<Value*> LowerKlDiv(Call& call);
Result<Value*> LowerPoissonNllLoss(Call& call);
Result<Value*> LowerNllLoss(Call& call);
Result<Value*> LowerCrossEntropyLoss(Call& call);
Result<Value*> LowerHingeEmbeddingLoss(Call& call);
Result<Value*> LowerMarginRankingLoss(Call& call);
Result<Value*> LowerSoftMarginLoss(Call& call);
Result<Value*> LowerCosineEmbeddingLoss(Call& call);
Result<Value*> LowerTripletMarginLoss(Call& call);
Result<Value*> LowerMultiMarginLoss(Call& call);
Result<Value*> LowerMultilabelMarginLoss(Call& call);

// masked_index.cc
Result<Value*> LowerMaskedIndex(Call& call);
Result<Value*> LowerMaskedIndexPut(Call& call);

// matrix_spectra.cc
Result<Results> LowerLinalgQr(Call& call);
Result<Results> LowerQr(Call& call);
Result<Results> LowerGeqrf(Call& call);
Result<Value*> LowerHouseholderProduct(Call& call);
Result<Results> LowerLinalgPolar(Call& call);
Result<Value*> LowerOrmqr(Call& call);
Result<Results> LowerEig(Call& call);
Result<Results> LowerEigh(Call& call);
Result<Results> LowerSvd(Call& call);
Result<Value*> LowerSvdvals(Call& call);
Result<Value*> LowerPinv(Call& call);
Result<Value*> LowerMatrixRank(Call& call);
Result<Value*> LowerCond(Call& call);
Result<Results> LowerLstsq(Call& call);

// norm.cc
Result<Value*> LowerNorm(Call& call);
Result<Value*> LowerLinalgVectorNorm(Call& call);
Result<Value*> LowerLinalgMatrixNorm(Call& call);
Result<Value*> LowerLinalgNorm(Call& call);
Result<Value*> LowerDist(Call& call);
Result<Value*> LowerNuclearNorm(Call& call);

// normalization.cc
Result<Value*> LowerBatchNorm(Call& call);
Result<Results> LowerNativeBatchNorm(Call& call);
Result<Value*> LowerLayerNorm(Call& call);
Result<Results> LowerNativeLayerNorm(Call& call);
Result<Value*> LowerRmsNorm(Call& call);
Result<Value*> LowerGroupNorm(Call& call);
Result<Value*> LowerInstanceNorm(Call& call);
Result<Value*> LowerWeightNorm(Call& call);
Result<Results> LowerNativeGroupNorm(Call& call);

// number_parts.cc
Result<Value*> LowerGcd(Call& call);
Result<Value*> LowerNextAfter(Call& call);
Result<Results> LowerFrexp(Call& call);

// order.cc
Result<Results> LowerMax(Call& call);
Result<Results> LowerMin(Call& call);
Result<Value*> LowerAmax(Call& call);
Result<Value*> LowerAmin(Call& call);
Result<Value*> LowerArgmax(Call& call);
Result<Value*> LowerArgmin(Call& call);
Result<Results> LowerMedian(Call& call);
Result<Results> LowerNanMedian(Call& call);
Result<Results> LowerAminmax(Call& call);
Result<Results> LowerTopK(Call& call);
Result<Results> LowerSort(Call& call);
Result<Value*> LowerArgsort(Call& call);
Result<Value*> LowerMsort(Call& call);
Result<Results> LowerKthValue(Call& call);
Result<Value*> LowerSearchSorted(Call& call);
Result<Results> LowerUnique(Call& call);

// packed.cc
Result<Results> LowerPackPaddedSequence(Call& call);
Result<Results> LowerPadPackedSequence(Call& call);

// padding.cc
Result<Value*> LowerPad(Call& call);
Result<Value*> LowerConstantPad(Call& call);
Result<Value*> LowerReflectionPad(Call& call);
Result<Value*> LowerReplicationPad(Call& call);
Result<Value*> LowerCircularPad(Call& call);

// pointwise.cc
Result<Value*> LowerAbs(Call& call);
Result<Value*> LowerNeg(Call& call);
Result<Value*> LowerRounding(Call& call);
Result<Value*> LowerRound(Call& call);
Result<Value*> LowerFrac(Call& call);
Result<Value*> LowerSign(Call& call);
Result<Value*> LowerSignBit(Call& call);
Result<Value*> LowerSquare(Call& call);
Result<Value*> LowerIdentity(Call& call);
Result<Value*> LowerIsNaN(Call& call);
Result<Value*> LowerIsInf(Call& call);
Result<Value*> LowerIsFinite(Call& call);
Result<Value*> LowerLogicalNot(Call& call);
Result<Value*> LowerBitwiseNot(Call& call);
Result<Value*> LowerNanToNum(Call& call);
Result<Value*> LowerLogit(Call& call);

// polynomial.cc
Result<Value*> LowerPolynomial(Call& call);
Result<Value*> LowerVander(Call& call);

// pooling.cc
Result<Value*> LowerMaxPool(Call& call);
Result<Results> LowerMaxPoolWithIndices(Call& call);
Result<Value*> LowerAvgPool(Call& call);
Result<Value*> LowerMaxUnpool(Call& call);

// product.cc
Result<Value*> LowerMatMul(Call& call);
Result<Value*> LowerLinear(Call& call);
Result<Value*> LowerAddmm(Call& call);
Result<Value*> LowerAddmv(Call& call);
Result<Value*> LowerAddr(Call& call);
Result<Value*> LowerBaddbmm(Call& call);
Result<Value*> LowerAddbmm(Call& call);
Result<Value*> LowerOuter(Call& call);
Result<Value*> LowerInner(Call& call);
Result<Value*> LowerVecdot(Call& call);
Result<Value*> LowerChainMatMul(Call& call);
Result<Value*> LowerTensordot(Call& call);
Result<Value*> LowerEinsum(Call& call);
Result<Value*> LowerBilinear(Call& call);
Result<Value*> LowerVdot(Call& call);

// quantized.cc
Result<Value*> LowerQuantizePerTensor(Call& call);
Result<Value*> LowerQuantizePerChannel(Call& call);
Result<Value*> LowerDequantize(Call& call);
Result<Value*> LowerQuantizedLinear(Call& call);
Result<Value*> LowerDynamicLinear(Call& call);
Result<Value*> LowerQuantizedConv(Call& call);
Result<Value*> LowerQuantizedBinary(Call& call);
Result<Value*> LowerQuantizedCat(Call& call);
Result<Value*> LowerFakeQuantize(Call& call);

// quantized_results.cc
Result<Results> LowerIsQuantized(Call& call);
Result<Results> LowerGridNumber(Call& call);
Result<Value*> LowerIntRepr(Call& call);

// quantized_functions.cc
Result<Value*> LowerQuantizedBatchNorm(Call& call);
Result<Value*> LowerQuantizedInstanceNorm(Call& call);
Result<Value*> LowerQuantizedMatmul(Call& call);
Result<Value*> LowerQuantizedRelu6(Call& call);
Result<Value*> LowerQuantizedScalar(Call& call);
Result<Value*> LowerQuantizedTwin(Call& call);

// quantized_recurrence.cc
Result<Results> LowerQuantizedCell(Call& call);
Result<Results> LowerQuantizedRecurrence(Call& call);

// random.cc
Result<Value*> LowerUniform(Call& call);
Result<Value*> LowerNormal(Call& call);
Result<Value*> LowerRandperm(Call& call);
Result<Value*> LowerExponential(Call& call);

// rearrange.cc
Result<Value*> LowerFlip(Call& call);
Result<Value*> LowerFlipAxis(Call& call);
Result<Value*> LowerRot90(Call& call);
Result<Value*> LowerRoll(Call& call);
Result<Value*> LowerTril(Call& call);
Result<Value*> LowerTriu(Call& call);
Result<Results> LowerDiagonal(Call& call);
Result<Results> LowerLinalgDiagonal(Call& call);
Result<Value*> LowerDiagEmbed(Call& call);
Result<Value*> LowerDiag(Call& call);
Result<Value*> LowerDiagFlat(Call& call);
Result<Value*> LowerPixelShuffle(Call& call);
Result<Value*> LowerPixelUnshuffle(Call& call);
Result<Value*> LowerChannelShuffle(Call& call);

// recurrent.cc
Result<Results> LowerRecurrence(Call& call);
Result<Results> LowerLstmCell(Call& call);
Result<Value*> LowerGruCell(Call& call);
Result<Value*> LowerRnnCell(Call& call);

// reduction.cc
Result<Value*> LowerSum(Call& call);
Result<Value*> LowerNanSum(Call& call);
Result<Value*> LowerProd(Call& call);
Result<Value*> LowerMean(Call& call);
Result<Value*> LowerNanMean(Call& call);
Result<Value*> LowerVar(Call& call);
Result<Value*> LowerStd(Call& call);
Result<Results> LowerVarMean(Call& call);
Result<Results> LowerStdMean(Call& call);
Result<Value*> LowerAny(Call& call);
Result<Value*> LowerAll(Call& call);
Result<Value*> LowerCountNonzero(Call& call);
Result<Value*> LowerLogSumExp(Call& call);
Result<Value*> LowerCumSum(Call& call);
Result<Value*> LowerTrace(Call& call);
Result<Results> LowerSumToSize(Call& call);

// resampling.cc
Result<Value*> LowerUpsample(Call& call);
Result<Value*> LowerGridSampler(Call& call);
Result<Value*> LowerAffineGrid(Call& call);

// scatter.cc
Result<Value*> LowerFillDiagonal(Call& call);
Result<Value*> LowerIndexReduce(Call& call);
Result<Value*> LowerScatter(Call& call);
Result<Value*> LowerScatterAdd(Call& call);
Result<Value*> LowerScatterReduce(Call& call);
Result<Value*> LowerIndexAdd(Call& call);
Result<Value*> LowerIndexCopy(Call& call);
Result<Value*> LowerIndexFill(Call& call);
Result<Value*> LowerPut(Call& call);
Result<Value*> LowerMaskedFill(Call& call);
Result<Value*> LowerMaskedScatter(Call& call);
Result<Value*> LowerFill(Call& call);
Result<Value*> LowerZero(Call& call);

// segments.cc
Result<Value*> LowerSegmentReduce(Call& call);

// special.cc
Result<Value*> LowerSpecialFunction(Call& call);
Result<Value*> LowerMultigamma(Call& call);
Result<Value*> LowerPolygamma(Call& call);
Result<Value*> LowerZeta(Call& call);
Result<Value*> LowerIncompleteGamma(Call& call);
Result<Value*> LowerKaiserWindow(Call& call);

// statistics.cc
Result<Value*> LowerCov(Call& call);
Result<Value*> LowerCorrcoef(Call& call);
Result<Value*> LowerHistc(Call& call);
Result<Value*> LowerBincount(Call& call);
Result<Results> LowerHistogram(Call& call);
Result<Results> LowerHistogramOfPoints(Call& call);
Result<Value*> LowerQuantile(Call& call);
Result<Results> LowerMode(Call& call);
Result<Results> LowerGradient(Call& call);
Result<Value*> LowerCumulativeTrapezoid(Call& call);
Result<Value*> LowerRenorm(Call& call);
Result<Results> LowerUniqueConsecutive(Call& call);
Result<Value*> LowerNonzeroStatic(Call& call);

// strided.cc
Result<Results> LowerAsStrided(Call& call);
Result<Value*> LowerAsStridedScatter(Call& call);
Result<Value*> LowerSelectScatter(Call& call);
Result<Value*> LowerSliceScatter(Call& call);
Result<Value*> LowerDiagonalScatter(Call& call);

// ternary.cc
Result<Value*> LowerClamp(Call& call);
Result<Value*> LowerClampMin(Call& call);
Result<Value*> LowerClampMax(Call& call);
Result<Value*> LowerAddcmul(Call& call);
Result<Value*> LowerAddcdiv(Call& call);
Result<Value*> LowerLerp(Call& call);

// torchaudio.cc
Result<Value*> LowerFilter(Call& call);
Result<Results> LowerFilterLoop(Call& call);
Result<Results> LowerOverdriveLoop(Call& call);

// torchvision.cc
Result<Value*> LowerBoxIouRotated(Call& call);
Result<Value*> LowerDeformConv2d(Call& call);
Result<Value*> LowerNms(Call& call);
Result<Results> LowerPsRoiAlign(Call& call);
Result<Value*> LowerRoiAlign(Call& call);
Result<Results> LowerRoiPool(Call& call);

// unary.cc
Result<Value*> LowerFloatFunction(Call& call);

// view_axes.cc
Result<Results> LowerTranspose(Call& call);
Result<Results> LowerT(Call& call);
Result<Results> LowerMatrixTranspose(Call& call);
Result<Results> LowerReverseAxes(Call& call);
Result<Results> LowerPermute(Call& call);
Result<Results> LowerMoveAxes(Call& call);
Result<Results> LowerExpand(Call& call);
Result<Results> LowerExpandAs(Call& call);

// view_parts.cc
Result<Results> LowerSelect(Call& call);
Result<Results> LowerSlice(Call& call);
Result<Results> LowerNarrow(Call& call);
Result<Results> LowerSplit(Call& call);
Result<Results> LowerChunk(Call& call);
Result<Results> LowerTensorSplit(Call& call);
Result<Results> LowerUnbind(Call& call);

// view_shape.cc
Result<Results> LowerViewSizes(Call& call);
Result<Results> LowerReshape(Call& call);
Result<Results> LowerViewAs(Call& call);
Result<Results> LowerReshapeAs(Call& call);
// resize_, resize_as_
Result<Value*> LowerResize(Call& call);
Result<Results> LowerFlatten(Call& call);
Result<Results> LowerRavel(Call& call);
Result<Results> LowerUnflatten(Call& call);
Result<Results> LowerUnsqueeze(Call& call);
Result<Results> LowerSqueeze(Call& call);
Result<Results> LowerAtLeast(Call& call);
Result<Results> LowerContiguous(Call& call);
Result<Results> LowerSelf(Call& call);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_OPS_LOWERINGS_H_
