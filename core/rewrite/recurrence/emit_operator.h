// Inserts LSTM, GRU or RNN with the weights of a cell.
#ifndef DRAGOMAN_CORE_REWRITE_RECURRENCE_EMIT_OPERATOR_H_
#define DRAGOMAN_CORE_REWRITE_RECURRENCE_EMIT_OPERATOR_H_

#include "core/rewrite/pass_context.h"
#include "core/rewrite/recurrence/cell_chain.h"

namespace dragoman {

// The operands that are not weights, in ONNX's layout 0.
struct SequenceOperands {
  Value* x = nullptr;          // (steps, batch, features of all inputs)
  Value* initial_h = nullptr;  // (1, batch, hidden); nullptr: zeros
  Value* initial_c = nullptr;  // of an LSTM, likewise
  bool reverse = false;
};

// The operator that does `step` for every step of the sequence, before `position`; its results are
// Y, Y_h and, of an LSTM, Y_c. Errors: internal.
Result<Node*> EmitOperator(const CellStep& step, const SequenceOperands& operands,
                           AffineForms& forms, Node& position, PassContext& context);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_RECURRENCE_EMIT_OPERATOR_H_
