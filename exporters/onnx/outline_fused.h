// SPDX-License-Identifier: Apache-2.0
// Writes dragoman.Fused and dragoman.LSTM as calls of model-local functions.
#ifndef DRAGOMAN_EXPORTERS_ONNX_OUTLINE_FUSED_H_
#define DRAGOMAN_EXPORTERS_ONNX_OUTLINE_FUSED_H_

#include "core/ir/model.h"

namespace dragoman {

// Every node dragoman.Fused of `model`, which is about to be written for `opset`, becomes the call
// of a function `dragoman.Fused_N` that has the node's body; every dragoman.LSTM that of
// `dragoman.LSTM_N`, with the body that outline_sequences.h gave it. Any runtime inlines such
// functions, and importers/onnx makes nodes of the calls again.
void OutlineFused(Model& model, std::int64_t opset);

}  // namespace dragoman

#endif  // DRAGOMAN_EXPORTERS_ONNX_OUTLINE_FUSED_H_
