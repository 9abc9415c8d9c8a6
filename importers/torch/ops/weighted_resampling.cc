// SPDX-License-Identifier: Apache-2.0
// One axis after the other, as torch's kernels do it (aten/src/ATen/native/cpu/UpSampleKernel.cpp);
// bytes in integers.
#include "importers/torch/ops/weighted_resampling.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "runtime/params/cubic_weight.h"

namespace dragoman::torch {
namespace {

double Tent(double x) { return std::max(0.0, 1 - std::abs(x)); }

double Kernel(const Resampling& how, double x) {
  return how.cubic ? rt::CubicWeight(x, how.antialias ? -0.5 : -0.75) : Tent(x);
}

// Input elements from one output element to the next.
double StepOf(const Resampling& how, const ResampledAxis& axis) {
  const auto in = static_cast<double>(axis.in);
  const auto out = static_cast<double>(axis.out);
  if (how.align_corners) return axis.out > 1 ? (in - 1) / (out - 1) : 0;
  return axis.scale > 0 ? 1 / axis.scale : in / out;
}

// All input elements that lie below the kernel, which is as wide as a step. With aligned corners,
// too, the middle of the first output element lies half a step after the border.
std::vector<double> SmoothedRow(const Resampling& how, const ResampledAxis& axis, double step,
                                std::int64_t row) {
  const double width = std::max(step, 1.0);
  const double support = (how.cubic ? 2 : 1) * width;
  const double center = step * (static_cast<double>(row) + 0.5);
  const auto begin = std::max<std::int64_t>(static_cast<std::int64_t>(center - support + 0.5), 0);
  const auto end = std::min(static_cast<std::int64_t>(center + support + 0.5), axis.in);
  std::vector<double> weights(static_cast<std::size_t>(axis.in));
  double total = 0;
  for (std::int64_t i = begin; i < end; ++i) {
    const double x = (static_cast<double>(i) - center + 0.5) / width;
    total += weights[static_cast<std::size_t>(i)] = Kernel(how, x);
  }
  for (double& weight : weights) weight /= total;
  return weights;
}

// The 2 or 4 nearest input elements; those beyond the border are the ones on it.
std::vector<double> InterpolatedRow(const Resampling& how, const ResampledAxis& axis, double step,
                                    std::int64_t row) {
  double at = static_cast<double>(row) * step;
  if (!how.align_corners) at += 0.5 * step - 0.5;
  if (!how.cubic) at = std::max(at, 0.0);
  const auto nearest = std::min(static_cast<std::int64_t>(std::floor(at)), axis.in - 1);
  const double rest = std::clamp(at - static_cast<double>(nearest), 0.0, 1.0);
  const std::int64_t half = how.cubic ? 2 : 1;
  std::vector<double> weights(static_cast<std::size_t>(axis.in));
  for (std::int64_t i = 1 - half; i <= half; ++i) {
    const std::int64_t place = std::clamp<std::int64_t>(nearest + i, 0, axis.in - 1);
    weights[static_cast<std::size_t>(place)] += Kernel(how, static_cast<double>(i) - rest);
  }
  return weights;
}

// Of each input element its weight in each output element: [in, out].
std::vector<double> WeightsOf(const Resampling& how, const ResampledAxis& axis) {
  const double step = StepOf(how, axis);
  const auto out = static_cast<std::size_t>(axis.out);
  std::vector<double> weights(static_cast<std::size_t>(axis.in) * out);
  for (std::size_t column = 0; column < out; ++column) {
    const auto place = static_cast<std::int64_t>(column);
    const std::vector<double> row = how.antialias ? SmoothedRow(how, axis, step, place)
                                                  : InterpolatedRow(how, axis, step, place);
    for (std::size_t i = 0; i < row.size(); ++i) weights[i * out + column] = row[i];
  }
  return weights;
}

// Weights as multiples of 2^-bits.
struct FixedWeights {
  std::vector<std::int32_t> columns;  // [in, out]
  int bits = 0;
};

FixedWeights Fixed(const std::vector<double>& weights) {
  const double largest = std::max(0.0, *std::ranges::max_element(weights));
  FixedWeights fixed;
  while (fixed.bits < 22 && static_cast<int>(0.5 + largest * (1 << (fixed.bits + 1))) < (1 << 15))
    ++fixed.bits;
  for (const double weight : weights)
    fixed.columns.push_back(static_cast<std::int32_t>(std::round(weight * (1 << fixed.bits))));
  return fixed;
}

// Along the last axis of int32 or floats.
Value* Resampled(Composer& c, Value* x, const Resampling& how, const ResampledAxis& axis) {
  if (axis.in == axis.out) return x;
  const std::vector<double> weights = WeightsOf(how, axis);
  const std::vector<std::int64_t> sizes = {axis.in, axis.out};
  if (IsFloating(c.dtype(x))) {
    Value* columns = c.builder().Constant(Tensor::Of<double>(sizes, weights));
    return c.Op("MatMul", {x, c.CastLike(columns, x)});
  }
  const FixedWeights fixed = Fixed(weights);
  Value* columns = c.builder().Constant(Tensor::Of<std::int32_t>(sizes, fixed.columns));
  Value* sums = c.Add(c.Op("MatMul", {x, columns}), 1 << (fixed.bits - 1));
  return c.Min(c.Div(c.Max(sums, 0), 1 << fixed.bits), 255);
}

}  // namespace

Value* Resample(Composer& c, Value* x, const Resampling& how, const ResampledAxis& height,
                const ResampledAxis& width) {
  Value* y = c.dtype(x) == DType::kU8 ? c.Cast(x, DType::kI32) : c.Widen(x);
  y = Resampled(c, y, how, width);
  y = c.SwapAxes(Resampled(c, c.SwapAxes(y, 2, 3), how, height), 2, 3);
  return c.CastLike(y, x);
}

}  // namespace dragoman::torch
