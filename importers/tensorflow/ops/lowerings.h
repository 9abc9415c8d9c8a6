// SPDX-License-Identifier: Apache-2.0
// The lowering functions that op_rows_a_m.cc and op_rows_n_z.cc name, by the file that holds them.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_LOWERINGS_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_LOWERINGS_H_

#include <vector>

#include "core/lowering/abstract.h"
#include "importers/tensorflow/ops/call.h"

namespace dragoman::tf {

// elementwise.cc
Value* LowerUnary(Call& c);
Value* LowerBinary(Call& c);
Value* LowerAdd(Call& c);
Value* LowerIdentity(Call& c);
Value* LowerRounding(Call& c);
Value* LowerAbs(Call& c);
Value* LowerAddN(Call& c);
Value* LowerDivNoNan(Call& c);
Value* LowerMulNoNan(Call& c);
Value* LowerFloorDiv(Call& c);
Value* LowerFloorMod(Call& c);
Value* LowerTruncateMod(Call& c);
Value* LowerTruncateDiv(Call& c);
Value* LowerNotEqual(Call& c);
Value* LowerSquare(Call& c);
Value* LowerSquaredDifference(Call& c);
Value* LowerSign(Call& c);
Value* LowerRsqrt(Call& c);
Value* LowerExpm1(Call& c);
Value* LowerLog1p(Call& c);
Value* LowerAtan2(Call& c);
Value* LowerXlogy(Call& c);
Value* LowerXlog1py(Call& c);
Value* LowerXdivy(Call& c);
Value* LowerIsNan(Call& c);
Value* LowerIsInf(Call& c);
Value* LowerIsFinite(Call& c);
Value* LowerClipByValue(Call& c);
Value* LowerCast(Call& c);
Value* LowerRelu6(Call& c);
Value* LowerSelu(Call& c);
Value* LowerLeakyRelu(Call& c);
Value* LowerComplex(Call& c);
Value* LowerReal(Call& c);
Value* LowerImag(Call& c);
Value* LowerConj(Call& c);
Value* LowerAngle(Call& c);
Value* LowerSelect(Call& c);
Value* LowerSelectV2(Call& c);
Value* LowerApproximateEqual(Call& c);
Value* LowerEnsureShape(Call& c);
Value* LowerInvert(Call& c);

// linear.cc
Value* LowerMatMul(Call& c);
Value* LowerSparseMatMul(Call& c);
Value* LowerFusedMatMul(Call& c);
Value* LowerBatchMatMul(Call& c);
Value* LowerEinsum(Call& c);
Value* LowerCross(Call& c);

// reduction.cc
Value* LowerReduce(Call& c);
Value* LowerEuclideanNorm(Call& c);
Value* LowerMean(Call& c);
Value* LowerArgReduce(Call& c);
Value* LowerL2Loss(Call& c);
Value* LowerCumulativeSum(Call& c);
Value* LowerCumulativeProduct(Call& c);
Value* LowerCumulativeLogSumExp(Call& c);

// shape.cc
Value* LowerShape(Call& c);
std::vector<Value*> LowerShapeN(Call& c);
Value* LowerSize(Call& c);
Value* LowerRank(Call& c);
Value* LowerReshape(Call& c);
Value* LowerExpandDims(Call& c);
Value* LowerSqueeze(Call& c);
Value* LowerTranspose(Call& c);
Value* LowerBroadcastTo(Call& c);
Value* LowerBroadcastArgs(Call& c);
Value* LowerTile(Call& c);
Value* LowerFill(Call& c);
Value* LowerLike(Call& c);
Value* LowerEmpty(Call& c);
Value* LowerDataFormatDimMap(Call& c);
Value* LowerDataFormatVecPermute(Call& c);
Value* LowerConcat(Call& c);
Value* LowerParallelConcat(Call& c);
std::vector<Value*> LowerConcatOffset(Call& c);
Value* LowerPack(Call& c);
std::vector<Value*> LowerUnpack(Call& c);
std::vector<Value*> LowerSplit(Call& c);
std::vector<Value*> LowerSplitV(Call& c);
Value* LowerPad(Call& c);
// `x` with its own elements around it, by the pads of `operand`; mode "REFLECT" or "SYMMETRIC".
Value* Mirrored(Call& c, Value* x, std::size_t operand, const std::string& mode);
Value* LowerReverse(Call& c);
Value* LowerReverseSequence(Call& c);
Value* LowerRoll(Call& c);

// ranges.cc
Value* LowerRange(Call& c);
Value* LowerLinSpace(Call& c);

// indexing.cc
Value* LowerStridedSlice(Call& c);
// The part of `x` that begins, ends and strides, operands `first` and on, and the masks tell.
Value* SliceByMasks(Call& c, Value* x, std::size_t first);
Value* LowerSlice(Call& c);
Value* LowerGather(Call& c);
Value* LowerGatherV2(Call& c);
// Elements of `axis` by indices whose first `batch` axes are also those of `x`.
Value* GatherInBatch(Call& c, Value* x, Value* indices, int axis, std::int64_t batch);
Value* LowerGatherNd(Call& c);
Value* LowerScatterNd(Call& c);
Value* LowerTensorScatter(Call& c);
Value* LowerOneHot(Call& c);
Value* LowerWhere(Call& c);
std::vector<Value*> LowerTopK(Call& c);
std::vector<Value*> LowerApproxTopK(Call& c);
Value* LowerInTopK(Call& c);
std::vector<Value*> LowerUnique(Call& c);
Value* LowerInvertPermutation(Call& c);
Value* LowerMatrixBandPart(Call& c);
Value* LowerSegmentReduce(Call& c);
Value* LowerUnsortedSegmentSum(Call& c);

// choices.cc
Value* LowerDeviceIndex(Call& c);
Value* LowerToBool(Call& c);
Value* LowerFakeParam(Call& c);

// counts.cc
Value* LowerBincount(Call& c);
Value* LowerDenseBincount(Call& c);
Value* LowerHistogramFixedWidth(Call& c);
Value* LowerNthElement(Call& c);
Value* LowerUnravelIndex(Call& c);

// decoding.cc
std::vector<Value*> LowerCtcGreedyDecoder(Call& c);
std::vector<Value*> LowerCtcBeamSearchDecoder(Call& c);

// convolution.cc
Value* LowerConv2D(Call& c);
Value* LowerConv3D(Call& c);
Value* LowerDepthwiseConv2D(Call& c);
Value* LowerFusedConv2D(Call& c);
Value* LowerConvBackpropInput(Call& c);
Value* LowerPool(Call& c);
Value* LowerBiasAdd(Call& c);
std::vector<Value*> LowerFusedBatchNorm(Call& c);
Value* LowerLocalResponseNormalization(Call& c);
Value* LowerDepthToSpace(Call& c);

// resizing.cc
Value* LowerResizeNearest(Call& c);
Value* LowerResize(Call& c);

// neural.cc
Value* LowerSoftmax(Call& c);
std::vector<Value*> LowerSoftmaxCrossEntropy(Call& c);

// boxes.cc
Value* LowerNonMaxSuppression(Call& c);
std::vector<Value*> LowerNonMaxSuppressionV4(Call& c);
std::vector<Value*> LowerNonMaxSuppressionV5(Call& c);
Value* LowerNonMaxSuppressionWithOverlaps(Call& c);
std::vector<Value*> LowerCombinedNonMaxSuppression(Call& c);

// diagonals.cc
Value* LowerMatrixDiag(Call& c);
Value* LowerMatrixSetDiag(Call& c);
Value* LowerMatrixDiagPart(Call& c);

// random.cc
Value* LowerRandom(Call& c);
Value* LowerRandomUniformInt(Call& c);
Value* LowerTruncatedNormal(Call& c);
Value* LowerMultinomial(Call& c);
Value* LowerRandomShuffle(Call& c);

// recurrent.cc
std::vector<Value*> LowerLstmBlockCell(Call& c);
std::vector<Value*> LowerBlockLstm(Call& c);
std::vector<Value*> LowerGruBlockCell(Call& c);
std::vector<Value*> LowerCudnnRnn(Call& c);

// tensor_lists.cc
std::vector<Abstract> LowerTensorListReserve(Call& c);
std::vector<Abstract> LowerEmptyTensorList(Call& c);
std::vector<Abstract> LowerTensorListFromTensor(Call& c);
Value* LowerTensorListGetItem(Call& c);
std::vector<Abstract> LowerTensorListSetItem(Call& c);
std::vector<Abstract> LowerTensorListPushBack(Call& c);
std::vector<Abstract> LowerTensorListPopBack(Call& c);
Value* LowerTensorListStack(Call& c);
Value* LowerTensorListGather(Call& c);
std::vector<Abstract> LowerTensorListScatter(Call& c);
Value* LowerTensorListLength(Call& c);
Value* LowerTensorListElementShape(Call& c);
std::vector<Abstract> LowerTensorListConcat(Call& c);
std::vector<Abstract> LowerTensorListSplit(Call& c);
std::vector<Abstract> LowerTensorListResize(Call& c);
std::vector<Abstract> LowerTensorListConcatLists(Call& c);
std::vector<Abstract> LowerTensorListScatterInto(Call& c);

// tensor_arrays.cc
std::vector<Abstract> LowerTensorArray(Call& c);
std::vector<Abstract> LowerTensorArrayWrite(Call& c);
Value* LowerTensorArrayRead(Call& c);
Value* LowerTensorArrayPack(Call& c);
std::vector<Abstract> LowerTensorArrayUnpack(Call& c);
Value* LowerTensorArrayGather(Call& c);
std::vector<Abstract> LowerTensorArrayScatter(Call& c);
Value* LowerTensorArraySize(Call& c);
std::vector<Abstract> LowerTensorArrayConcat(Call& c);
std::vector<Abstract> LowerTensorArraySplit(Call& c);
std::vector<Abstract> LowerNothing(Call& c);

// slice_assign.cc
Value* LowerTensorStridedSliceUpdate(Call& c);
std::vector<Abstract> LowerStridedSliceAssign(Call& c);
Value* LowerInplaceRows(Call& c);

// variables.cc
// Replaces what the variable that is operand `i` holds.
void AssignTo(Call& c, std::size_t i, Value* value);
Value* LowerReadVariable(Call& c);
std::vector<Abstract> LowerAssignVariable(Call& c);
std::vector<Abstract> LowerAssignCombinedVariable(Call& c);
std::vector<Abstract> LowerAssign(Call& c);
std::vector<Abstract> LowerAssignCombined(Call& c);
std::vector<Abstract> LowerVariableScatter(Call& c);
Value* LowerResourceGather(Call& c);
Value* LowerIsInitialized(Call& c);
Value* LowerVariableShape(Call& c);
std::vector<Abstract> LowerPassHandle(Call& c);
std::vector<Abstract> LowerRefSelect(Call& c);

// blocks.cc
Value* LowerSpaceToBatch(Call& c);
Value* LowerBatchToSpace(Call& c);

// spectral.cc
Value* LowerFft(Call& c);
Value* LowerRealFft(Call& c);
Value* LowerInverseRealFft(Call& c);

// segments.cc
Value* LowerSegmentReduceOfCount(Call& c);
Value* LowerSortedSegmentReduce(Call& c);
Value* LowerBucketize(Call& c);
Value* LowerSortedBound(Call& c);
std::vector<Value*> LowerListDiff(Call& c);
Value* LowerDynamicStitch(Call& c);
std::vector<Value*> LowerDynamicPartition(Call& c);

// tables.cc
Value* LowerLookupTableFind(Call& c);
Value* LowerLookupTableSize(Call& c);
std::vector<Value*> LowerLookupTableExport(Call& c);
std::vector<Abstract> LowerTableChange(Call& c);

// effects.cc
std::vector<Abstract> LowerAssert(Call& c);
Value* LowerPrint(Call& c);
std::vector<Abstract> LowerPrintV2(Call& c);
Value* LowerCheckNumerics(Call& c);

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_LOWERINGS_H_
