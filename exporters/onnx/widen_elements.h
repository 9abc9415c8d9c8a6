// SPDX-License-Identifier: Apache-2.0
// Element types that a common graph takes and ONNX does not.
#ifndef DRAGOMAN_EXPORTERS_ONNX_WIDEN_ELEMENTS_H_
#define DRAGOMAN_EXPORTERS_ONNX_WIDEN_ELEMENTS_H_

#include "core/ir/graph.h"

namespace dragoman {

// Operators of integers whose type ONNX does not allow there are computed in a wider integer type,
// or one with sign, between two Casts: the low bits are the same. Relu of unsigned numbers becomes
// an Identity, Sum of integers a chain of Adds. In `entry` and its bodies.
void WidenElements(Graph& entry);

}  // namespace dragoman

#endif  // DRAGOMAN_EXPORTERS_ONNX_WIDEN_ELEMENTS_H_
