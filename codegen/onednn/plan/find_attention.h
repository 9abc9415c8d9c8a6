// SPDX-License-Identifier: Apache-2.0
// Scaled dot-product attention, as exporters spell it out: MatMul of queries and transposed keys,
// a scale before or after it, up to two masks (added, or by Where), Softmax, MatMul with the
// values; around these the transpositions of heads, keys repeated for groups of heads, and zeros
// for queries that see no key.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_PLAN_FIND_ATTENTION_H_
#define DRAGOMAN_CODEGEN_ONEDNN_PLAN_FIND_ATTENTION_H_

#include <cstdint>
#include <map>

#include "codegen/onednn/plan/strided_view.h"
#include "core/ir/graph.h"
#include "runtime/fast/attention.h"

namespace dragoman::onednn {

// Matrices in the memory of `base`.
struct AttentionOperand {
  const Value* base = nullptr;
  StridedPlace place;
};

// An rt::AttentionMask, and the value that holds it.
struct AttentionMasking {
  rt::AttentionMask::Kind kind = rt::AttentionMask::Kind::kNone;
  float fill = 0.0f;
  AttentionOperand matrix;
};

// rt::AttentionSizes, and the values that hold the operands. Known at run time only may be batch,
// queries and keys.
struct Attention {
  Shape batch;
  Dim queries, keys;
  std::int64_t depth = 0, features = 0;
  float scale = 1.0f;
  AttentionOperand q, k, v, y;  // y has no base: it is the result
  Shape v_sizes;  // of v's base, if its rows are as many as keys by their product alone; else empty
  AttentionMasking masks[rt::AttentionSizes::kMasks];
  rt::AttentionZeros zeros = rt::AttentionZeros::kNone;
};

// Adds those of `graph`, without its bodies, by the node whose result each computes: in f32, sizes
// with names, no constant keys or values.
void FindAttentions(const Graph& graph, std::map<const Node*, Attention>& found);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_PLAN_FIND_ATTENTION_H_
