// SPDX-License-Identifier: Apache-2.0
// Indexing with tensors, as in x[i, :, j] and x[mask].
#ifndef DRAGOMAN_IMPORTERS_TORCH_OPS_INDEXING_H_
#define DRAGOMAN_IMPORTERS_TORCH_OPS_INDEXING_H_

#include <vector>

#include "importers/torch/ops/composer.h"

namespace dragoman::torch {

// One entry an axis, from the first: int64 indices, or nullptr for the whole axis. Indices are
// broadcast together; the axes that they make stand where the indexed axes are if these are
// neighbours, else in front.
struct AdvancedIndex {
  std::vector<Value*> indices;
};

// Argument `indices`; masks become the places where they are true.
AdvancedIndex TakeIndices(CallComposer& c);

Value* IndexRead(Composer& c, Value* x, const AdvancedIndex& index);
// `x` with `values`, broadcast to what IndexRead would give, written to (or `add`ed at) the places.
Value* IndexWrite(Composer& c, Value* x, const AdvancedIndex& index, Value* values, bool add);

// Whether `index` is known to have no elements; torch then lets it have any rank.
bool HasNoElements(const Composer& c, const Value* index);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_OPS_INDEXING_H_
