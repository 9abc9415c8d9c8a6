// SPDX-License-Identifier: Apache-2.0
// Images of other sizes by kernels that count several pixels, and convolutions of padded images.
#include "importers/tensorflow/ops/lowerings.h"
#include "importers/tensorflow/ops/op_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "core/lowering/math.h"
#include "importers/tensorflow/ops/convolution.h"

namespace dragoman::tf {
namespace {

Value* Cube(Composer& c, Value* x) { return c.Mul(c.Mul(x, x), x); }

// sin(πx) / πx · sin(πx / a) / (πx / a); `x` is not negative, as for all kernels.
Value* Lanczos(Composer& c, Value* x, double radius) {
  Value* angle = c.Mul(x, std::numbers::pi);
  Value* sines = c.Mul(c.Op("Sin", {angle}), c.Op("Sin", {c.Div(angle, radius)}));
  Value* kernel = c.Div(c.Mul(sines, radius), c.Mul(angle, angle));
  return c.Where(c.LessOrEqual(x, 1e-3), 1, kernel);
}

// The only one that does not vanish towards its radius: it is 0 there.
Value* Gaussian(Composer& c, Value* x, double radius) {
  const double sigma = radius / 3;
  Value* bell = c.Exp(c.Div(c.Mul(x, x), -2 * sigma * sigma));
  return c.Where(c.Less(x, radius), bell, 0);
}

Value* Box(Composer& c, Value* x, double) {
  return c.Where(c.Less(x, 0.5), 1, c.Where(c.Equal(x, 0.5), 0.5, c.Mul(x, 0)));
}

Value* Triangle(Composer& c, Value* x, double) { return c.Sub(1, x); }

// Coefficients of x³, x², x and 1 up to 1, and from there to 2.
struct Cubic {
  std::array<double, 4> inner;
  std::array<double, 4> outer;
};

Value* Piecewise(Composer& c, Value* x, const Cubic& cubic) {
  const auto polynomial = [&](const std::array<double, 4>& k) {
    Value* square = c.Mul(x, x);
    return c.Add(c.Add(c.Mul(Cube(c, x), k[0]), c.Mul(square, k[1])), c.Add(c.Mul(x, k[2]), k[3]));
  };
  return c.Where(c.Less(x, 1), polynomial(cubic.inner), polynomial(cubic.outer));
}

Value* KeysCubic(Composer& c, Value* x, double) {
  return Piecewise(c, x, {{1.5, -2.5, 0, 1}, {-0.5, 2.5, -4, 2}});
}

Value* MitchellCubic(Composer& c, Value* x, double) {
  return Piecewise(c, x, {{7.0 / 6, -2, 0, 8.0 / 9}, {-7.0 / 18, 2, -10.0 / 3, 16.0 / 9}});
}

struct Kernel {
  std::string_view name;
  double radius;
  Value* (*weight)(Composer& c, Value* x, double radius);
};
constexpr auto kKernels = std::to_array<Kernel>({
    {"box", 1, Box},
    {"gaussian", 1.5, Gaussian},
    {"keyscubic", 2, KeysCubic},
    {"lanczos1", 1, Lanczos},
    {"lanczos3", 3, Lanczos},
    {"lanczos5", 5, Lanczos},
    {"mitchellcubic", 2, MitchellCubic},
    {"triangle", 1, Triangle},
});

// The share of each pixel of an axis of the operand (of `from` pixels) in each of the result (of
// `to`): a matrix (to, from).
Value* Weights(Call& c, const Kernel& kernel, Value* from, Value* to, Value* scale,
               Value* translation) {
  Value* step = c.Div(1, scale);
  Value* widening = c.BoolAttribute("antialias") ? c.Max(step, 1) : c.Number(1, step);
  const auto middles = [&](Value* count) { return c.Add(c.Cast(c.Iota(count), DType::kF32), 0.5); };
  Value* sample = c.Sub(c.Mul(middles(to), step), c.Mul(step, translation));
  sample = c.Unsqueeze(sample, {1});
  Value* distance = c.Div(c.Abs(c.Sub(c.Unsqueeze(middles(from), {0}), sample)), widening);
  Value* outside = c.Greater(distance, kernel.radius);
  Value* weights = c.Where(outside, 0, kernel.weight(c, distance, kernel.radius));
  Value* sum = c.ReduceSum(weights, {1}, true);
  Value* beyond = c.Or(c.Less(sample, 0), c.Greater(sample, c.Cast(from, DType::kF32)));
  // What sums up to nothing is not defined.
  constexpr double kLeast = 1000 * 1.17549435e-38;
  Value* empty = c.Or(beyond, c.Less(c.Abs(sum), kLeast));
  return c.Where(empty, 0, c.Div(weights, c.Where(empty, 1, sum)));
}

const Kernel* TakeKernel(Call& c) {
  const std::string name = c.TextAttribute("kernel_type");
  const auto* kernel = std::find_if(kKernels.begin(), kKernels.end(),
                                    [&](const Kernel& some) { return some.name == name; });
  if (kernel != kKernels.end()) return kernel;
  c.Fail("kernel_type " + name + " is not supported");
  return nullptr;
}

// Images (batch, height, width, channels) with bilinear pixels between.
Value* ResizeToOperand(Call& c, Value* x, std::size_t size) {
  const Layout layout{2, true};
  Value* first = ToChannelsFirst(c, layout, x);
  Value* sizes = c.ConcatSizes({c.SizeVector(first, 0, 2), c.Index(size)});
  const bool corners = c.BoolAttribute("resize_align_corners");
  Value* y = c.Op("Resize", {first, nullptr, nullptr, sizes},
                  {{"coordinate_transformation_mode", corners ? "align_corners" : "asymmetric"},
                   {"mode", "linear"}});
  return FromChannelsFirst(c, layout, y);
}

Value* LowerScaleAndTranslate(Call& c) {
  Value* x = c.Cast(c.Tensor(0), DType::kF32);
  Value* size = c.Index(1);
  Value* scale = c.Tensor(2);
  Value* translation = c.Tensor(3);
  const Kernel* kernel = TakeKernel(c);
  if (c.failed()) return nullptr;
  const Layout layout{2, true};
  Value* first = ToChannelsFirst(c, layout, x);
  const auto weights = [&](int axis) {
    return Weights(c, *kernel, c.Size(first, axis + 2), c.Select(size, 0, axis),
                   c.Select(scale, 0, axis), c.Select(translation, 0, axis));
  };
  Value* rows = c.Op("MatMul", {weights(0), first});
  Value* columns = c.Transpose(weights(1), {1, 0});
  return FromChannelsFirst(c, layout, c.Op("MatMul", {rows, columns}));
}

Value* LowerFusedPadConv2D(Call& c) {
  Value* x = Mirrored(c, c.Tensor(0), 1, c.TextAttribute("mode"));
  return Convolution2D(c, {2, true}, x, c.Tensor(2));
}

Value* LowerFusedResizeAndPadConv2D(Call& c) {
  Value* x = Mirrored(c, ResizeToOperand(c, c.Tensor(0), 1), 2, c.TextAttribute("mode"));
  return Convolution2D(c, {2, true}, x, c.Tensor(3));
}

}  // namespace

std::span<const OpRow> ResamplingRows() {
  static constexpr OpRow kRows[] = {
      {"FusedPadConv2D", LowerFusedPadConv2D},
      {"FusedResizeAndPadConv2D", LowerFusedResizeAndPadConv2D},
      {"ScaleAndTranslate", LowerScaleAndTranslate},
  };
  return kRows;
}

}  // namespace dragoman::tf
