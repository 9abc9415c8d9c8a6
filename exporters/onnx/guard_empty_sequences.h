// SPDX-License-Identifier: Apache-2.0
// Last states of sequences without steps, which ONNX leaves open.
#ifndef DRAGOMAN_EXPORTERS_ONNX_GUARD_EMPTY_SEQUENCES_H_
#define DRAGOMAN_EXPORTERS_ONNX_GUARD_EMPTY_SEQUENCES_H_

#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman {

// In a common graph the last state of a sequence of length 0 is its initial state. ONNX does not
// define it: ONNX Runtime gives zeros, and aborts at a GRU without steps and without sequence_lens.
// So wherever a length may be 0, what reads a last state of an LSTM, GRU or RNN in `entry` and its
// bodies reads Where(length == 0, initial state, last state) instead, and a GRU gets sequence_lens.
// Left as they are: operators that stand for a single one of the source, which are written as the
// file has them. Errors: internal.
Status GuardEmptySequences(Graph& entry);

}  // namespace dragoman

#endif  // DRAGOMAN_EXPORTERS_ONNX_GUARD_EMPTY_SEQUENCES_H_
