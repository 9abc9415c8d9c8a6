// SPDX-License-Identifier: Apache-2.0
// The lowering functions of Relay's operators; op_table.cc says which serves which.
#ifndef DRAGOMAN_IMPORTERS_RELAY_OPS_LOWERINGS_H_
#define DRAGOMAN_IMPORTERS_RELAY_OPS_LOWERINGS_H_

#include <vector>

#include "importers/relay/ops/call.h"

namespace dragoman::relay {

// advanced_indexing.cc
Value* LowerAdvancedIndex(Call& c);
Value* TakeByBatch(Call& c, Value* x, Value* indices, int axis, int batch);
Value* LowerMatrixSetDiag(Call& c);
Value* LowerSparseToDense(Call& c);

// blocks.cc
Value* LowerSpaceToBatch(Call& c);
Value* LowerBatchToSpace(Call& c);
Value* LowerDilate(Call& c);
Value* LowerSlidingWindow(Call& c);
Value* LowerFifoBuffer(Call& c);

// convolution.cc
Value* LowerConv(Call& c);
Value* LowerConvTranspose(Call& c);
Value* LowerPool(Call& c);
Value* LowerGlobalPool(Call& c);
Value* LowerAdaptivePool(Call& c);
Value* LowerDepthToSpace(Call& c);
Value* LowerSpaceToDepth(Call& c);

// correlation.cc
Value* LowerCorrelation(Call& c);

// deformable.cc
Value* LowerDeformableConv(Call& c);

// elementwise.cc
Value* LowerUnary(Call& c);
Value* LowerRounding(Call& c);
Value* LowerIdentity(Call& c);
Value* LowerLogBase(Call& c);
Value* LowerRsqrt(Call& c);
Value* LowerIsFinite(Call& c);
Value* LowerIsInf(Call& c);
Value* LowerIsNan(Call& c);
Value* LowerBitwiseNot(Call& c);
Value* LowerLike(Call& c);
Value* LowerBinary(Call& c);
Value* LowerFloorDivide(Call& c);
Value* LowerTruncDivide(Call& c);
Value* LowerFloorMod(Call& c);
Value* LowerTruncMod(Call& c);
Value* LowerShift(Call& c);
Value* LowerFixedPointMultiply(Call& c);
Value* LowerWhere(Call& c);
Value* LowerClip(Call& c);
Value* LowerCast(Call& c);
Value* LowerReinterpret(Call& c);
Value* LowerCastLike(Call& c);
Value* LowerLeakyRelu(Call& c);
Value* LowerPRelu(Call& c);
Value* LowerSoftmax(Call& c);
std::vector<Value*> LowerDropout(Call& c);

// fourier.cc
std::vector<Value*> LowerDft(Call& c);
Value* LowerStft(Call& c);

// image.cc
Value* LowerResize(Call& c);
Value* LowerUpsampling(Call& c);
Value* LowerGridSample(Call& c);
Value* LowerCropAndResize(Call& c);
Value* LowerAffineGrid(Call& c);
Value* LowerDilation2D(Call& c);

// indexing.cc
Value* LowerStridedSlice(Call& c);
Value* LowerStridedSet(Call& c);
Value* LowerSliceLike(Call& c);
Value* LowerTake(Call& c);
Value* LowerGather(Call& c);
Value* LowerGatherNd(Call& c);
Value* LowerScatterNd(Call& c);
Value* LowerScatterElements(Call& c);
Value* LowerArgWhere(Call& c);
Value* LowerOneHot(Call& c);
Value* LowerTrilu(Call& c);
Value* LowerFull(Call& c);
Value* LowerFullLike(Call& c);
Value* LowerArange(Call& c);
std::vector<Value*> LowerMeshgrid(Call& c);
Value* LowerSequenceMask(Call& c);

// layout.cc
Value* LowerLayoutTransform(Call& c);

// linear.cc
Value* LowerDense(Call& c);
Value* LowerMatMul(Call& c);
Value* LowerBatchMatMul(Call& c);
Value* LowerBiasAdd(Call& c);
std::vector<Value*> LowerBatchNorm(Call& c);
Value* LowerLayerNorm(Call& c);
Value* LowerInstanceNorm(Call& c);
Value* LowerGroupNorm(Call& c);
Value* LowerL2Normalize(Call& c);
Value* LowerLrn(Call& c);
Value* LowerEinsum(Call& c);

// loss.cc
Value* LowerNllLoss(Call& c);
Value* LowerCrossEntropy(Call& c);

// order.cc
Value* LowerSort(Call& c);
Value* LowerArgSort(Call& c);
Abstract LowerTopK(Call& c);
Value* LowerSearchSorted(Call& c);
std::vector<Value*> LowerUnique(Call& c);
Value* LowerUnravelIndex(Call& c);
Value* LowerInvertPermutation(Call& c);

// proposal.cc
Value* LowerProposal(Call& c);

// quantized.cc
Value* LowerQuantize(Call& c);
Value* LowerDequantize(Call& c);
Value* LowerSimulated(Call& c);
Value* LowerRequantize(Call& c);
Value* LowerQuantizedBinary(Call& c);
Value* LowerQuantizedUnary(Call& c);
Value* LowerQuantizedLeakyRelu(Call& c);
Value* LowerQuantizedDense(Call& c);
Value* LowerQuantizedBatchMatMul(Call& c);
Value* LowerQuantizedAvgPool(Call& c);
Value* LowerQuantizedSoftmax(Call& c);
Value* LowerQuantizedConv2D(Call& c);
Value* LowerQuantizedConcat(Call& c);

// random.cc
std::vector<Value*> LowerSplitKey(Call& c);
std::vector<Value*> LowerRandom(Call& c);
std::vector<Value*> LowerMultinomial(Call& c);

// reduction.cc
Value* LowerReduce(Call& c);
Value* LowerVariance(Call& c);
Value* LowerArgReduce(Call& c);
Value* LowerCumulative(Call& c);

// shape.cc
Value* LowerReshape(Call& c);
Value* LowerReshapeLike(Call& c);
Value* LowerBatchFlatten(Call& c);
Value* LowerTranspose(Call& c);
Value* LowerExpandDims(Call& c);
Value* LowerSqueeze(Call& c);
Value* LowerConcat(Call& c);
Value* LowerStack(Call& c);
std::vector<Value*> LowerSplit(Call& c);
Value* LowerBroadcastTo(Call& c);
Value* LowerCollapseSum(Call& c);
Value* LowerRepeat(Call& c);
Value* LowerTile(Call& c);
Value* LowerPad(Call& c);
Value* LowerMirrorPad(Call& c);
Value* LowerReverse(Call& c);
Value* LowerReverseSequence(Call& c);
Value* LowerShapeOf(Call& c);
Value* LowerNumElements(Call& c);

// sparse.cc
Value* LowerSparseDense(Call& c);
Value* LowerSparseAdd(Call& c);
std::vector<Value*> LowerSparseTranspose(Call& c);
std::vector<Value*> LowerSparseFillEmptyRows(Call& c);
std::vector<Value*> LowerSparseReshape(Call& c);

// suppression.cc
std::vector<Value*> LowerGetValidCounts(Call& c);
Abstract LowerNonMaxSuppression(Call& c);
std::vector<Value*> LowerRegularNms(Call& c);

// vision.cc
Value* LowerRoiAlign(Call& c);
Value* LowerRoiPool(Call& c);
std::vector<Value*> LowerAllClassNms(Call& c);
Value* LowerMultiboxPrior(Call& c);
std::vector<Value*> LowerMultiboxTransformLoc(Call& c);
Value* LowerYoloReorg(Call& c);

}  // namespace dragoman::relay

#endif  // DRAGOMAN_IMPORTERS_RELAY_OPS_LOWERINGS_H_
