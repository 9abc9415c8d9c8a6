// SPDX-License-Identifier: Apache-2.0
// The lowering functions of sparse and ragged tensors, as lowerings.h lists the others.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_SPARSE_LOWERINGS_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_SPARSE_LOWERINGS_H_

#include <vector>

#include "importers/tensorflow/ops/call.h"

namespace dragoman::tf {

// sparse.cc
Value* LowerSparseToDense(Call& c);
Value* LowerSparseTensorDenseMatMul(Call& c);
Value* LowerSparseSegmentReduce(Call& c);
std::vector<Value*> LowerSparseReshape(Call& c);
std::vector<Value*> LowerSparseFillEmptyRows(Call& c);

// sparse_tensors.cc
std::vector<Value*> LowerSparseReorder(Call& c);
std::vector<Value*> LowerSparseSlice(Call& c);
std::vector<Value*> LowerSparseSplit(Call& c);
std::vector<Value*> LowerSparseConcat(Call& c);
std::vector<Value*> LowerSparseAdd(Call& c);
Value* LowerSparseReduce(Call& c);
Value* LowerSparseTensorDenseAdd(Call& c);
Value* LowerSparseDenseBinary(Call& c);
Value* LowerSparseSoftmax(Call& c);
Value* LowerSparseBincount(Call& c);

// ragged.cc
Value* LowerRaggedTensorToTensor(Call& c);
std::vector<Value*> LowerRaggedRange(Call& c);

// ragged_rows.cc
std::vector<Value*> LowerRaggedTensorToSparse(Call& c);
std::vector<Value*> LowerRaggedGather(Call& c);
Value* LowerRaggedBincount(Call& c);

// sparse_cross.cc
std::vector<Value*> LowerSparseCross(Call& c);
std::vector<Value*> LowerSparseCrossV2(Call& c);
std::vector<Value*> LowerSparseCrossHashed(Call& c);

// sparse_counts.cc
std::vector<Value*> LowerDenseCountSparse(Call& c);
std::vector<Value*> LowerSparseCountSparse(Call& c);
std::vector<Value*> LowerRaggedCountSparse(Call& c);

// counts.cc: whether there is a weight for each number; fails if that is not known.
bool HasWeights(Call& c, const Value* weights);

// The rows that elements belong to, of which there are `count` (0-d).
struct RowNumbers {
  Value* rows = nullptr;  // (elements)
  Value* count = nullptr;
};

// (rows, size), how often each number below `size` (0-d) comes in each row, or the
// sum of its weights unless these are empty; 1 for any number of times with attribute
// binary_output.
Value* CountInRows(Call& c, const RowNumbers& rows, Value* numbers, Value* size, Value* weights);

// sets.cc
std::vector<Value*> LowerDenseToDenseSetOperation(Call& c);
std::vector<Value*> LowerDenseToSparseSetOperation(Call& c);
std::vector<Value*> LowerSparseToSparseSetOperation(Call& c);
Value* LowerSetSize(Call& c);

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_SPARSE_LOWERINGS_H_
