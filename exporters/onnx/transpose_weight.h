// SPDX-License-Identifier: Apache-2.0
// The weight of a product as ONNX's MatMul reads it.
#ifndef DRAGOMAN_EXPORTERS_ONNX_TRANSPOSE_WEIGHT_H_
#define DRAGOMAN_EXPORTERS_ONNX_TRANSPOSE_WEIGHT_H_

#include "core/ir/graph.h"

namespace dragoman {

// A constant matrix that nothing but a Transpose reads becomes what that gives, and the node goes.
// `weight` may be any value, or nullptr.
void TransposeWeight(Value* weight);

}  // namespace dragoman

#endif  // DRAGOMAN_EXPORTERS_ONNX_TRANSPOSE_WEIGHT_H_
