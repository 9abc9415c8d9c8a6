// SPDX-License-Identifier: Apache-2.0
// The lowering functions of quantised tensors, as lowerings.h lists the others.
#ifndef DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_QUANTIZED_LOWERINGS_H_
#define DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_QUANTIZED_LOWERINGS_H_

#include <vector>

#include "importers/tensorflow/ops/call.h"

namespace dragoman::tf {

// quantization.cc
Value* LowerFakeQuantArgs(Call& c);
Value* LowerFakeQuantVars(Call& c);
Value* LowerQuantizeAndDequantize(Call& c);

// quantized.cc
Value* LowerDequantize(Call& c);
std::vector<Value*> LowerQuantize(Call& c);

// quantized_arithmetic.cc
std::vector<Value*> LowerQuantizedMatMul(Call& c);
std::vector<Value*> LowerQuantizedConv2D(Call& c);
std::vector<Value*> LowerQuantizedMul(Call& c);
std::vector<Value*> LowerQuantizedAdd(Call& c);
std::vector<Value*> LowerQuantizedRelu(Call& c);
std::vector<Value*> LowerQuantizedReshape(Call& c);
std::vector<Value*> LowerQuantizedConcat(Call& c);
std::vector<Value*> LowerQuantizedPool(Call& c);
std::vector<Value*> LowerRequantizationRange(Call& c);
std::vector<Value*> LowerRequantize(Call& c);
std::vector<Value*> LowerQuantizeDownAndShrinkRange(Call& c);

// quantized_fused.cc
std::vector<Value*> LowerQuantizedFusedConv2D(Call& c);
std::vector<Value*> LowerQuantizedFusedMatMul(Call& c);

}  // namespace dragoman::tf

#endif  // DRAGOMAN_IMPORTERS_TENSORFLOW_OPS_QUANTIZED_LOWERINGS_H_
