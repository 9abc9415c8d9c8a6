// SPDX-License-Identifier: Apache-2.0
// Sparse tensors: a row of indices and a value for each element that is stated, and the sizes.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_SPARSE_FORM_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_SPARSE_FORM_H_

#include <cstddef>
#include <cstdint>

#include "importers/tensorflow/ops/call.h"

namespace dragoman::tf {

struct SparseTensor {
  Value* indices = nullptr;  // (elements, axes), int64
  Value* values = nullptr;   // (elements)
  Value* sizes = nullptr;    // (axes), int64
};

// Operands `first`, `first` + 1 and `first` + 2.
SparseTensor TakeSparse(Call& c, std::size_t first);

// How many axes it has; fails if that is known only at run time.
std::int64_t NumAxes(Call& c, const Value* sizes);

// The number of each element in the flat tensor of all elements (elements), and back.
Value* FlatNumbers(Call& c, Value* indices, Value* sizes);
Value* IndicesOf(Call& c, Value* numbers, Value* sizes);

// The places of numbers from the smallest to the largest, which are all different.
Value* SmallestFirst(Call& c, Value* numbers);

// The elements for which `kept` (elements) holds.
SparseTensor Filtered(Call& c, const SparseTensor& x, Value* kept);
// Elements from the first to the last of the flat tensor.
SparseTensor InOrder(Call& c, const SparseTensor& x);

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_SPARSE_FORM_H_
