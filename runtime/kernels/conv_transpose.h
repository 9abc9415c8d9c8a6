// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ConvTranspose: the transpose of Conv over 1 to 6 spatial axes.
#ifndef DRAGOMAN_RUNTIME_KERNELS_CONV_TRANSPOSE_H_
#define DRAGOMAN_RUNTIME_KERNELS_CONV_TRANSPOSE_H_

#include <algorithm>
#include <cstdint>

#include "runtime/kernels/conv_loops.h"
#include "runtime/kernels/tensor_view.h"
#include "runtime/params/conv_transpose.h"

namespace dragoman::rt {

namespace internal {

// Sums one result plane. Input i, tap k adds to output i * stride - pad_begin + k * dilation.
template <class T>
class TransposedPlane {
 public:
  using Sum = ProductSum<T>;

  TransposedPlane(const Window& window, Sum* sums) : window_(window), sums_(sums) {
    for (int i = 0; i < window.rank; ++i) {
      const WindowAxis& axis = window.axes[i];
      rows_ *= i + 1 < window.rank ? axis.input : 1;
    }
  }

  // Adds the plane x under the kernel w.
  void Add(const T* x, const T* w) {
    const std::int64_t taps = window_.Taps();
    for (std::int64_t tap = 0; tap < taps; ++tap) {
      const Sum weight = static_cast<Sum>(w[tap]);
      for (std::int64_t row = 0; row < rows_; ++row) AddRow(x, row, tap, weight);
    }
  }

 private:
  // Adds the row of x that `row` numbers over the axes before the last.
  void AddRow(const T* x, std::int64_t row, std::int64_t tap, Sum weight) {
    const WindowAxis& last = window_.axes[window_.rank - 1];
    const std::int64_t shift = tap % last.kernel * last.dilation - last.pad_begin;
    std::int64_t rest = row;
    std::int64_t target = 0;
    std::int64_t step = last.output;
    tap /= last.kernel;
    for (int i = window_.rank - 2; i >= 0; --i) {
      const WindowAxis& axis = window_.axes[i];
      const std::int64_t at =
          rest % axis.input * axis.stride - axis.pad_begin + tap % axis.kernel * axis.dilation;
      if (at < 0 || at >= axis.output) return;
      target += at * step;
      step *= axis.output;
      rest /= axis.input;
      tap /= axis.kernel;
    }
    const std::int64_t begin = shift < 0 ? (-shift + last.stride - 1) / last.stride : 0;
    const std::int64_t room = last.output - 1 - shift;
    const std::int64_t end = room < 0 ? 0 : std::min(last.input, room / last.stride + 1);
    const T* from = x + row * last.input;
    Sum* to = sums_ + target + shift;
    for (std::int64_t i = begin; i < end; ++i) {
      to[i * last.stride] += weight * static_cast<Sum>(from[i]);
    }
  }

  const Window& window_;
  Sum* sums_;
  std::int64_t rows_ = 1;
};

}  // namespace internal

template <class T>
std::int64_t ConvTransposeScratchBytes(const ConvTransposeParams&, TensorView<const T>,
                                       TensorView<const T>, TensorView<const T>, TensorView<T> y) {
  std::int64_t plane = 1;
  for (int i = 2; i < y.rank(); ++i) plane *= y.shape[i];
  return plane * static_cast<std::int64_t>(sizeof(ProductSum<T>));
}

// x (N, C, spatial...), w (C, M / group, kernel...), b (M) or absent, y (N, M, spatial...). Results
// that no tap reaches hold the bias.
template <class T>
void ConvTranspose(const ConvTransposeParams& p, TensorView<const T> x, TensorView<const T> w,
                   TensorView<const T> b, TensorView<T> y, void* scratch) {
  using Sum = ProductSum<T>;
  Window window;
  if (!ConvTransposeWindow(p, x.shape, w.shape, &window).ok()) return;
  Sum* sums = static_cast<Sum*>(scratch);
  internal::TransposedPlane<T> plane(window, sums);
  const std::int64_t in_plane = window.InputSize();
  const std::int64_t out_plane = window.OutputSize();
  const std::int64_t taps = window.Taps();
  const std::int64_t channels = x.shape[1] / p.group;
  const std::int64_t results = w.shape[1];
  const std::int64_t planes = x.shape[0] * p.group * results;
  for (std::int64_t i = 0; i < planes; ++i) {
    const std::int64_t m = i % results;
    const std::int64_t g = i / results % p.group;
    const std::int64_t n = i / results / p.group;
    std::fill_n(sums, out_plane, b.present() ? static_cast<Sum>(b[g * results + m]) : Sum(0));
    for (std::int64_t c = g * channels; c < (g + 1) * channels; ++c) {
      plane.Add(x.data + (n * x.shape[1] + c) * in_plane, w.data + (c * results + m) * taps);
    }
    for (std::int64_t k = 0; k < out_plane; ++k) {
      y[i * out_plane + k] = static_cast<T>(static_cast<Compute<T>>(sums[k]));
    }
  }
}

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_KERNELS_CONV_TRANSPOSE_H_
