// SPDX-License-Identifier: Apache-2.0
// Compositions of torch that several operators share, beside those of core/lowering/math.h.
#ifndef DRAGOMAN_IMPORTERS_TORCH_OPS_MATH_H_
#define DRAGOMAN_IMPORTERS_TORCH_OPS_MATH_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/lowering/math.h"
#include "importers/torch/ops/composer.h"

namespace dragoman::torch {

// "add" of `aten.add_`.
std::string_view FunctionalName(const OpName& op);

// The size of `count` axes as one, divided by `parts`, for a new shape: -1, what is left there,
// where it is not known. A number is right beside a size of 0, too.
Value* MergedSize(Composer& c, Value* value, int first, int count, std::int64_t parts = 1);

// The p-norm along `axes`: p of 0 counts what is not zero, infinities take extremes.
Value* VectorNorm(Composer& c, Value* x, double p, const std::vector<std::int64_t>& axes,
                  bool keep);

// log Σ exp(x) of complex numbers along axes: the largest real part is taken out of the powers.
Value* LogSumExpOfComplex(Composer& c, Value* x, const std::vector<std::int64_t>& axes, bool keep);

// Softmax that gives zeros to rows of -inf alone.
Value* SafeSoftmax(Composer& c, Value* x, int axis);

// log σ(x), also where σ(x) is 0 in floating-point numbers.
Value* LogSigmoid(Composer& c, Value* x);

// Of real numbers; 0 of NaN.
Value* Sign(Composer& c, Value* x);

// x log y, and 0 where x is 0 unless y is NaN; of one floating type.
Value* XLogY(Composer& c, Value* x, Value* y);

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_OPS_MATH_H_
