// SPDX-License-Identifier: Apache-2.0
// Operators that ONNX has, in forms that runtimes refuse or compute in another way.
#ifndef DRAGOMAN_EXPORTERS_ONNX_RESPELL_H_
#define DRAGOMAN_EXPORTERS_ONNX_RESPELL_H_

#include <cstdint>

#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman {

// In the common graph of an entry, which is about to be written for `opset`, and its bodies:
//  - LayerNormalization and RMSNormalization over one element become the nodes of their formula.
//  - A Resize to the nearest elements becomes a Gather for each axis where it takes other elements
//    when coordinates are computed in float32, as runtimes do, or without rounding.
//  - A MaxPool, or an AveragePool with ceil_mode, of what a Pad gave zeros keeps apart from it.
//  - A TopK of none becomes a Slice where k is an attribute, which must be positive.
//  - A Loop without states gets one where the older form wants it.
// Errors: internal.
Status RespellForRuntimes(Graph& entry, std::int64_t opset);

}  // namespace dragoman

#endif  // DRAGOMAN_EXPORTERS_ONNX_RESPELL_H_
