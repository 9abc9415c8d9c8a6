// SPDX-License-Identifier: Apache-2.0
// Which results prim.If and prim.Loop have, and in which order.
#ifndef DRAGOMAN_IMPORTERS_TORCH_SCRIPT_BLOCK_RESULTS_H_
#define DRAGOMAN_IMPORTERS_TORCH_SCRIPT_BLOCK_RESULTS_H_

#include <cstddef>
#include <vector>

#include "core/ir/graph.h"

namespace dragoman::torch {

// Replaces `node`, an If or Loop, by one whose results are those numbered in `kept`, in that order;
// operands, inputs and outputs of its blocks follow. Results that are left out must be unused, and
// so must be the inputs of a Loop's body that go with them.
Node* KeepResults(Node& node, const std::vector<std::size_t>& kept);

// Moves the nodes of `block`, a body of `node`, before `node` and erases it; its results are
// replaced by the outputs of the block. Of an If.
void InlineBranch(Node& node, Graph& block);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_SCRIPT_BLOCK_RESULTS_H_
