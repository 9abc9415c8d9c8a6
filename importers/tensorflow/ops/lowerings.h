// SPDX-License-Identifier: Apache-2.0
// Lowerings, and parts of lowerings, that several files use. All others are local to the file that
// has their rows.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_LOWERINGS_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_LOWERINGS_H_

#include <string>

#include "importers/tensorflow/ops/call.h"

namespace dragoman::tf {

Value* LowerPool(Call& c);    // convolution.cc
Value* LowerResize(Call& c);  // resizing.cc

// Elements of `axis` by indices whose first `batch` axes are also those of `x`.
Value* GatherInBatch(Call& c, Value* x, Value* indices, int axis, std::int64_t batch);
// The part of `x` that begins, ends and strides, operands `first` and on, and the masks state.
Value* SliceByMasks(Call& c, Value* x, std::size_t first);
// `x` with its own elements around it, by the pads of `operand`; mode "REFLECT" or "SYMMETRIC".
Value* Mirrored(Call& c, Value* x, std::size_t operand, const std::string& mode);

// Replaces what the variable that is operand `i` holds.
void AssignTo(Call& c, std::size_t i, Value* value);

// One text, of rank 0.
Value* TextConstant(Call& c, std::string text);

// Whether there is a weight for each number; fails if that is not known.
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

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_LOWERINGS_H_
