// SPDX-License-Identifier: Apache-2.0
// Indexing by places that count only where a mask is true; elsewhere they may lie outside.
#include "importers/torch/ops/op_rows.h"

#include "importers/torch/ops/indexing.h"

namespace dragoman::torch {
namespace {

// Argument `indices`, each kept within its axis.
AdvancedIndex TakeClamped(CallComposer& c, Value* x) {
  AdvancedIndex index = TakeIndices(c);
  for (std::size_t i = 0; i < index.indices.size() && !c.failed(); ++i) {
    if (index.indices[i] == nullptr) continue;
    Value* last = c.Sub(c.Size(x, static_cast<int>(i)), 1);
    index.indices[i] = c.Max(c.Min(index.indices[i], last), 0);
  }
  return index;
}

// _unsafe_masked_index
Value* LowerMaskedIndex(CallComposer& c) {
  Value* x = c.Tensor("self");
  Value* read = IndexRead(c, x, TakeClamped(c, x));
  return c.Where(c.Tensor("mask"), read, c.As("fill", c.dtype(x)));
}

// _unsafe_masked_index_put_accumulate
Value* LowerMaskedIndexPut(CallComposer& c) {
  Value* x = c.Tensor("self");
  Value* values = c.Where(c.Tensor("mask"), c.Tensor("values"), 0);
  return IndexWrite(c, x, TakeClamped(c, x), values, true);
}

}  // namespace

std::span<const OpRow> MaskedIndexRows() {
  static constexpr OpRow kRows[] = {
      {"aten._unsafe_masked_index", LowerMaskedIndex, {.complex = true}},
      {"aten._unsafe_masked_index_put_accumulate", LowerMaskedIndexPut, {.complex = true}},
  };
  return kRows;
}

}  // namespace dragoman::torch
