// SPDX-License-Identifier: Apache-2.0
// Conditions and numbers of iterations of one element, which ONNX wants without axes.
#ifndef DRAGOMAN_EXPORTERS_ONNX_SCALAR_CONDITIONS_H_
#define DRAGOMAN_EXPORTERS_ONNX_SCALAR_CONDITIONS_H_

#include "core/ir/graph.h"

namespace dragoman {

// A common graph takes tensors of one element, of whatever rank, for the condition of an If, the
// operands M and cond of a Loop and the condition that its body gives. In `entry` and its bodies
// those that are known to have axes become 0-d by a Squeeze.
void MakeConditionsScalar(Graph& entry);

}  // namespace dragoman

#endif  // DRAGOMAN_EXPORTERS_ONNX_SCALAR_CONDITIONS_H_
