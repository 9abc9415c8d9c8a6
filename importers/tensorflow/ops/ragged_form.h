// SPDX-License-Identifier: Apache-2.0
// Ragged axes, given by row splits: row i has the values from splits[i] up to splits[i + 1].
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_RAGGED_FORM_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_RAGGED_FORM_H_

#include "importers/tensorflow/ops/call.h"

namespace dragoman::tf {

// The rows of one ragged axis.
struct RaggedRows {
  Value* starts = nullptr;
  Value* lengths = nullptr;
};

RaggedRows RowsOfSplits(Call& c, Value* splits);
// Where rows of these lengths end, after a 0.
Value* SplitsOf(Call& c, Value* lengths);
// The row of each of `count` (0-d) values.
Value* RowOfEach(Call& c, Value* splits, Value* count);

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_RAGGED_FORM_H_
