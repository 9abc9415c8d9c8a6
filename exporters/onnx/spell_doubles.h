// SPDX-License-Identifier: Apache-2.0
// Operators of float64 that runtimes have in float32 alone.
#ifndef DRAGOMAN_EXPORTERS_ONNX_SPELL_DOUBLES_H_
#define DRAGOMAN_EXPORTERS_ONNX_SPELL_DOUBLES_H_

#include "core/ir/graph.h"

namespace dragoman {

// In the graph of an entry and its bodies, activations, trigonometric and hyperbolic functions and
// global pooling of float64 that ONNX Runtime 1.31 lacks become their formulas: to be called where
// other operators, such as Gelu, have become those of the operator set.
void SpellDoubles(Graph& entry);

}  // namespace dragoman

#endif  // DRAGOMAN_EXPORTERS_ONNX_SPELL_DOUBLES_H_
