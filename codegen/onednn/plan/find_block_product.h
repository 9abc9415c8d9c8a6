// SPDX-License-Identifier: Apache-2.0
// Products by a constant matrix of few bits: Linear, MatMul or Gemm of a matrix that is dequantised
// by blocks, or with zero points that are real numbers. The program keeps such a matrix packed.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_PLAN_FIND_BLOCK_PRODUCT_H_
#define DRAGOMAN_CODEGEN_ONEDNN_PLAN_FIND_BLOCK_PRODUCT_H_

#include <map>
#include <optional>

#include "core/ir/graph.h"
#include "runtime/fast/block_product.h"

namespace dragoman::onednn {

// Tensors as runtime/fast/block_product.h wants them.
struct BlockMatrix {
  rt::BlockProductParams params;
  Tensor matrix, scales;
  std::optional<Tensor> zeros, bias;
};

struct BlockProduct {
  const Value* x = nullptr;
  const Value* weight = nullptr;  // the matrix in real numbers
  bool in_first = false;          // it lies as (inputs, outputs)
  const Value* bias = nullptr;
};

// Adds those of `graph`, without its bodies, by the node whose result each computes: in f32, with
// known rank of the result, whose sizes are those of x but for the last one.
void FindBlockProducts(const Graph& graph, std::map<const Node*, BlockProduct>& found);

// Packs the matrix.
BlockMatrix PackBlocks(const BlockProduct& product);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_PLAN_FIND_BLOCK_PRODUCT_H_
