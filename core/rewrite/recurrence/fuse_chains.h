// SPDX-License-Identifier: Apache-2.0
// Runs of equal cells become one LSTM, GRU or RNN each.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_FUSE_CHAINS_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_FUSE_CHAINS_H_

#include <cstddef>
#include <vector>

#include "core/rewrite/pass_context.h"
#include "core/rewrite/recurrence/cell_chain.h"

namespace dragoman {

// Replaces the runs of at least `least_steps` in `chains`, cells of `graph`. A run ends where
// weights change, or where something else reads what is inside of a cell. Returns whether there was
// one; explains near misses.
Result<bool> FuseChains(Graph& graph, const std::vector<CellChain>& chains, std::size_t least_steps,
                        AffineForms& forms, PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_FUSE_CHAINS_H_
