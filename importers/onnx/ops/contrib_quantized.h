// SPDX-License-Identifier: Apache-2.0
// What lowerings of quantised operators share. An operand x is followed by its scale and its zero
// point, which may be missing and is 0 then.
#ifndef DRAGOMAN_IMPORTERS_ONNX_OPS_CONTRIB_QUANTIZED_H_
#define DRAGOMAN_IMPORTERS_ONNX_OPS_CONTRIB_QUANTIZED_H_

#include "importers/onnx/ops/contrib.h"

namespace dragoman {

// A parameter of the whole tensor, as rank 0: files have vectors of one element too. nullptr stays.
Value* OneNumber(Composer& f, Value* x);
// The same of what is known to have one element; a vector otherwise.
Value* NumberOrVector(Composer& f, Value* x);

// Operand `first`, which is followed by its scale and zero point.
Value* Dequantized(OpComposer& f, const OpLowering& op, std::size_t first);
// As the source's first result, with the operands `scale` and the zero point after it; of `dtype`
// where that is missing.
Value* Quantized(OpComposer& f, const OpLowering& op, Value* real, std::size_t scale, DType dtype);

struct QuantizedFactor {
  Value* values;
  Value* scale;
  Value* zero_point;  // nullptr: 0
};

// The matrix product in integers, times the scales: f32.
Value* ScaledProduct(Composer& f, const QuantizedFactor& a, const QuantizedFactor& b);

// Bytes of a value of rank `rank`, apart along the last axis: the numbers of `bits` that each
// holds, the lowest first.
Value* Spread(OpLowering& op, OpComposer& f, Value* bytes, std::int64_t bits, int rank);

}  // namespace dragoman

#endif  // DRAGOMAN_IMPORTERS_ONNX_OPS_CONTRIB_QUANTIZED_H_
