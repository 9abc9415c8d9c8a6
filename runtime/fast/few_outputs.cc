// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/few_outputs.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "runtime/fast/blocked_sizes.h"

namespace dragoman::rt {

bool FewOutputs::Supports(const Window& window, std::int64_t group, const Shape& w,
                          std::int64_t x_block) {
  constexpr std::int64_t kMostOutputs = 4, kFewestChannels = 8, kFewestElements = 16;
  const std::int64_t elements = window.InputSize();
  const auto fits = [](const WindowAxis& axis) {
    return axis.stride == 1 && axis.pad_begin < axis.Span();
  };
  return group == 1 && w[0] <= kMostOutputs && w[1] >= kFewestChannels &&
         elements >= kFewestElements && elements <= 2 * window.OutputSize() &&
         (window.Taps() > 1 || x_block == kRowMajor) &&
         std::all_of(window.axes, window.axes + window.rank, fits);
}

FewOutputs::FewOutputs(const Window& window, const Shape& x, const Shape& w, const float* weights,
                       const float* bias, const PostOps& post) {
  const std::int64_t outputs = w[0], inputs = w[1], taps = window.Taps();
  std::vector<float> reversed;
  reversed.reserve(static_cast<std::size_t>(outputs * inputs * taps));
  for (std::int64_t i = 0; i < inputs; ++i) {
    for (std::int64_t o = 0; o < outputs; ++o) {
      const float* const own = weights + (o * inputs + i) * taps;
      reversed.insert(reversed.end(), std::make_reverse_iterator(own + taps),
                      std::make_reverse_iterator(own));
    }
  }
  Shape transposed_w = w;
  std::swap(transposed_w[0], transposed_w[1]);
  product_.Pack(transposed_w, 1, reversed.data(), bias, post);
  Window transposed = window;
  for (int i = 0; i < transposed.rank; ++i) {
    WindowAxis& axis = transposed.axes[i];
    axis.pad_begin = axis.Span() - 1 - axis.pad_begin;
  }
  product_.Resize(x, transposed);
}

}  // namespace dragoman::rt
