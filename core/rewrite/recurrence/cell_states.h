// SPDX-License-Identifier: Apache-2.0
// The cell states of all steps of an LSTM, of which ONNX's operator gives the last one only.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_CELL_STATES_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_CELL_STATES_H_

#include "core/rewrite/recurrence/emit_operator.h"

namespace dragoman {

// Whether EmitCellStates can give them: not of a cell with masks or bounds.
bool GivesCellStates(const CellStep& step);

// (steps, batch, hidden), by a second LSTM, before `position`. Since the hidden states of all steps
// are known by then, `hidden` (steps, batch, features of the old hidden state), they are inputs of
// it, and it has no recurrent weights. Its output gate is 1 and its last activation the identity,
// so that its hidden state is the cell state. `old_h`: an old hidden state, for its size.
// `operands` are those of the first LSTM, which does `step`. Errors: internal.
Result<Value*> EmitCellStates(const CellStep& step, AtomId old_h, const SequenceOperands& operands,
                              Value* hidden, AffineForms& forms, Node& position,
                              PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_CELL_STATES_H_
