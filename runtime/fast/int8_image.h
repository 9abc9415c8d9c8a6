// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operand of a convolution of 8-bit integers as factors of 16 bits or as bytes
// (int8_product.h), with its padding around it, channels last: element (i, j, k, c) at
// ((i * extents[1] + j) * extents[2] + k) * channels + c. All taps of a result lie at fixed
// distances from where its window begins.
#ifndef DRAGOMAN_RUNTIME_FAST_INT8_IMAGE_H_
#define DRAGOMAN_RUNTIME_FAST_INT8_IMAGE_H_

#include <cstdint>

#include "runtime/fast/int8_product.h"
#include "runtime/params/window.h"
#include "runtime/program/memory.h"

namespace dragoman::rt {

struct Int8Image {
  static constexpr int kAxes = 3;             // spatial ones, missing ones in front of size 1
  static constexpr std::int64_t kSlack = 16;  // elements after the last one

  WindowAxis axes[kAxes];
  std::int64_t extents[kAxes] = {1, 1, 1};
  std::int64_t channels = 1;
  std::int64_t input = 1, output = 1;  // elements of a channel
  int factor_bytes = 2;

  // Extents that all windows need.
  Int8Image(const Window& window, std::int64_t channels);

  std::int64_t size() const { return extents[0] * extents[1] * extents[2] * channels; }
  // Room for `size` elements, and for a strip of them that begins with the last one.
  std::int64_t Bytes() const { return AlignedBytes((size() + kSlack) * factor_bytes); }
  // At which byte the window of a result begins, `position` counted row-major.
  std::int64_t WindowStart(std::int64_t position) const;
  // Whether unsigned samples are images already, but for what is after their last elements.
  bool IsSample(bool channels_last) const;
  // Copies sample `sample` of x.
  void Fill(Int8Data x, std::int64_t sample, bool channels_last, std::int32_t zero,
            char* to) const noexcept;

 private:
  template <class T>
  void FillRow(Int8Data x, std::int64_t at, bool channels_last, std::int32_t zero, T padding,
               T* to) const noexcept;
  template <class T>
  void FillAs(Int8Data x, std::int64_t sample, bool channels_last, std::int32_t zero, T padding,
              T* to) const noexcept;
};

}  // namespace dragoman::rt

#endif  // DRAGOMAN_RUNTIME_FAST_INT8_IMAGE_H_
