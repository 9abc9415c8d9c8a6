// SPDX-License-Identifier: Apache-2.0
// Element types that a common graph takes, and ONNX or its runtimes do not.
#ifndef DRAGOMAN_EXPORTERS_ONNX_WIDEN_ELEMENTS_H_
#define DRAGOMAN_EXPORTERS_ONNX_WIDEN_ELEMENTS_H_

#include "core/ir/graph.h"

namespace dragoman {

enum class BFloat16 { kWidened, kKept };

// Operators of a type that ONNX does not allow there, or for which ONNX Runtime has no kernel, are
// computed in another between Casts, a wider integer type or float32: the numbers are the same.
// Relu of unsigned numbers becomes an Identity, of i64 a Max, Sum of integers a chain of Adds. In
// `entry` and its bodies.
void WidenElements(Graph& entry, BFloat16 bfloat16);

}  // namespace dragoman

#endif  // DRAGOMAN_EXPORTERS_ONNX_WIDEN_ELEMENTS_H_
