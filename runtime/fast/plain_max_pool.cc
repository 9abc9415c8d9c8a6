#include "runtime/fast/plain_max_pool.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dragoman::rt {

PlainMaxPool::PlainMaxPool(const Window& window, const Shape& x, std::int64_t x_block,
                           std::int64_t y_block)
    : x_(x, x_block), y_(x, y_block) {
  for (WindowAxis& axis : axes_) axis.input = axis.output = 1;
  std::copy_n(window.axes, window.rank, axes_.end() - window.rank);
  y_.spatial = window.OutputSize();
}

void PlainMaxPool::Run(const float* x, float* y) const noexcept { RunAll(x, y); }

void PlainMaxPool::Run(const BFloat16* x, BFloat16* y) const noexcept { RunAll(x, y); }

template <class T>
void PlainMaxPool::RunAll(const T* x, T* y) const {
  std::fill_n(y, y_.size(), T(0.0f));  // also what fills up the last block of channels
  for (std::int64_t image = 0; image < x_.n; ++image) {
    for (std::int64_t c = 0; c < x_.channels; ++c)
      RunChannel(x + At(x_, image, c), y + At(y_, image, c));
  }
}

std::int64_t PlainMaxPool::At(const BlockedSizes& sizes, std::int64_t image, std::int64_t channel) {
  const std::int64_t block = image * sizes.channel_blocks + channel / sizes.block;
  return block * sizes.spatial * sizes.block + channel % sizes.block;
}

PlainMaxPool::Range PlainMaxPool::Taps(const WindowAxis& axis, std::int64_t output) {
  const std::int64_t first = output * axis.stride - axis.pad_begin;
  return {std::max<std::int64_t>(first, 0), std::min(first + axis.kernel, axis.input)};
}

template <class T>
void PlainMaxPool::RunChannel(const T* x, T* y) const {
  std::int64_t at = 0;
  for (std::int64_t a = 0; a < axes_[0].output; ++a) {
    for (std::int64_t b = 0; b < axes_[1].output; ++b) {
      for (std::int64_t c = 0; c < axes_[2].output; ++c, ++at)
        y[at * y_.block] = T(Largest({Taps(axes_[0], a), Taps(axes_[1], b), Taps(axes_[2], c)}, x));
    }
  }
}

template <class T>
float PlainMaxPool::Largest(const std::array<Range, kAxes>& taps, const T* x) const {
  float largest = -std::numeric_limits<float>::infinity();
  for (std::int64_t a = taps[0].begin; a < taps[0].end; ++a) {
    for (std::int64_t b = taps[1].begin; b < taps[1].end; ++b) {
      const std::int64_t row = (a * axes_[1].input + b) * axes_[2].input;
      for (std::int64_t c = taps[2].begin; c < taps[2].end; ++c) {
        const float element = static_cast<float>(x[(row + c) * x_.block]);
        if (element > largest || std::isnan(element)) largest = element;
      }
    }
  }
  return largest;
}

}  // namespace dragoman::rt
