// SPDX-License-Identifier: Apache-2.0
// Constants that ONNX can write in several forms.
#ifndef DRAGOMAN_IMPORTERS_ONNX_CONSTANT_TENSOR_H_
#define DRAGOMAN_IMPORTERS_ONNX_CONSTANT_TENSOR_H_

#include "core/ir/attribute.h"
#include "core/support/result.h"

namespace dragoman {

// What attribute value, value_float, value_ints, … or sparse_value of a Constant node stands for.
Result<Tensor> ConstantTensor(const Attribute& attribute);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_ONNX_CONSTANT_TENSOR_H_
