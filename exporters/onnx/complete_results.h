// SPDX-License-Identifier: Apache-2.0
// Results that nothing reads, but that ONNX wants a node to have.
#ifndef DRAGOMAN_EXPORTERS_ONNX_COMPLETE_RESULTS_H_
#define DRAGOMAN_EXPORTERS_ONNX_COMPLETE_RESULTS_H_

#include "core/ir/graph.h"

namespace dragoman {

// Gives every node of `entry` and its bodies the results that its operator must have: those that
// the signature does not call optional, and all three of a BatchNormalization in training mode.
void CompleteResults(Graph& entry);

}  // namespace dragoman

#endif  // DRAGOMAN_EXPORTERS_ONNX_COMPLETE_RESULTS_H_
