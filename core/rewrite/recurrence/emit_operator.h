// SPDX-License-Identifier: Apache-2.0
// Inserts LSTM, GRU, RNN or dragoman.LSTM with the weights of a cell.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_EMIT_OPERATOR_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_EMIT_OPERATOR_H_

#include "core/rewrite/pass_context.h"
#include "core/rewrite/recurrence/cell_chain.h"
#include "core/rewrite/recurrence/layout.h"

namespace dragoman {

// The operands that are not weights, in ONNX's layout 0.
struct SequenceOperands {
  Value* x = nullptr;          // (steps, batch, features of all inputs)
  Value* initial_h = nullptr;  // (1, batch, hidden or projection); nullptr: zeros
  Value* initial_c = nullptr;  // of an LSTM, likewise
  Value* lengths = nullptr;    // sequence_lens; nullptr: all of the steps
  bool reverse = false;
};

// The operator that does `step` for every step of the sequence, before `position`; its results are
// Y, Y_h and, of an LSTM, Y_c.
//
// ONNX's LSTM has no projection, and needs none: where the old hidden state is P * m, what the cell
// reads of it, R * P * m, is that of an LSTM with weights R * P, whose hidden state is m. The first
// hidden state, of which there is no m, is a further input at the first step, with weights R. Where
// states are clipped, the operator is dragoman.LSTM, which projects itself.
// Errors: internal.
Result<Node*> EmitOperator(const CellStep& step, const SequenceOperands& operands,
                           AffineForms& forms, Node& position, PassContext& context);

// `hidden`, (…, hidden), projected as `step` does it outside; inserted before `position`.
Result<Value*> EmitProjection(const CellStep& step, Value* hidden, AffineForms& forms,
                              Node& position, PassContext& context);

// The last hidden state `last`, (1, batch, hidden), of the operator with `operands`, projected
// likewise; of a sequence of length 0 it is the initial one, which is not a projection.
Result<Value*> EmitLastProjection(const CellStep& step, Value* last,
                                  const SequenceOperands& operands, AffineForms& forms,
                                  Node& position, PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_EMIT_OPERATOR_H_
