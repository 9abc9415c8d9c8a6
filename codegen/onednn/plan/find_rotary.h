// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding, as exporters spell it out: x · cos + (x with its halves, or the
// neighbours of each pair, exchanged and one of them negated) · sin; or sums and differences of
// products of both parts of x, put together again.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_PLAN_FIND_ROTARY_H_
#define DRAGOMAN_CODEGEN_ONEDNN_PLAN_FIND_ROTARY_H_

#include <map>

#include "core/ir/graph.h"
#include "runtime/fast/rotary.h"

namespace dragoman::onednn {

struct Rotary {
  rt::RotarySizes sizes;
  const Value* x = nullptr;  // in whose memory the operands lie
  const Value* cos = nullptr;
  const Value* sin = nullptr;
};

// Adds those of `graph`, without its bodies, by the node whose result each computes: in f32, sizes
// known.
void FindRotaries(const Graph& graph, std::map<const Node*, Rotary>& found);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_PLAN_FIND_ROTARY_H_
