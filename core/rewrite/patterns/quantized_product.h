// SPDX-License-Identifier: Apache-2.0
// Products whose operands are dequantised: Conv, MatMul, Gemm and dragoman.Linear of
// DequantizeLinear(q) = (q - zero) * scale with 8-bit q. In terms of the integers they are
//
//     (sum over (xq - x_zero) * (wq - w_zero)) * x_scale * w_scale + bias
#ifndef DRAGOMAN_CORE_REWRITE_PATTERNS_QUANTIZED_PRODUCT_H_
#define DRAGOMAN_CORE_REWRITE_PATTERNS_QUANTIZED_PRODUCT_H_

#include <optional>
#include <vector>

#include "core/rewrite/pass_context.h"

namespace dragoman {

struct QuantizedProduct {
  Node* node = nullptr;
  bool is_conv = false;
  Value* x = nullptr;  // 8-bit, with one scale and zero point
  float x_scale = 0.0f;
  Tensor x_zero;                // a scalar of x's element type
  Value* w = nullptr;           // 8-bit; of a Conv it is constant
  bool transpose_w = false;     // w is (columns, depth): a constant, to be transposed
  std::vector<float> w_scales;  // one, or one a result channel or column
  Tensor w_zero;                // of w's element type: a scalar, or one a result channel or column
  Value* bias = nullptr;        // float, may be nullptr
  // The bias in units of x_scale * w_scale, one a result channel or column, if it is integers.
  std::optional<std::vector<std::int32_t>> int_bias;

  // x_scale * w_scale, as many as w_scales.
  std::vector<float> Scales() const;
};

// `node` as such a product; nullopt if it is none, or its integers cannot be determined.
std::optional<QuantizedProduct> MatchQuantizedProduct(Node& node);

// Whether quantisation by `scale` gives the 8-bit integers back that were dequantised by it.
bool IsGridScale(float scale);

// What a per-tensor QuantizeLinear with constant scale does.
struct Quantization {
  Tensor scale;  // a scalar, f32
  Tensor zero;   // a scalar of the result's element type, of 8 bits

  // The integer for `value`.
  std::int64_t Apply(float value) const;
};

std::optional<Quantization> MatchQuantization(const Node& node);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_REWRITE_PATTERNS_QUANTIZED_PRODUCT_H_
