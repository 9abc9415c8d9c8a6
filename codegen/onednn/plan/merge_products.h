// SPDX-License-Identifier: Apache-2.0
// Products of one operand by several constant matrices become one product.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_PLAN_MERGE_PRODUCTS_H_
#define DRAGOMAN_CODEGEN_ONEDNN_PLAN_MERGE_PRODUCTS_H_

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman::onednn {

// Linear nodes, or MatMul nodes, of the same first operand and with constant weights in f32 become
// one node and a Split of its result, where attention and rotary embeddings (find_fusions.h) read
// the parts in place, so that none is copied: queries, keys and values. Of a single row, whose
// parts cost nothing to copy, it is enough that one part is read in place: keys and values of one
// token that go into a cache. The weights take the place of those that are merged.
Status MergeProducts(Model& model);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_PLAN_MERGE_PRODUCTS_H_
