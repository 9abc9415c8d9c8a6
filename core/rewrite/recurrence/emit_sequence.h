// SPDX-License-Identifier: Apache-2.0
// Turns a run of equal cells into one LSTM, GRU or RNN.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_EMIT_SEQUENCE_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_EMIT_SEQUENCE_H_

#include <span>
#include <string>

#include "core/rewrite/pass_context.h"
#include "core/rewrite/recurrence/cell_nodes.h"
#include "core/rewrite/recurrence/sequence_steps.h"

namespace dragoman {

// Inserts the operator for `steps`, which consist of `nodes`, before the first cell's node, and
// enters what the cells yielded into `fused`: of LSTM cells also the cell states of all steps, if
// `gives_cell_states` (cell_states.h), else that of the last one. Returns why not, if it cannot be
// done; then nothing has changed. Errors: internal.
struct EmitResult {
  Node* node = nullptr;
  std::string obstacle;
};
Result<EmitResult> EmitSequence(std::span<const CellStep> steps, std::span<const CellNodes> nodes,
                                bool gives_cell_states, AffineForms& forms, FusedValues& fused,
                                PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_EMIT_SEQUENCE_H_
