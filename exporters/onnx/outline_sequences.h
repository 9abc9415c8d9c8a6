// SPDX-License-Identifier: Apache-2.0
// Writes dragoman.LSTM, which ONNX does not have, as calls of model-local functions.
#ifndef DRAGOMAN_EXPORTERS_ONNX_OUTLINE_SEQUENCES_H_
#define DRAGOMAN_EXPORTERS_ONNX_OUTLINE_SEQUENCES_H_

#include "core/ir/model.h"
#include "core/support/result.h"

namespace dragoman {

// Gives every node dragoman.LSTM of `graph` and its bodies an attribute `body`, the operators of
// ai.onnx and dragoman.Linear that it stands for: a Loop for each direction. The body's inputs are
// all operands that the node may have, its outputs the three results. OutlineFused
// (outline_fused.h) makes functions of the bodies.
// Errors: unsupported, where the hidden size is not known.
Status GiveLstmBodies(Graph& graph);

}  // namespace dragoman

#endif  // DRAGOMAN_EXPORTERS_ONNX_OUTLINE_SEQUENCES_H_
