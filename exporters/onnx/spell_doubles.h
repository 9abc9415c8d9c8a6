// SPDX-License-Identifier: Apache-2.0
// Operators of float64 that runtimes have in float32 alone.
#ifndef DRAGOMAN_EXPORTERS_ONNX_SPELL_DOUBLES_H_
#define DRAGOMAN_EXPORTERS_ONNX_SPELL_DOUBLES_H_

#include <cstdint>

#include "core/ir/graph.h"

namespace dragoman {

// In the graph of an entry and its bodies, activations, trigonometric and hyperbolic functions and
// global pooling of float64 that ONNX Runtime 1.31 lacks at `opset` become their formulas: to be
// called where the others have become operators of that set.
void SpellDoubles(Graph& entry, std::int64_t opset);

}  // namespace dragoman

#endif  // DRAGOMAN_EXPORTERS_ONNX_SPELL_DOUBLES_H_
