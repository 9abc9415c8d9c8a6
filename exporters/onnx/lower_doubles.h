// SPDX-License-Identifier: Apache-2.0
// Operators of float64 with windows or steps, which runtimes have in float32 alone.
#ifndef DRAGOMAN_EXPORTERS_ONNX_LOWER_DOUBLES_H_
#define DRAGOMAN_EXPORTERS_ONNX_LOWER_DOUBLES_H_

#include "core/ir/graph.h"
#include "core/support/result.h"

namespace dragoman {

// In the graph of an entry and its bodies, what ONNX Runtime 1.31 does not compute in float64: Conv
// and ConvTranspose become products of matrices whose columns are the windows, AveragePool a sum of
// slices, LSTM, GRU and RNN Loops over their cells, InstanceNormalization and Mean their formulas.
// Those stay whose ranks, kernels or pads are known at run time only, and very large kernels.
// Errors: internal.
Status LowerDoubles(Graph& entry);

}  // namespace dragoman

#endif  // DRAGOMAN_EXPORTERS_ONNX_LOWER_DOUBLES_H_
