// SPDX-License-Identifier: Apache-2.0
// Scaled dot-product attention, as exporters spell it out: MatMul of queries and transposed keys,
// a scale before or behind it, up to two masks (added, or by Where), Softmax, MatMul with the
// values; around these the transpositions of heads, keys repeated for groups of heads, and zeros
// for queries that see no key.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_PLAN_FIND_ATTENTION_H_
#define DRAGOMAN_CODEGEN_ONEDNN_PLAN_FIND_ATTENTION_H_

#include <map>

#include "core/ir/graph.h"
#include "runtime/fast/attention.h"

namespace dragoman::onednn {

struct Attention {
  rt::AttentionSizes sizes;
  const Value* q = nullptr;  // in whose memory the operands lie
  const Value* k = nullptr;
  const Value* v = nullptr;
  const Value* masks[rt::AttentionSizes::kMasks] = {};
};

// Adds those of `graph`, without its bodies, by the node whose result each computes: in f32, sizes
// known, no constant keys or values.
void FindAttentions(const Graph& graph, std::map<const Node*, Attention>& found);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_PLAN_FIND_ATTENTION_H_
