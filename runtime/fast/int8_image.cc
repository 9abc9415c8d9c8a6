// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast/int8_image.h"

#include <algorithm>

#include "runtime/fast/parallel.h"

namespace dragoman::rt {
namespace {

constexpr std::int64_t kImageGrain = 1 << 16;  // elements that a thread is worth

}  // namespace

Int8Image::Int8Image(const Window& window, std::int64_t image_channels)
    : channels(image_channels), input(window.InputSize()), output(window.OutputSize()) {
  for (WindowAxis& axis : axes) axis.input = axis.output = 1;
  for (int i = 0; i < window.rank; ++i) axes[kAxes - window.rank + i] = window.axes[i];
  for (int i = 0; i < kAxes; ++i)
    extents[i] = (axes[i].output - 1) * axes[i].stride + axes[i].Span();
}

std::int64_t Int8Image::WindowStart(std::int64_t position) const {
  const std::int64_t k = position % axes[2].output, row = position / axes[2].output;
  const std::int64_t j = row % axes[1].output, i = row / axes[1].output;
  const std::int64_t line = i * axes[0].stride * extents[1] + j * axes[1].stride;
  return (line * extents[2] + k * axes[2].stride) * channels * factor_bytes;
}

bool Int8Image::IsSample(bool channels_last) const {
  for (int i = 0; i < kAxes; ++i) {
    if (axes[i].pad_begin != 0 || extents[i] > axes[i].input) return false;
    if (i > 0 && extents[i] != axes[i].input) return false;
  }
  return factor_bytes == 1 && (channels_last || channels == 1 || input == 1);
}

// The row of x whose first element is `at`.
template <class T>
void Int8Image::FillRow(Int8Data x, std::int64_t at, bool channels_last, std::int32_t zero,
                        T padding, T* to) const noexcept {
  const WindowAxis& axis = axes[2];
  const std::int64_t before = std::min(axis.pad_begin, extents[2]);
  const std::int64_t used = std::clamp<std::int64_t>(extents[2] - before, 0, axis.input);
  std::fill_n(to, before * channels, padding);
  T* inner = to + before * channels;
  if (channels_last) {
    CopyInt8(x, at, used * channels, zero, 1, inner);
  } else {
    for (std::int64_t c = 0; c < channels; ++c)
      CopyInt8(x, at + c * input, used, zero, channels, inner + c);
  }
  std::fill(inner + used * channels, to + extents[2] * channels, padding);
}

template <class T>
void Int8Image::FillAs(Int8Data x, std::int64_t sample, bool channels_last, std::int32_t zero,
                       T padding, T* to) const noexcept {
  const std::int64_t row_size = extents[2] * channels;
  Parallel(extents[0] * extents[1], std::max<std::int64_t>(kImageGrain / row_size, 1),
           [&](std::int64_t begin, std::int64_t end) {
             for (std::int64_t row = begin; row < end; ++row) {
               const std::int64_t i = row / extents[1] - axes[0].pad_begin;
               const std::int64_t j = row % extents[1] - axes[1].pad_begin;
               T* row_to = to + row * row_size;
               if (i < 0 || i >= axes[0].input || j < 0 || j >= axes[1].input) {
                 std::fill_n(row_to, row_size, padding);
                 continue;
               }
               const std::int64_t first = (i * axes[1].input + j) * axes[2].input;
               const std::int64_t at =
                   sample * channels * input + first * (channels_last ? channels : 1);
               FillRow(x, at, channels_last, zero, padding, row_to);
             }
           });
  std::fill_n(to + size(), kSlack, padding);
}

void Int8Image::Fill(Int8Data x, std::int64_t sample, bool channels_last, std::int32_t zero,
                     char* to) const noexcept {
  if (factor_bytes == 1) {
    FillAs(x, sample, channels_last, zero, static_cast<std::uint8_t>(zero + ShiftToBytes(x)),
           reinterpret_cast<std::uint8_t*>(to));
  } else {
    FillAs(x, sample, channels_last, zero, std::int16_t{0}, reinterpret_cast<std::int16_t*>(to));
  }
}

}  // namespace dragoman::rt
