// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding, as exporters spell it out: x · cos + (x with its halves, or the
// neighbours of each pair, exchanged and one of them negated) · sin; or sums and differences of
// products of both parts of x, put together again.
#ifndef DRAGOMAN_CODEGEN_ONEDNN_PLAN_FIND_ROTARY_H_
#define DRAGOMAN_CODEGEN_ONEDNN_PLAN_FIND_ROTARY_H_

#include <cstdint>
#include <map>

#include "codegen/onednn/plan/strided_view.h"
#include "core/ir/graph.h"

namespace dragoman::onednn {

// rt::RotarySizes, and the values in whose memory the operands lie. The batch may be known at run
// time only.
struct Rotary {
  Shape batch;
  std::int64_t pairs = 0;
  bool interleaved = false;
  bool whole_tables = false;
  const Value* x = nullptr;
  const Value* cos = nullptr;
  const Value* sin = nullptr;
  StridedPlace x_place, cos_place, sin_place;
};

// Adds those of `graph`, without its bodies, by the node whose result each computes: in f32, sizes
// with names.
void FindRotaries(const Graph& graph, std::map<const Node*, Rotary>& found);

}  // namespace dragoman::onednn

#endif  // DRAGOMAN_CODEGEN_ONEDNN_PLAN_FIND_ROTARY_H_
