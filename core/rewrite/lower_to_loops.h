// SPDX-License-Identifier: Apache-2.0
// Lowers what repeats a body, or a cell, to Loop: for targets that have no other repetition.
#ifndef DRAGOMAN_CORE_REWRITE_LOWER_TO_LOOPS_H_
#define DRAGOMAN_CORE_REWRITE_LOWER_TO_LOOPS_H_

#include "core/ir/graph.h"
#include "core/rewrite/pass_context.h"
#include "core/support/result.h"

namespace dragoman {

// Replaces every Scan of the common graph of an entry by a Loop whose iterations gather their
// slices themselves, and every LSTM, GRU and RNN (dragoman.LSTM as well) by a Loop for each
// direction around one cell, in bodies too; one of a single step by its cell. The products of a
// sequence's inputs with the weights are one node before its Loop. All attributes are respected;
// the number of steps may be symbolic. Errors: unsupported, listing every node with a rank or a
// hidden size that is not known.
Status LowerToLoops(Graph& entry);

// The same of the Scans of a graph whose operands and results have known ranks, as a pass. Whether
// there were some.
Result<bool> LowerScans(Graph& graph, PassContext& context);

// The same of one LSTM, GRU or RNN.
Status LowerSequence(Node& node, PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_LOWER_TO_LOOPS_H_
